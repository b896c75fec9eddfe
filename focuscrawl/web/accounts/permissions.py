"""Roles of users, and the permissions that each has."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from enum import StrEnum
from functools import cache

_log = logging.getLogger(__name__)


class Permission(StrEnum):
    """A permission that a route requires."""

    PUBLIC = "public"
    """Nobody has to log in, as for the login page itself."""
    READ = "read"
    KEEP = "keep"
    """Likes, a reading list and saved searches, which belong to an account."""
    EXPORT = "export"
    EDIT = "edit"
    OPERATE = "operate"
    ADMINISTER = "administer"


class Role(StrEnum):
    """A role of a user."""

    READER = "reader"
    ANALYST = "analyst"
    EDITOR = "editor"
    OPERATOR = "operator"
    ADMINISTRATOR = "administrator"


@cache
def role_of(stored: str) -> Role:
    """Return the role of a stored name, the one with the least rights for one that is unknown here."""
    if stored in set(Role):
        return Role(stored)
    _log.warning("the role %r is unknown and is read as reader; see scrapy users role -h", stored)
    return Role.READER


_READER = frozenset({Permission.PUBLIC, Permission.READ, Permission.KEEP})
_ANALYST = _READER | {Permission.EXPORT}
PERMISSIONS: dict[Role, frozenset[Permission]] = {
    Role.READER: _READER,
    Role.ANALYST: _ANALYST,
    Role.EDITOR: _ANALYST | {Permission.EDIT},
    Role.OPERATOR: _ANALYST | {Permission.OPERATE},
    Role.ADMINISTRATOR: frozenset(Permission),
}
"""Permissions of each role."""
_WITHOUT_USERS = frozenset({Permission.PUBLIC, Permission.READ, Permission.EXPORT})


@dataclass(frozen=True, slots=True)
class Visitor:
    """Somebody who sends a request: the user of a session, or nobody known.

    ``name`` is empty for a visitor without a session. ``session`` is the hash of the session's
    secret.
    """

    name: str = ""
    permissions: frozenset[Permission] = frozenset({Permission.PUBLIC})
    session: str = ""

    def may(self, permission: str) -> bool:
        """Return whether the visitor has a permission."""
        return permission in self.permissions


STRANGER = Visitor()
"""A visitor without a session."""
ALONE = Visitor(permissions=_WITHOUT_USERS)
"""A visitor of a server without users, which only its own machine can reach."""
