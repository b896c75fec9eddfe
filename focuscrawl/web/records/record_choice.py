"""Choice among template records: by region, field, confidence and text."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field

from focuscrawl.items import TemplateRecord
from focuscrawl.stored_records import KeptRecord
from focuscrawl.text.places.locations import located

REGION_FIELDS = frozenset({"region", "address", "place", "province", "city"})
"""Names of the fields that say where something is."""
State = Literal["present", "new", "changed", "gone", "all"]


class RecordChoice(BaseModel):
    """What a visitor asks for; the address of a page is its query."""

    crawl: str = Field("", max_length=255)
    region: str = Field("", max_length=100)
    field: str = Field("", max_length=255)
    confidence: float = Field(0.0, ge=0.0, le=1.0)
    text: str = Field("", max_length=200)
    state: State = "present"
    conflicts: bool = False
    after: str = Field("", pattern="^(|[0-9a-f]{32})$")

    def takes(self, kept: KeptRecord) -> bool:
        """Return whether a record is wanted."""
        record = kept.record
        return (
            self._takes_state(kept)
            and (not self.region or is_in_region(record, self.region))
            and (not self.conflicts or bool(conflicts_of(record, self.field)))
            and self._takes_values(record)
        )

    def _takes_state(self, kept: KeptRecord) -> bool:
        if self.state == "all":
            return True
        if kept.gone_at is not None or self.state == "gone":
            return kept.gone_at is not None and self.state == "gone"
        return self.state in ("present", kept.record.change)

    def _takes_values(self, record: TemplateRecord) -> bool:
        if not (self.field or self.confidence or self.text):
            return True
        wanted = self.text.casefold()
        if wanted and not self.field and not self.confidence:
            origin = f"{record.title}\n{record.url}".casefold()
            if wanted in origin:
                return True
        return any(
            self.field in ("", value.field)
            and value.confidence >= self.confidence
            and wanted in f"{value.value}\n{value.raw}".casefold()
            for value in record.values
        )


def is_in_region(record: TemplateRecord, region: str) -> bool:
    """Return whether a record is in a region: by the words of its address, or by the gazetteer.

    An address in 成都 is one in 四川, too.
    """
    place = located(region)
    for value in record.values:
        if value.field in REGION_FIELDS and (
            region in value.value or (place.province and located(value.value).is_within(place))
        ):
            return True
    return False


def conflicts_of(record: TemplateRecord, field: str = "") -> dict[str, set[str]]:
    """Return the fields (or the one field) of a record with several values, on all pages of its site."""
    found: dict[str, set[str]] = {}
    for value in record.values:
        if field in ("", value.field):
            others = {other.value for other in value.elsewhere}
            found.setdefault(value.field, set()).update({value.value}, others)
    return {name: values for name, values in found.items() if len(values) > 1}


def titles_of(records: list[TemplateRecord], known: dict[str, str]) -> dict[str, str]:
    """Return the titles of the fields by name: those of the template in its order, then others."""
    titles = dict(known)
    for record in records:
        for value in record.values:
            titles.setdefault(value.field, value.title or value.field)
    return titles
