"""Masking of secrets in messages: passwords in URLs and query strings, tokens, keys."""

from __future__ import annotations

import re

_MASK = "***"
# Complete names, or last parts of names such as access_token, X-Amz-Signature or wsSecret.
_NAMES = (
    r"[\w.\-]*?(?:password|passwd|passphrase|token|secret|api_?key|access_?key|signature"
    r"|credentials?|session_?id|sess_?id|authorization)"
    r"|(?:[\w.]+[_\-.])?(?:pwd|pass|key|sig|auth|sid|session|jwt)"
)
# A URL in the query string of another is percent-encoded.
_PARAMETER = re.compile(
    rf"((?:[?&;#]|%3[Ff]|%26|%3[Bb])(?:{_NAMES})(?:=|%3[Dd]))(?:(?!%26)[^&;#\s\"'<>])+",
    re.IGNORECASE,
)
_PASSWORD = re.compile(r"(://[^\s/?#@:\"'<>]*:)[^\s/?#\"'<>]+(?=@)")
# Some services put the token in place of the user name.
_USER = re.compile(r"(https?://)[^\s/?#@:\"'<>]+(?=@)", re.IGNORECASE)


def masked(text: str) -> str:
    """Return a message with the secrets of all URLs replaced by ``***``."""
    if "://" in text:
        text = _PASSWORD.sub(rf"\1{_MASK}", text)
        text = _USER.sub(rf"\1{_MASK}", text)
    if "=" in text or "%3" in text:
        text = _PARAMETER.sub(rf"\1{_MASK}", text)
    return text
