"""Names of template crawls, which their windows share."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from focuscrawl.items import check_code

if TYPE_CHECKING:
    from focuscrawl.spider_arguments import TemplateArguments
    from focuscrawl.templates.template_model import Template

_LONGEST_NAME = 200


def name_of_seeds(source: str) -> str:
    """Return a name for given seeds: that of their file, if they are in one."""
    return "seeds" if source == "-" or "://" in source else Path(source).stem


def crawl_name(given: TemplateArguments, template: Template, seeds_name: str) -> str:
    """Return the name that the windows of a crawl share, from the searched words or the given seeds."""
    if given.name:
        return f"template-{given.name}"
    words = [*(given.region or ()), *(given.entity or ())]
    if given.seeds is not None:
        words = [seeds_name]
    # A lock file has this name, too, and most file systems limit names to 255 bytes.
    name = re.sub(r"[^\w-]", "_", "-".join(["template", template.name, *words]))
    if len(name.encode()) <= _LONGEST_NAME:
        return name
    return f"{name.encode()[: _LONGEST_NAME - 33].decode(errors='ignore')}-{check_code(name)}"
