"""Names of organisations: in running text, and the one whose site it is."""

from .name_evidence import NameEvidence, site_name
from .name_finder import organisations
from .spans import Span

__all__ = ["NameEvidence", "Span", "organisations", "site_name"]
