"""Names of organisations: in running text, and that of a site's owner."""

from focuscrawl.templates.names.name_evidence import NameEvidence, site_name
from focuscrawl.templates.names.name_finder import organisations
from focuscrawl.templates.names.text_spans import Span

__all__ = ["NameEvidence", "Span", "organisations", "site_name"]
