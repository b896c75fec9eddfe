"""Pages for logging in and out, for one's own account, for users and for the log of changes."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from math import ceil
from typing import Annotated

from pydantic import BaseModel, Field
from sqlalchemy import Connection
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from focuscrawl.errors import ArgumentError
from focuscrawl.web.accounts import account_store, login_limits, login_sessions, passwords
from focuscrawl.web.accounts.change_log import Author, log_change, newest_changes
from focuscrawl.web.accounts.login_sessions import cookie_name
from focuscrawl.web.accounts.permissions import Permission, Role
from focuscrawl.web.page_rendering import page
from focuscrawl.web.page_routes import PageRoute
from focuscrawl.web.query_values import local_path, query_of
from focuscrawl.web.web_site import WebSite, site_of

_ROWS = 100
# Times are shown in minutes, and this one has to be over.
_A_MINUTE = timedelta(seconds=59)
_LONGEST_NAME, _LONGEST_PASSWORD = 64, 256


def author_of(request: Request) -> Author:
    """Return the user who sends a request, for the log of changes."""
    return Author(request.state.visitor.name, request.client.host if request.client else "")


async def login_page(request: Request) -> Response:
    """Show the form."""
    return _login_page(request, _following(request.query_params.get("next", "/")), 200)


def _following(asked: str) -> str:
    """Return the address that a login leads to, which is no form of a login again."""
    return "/" if asked.startswith(("/login", "/sign-up")) else local_path(asked)


def _login_page(
    request: Request, following: str, status: int, name: str = "", until: datetime | None = None
) -> Response:
    values = {"next": following, "is_wrong": status == 401, "name": name, "until": until,
              "may_sign_up": site_of(request).may_sign_up}  # fmt: skip
    return page(request, "login.html", values, status)


async def log_in(request: Request) -> Response:
    """Begin a session, or say that name or password is wrong, without saying which."""
    form = await request.form()
    name = str(form.get("name", ""))[:_LONGEST_NAME]
    password = str(form.get("password", ""))[: _LONGEST_PASSWORD + 1]
    following = _following(str(form.get("next", "/")))
    site, author = site_of(request), author_of(request)
    if until := await site.database.run(login_limits.refused_until, name, author.address):
        response = _login_page(request, following, 429, name, until + _A_MINUTE)
        response.headers.update(_retry_after(until))
        return response
    user = await site.database.run(account_store.user_named, name)
    # Argon2 takes its time on purpose; the thread of the database must not wait for it.
    is_right, fresh = await passwords.workers.run(
        passwords.verified, password, user.password_hash if user else None
    )
    if not is_right or user is None or user.is_disabled:
        failed = Author("", author.address), "user.login_failed", user.name if user else ""
        await site.database.run(login_limits.log_failure, *failed)
        return _login_page(request, following, 401, name)
    old = request.state.visitor.session
    # Of the database, which may take other names for equal.
    author = Author(user.name, author.address)
    secret = await site.database.run(_begin, author, fresh, old, site.key)
    return _with_session(site, secret, following)


async def _check_limit(site: WebSite, name: str, address: str) -> None:
    if until := await site.database.run(login_limits.refused_until, name, address):
        raise HTTPException(429, headers=_retry_after(until))


def _retry_after(until: datetime) -> dict[str, str]:
    return {"Retry-After": str(max(1, ceil((until - datetime.now(UTC)).total_seconds())))}


def _with_session(site: WebSite, secret: str, following: str) -> Response:
    response = RedirectResponse(following, status_code=303)
    response.set_cookie(
        cookie_name(site), secret, max_age=int(login_sessions.LONGEST.total_seconds()),
        httponly=True, samesite="lax", secure=site.is_secure,
    )  # fmt: skip
    return response


def _begin(connection: Connection, author: Author, fresh: str | None, old: str, key: bytes) -> str:
    login_limits.note_success(connection, author.name, author.address)
    if fresh:
        account_store.update_hash(connection, author.name, fresh)
    if old:
        login_sessions.end_session(connection, old)
    log_change(connection, author, "user.login", author.name)
    return login_sessions.begin_session(connection, author.name, key)


# No user can have this name, under which the limits of failed logins count those who sign up.
_SIGNING_UP = "(sign-up)"


async def sign_up_page(request: Request) -> Response:
    """Show the form for an account of one's own; raises 404 unless the operator allows them."""
    _check_sign_up(request)
    return await login_page(request)


async def sign_up(request: Request) -> Response:
    """Add a reader, and begin a session; within the limits of failed logins, so that nobody adds many."""
    site = _check_sign_up(request)
    form = await request.form()
    name, password = str(form.get("name", "")), str(form.get("password", ""))
    passwords.check_password(password, name)
    author = Author(name, author_of(request).address)
    await _check_limit(site, _SIGNING_UP, author.address)
    hashed = await passwords.workers.run(passwords.hashed, password)
    old = request.state.visitor.session
    secret = await site.database.run(_sign_up, author, hashed, old, site.key)
    return _with_session(site, secret, _following(str(form.get("next", "/"))))


