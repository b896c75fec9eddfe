"""Topics: lexicon, domains for automatic labels, seeds, blacklist and page rule, one YAML file each."""

from .lexicon import Lexicon
from .load import DEFAULT_FOLDER, load_topic, topic_names
from .relevance import PageRelevance, page_relevance
from .topic import PageRule, Topic

__all__ = [
    "DEFAULT_FOLDER",
    "Lexicon",
    "PageRelevance",
    "PageRule",
    "Topic",
    "load_topic",
    "page_relevance",
    "topic_names",
]
