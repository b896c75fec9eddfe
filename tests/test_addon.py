from __future__ import annotations

import pytest
from scrapy.downloadermiddlewares import cookies
from scrapy.settings import Settings

from focuscrawl.addon import FocuscrawlAddon


def test_cookies_never_have_a_list_of_suffixes_downloaded(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []
    monkeypatch.setattr("requests.Session.send", lambda *_, **__: asked.append(1))
    monkeypatch.setattr(cookies, "_split_domain", cookies._split_domain)
    FocuscrawlAddon().update_settings(Settings({"COOKIES_ENABLED": True}))
    assert cookies._is_public_domain("com.cn")
    assert not cookies._is_public_domain("a.com.cn")
    assert not asked
