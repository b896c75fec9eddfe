"""Passwords: their rules, and hashes that are costly to guess."""

from __future__ import annotations

import pytest

from focuscrawl.errors import ArgumentError
from focuscrawl.web.accounts import passwords
from focuscrawl.web.accounts.passwords import check_password, hashed, verified
from tests.web.conftest import PASSWORD, QUICK

_COSTLY = "$argon2id$v=19$m=65536,t=3,p=4$"


@pytest.fixture(autouse=True)
def quick_hashes() -> None:
    """Replaces the fixture of the other tests: here, with the real parameters."""
    passwords.nobody.cache_clear()


def test_hashes_have_the_recommended_cost() -> None:
    stored = hashed(PASSWORD)
    assert stored.startswith(_COSTLY)
    assert verified(PASSWORD, stored) == (True, None)
    assert verified("another password", stored) == (False, None)
    assert verified(PASSWORD, None) == (False, None)
    # An outdated one is replaced.
    is_right, fresh = verified(PASSWORD, QUICK.hash(PASSWORD))
    assert is_right
    assert fresh
    assert fresh.startswith(_COSTLY)


@pytest.mark.parametrize(
    ("name", "password"),
    [
        ("wang", "short"),
        ("wang", "x" * 257),
        ("wang", "wang1234"),
        ("wangwangw", "wangwangwa"),
    ],
)
def test_bad_passwords(name: str, password: str) -> None:
    with pytest.raises(ArgumentError):
        check_password(password, name)
