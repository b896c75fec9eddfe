"""A small recorded web of our own: some hosts write of neural networks now and then, some never."""

from __future__ import annotations

import random
from collections.abc import Iterable
from io import BytesIO
from pathlib import Path

from warcio.statusandheaders import StatusAndHeaders  # type: ignore[import-untyped]
from warcio.warcwriter import WARCWriter  # type: ignore[import-untyped]

from focuscrawl.replay.recorded_pages import Recorded

SUBJECTS = ("神经网络 训练", "梯度下降 收敛", "卷积 图像 识别", "词向量 语言模型")
OTHERS = ("红烧 排骨", "周末 爬山", "相机 镜头", "毛笔 书法", "钓鱼 心得", "咖啡 豆子")


def write_warc(path: Path, pages: Iterable[Recorded]) -> Path:
    with path.open("wb") as file:
        writer = WARCWriter(file, gzip=True)
        for page in pages:
            headers = [("Content-Type", page.content_type), ("Location", page.location)]
            head = StatusAndHeaders(
                f"{page.status} Said", [pair for pair in headers if pair[1]], protocol="HTTP/1.1"
            )
            writer.write_record(
                writer.create_warc_record(
                    page.url, "response", payload=BytesIO(page.body), http_headers=head
                )
            )
    return path


def html(url: str, title: str, *links: tuple[str, str], text: str = "") -> Recorded:
    anchors = "".join(f'<li><a href="{href}">{anchor}</a></li>' for href, anchor in links)
    body = f"<html><head><title>{title}</title></head><body><p>{text}</p><ul>{anchors}</ul></body></html>"
    return Recorded(url, 200, "text/html; charset=utf-8", "", body.encode())


def moved(url: str, target: str) -> Recorded:
    return Recorded(url, 301, "", target, b"")


def small_web(folder: Path, hosts: int = 10, posts: int = 30) -> tuple[Path, Path]:
    """Return a recording and the truth of its pages: ``hosts`` blogs with ``posts`` posts each."""
    chance = random.Random(1)
    pages: list[Recorded] = []
    truth = ["url,relevant,page_type"]
    for host in range(hosts):
        home = f"http://blog{host}.test/"
        entries = []
        for number in range(posts):
            is_relevant = chance.random() < 0.3
            subject = chance.choice(SUBJECTS if is_relevant else OTHERS)
            url, title = f"{home}post/{number}", f"{subject} 之 {chance.choice('一二三四五六七')}"
            entries.append((url, title))
            pages.append(html(url, title, (home, "首页"), text=f"{subject} {subject} 笔记" * 5))
            truth.append(f"{url},{int(is_relevant)},post")
        pages.append(html(home, f"博客 {host}", *entries))
        truth.append(f"{home},0,hub")
    file = folder / "truth.csv"
    file.write_text("\n".join(truth), "utf-8")
    return write_warc(folder / "web.warc.gz", pages), file
