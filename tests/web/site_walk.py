"""Walk over all pages of a web site that its own links lead to."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from urllib.parse import urldefrag, urljoin, urlsplit

from httpx2 import Response
from openpyxl import load_workbook
from selectolax.lexbor import LexborHTMLParser, LexborNode
from starlette.testclient import TestClient

_SCRIPTS_OF_OUR_OWN = "/static/"
_DATA = "application/json"


def walk(client: TestClient, *starts: str, most: int = 400) -> Iterator[tuple[str, Response]]:
    """Yield address and answer of all pages within reach, each path and set of query names once."""
    waiting, seen = [*starts], {*map(_shape, starts)}
    while waiting and most:
        address, most = waiting.pop(0), most - 1
        answer = client.get(address)
        yield address, answer
        if not answer.headers.get("content-type", "").startswith("text/html"):
            continue
        for node in LexborHTMLParser(answer.text).css("a[href], img[src]"):
            target = node.attributes.get("href") or node.attributes.get("src") or ""
            link = urldefrag(urljoin(address, target)).url
            if target[:2] != "//" and link.startswith("/") and _shape(link) not in seen:
                seen.add(_shape(link))
                waiting.append(link)


def _shape(link: str) -> str:
    """Return a link without the values of its query, of which there may be any number."""
    parts = urlsplit(link)
    return f"{parts.path}?{'&'.join(sorted(one.split('=')[0] for one in parts.query.split('&')))}"


def faults_of(html: str) -> list[str]:
    """Return everything in a page that a hostile text could have brought into it."""
    return [
        f"{node.tag} {fault}" for node in LexborHTMLParser(html).css("*") for fault in _faults(node)
    ]


def _faults(node: LexborNode) -> Iterator[str]:
    attributes = {name: value or "" for name, value in node.attributes.items()}
    is_ours = attributes.get("src", "").startswith(_SCRIPTS_OF_OUR_OWN)
    if node.tag == "script" and attributes.get("type") != _DATA and not is_ours:
        yield "is not one of ours"
    if node.tag in ("iframe", "object", "embed", "base", "svg", "math", "style"):
        yield "is never used"
    for name, value in attributes.items():
        if name.startswith("on") or name in ("style", "srcdoc"):
            yield f"has {name}"
        if name in ("href", "src", "action", "formaction"):
            if urlsplit(value.strip()).scheme not in ("", "http", "https", "data"):
                yield f"leads to {value[:40]}"
            told = f"{attributes.get('rel', '')} {attributes.get('referrerpolicy', '')}"
            if urlsplit(value).netloc and "noreferrer" not in told.replace(
                "no-referrer", "noreferrer"
            ):
                yield f"tells another site where {value[:40]} was clicked"


def formulas_in(answer: Response) -> list[str]:
    """Return the cells of a CSV or Excel file that a spreadsheet takes for formulas."""
    kind = answer.headers.get("content-type", "")
    if kind.startswith("text/csv"):
        rows = csv.reader(io.StringIO(answer.text.lstrip("﻿"), newline=""))
        return [cell for row in rows for cell in row if cell[:1] in "=+@\t\r" and cell]
    if "spreadsheetml" in kind:
        book = load_workbook(io.BytesIO(answer.content))
        cells = (cell for sheet in book for row in sheet.iter_rows() for cell in row)
        return [str(cell.value) for cell in cells if cell.data_type == "f"]
    return []
