"""Tests are of the kind that their functions, fixtures, marks and parameters make them."""

from __future__ import annotations

import subprocess

import pytest

from tests.kinds import Kind, kind_of


def helper() -> object:
    return subprocess.run(["true"])


@pytest.fixture
def starter() -> object:
    return helper


def test_what_needs_nothing_is_quick(request: pytest.FixtureRequest) -> None:
    assert kind_of(request.node) is Kind.QUICK


def test_what_calls_something_that_starts_a_process_is_not(request: pytest.FixtureRequest) -> None:
    assert helper is not None
    assert kind_of(request.node) is Kind.SLOW


@pytest.mark.usefixtures("starter")
def test_nor_is_what_has_such_a_fixture(request: pytest.FixtureRequest) -> None:
    assert kind_of(request.node) is Kind.SLOW


@pytest.mark.slow
def test_nor_is_what_is_marked(request: pytest.FixtureRequest) -> None:
    assert kind_of(request.node) is Kind.SLOW


@pytest.mark.parametrize("kind", ["mysql"])
def test_a_parameter_may_name_a_server(request: pytest.FixtureRequest, kind: str) -> None:
    assert kind
    assert kind_of(request.node) is Kind.SERVER
