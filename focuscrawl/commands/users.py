"""``scrapy users``: the users of the web views."""

from __future__ import annotations

import argparse
import getpass
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy.settings import BaseSettings

from focuscrawl.command_support.base_command import PlainCommand
from focuscrawl.command_support.project_settings import add_defaults
from focuscrawl.errors import ArgumentError
from focuscrawl.stores.database_urls import expanded, sqlite_url
from focuscrawl.system.package_extras import require_extra

if TYPE_CHECKING:
    from focuscrawl.web.database.web_database import WebDatabase

_ROLES = ("reader", "analyst", "editor", "operator", "administrator")
_ACTIONS = ("add", "role", "password", "disable", "enable", "list")
_FILE = "web.sqlite"


class Command(PlainCommand):
    """Adds, changes and lists the users of the web views."""

    def syntax(self) -> str:
        """Return the usage after the command's name."""
        return "add NAME --role ROLE | role NAME --role ROLE | password|disable|enable NAME | list"

    def short_desc(self) -> str:
        """Return the line that ``scrapy`` lists."""
        return "Add, change and list the users of scrapy serve"

    def long_desc(self) -> str:
        """Return the text of ``scrapy users -h``."""
        return (
            f"{self.short_desc()}. A password is typed twice, or, where nobody is at the terminal, "
            "the first line of the standard input."
        )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the options of this command."""
        super().add_options(parser)
        parser.add_argument_group("Users").add_argument(
            "--role", choices=_ROLES, help="the role, for add and role"
        )

    def carry_out(self, args: list[str], opts: argparse.Namespace, settings: BaseSettings) -> None:
        """Do what the first argument says."""
        action, *names = args or [""]
        if action not in _ACTIONS:
            raise ArgumentError(f"{action!r} is none of {', '.join(_ACTIONS)}; see scrapy users -h")
        if len(names) != (action != "list"):
            raise ArgumentError(f"scrapy users {action}{' NAME' * (action != 'list')}")
        if (opts.role is None) == (action in ("add", "role")):
            needs = "needs a --role" if opts.role is None else "takes no --role"
            raise ArgumentError(f"scrapy users {action} {needs}")
        require_extra("web")
        database = web_database(settings)
        try:
            _carry_out(database, action, names[0] if names else "", opts.role or "")
        finally:
            database.close()


def web_database(settings: BaseSettings) -> WebDatabase:
    """Return the database of the web views' own tables, by default a file next to the stores."""
    from focuscrawl.system.durable_files import made_folder
    from focuscrawl.web.database.web_database import WebDatabase

    add_defaults(settings)
    if url := settings["FOCUSCRAWL_WEB_DATABASE"]:
        return WebDatabase(expanded(url))
    folder = Path(settings["FOCUSCRAWL_DATA"]).resolve()
    made_folder(folder, ArgumentError, "name another: FOCUSCRAWL_DATA")
    return WebDatabase(sqlite_url(folder / _FILE))


def _carry_out(database: WebDatabase, action: str, name: str, role: str) -> None:
    from focuscrawl.web.accounts import account_store, passwords
    from focuscrawl.web.accounts.change_log import Author
    from focuscrawl.web.accounts.permissions import Role

    database.create()
    author, run = Author(f"console:{getpass.getuser()}", ""), database.run_now
    if action == "list":
        users = run(account_store.all_users)
        for user in users:
            print(f"{user.name}\t{user.role}\t{'disabled' if user.is_disabled else 'active'}")
        if not users:
            print("no users; scrapy users add NAME --role administrator", file=sys.stderr)
    elif action == "add":
        password = _password()
        passwords.check_password(password, name)
        run(account_store.add_user, author, name, Role(role), passwords.hashed(password))
        print(f"added {name}, {role}")
    elif action == "role":
        run(account_store.set_role, author, name, Role(role))
        print(f"{name} is {role} now and has to log in again")
    elif action == "password":
        run(account_store.set_password, author, name, _password())
        print(f"{name} has another password now and has to log in again")
    else:
        run(account_store.set_disabled, author, name, action == "disable")
        print(f"{action}d {name}")


def _password() -> str:
    if not sys.stdin or not sys.stdin.isatty():
        return sys.stdin.readline().rstrip("\n") if sys.stdin else ""
    first = getpass.getpass("Password: ")
    if getpass.getpass("Once more: ") != first:
        raise ArgumentError("the two passwords differ; nothing is changed")
    return first
