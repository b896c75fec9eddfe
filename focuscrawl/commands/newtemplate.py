"""``scrapy newtemplate``: a new template file with comments."""

from __future__ import annotations

import argparse

from focuscrawl.command_support.new_file_command import NewFileCommand


class Command(NewFileCommand):
    """Writes ``templates/NAME.yaml``, a valid template whose comments say how to edit it."""

    kind = "template"
    setting = "FOCUSCRAWL_TEMPLATES"
    folder = "templates"

    def text(self, name: str, opts: argparse.Namespace) -> str:
        """Return the content of a new template."""
        # Imported here: Scrapy loads this module for every command.
        from focuscrawl.templates.template_model import new_template

        return new_template(name)
