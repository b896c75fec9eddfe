"""E-mail addresses encoded by Cloudflare for decoding by its script."""

from __future__ import annotations

from selectolax.lexbor import LexborNode

_PATH = "/cdn-cgi/l/email-protection#"


def protected_email(node: LexborNode) -> str:
    """Return the e-mail address encoded in an element, ``""`` for any other element.

    The first byte of ``data-cfemail`` (hexadecimal) is the key; each of the others is a character
    xor the key.
    """
    own = node.attributes
    if code := own.get("data-cfemail"):
        return decoded(code)
    _, _, code = (own.get("href") or "").partition(_PATH)
    return decoded(code) if code else ""


def decoded(code: str) -> str:
    """Return the e-mail address of a hexadecimal code, ``""`` if it is invalid."""
    try:
        key, *characters = bytes.fromhex(code)
        email = bytes(character ^ key for character in characters).decode()
    except (ValueError, UnicodeDecodeError):
        return ""
    return email.partition("?")[0] if "@" in email and email.isprintable() else ""
