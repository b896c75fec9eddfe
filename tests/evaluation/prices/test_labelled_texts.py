"""Files of labelled texts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from focuscrawl.errors import ArgumentError
from focuscrawl.evaluation.prices.labelled_texts import read_labelled

TEXT = {
    "source_id": "a", "url": "http://www.example.cn/1", "title": "", "style": "list", "text": "长春玉米1690元/吨",
}  # fmt: skip
HEAD = "source_id,mention,price_yuan_per_ton_low,price_yuan_per_ton_high"


def files(folder: Path, labels: str, *texts: object, encoding: str = "utf-8") -> tuple[Path, Path]:
    lines = "\n".join(t if isinstance(t, str) else json.dumps(t, ensure_ascii=False) for t in texts)
    (folder / "texts.jsonl").write_bytes(lines.encode(encoding))
    (folder / "labels.csv").write_bytes(labels.encode(encoding))
    return folder / "texts.jsonl", folder / "labels.csv"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "gb18030"])
def test_any_order_of_columns_and_the_encodings_of_spreadsheets(
    tmp_path: Path, encoding: str
) -> None:
    labels = (
        "note,price_yuan_per_ton_high,mention,score,source_id,price_yuan_per_ton_low,mention_alt,commodity\r\n"
        'x,"1,690",长春,1,a,1690,吉林长春|长 春,玉米\r\n'
        "x,1690,长春,1,a,1690,,玉米\r\n"
        "x,1700,四平,0,a,1700,,玉米\r\n"
        "x,,没有价格,1,a,,,玉米\r\n"
    )
    (text,) = read_labelled(*files(tmp_path, labels, TEXT, encoding=encoding))
    assert (text.site, text.style) == ("www.example.cn", "list")
    first, second = text.labels
    assert (first.names, first.low, first.high, first.is_scored) == (
        ("长春", "吉林长春", "长春"),
        1690,
        1690,
        True,
    )
    assert (second.names, second.is_scored) == (("四平",), False)


def test_a_text_without_a_url_is_a_site_of_its_own(tmp_path: Path) -> None:
    texts = [
        {"source_id": "b", "text": "x"},
        TEXT | {"url": "composed:自拟"},
        TEXT | {"source_id": "c", "url": "http://[x"},
    ]
    found = read_labelled(*files(tmp_path, HEAD, *texts))
    assert [text.site for text in found] == ["b", "a", "c"]


@pytest.mark.parametrize(
    ("labels", "texts", "complaint"),
    [
        ("source_id,mention\n", [TEXT], "has no column price_yuan_per_ton_low, price_yuan_per_ton_high"),
        (HEAD.replace("source_id", "id"), [TEXT], "has no column source_id"),
        (f"{HEAD}\nb,长春,1690,1690\n", [TEXT], "has labels of 'b', which .* has not"),
        (HEAD, [TEXT, TEXT], "has a source_id twice"),
        (HEAD, [TEXT, "", "{"], "line 3 is not JSON"),
        (HEAD, ["[1]"], 'line 1 needs text as "source_id" and "text"'),
        (HEAD, [{"source_id": 1, "text": "x"}], 'line 1 needs text as "source_id" and "text"'),
        (HEAD, [TEXT | {"title": 5}], 'line 1 needs text as "url", "title" and "style"'),
    ],
)  # fmt: skip
def test_another_file_is_refused_in_one_line(
    tmp_path: Path, labels: str, texts: list[object], complaint: str
) -> None:
    with pytest.raises(ArgumentError, match=complaint) as caught:
        read_labelled(*files(tmp_path, labels, *texts))
    assert "\n" not in str(caught.value)


def test_a_file_that_is_none_is_refused(tmp_path: Path) -> None:
    texts, labels = files(tmp_path, HEAD, TEXT)
    with pytest.raises(ArgumentError, match=r"Cannot read .*none"):
        read_labelled(tmp_path / "none", labels)
    labels.write_bytes(b"\xff\xff\xff")
    with pytest.raises(ArgumentError, match="neither UTF-8 nor GB 18030"):
        read_labelled(texts, labels)
    labels.write_text(f"{HEAD}\na,{'长' * 200_000},1,1\n", "utf-8")
    with pytest.raises(ArgumentError, match="is not CSV"):
        read_labelled(texts, labels)
