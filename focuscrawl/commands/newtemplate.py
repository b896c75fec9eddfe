"""``scrapy newtemplate``: write a commented template file to begin with."""

from __future__ import annotations

from focuscrawl.command_support.new_file_command import NewFileCommand


class Command(NewFileCommand):
    """Writes ``templates/NAME.yaml``, a template that loads as it is and says how to edit it."""

    kind = "template"
    setting = "FOCUSCRAWL_TEMPLATES"
    folder = "templates"

    def text(self, name: str) -> str:
        """Return the content of a new template."""
        # Here: scrapy loads this module for every command.
        from focuscrawl.templates.template_loading import new_template

        return new_template(name)
