"""A brand and the firm behind it, and names directly followed by a label."""

from __future__ import annotations

import pytest

from focuscrawl.templates.extraction import combine, read_page
from focuscrawl.templates.template_model import load_template

FIELDS = load_template("contacts").fields
BRAND = "<title>青禾叮当官网</title><body><h1>青禾叮当</h1>"


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        (
            f"{BRAND}<h2>福建岚溪用品有限公司</h2><p>© 青禾叮当</p>",
            ["青禾叮当", "福建岚溪用品有限公司"],
        ),
        (f"{BRAND}<p>浙江甲方机械有限公司</p><p>河北乙方橡胶有限公司</p>", ["青禾叮当"]),
        (f"{BRAND}<p>近日，浙江甲方机械有限公司领导来访</p>", ["青禾叮当"]),
        (
            "<p><span>福建岚溪用品有限公司</span><span>电话：0571-88001234</span></p>",
            ["福建岚溪用品有限公司"],
        ),
        (
            "<p><span>福建岚溪用品有限公司</span><span>备案号：闽ICP备10001234号</span></p>",
            ["福建岚溪用品有限公司"],
        ),
        ("<title>Contact-Lanxi Group Co., Ltd.</title>", ["Lanxi Group Co., Ltd."]),
        (
            "<title>各校区地址</title><body><p>福建岚溪用品有限公司</p>",
            ["福建岚溪用品有限公司"],
        ),
        ("<title>New Page 2</title><body><p>福建岚溪用品有限公司</p>", ["福建岚溪用品有限公司"]),
    ],
)
def test_names(html: str, expected: list[str]) -> None:
    reading = read_page(html, "http://www.firm.example/", FIELDS)
    names = combine(reading, [], FIELDS).get("name", ())
    assert [name.value for name in names] == expected
