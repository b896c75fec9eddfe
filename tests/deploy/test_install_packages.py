"""Settings of pip that an installation by uv follows, too."""

from __future__ import annotations

import pytest

from tools import install_packages

BEST = "--index-strategy=unsafe-best-match"


@pytest.mark.parametrize(
    ("listed", "options"),
    [
        ("", [BEST]),
        (
            "global.index-url='file:///mirror/simple'\nglobal.timeout='60'\n",
            ["--index-url=file:///mirror/simple", BEST],
        ),
        (
            ":env:.find-links='/a'\nglobal.find-links='/b /c'\ninstall.extra-index-url='x\\ny'\n",
            ["--extra-index-url=x", "--extra-index-url=y", "--find-links=/a", BEST],
        ),
        ("download.proxy='proxy.test:3128'\nfreeze.user='true'\n", [BEST]),
        (":env:.cert='/etc/ca.crt'\n", [BEST]),
    ],
)
def test_uv_installs_from_where_pip_would(listed: str, options: list[str]) -> None:
    assert install_packages.uv_options(install_packages.pip_settings(listed)) == options


@pytest.mark.parametrize("key", ["trusted-host", "proxy", "no-index", "constraint", "client-cert"])
def test_pip_installs_where_uv_has_no_such_setting(key: str) -> None:
    settings = install_packages.pip_settings(f"global.{key}='x'\n")
    assert install_packages.uv_options(settings) is None
