"""Less common labels of pages."""

from __future__ import annotations

import pytest

from focuscrawl.templates.extraction import read_page
from focuscrawl.templates.extraction.page_values import Value
from focuscrawl.templates.template_model import load_template

FIELDS = load_template("contacts").fields


@pytest.mark.parametrize(
    ("field", "labels", "value"),
    [
        (
            "phone",
            "电话1 电话② 手机2 Tel1 服务电话 招商热线 监督电话 客服 前台 电話 聯絡方式 小灵通",
            "88001234",
        ),
        ("fax", "传真1 图传 电传 傳真 图文传真 Fax.", "0571-88001235"),
        (
            "address",
            "社址 会址 馆址 住所 经营场所 办公场所 地址1 單位地址 门市地址",
            "青春工业园文三路口",
        ),
        ("qq", "QQ1 客服QQ2 Q号 扣扣 QQ/微信", "12233445"),
        ("email", "E-mail1 电子邮址 投稿邮箱 電郵", "info@firm.cn"),
    ],
)
def test_labels(field: str, labels: str, value: str) -> None:
    missed = [
        label
        for label in labels.split()
        if [v.value for v in _values(f"<p>{label}：{value}</p>", field)] != [value]
    ]
    assert missed == []


def _values(html: str, field: str) -> tuple[Value, ...]:
    return read_page(html, "http://www.firm.example/", FIELDS).values.get(field, ())
