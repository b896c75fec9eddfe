"""A small recorded web of our own: some hosts write of neural networks now and then, some never."""

from __future__ import annotations

import random
from contextlib import closing
from pathlib import Path

from focuscrawl.labelling.label_collector import LabelWalk
from focuscrawl.labelling.label_store import LabelStore
from focuscrawl.pages.link import LabelledLink, Link
from focuscrawl.replay.recorded_pages import Recorded
from tests.replay.warcs import write_warc

SUBJECTS = ("神经网络 训练", "梯度下降 收敛", "卷积 图像 识别", "词向量 语言模型")
OTHERS = ("红烧 排骨", "周末 爬山", "相机 镜头", "毛笔 书法", "钓鱼 心得", "咖啡 豆子")


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


def store_labels(path: Path, topic: str, links: list[LabelledLink]) -> Path:
    """Write the labels of links that stand on one page."""
    source = "http://seed.test/"
    path.parent.mkdir(parents=True, exist_ok=True)
    with closing(LabelStore(path, topic)) as store:
        walk = LabelWalk(store, max_pages=10, max_per_site=10)
        walk.resume([source], lambda _: None)
        walk.take(1)
        store.add_page(source, links)
    return path


def labelled(hosts: int = 6, relevant_hosts: int = 6) -> list[LabelledLink]:
    """Return thirty links to each host, two of three relevant but to those behind the ``relevant_hosts``."""
    return [
        LabelledLink(
            Link(f"http://h{host}.test/{n}", "神经网络" if n % 3 else "红烧排骨", f"第{n}篇"),
            "http://seed.test/",
            host < relevant_hosts and n % 3 > 0,
        )
        for host in range(hosts)
        for n in range(30)
    ]
