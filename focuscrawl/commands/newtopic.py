"""``scrapy newtopic``: a new topic file with comments."""

from __future__ import annotations

from focuscrawl.command_support.new_file_command import NewFileCommand


class Command(NewFileCommand):
    """Writes ``topics/NAME.yaml``, a valid topic whose comments say how to edit it."""

    kind = "topic"
    setting = "FOCUSCRAWL_TOPICS"
    folder = "topics"

    def text(self, name: str) -> str:
        """Return the content of a new topic."""
        # Imported here: Scrapy loads this module for every command.
        from focuscrawl.topics.topic_loading import template

        return template(name)
