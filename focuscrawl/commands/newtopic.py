"""``scrapy newtopic``: a new topic file, with comments or from example pages."""

from __future__ import annotations

import argparse

from focuscrawl.command_support.new_file_command import NewFileCommand
from focuscrawl.command_support.page_samples import fetch_texts
from focuscrawl.errors import ArgumentError


class Command(NewFileCommand):
    """Writes ``topics/NAME.yaml``, a valid topic whose comments say how to edit it."""

    kind = "topic"
    setting = "FOCUSCRAWL_TOPICS"
    folder = "topics"
    usage = "NAME [--like URLS [--unlike URLS]] [--force]"

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the options of this command."""
        super().add_options(parser)
        add = parser.add_argument_group("Example pages").add_argument
        what = "pages {}: a file with one URL per line, or comma-separated URLs"
        add("--like", metavar="URLS", help=what.format("on the topic, to draft its lexicon from"))
        add(
            "--unlike", metavar="URLS", help=what.format("off the topic, of the same kind of sites")
        )

    def text(self, name: str, opts: argparse.Namespace) -> str:
        """Return the content of a new topic; fetch its example pages, if some are given."""
        # Imported here: Scrapy loads this module for every command.
        from focuscrawl.topics.topic_loading import template

        blank = template(name)
        if opts.unlike and not opts.like:
            raise ArgumentError("--unlike alone makes no topic; give pages on the topic by --like")
        return self._draft(name, opts.like, opts.unlike) if opts.like else blank

    def _draft(self, name: str, like: str, unlike: str | None) -> str:
        from focuscrawl.scoring.model_files.scorer_loading import word_shares
        from focuscrawl.topics import topic_draft as drafts

        relevant = _urls("--like", like)
        others = _urls("--unlike", unlike) if unlike else []
        if both := {*relevant} & {*others}:
            raise ArgumentError(f"{both.pop()} is in both --like and --unlike; remove it from one")
        assert self.settings is not None
        texts, failures = fetch_texts(self.settings, [*relevant, *others])
        for failure in failures:
            print(f"left out: {failure}")
        first: dict[tuple[str, str], str] = {}
        for url, page in texts.items():
            if first.setdefault(page, url) != url:
                print(f"left out: {url} (the same text as {first[page]})")
        texts = {url: page for page, url in first.items()}
        inside = {*relevant}
        examples = [drafts.Example(*text, url in inside) for url, text in texts.items()]
        shares = word_shares()
        lexicon = drafts.draft_lexicon(examples, shares)
        print(drafts.check_draft(examples, shares).sentence)
        return drafts.draft_yaml(name, lexicon, [url for url in relevant if url in texts])


def _urls(option: str, given: str) -> list[str]:
    from focuscrawl.pages.canonical_urls import canonical_url
    from focuscrawl.spider_arguments import read_urls

    try:
        return list(dict.fromkeys(map(canonical_url, read_urls(given))))
    except ValueError as error:
        raise ArgumentError(f"{option} {given}: {error}") from None