def _check_sign_up(request: Request) -> WebSite:
    site = site_of(request)
    if not site.may_sign_up:
        raise HTTPException(404)
    return site


def _sign_up(
    connection: Connection, author: Author, password_hash: str, old: str, key: bytes
) -> str:
    account_store.add_user(connection, author, author.name, Role.READER, password_hash)
    return _begin(connection, author, None, old, key)


async def log_out(request: Request) -> Response:
    """End the session."""
    site = site_of(request)
    await site.database.run(_end, author_of(request), request.state.visitor.session)
    response = RedirectResponse("/", status_code=303)
    response.delete_cookie(cookie_name(site), httponly=True, samesite="lax", secure=site.is_secure)
    return response


def _end(connection: Connection, author: Author, session: str) -> None:
    login_sessions.end_session(connection, session)
    if author.name:
        log_change(connection, author, "user.logout", author.name)


async def account_page(request: Request) -> Response:
    """Show the form for another password."""
    return page(request, "account.html", {})


async def change_password(request: Request) -> Response:
    """Change one's own password, which ends all sessions."""
    form = await request.form()
    site, name = site_of(request), request.state.visitor.name
    author = author_of(request)
    await _check_limit(site, name, author.address)
    user = await site.database.run(account_store.user_named, name)
    old, new = (str(form.get(key, ""))[: _LONGEST_PASSWORD + 1] for key in ("old", "new"))
    is_right, _ = await passwords.workers.run(
        passwords.verified, old, user.password_hash if user else None
    )
    if not is_right:
        failed = author, "user.password_failed", name
        await site.database.run(login_limits.log_failure, *failed)
        raise ArgumentError("the old password is wrong")
    await site.database.run(login_limits.note_success, name, author.address)
    passwords.check_password(new, name)
    hashed = await passwords.workers.run(passwords.hashed, new)
    await site.database.run(account_store.set_hash, author, name, hashed)
    return RedirectResponse("/login", status_code=303)


async def users_page(request: Request) -> Response:
    """Show all users."""
    users = await site_of(request).database.run(account_store.all_users)
    return page(request, "users.html", {"users": users, "roles": list(Role)})


async def change_user(request: Request) -> Response:
    """Change the role or the password of a user, or disable or enable one."""
    form = await request.form()
    name, action = request.path_params["name"], str(form.get("action"))
    run, author = site_of(request).database.run, author_of(request)
    if action == "role":
        await run(account_store.set_role, author, name, _role(str(form.get("role"))))
    elif action in ("disable", "enable"):
        await run(account_store.set_disabled, author, name, action == "disable")
    elif action == "password":
        password = str(form.get("password", ""))
        passwords.check_password(password, name)
        hashed = await passwords.workers.run(passwords.hashed, password)
        await run(account_store.set_hash, author, name, hashed)
    else:
        raise ArgumentError(f"action = {action!r}: role, password, disable or enable")
    return RedirectResponse("/users", status_code=303)


async def add_user(request: Request) -> Response:
    """Add a user."""
    form = await request.form()
    name, password = str(form.get("name", "")), str(form.get("password", ""))
    role = _role(str(form.get("role")))
    passwords.check_password(password, name)
    hashed = await passwords.workers.run(passwords.hashed, password)
    run = site_of(request).database.run
    await run(account_store.add_user, author_of(request), name, role, hashed)
    return RedirectResponse("/users", status_code=303)


def _role(text: str) -> Role:
    try:
        return Role(text)
    except ValueError as error:
        raise ArgumentError(f"role = {text!r}: one of {', '.join(Role)}") from error


class LogChoice(BaseModel):
    """The number of the change before which those of a page were made."""

    before: Annotated[int, Field(ge=0, lt=2**63)] | None = None


async def log_page(request: Request) -> Response:
    """Show the newest changes, and older ones page by page."""
    before = query_of(request, LogChoice).before
    found = await site_of(request).database.run(newest_changes, _ROWS, before)
    return page(request, "changes.html", {"changes": found, "has_more": len(found) == _ROWS})


ROUTES = (
    PageRoute("/login", login_page, Permission.PUBLIC),
    PageRoute("/login", log_in, Permission.PUBLIC, ("POST",)),
    PageRoute("/sign-up", sign_up_page, Permission.PUBLIC),
    PageRoute("/sign-up", sign_up, Permission.PUBLIC, ("POST",)),
    PageRoute("/logout", log_out, Permission.PUBLIC, ("POST",)),
    PageRoute("/account", account_page, Permission.KEEP),
    PageRoute("/account", change_password, Permission.KEEP, ("POST",)),
    PageRoute("/users", users_page, Permission.ADMINISTER),
    PageRoute("/users", add_user, Permission.ADMINISTER, ("POST",)),
    PageRoute("/users/{name}", change_user, Permission.ADMINISTER, ("POST",)),
    PageRoute("/log", log_page, Permission.ADMINISTER),
)
