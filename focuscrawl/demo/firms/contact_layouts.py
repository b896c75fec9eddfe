"""Layouts of contact data: labels, values and the elements around them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape
from typing import NamedTuple

from focuscrawl.demo.firms.firm_facts import Firm
from focuscrawl.demo.repeatable_chance import pick

_LABELS = {
    "name": ("公司名称", "单位名称", "企业名称"),
    "address": ("地址", "公司地址", "办公地址", "联系地址"),
    "phone": ("电话", "联系电话", "服务热线", "咨询热线"),
    "email": ("邮箱", "电子邮箱", "E-mail"),
    "fax": ("传真",),
    "postcode": ("邮编", "邮政编码"),
    "qq": ("QQ", "客服QQ"),
    "homepage": ("网址", "公司网址"),
}
_ENGLISH = {
    "name": "Company",
    "address": "Add",
    "phone": "Tel",
    "email": "E-mail",
    "fax": "Fax",
    "postcode": "Zip",
    "qq": "QQ",
    "homepage": "Web",
}
_BLANKS = ("", "", "", "　", "&nbsp;&nbsp;", "  ")
_COLONS = ("：", "：", ":", ": ")
_JOINTS = ("、", " / ", "，", "  ")
_MAIL_FORMS = ("plain", "plain", "mailto", "mailto", "cloudflare", "hash")
_MASK = 0x5A


class Line(NamedTuple):
    """A field, its label as HTML without a colon, and its value as HTML."""

    field: str
    label: str
    value: str


@dataclass(frozen=True, slots=True)
class Writing:
    """Style of one firm's contact data, the same in all windows."""

    seed: int
    firm: Firm

    def contact(self, layout: str) -> str:
        """Return all values of the firm as HTML in one of :data:`LAYOUTS`."""
        lines = [self._line(field, layout == "english") for field in self.firm.values]
        return LAYOUTS[layout](lines, self._pick(_COLONS, "colon"))

    def one_line(self) -> str:
        """Return address, phone and e-mail in one line, as in a footer."""
        lines = [self._line(field, False) for field in self.firm.values]
        return "&nbsp; ".join(f"{line.label}：{line.value}" for line in lines)

    def _line(self, field: str, in_english: bool) -> Line:
        label = _ENGLISH[field] if in_english else self._label(field)
        return Line(field, label, self._value(field))

    def _label(self, field: str) -> str:
        label = self._pick(_LABELS[field], field)
        blank = self._pick(_BLANKS, "blank")
        return blank.join(label) if len(label) == 2 and not label.isascii() else label

    def _value(self, field: str) -> str:
        values = self.firm.values[field]
        if field == "email":
            return self._mail(values[0])
        return self._pick(_JOINTS, "joint").join(map(escape, values))

    def _mail(self, address: str) -> str:
        match self._pick(_MAIL_FORMS, "mail form"):
            case "mailto":
                return f'<a href="mailto:{address}">{address}</a>'
            case "cloudflare":
                return (
                    '<a href="/cdn-cgi/l/email-protection" class="__cf_email__" '
                    f'data-cfemail="{_masked(address)}">[email&#160;protected]</a>'
                )
            case "hash":
                return address.replace("@", "#at#")
        return address

    def _pick(self, options: Sequence[str], what: str) -> str:
        return pick(options, self.seed, "writing", self.firm.number, what)


def _masked(address: str) -> str:
    """Return an e-mail address as obfuscated by Cloudflare: each byte XORed with the first."""
    return f"{_MASK:02x}" + "".join(f"{byte ^ _MASK:02x}" for byte in address.encode())


def _paragraphs(lines: Sequence[Line], colon: str) -> str:
    return "\n".join(f"<p>{line.label}{colon}{line.value}</p>" for line in lines)


def _bold_labels(lines: Sequence[Line], colon: str) -> str:
    return "\n".join(f"<p><strong>{line.label}{colon}</strong>{line.value}</p>" for line in lines)


def _breaks(lines: Sequence[Line], colon: str) -> str:
    return "<p>" + "<br>\n".join(f"{line.label}{colon}{line.value}" for line in lines) + "</p>"


def _items(lines: Sequence[Line], colon: str) -> str:
    items = "\n".join(f"<li>{line.label}{colon}{line.value}</li>" for line in lines)
    return f"<ul>\n{items}\n</ul>"


def _table_column(lines: Sequence[Line], colon: str) -> str:
    rows = "\n".join(f"<tr><td>{line.label}</td><td>{line.value}</td></tr>" for line in lines)
    return f'<table border="1">\n{rows}\n</table>'


def _table_row(lines: Sequence[Line], colon: str) -> str:
    labels = "".join(f"<th>{line.label}</th>" for line in lines)
    values = "".join(f"<td>{line.value}</td>" for line in lines)
    return f'<table border="1">\n<tr>{labels}</tr>\n<tr>{values}</tr>\n</table>'


def _definitions(lines: Sequence[Line], colon: str) -> str:
    pairs = "\n".join(f"<dt>{line.label}</dt><dd>{line.value}</dd>" for line in lines)
    return f"<dl>\n{pairs}\n</dl>"


def _two_elements(lines: Sequence[Line], colon: str) -> str:
    return "\n".join(
        f'<div class="row"><span class="l">{line.label}{colon}</span>'
        f'<span class="r">{line.value}</span></div>'
        for line in lines
    )


def _icons(lines: Sequence[Line], colon: str) -> str:
    names = {"phone": "phone", "email": "envelope", "address": "map-marker"}
    return "\n".join(
        f'<p><i class="icon icon-{names[line.field]}"></i> {line.value}</p>'
        if line.field in names
        else f"<p>{line.label}{colon}{line.value}</p>"
        for line in lines
    )


def _pictures(lines: Sequence[Line], colon: str) -> str:
    return "\n".join(
        f'<div class="row"><img src="/images/{line.field}.png" alt="{_bare(line.label)}">'
        f"<span>{line.value}</span></div>"
        for line in lines
    )


def _bare(label: str) -> str:
    return label.replace("&nbsp;", "").replace("　", "").replace(" ", "")


LAYOUTS: dict[str, Callable[[Sequence[Line], str], str]] = {
    "paragraphs": _paragraphs,
    "bold": _bold_labels,
    "breaks": _breaks,
    "items": _items,
    "table column": _table_column,
    "table row": _table_row,
    "definitions": _definitions,
    "two elements": _two_elements,
    "icons": _icons,
    "pictures": _pictures,
    "english": _paragraphs,
}
"""Layouts of label and value, by name."""


def layout_of(seed: int, number: int) -> str:
    """Return the layout that a firm uses."""
    return pick(tuple(LAYOUTS), seed, "layout", number)
