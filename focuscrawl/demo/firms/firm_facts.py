"""Invented names, addresses and phone numbers of the firms, by number and version."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib import resources
from typing import Any

import yaml

from focuscrawl.demo.site_protocol import draw, pick

_SHARE_OF_USEFUL, _SHARE_OF_DOWN = 0.65, 0.05
_SHARES = {"email": 0.85, "fax": 0.4, "postcode": 0.5, "qq": 0.35, "homepage": 0.4}
_SHARE_WITH_MOBILE, _SHARE_WITH_SECOND_LINE = 0.4, 0.3
_MOBILES = ("1395550", "1585550", "1775550", "1995550")
# Coprime to the number of pairs of brand syllables, 32 * 31, so that every pair is used.
_PAIR_STEP = 367


class SiteKind(StrEnum):
    """Kind of a site: it has contact data, it has none, or it does not respond."""

    USEFUL = "useful"
    SILENT = "silent"
    DOWN = "down"


@dataclass(frozen=True, slots=True, kw_only=True)
class Firm:
    """A firm and the data on its site; a silent site has no ``values``.

    ``values`` are by field name of the contacts template: name, address, phone, email, fax, postcode,
    qq, homepage; fields that the firm does not publish are missing.
    """

    number: int
    version: int
    host: str
    kind: SiteKind
    name: str
    city: str
    values: dict[str, tuple[str, ...]]

    @property
    def home(self) -> str:
        """The URL of the home page."""
        return f"http://{self.host}/"


@cache
def words() -> dict[str, Any]:
    """Return the parts of names and addresses, from the YAML file."""
    text = resources.files(__package__).joinpath("firms.yaml").read_text(encoding="utf-8")
    data: dict[str, Any] = yaml.safe_load(text)
    return data


def kind_of(seed: int, number: int) -> SiteKind:
    """Return the kind of a firm's site, which never changes."""
    chance = draw(seed, "firm kind", number)
    if chance < _SHARE_OF_USEFUL:
        return SiteKind.USEFUL
    return SiteKind.DOWN if chance > 1 - _SHARE_OF_DOWN else SiteKind.SILENT


def firm_of(seed: int, number: int, version: int = 0) -> Firm:
    """Return a firm; its address, phone or e-mail differs between consecutive versions."""
    kind = kind_of(seed, number)
    city = pick(words()["cities"], seed, "firm city", number)
    characters, syllables = _brand(seed, number)
    domain = f"{syllables}{number}.test"
    name = _name(seed, number, city["name"], characters, kind)
    values = _Facts(seed, number, version, city, domain).values(name)
    return Firm(
        number=number,
        version=version,
        host=f"www.{domain}",
        kind=kind,
        name=name,
        city=city["name"],
        values=values if kind is SiteKind.USEFUL else {},
    )


def _brand(seed: int, number: int) -> tuple[str, str]:
    brands = _brands()
    pairs = len(brands) * (len(brands) - 1)
    first, second = divmod((number * _PAIR_STEP + seed) % pairs, len(brands) - 1)
    chosen = [brands[first], brands[second + (second >= first)]]
    if number >= pairs:
        chosen.append(pick(brands, seed, "third syllable", number))
    return "".join(han for han, _ in chosen), "".join(pinyin for _, pinyin in chosen)


@cache
def _brands() -> tuple[tuple[str, str], ...]:
    pairs = (entry.split() for entry in words()["brands"].split(","))
    return tuple((han, pinyin) for han, pinyin in pairs)


def _name(seed: int, number: int, city: str, brand: str, kind: SiteKind) -> str:
    if kind is SiteKind.SILENT:
        pattern: str = pick(words()["silent_names"], seed, "site name", number)
        return pattern.format(city=city) + brand
    place = pick((city, city, "四川", "四川省"), seed, "firm place", number)
    trade = pick(words()["trades"], seed, "firm trade", number)
    return f"{place}{brand}{trade}{pick(words()['forms'], seed, 'firm form', number)}"


@dataclass(frozen=True, slots=True)
class _Facts:
    seed: int
    number: int
    version: int
    city: dict[str, str]
    domain: str

    def values(self, name: str) -> dict[str, tuple[str, ...]]:
        has = {field: self._draw(field) < share for field, share in _SHARES.items()}
        counts = self._changes(has["email"])
        known = {
            "name": (name,),
            "address": (self._address(counts["address"]),),
            "phone": self._phones(counts["phone"]),
            "email": (self._email(counts["email"]),),
            "fax": (self._landline(9, 0),),
            "postcode": (f"{self.city['post']}{int(90 * self._draw('post')) + 10}",),
            "qq": (f"555{100_000 + self.number * 37 % 900_000}",),
            "homepage": (f"www.{self.domain}",),
        }
        return {field: value for field, value in known.items() if has.get(field, True)}

    def _changes(self, has_email: bool) -> dict[str, int]:
        """Return the number of changes of each field up to this version."""
        fields = ("address", "phone", "email") if has_email else ("address", "phone")
        counts = dict.fromkeys(("address", "phone", "email"), 0)
        for version in range(1, self.version + 1):
            counts[pick(fields, self.seed, "firm change", self.number, version)] += 1
        return counts

    def _address(self, count: int) -> str:
        def one_of(options: Sequence[str], what: str) -> str:
            return pick(options, self.seed, what, self.number, count)

        province = pick(("四川省", "四川", ""), self.seed, "province", self.number)
        district = one_of(self.city["districts"].split(), "district")
        house = 1 + int(400 * self._draw("house", count))
        room = 100 * (1 + int(20 * self._draw("floor", count))) + int(
            30 * self._draw("room", count)
        )
        building = one_of(words()["buildings"], "building")
        # The house number makes any two versions differ.
        return (
            f"{province}{self.city['name']}市{district}{one_of(words()['streets'], 'street')}"
            f"{house + 400 * count}号{building}{room}室"
        )

    def _phones(self, count: int) -> tuple[str, ...]:
        phones = [self._landline(0, count)]
        if self._draw("second line") < _SHARE_WITH_SECOND_LINE:
            phones.append(self._landline(1, count))
        if self._draw("mobile") < _SHARE_WITH_MOBILE:
            start = pick(_MOBILES, self.seed, "mobile start", self.number)
            phones.append(f"{start}{self._digits(2, count)}")
        return tuple(phones)

    def _landline(self, line: int, count: int) -> str:
        code = self.city["code"]
        starts = ("8555", "6555") if len(code) == 3 else ("255", "355")
        start = pick(starts, self.seed, "line start", self.number)
        return f"{code}-{start}{self._digits(line, count)}"

    def _digits(self, line: int, count: int) -> str:
        """Return four digits that are unique among all firms and versions on that line."""
        return f"{(self.number * 7 + line * 2111 + count * 1009) % 10_000:04}"

    def _email(self, count: int) -> str:
        mailboxes = words()["mailboxes"]
        start = int(self._draw("mailbox") * len(mailboxes))
        return f"{mailboxes[(start + count) % len(mailboxes)]}@{self.domain}"

    def _draw(self, *what: object) -> float:
        return draw(self.seed, "firm", self.number, *what)
