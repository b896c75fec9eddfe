"""The articles of one community: numbers, subjects, categories and tags."""

from __future__ import annotations

from datetime import date, timedelta

from focuscrawl.demo.communities.community_map import Community
from focuscrawl.demo.communities.community_words import Theme, Writer, load_themes
from focuscrawl.demo.repeatable_chance import draw, pick

MISCELLANY = 4
"""The number of the category for articles about something else."""
TAGS = 12

_MISCELLANY_EVERY = 10
_NEWEST_DAY = date(2026, 3, 1)


class Shelf:
    """Articles 1 to ``count``, newest last; everything is computed on demand."""

    def __init__(self, seed: int, topic: str, community: Community) -> None:
        self._seed = seed
        self._topic = topic
        self.community = community
        self.theme = load_themes()[community.theme]
        self.count = community.articles

    @property
    def numbers(self) -> range:
        """All articles, newest first."""
        return range(self.count, 0, -1)

    @property
    def categories(self) -> tuple[str, ...]:
        """The names of the categories."""
        return (*self.theme.categories, "杂谈")

    @property
    def tags(self) -> list[str]:
        """The names of the tags, by number."""
        step = len(self.theme.words) // TAGS
        offset = int(draw(self._seed, self.community.number, "tags") * step)
        return [self.theme.words[offset + number * step] for number in range(TAGS)]

    def category_of(self, number: int) -> int:
        """Return the number of an article's category."""
        return MISCELLANY if number % _MISCELLANY_EVERY == 0 else number % MISCELLANY

    def tags_of(self, number: int) -> list[int]:
        """Return the numbers of an article's tags; articles about another theme have none."""
        if self.category_of(number) == MISCELLANY:
            return []
        return sorted({number % TAGS, (5 * number + 1) % TAGS})

    def in_category(self, category: int) -> list[int]:
        """Return the articles of a category, newest first."""
        return [number for number in self.numbers if self.category_of(number) == category]

    def with_tag(self, tag: int) -> list[int]:
        """Return the articles with a tag, newest first."""
        return [number for number in self.numbers if tag in self.tags_of(number)]

    def theme_of(self, number: int) -> Theme:
        """Return the theme of an article: that of the community, or sometimes another one."""
        if self.category_of(number) != MISCELLANY:
            return self.theme
        themes = load_themes()
        # An irrelevant community has no relevant articles, which would shorten the path.
        others = [name for name in themes if name not in (self._topic, self.theme.name)]
        return themes[pick(others, self._seed, self.community.number, number, "theme")]

    def is_relevant(self, number: int) -> bool:
        """Return whether an article is about the topic."""
        return self.theme_of(number).name == self._topic

    def writer(self, number: int) -> Writer:
        """Return the writer of an article; call its ``headline`` before generating the text."""
        return Writer(self.theme_of(number), self._seed, self.community.number, number)

    def headline(self, number: int) -> str:
        """Return the headline of an article."""
        return self.writer(number).headline()

    def day(self, number: int) -> date:
        """Return the date of an article."""
        return _NEWEST_DAY - timedelta(days=3 * (self.count - number))

    def some(self, count: int, *keys: object) -> list[int]:
        """Return up to ``count`` different articles, chosen by the keys."""
        chosen = (
            1 + int(draw(self._seed, self.community.number, *keys, n) * self.count)
            for n in range(count)
        )
        return list(dict.fromkeys(chosen))
