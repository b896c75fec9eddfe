"""All routes and all roles: each route names its permission, and nobody else gets in."""

from __future__ import annotations

import re

import pytest
from starlette.routing import Mount, Route

from focuscrawl.web.accounts.permissions import PERMISSIONS, Permission, Role
from focuscrawl.web.page_routes import PageRoute
from focuscrawl.web.web_application import ROUTES, create_application
from focuscrawl.web.web_site import WebSite
from tests.web.conftest import add_users, client_of, log_in

_VALUE = re.compile(r"\{\w+(:\w+)?\}")


def _address(route: PageRoute) -> str:
    return _VALUE.sub("0", route.path)


def test_every_path_is_one_of_the_routes_with_a_permission(site: WebSite) -> None:
    served = create_application(site, ["127.0.0.1"]).routes
    assert all(
        isinstance(route, Route) or (isinstance(route, Mount) and route.path == "/static")
        for route in served
    )
    assert [route.path for route in served if isinstance(route, Route)] == [r.path for r in ROUTES]


def test_no_get_needs_more_than_reading_rights_to_change_something() -> None:
    for route in ROUTES:
        assert route.methods in (("GET",), ("POST",)), route.path


def test_routes_need_the_permission_that_their_paths_stand_for() -> None:
    """The other tests trust the routes, which could name a wrong permission."""
    public = {"/", "/language", "/login", "/logout", "/sign-up", "/metrics", "/alarms/feed/{secret}.xml",
              "/articles/feeds/{token}.atom"}  # fmt: skip
    needed = {
        "/users": Permission.ADMINISTER,
        "/log": Permission.ADMINISTER,
        "/crawls/start": Permission.OPERATE,
        "/crawls/processes": Permission.OPERATE,
        "/crawls/schedules": Permission.OPERATE,
        "/alarms/rules": Permission.OPERATE,
    }
    assert {one.path for one in ROUTES if one.permission is Permission.PUBLIC} == public
    for route in ROUTES:
        if route.path in public:
            continue
        if found := [needed[path] for path in needed if route.path.startswith(path)]:
            assert [route.permission] == found, route.path
        elif route.methods == ("POST",):
            assert route.permission in (Permission.KEEP, Permission.EDIT), route.path


@pytest.mark.parametrize("role", [None, *Role])
def test_all_routes_for_one_role(role: Role | None, site: WebSite) -> None:
    add_users(site)
    with client_of(site) as client:
        if role:
            log_in(client, role)
        given = PERMISSIONS[role] if role else {Permission.PUBLIC}
        for route in ROUTES:
            if route.path == "/logout":
                continue
            answer = client.request(route.methods[0], _address(route))
            is_refused = answer.status_code in (401, 403) and "/login" not in route.path
            is_sent_to_log_in = answer.headers.get("location", "").startswith("/login?")
            assert (is_refused or is_sent_to_log_in) == (route.permission not in given), (
                route, answer.status_code,
            )  # fmt: skip


def test_without_users_nobody_changes_anything(site: WebSite) -> None:
    with client_of(site) as client:
        for route in ROUTES:
            if route.permission not in (Permission.PUBLIC, Permission.READ, Permission.EXPORT):
                answer = client.request(route.methods[0], _address(route))
                assert answer.status_code == 403, route
