"""Topics: lexicon, domains for automatic labels, seeds, blacklist and page rule, one YAML file per topic."""

from focuscrawl.topics.topic_lexicon import Lexicon
from focuscrawl.topics.topic_loading import DEFAULT_FOLDER, load_topic, topic_names
from focuscrawl.topics.topic_model import PageRelevance, PageRule, Topic, page_relevance

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
