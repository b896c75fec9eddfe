"""Files that a crawl kept of an article, as downloads."""

from __future__ import annotations

from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest

from focuscrawl.items import FILE, TRIED
from focuscrawl.web.accounts.permissions import Role
from focuscrawl.web.web_site import WebSite
from tests.stores.record_examples import article
from tests.web.articles.conftest import another
from tests.web.conftest import add_users, client_of, fill, log_in

PAGE = b"<script>alert(1)</script>"
KEPT, ATTACHED, OTHER = (sha256(body).hexdigest() for body in (PAGE, b"a", b"b"))


@pytest.mark.parametrize("named", [False, True])
def test_a_kept_file_is_saved_by_who_may_read_its_article(
    site: WebSite, tmp_path: Path, named: bool
) -> None:
    folder = tmp_path / "kept" if named else site.data / "files"
    site.files = folder if named else None
    folder.mkdir(parents=True)
    for digest, suffix in ((KEPT, "csv"), (ATTACHED, "123.part"), (OTHER, "pdf")):
        (folder / f"{digest}.{suffix}").write_bytes(PAGE)
    mine = article(1)
    validators = {FILE: ["CSV", KEPT, TRIED], "http://x/a.pdf": ["", "", ATTACHED], "http://x/": [OTHER, OTHER]}  # fmt: skip
    add_users(site)
    fill(site.store_url, [replace(mine, validators=validators), article(2)])
    with client_of(site) as client:
        log_in(client, Role.READER)
        address = f"/articles/{mine.url_md5}/files"
        shown = client.get(f"/articles/{mine.url_md5}").text
        assert [one in shown for one in (KEPT, ATTACHED, OTHER)] == [True, True, False]
        got = client.get(f"{address}/{KEPT}")
        assert (got.status_code, got.content) == (200, PAGE)
        assert got.headers["content-disposition"] == f'attachment; filename="{KEPT}.csv"'
        assert got.headers["content-type"] == "application/octet-stream"
        assert got.headers["x-content-type-options"] == "nosniff"
        elsewhere = f"/articles/{article(2).url_md5}/files/{KEPT}"
        absent = [f"{address}/{one}" for one in (ATTACHED, OTHER, f"..%2F{KEPT}", "%00", "x" * 64)]
        assert {client.get(one).status_code for one in (elsewhere, *absent)} == {404}
        assert another(client).get(f"{address}/{KEPT}").status_code == 303
