"""Values in the targets of links."""

from __future__ import annotations

from urllib.parse import unquote

from focuscrawl.templates.template_model import FieldType

_SCHEMES = {"tel": FieldType.PHONE, "mailto": FieldType.EMAIL}


def linked_value(href: str) -> tuple[FieldType, str] | None:
    """Return the type and text of the value of a ``tel:`` or ``mailto:`` link, None for others."""
    scheme, _, rest = href.partition(":")
    type_ = _SCHEMES.get(scheme.strip().lower())
    return (type_, unquote(rest).partition("?")[0].strip()) if type_ else None
