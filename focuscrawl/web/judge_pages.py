"""Pages on which people judge a random sample of a crawl's pages, one at a time, without seeing its score."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from typing import Any

from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from focuscrawl.items import PageOpinion, PageVerdict
from focuscrawl.labelling.judged_sample import SHARE, draw_sample, judged_sample
from focuscrawl.web.accounts.account_pages import author_of
from focuscrawl.web.accounts.change_log import log_change
from focuscrawl.web.accounts.permissions import Permission
from focuscrawl.web.database.web_database import locked
from focuscrawl.web.error_pages import existing
from focuscrawl.web.page_rendering import page
from focuscrawl.web.page_routes import PageRoute
from focuscrawl.web.query_values import checked, query_of, with_query
from focuscrawl.web.web_site import site_of

PATH = "/judge"


class SampleChoice(BaseModel):
    """The topic whose pages are judged, the share that is drawn, and a page of the sample."""

    topic: str = Field("", max_length=255)
    share: float = Field(SHARE, gt=0.0, le=1.0)
    key: str = Field("", pattern="^(|[0-9a-f]{32})$")


class VerdictForm(SampleChoice):
    """A verdict, and the earlier one of the same person that the form has shown."""

    verdict: PageOpinion
    shown: str = Field("", max_length=16)


async def judge_page(request: Request) -> Response:
    """Show the next page of the sample that the visitor has not judged, or the figures after the last one."""
    choice = query_of(request, SampleChoice)
    if not choice.topic:
        groups = await site_of(request).store.topic_groups()
        return page(request, "topics/judge.html", {"choice": choice, "groups": groups})
    sample = existing(await _sample(request, choice) or None)
    own = await _own(request, choice.topic)
    key = choice.key or next((key for key in sample if key not in own), "")
    if key and key not in sample:
        raise HTTPException(404)
    place = sample.index(key) if key else len(sample)
    values: dict[str, Any] = {
        "choice": choice,
        "count": len(sample),
        "done": sum(key in own for key in sample),
        "found": existing(await site_of(request).store.page_of(key)) if key else None,
        "shown": own.get(key, ""),
        "previous": sample[place - 1] if place else "",
    }
    if not key:
        # Not before: nobody is to be led by what others say.
        values["figures"] = judged_sample(await _verdicts(request, choice.topic))
    return page(request, "topics/judge.html", values)


async def give_verdict(request: Request) -> Response:
    """Write the visitor's verdict on a page; another one of the same person since then is an error 409."""
    form = checked(VerdictForm, dict(await request.form()))
    site, author = site_of(request), author_of(request)
    found = existing(await site.store.page_of(form.key) if form.key else None)
    if found.topic != form.topic or form.key not in await _sample(request, form):
        raise HTTPException(404)
    async with locked(site.database, f"{PATH} {author.name} {form.key}"):
        earlier = (await _own(request, form.topic)).get(form.key, "")
        if earlier != form.shown:
            raise HTTPException(409)
        said = PageVerdict(
            topic=form.topic,
            url=found.url,
            judge=author.name,
            verdict=form.verdict,
            is_relevant=found.is_relevant,
            decided_at=datetime.now(UTC),
        )
        await site.store.write([said])
        change = author, "page.judge", found.url, earlier or None, form.verdict
        await site.database.run(log_change, *change)
    return RedirectResponse(with_query(PATH, topic=form.topic, share=form.share), status_code=303)


async def _sample(request: Request, choice: SampleChoice) -> list[str]:
    keys = await site_of(request).store.page_keys(choice.topic)
    return await asyncio.to_thread(draw_sample, keys, choice.share)


async def _verdicts(request: Request, topic: str) -> list[PageVerdict]:
    return [one async for one in site_of(request).store.page_verdicts(topic)]


async def _own(request: Request, topic: str) -> dict[str, str]:
    """Return the visitor's own verdicts by the key of the page."""
    name = author_of(request).name
    said = await _verdicts(request, topic)
    return {one.page_key: one.verdict for one in said if one.judge == name}


ROUTES = (
    PageRoute(PATH, judge_page, Permission.EDIT),
    PageRoute(PATH, give_verdict, Permission.EDIT, ("POST",)),
)
