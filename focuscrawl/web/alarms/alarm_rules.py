"""Rules of alarms: what is watched, and who is told."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from focuscrawl.prices.tokens.bulletin_words import commodities

_Text = Annotated[str, Field(max_length=200)]


class RuleKind(StrEnum):
    """What a rule watches."""

    PRICE = "price"
    FAILED = "failed"
    DRIFT = "drift"


class MoveUnit(StrEnum):
    """Unit of the amount by which a price has to move."""

    PERCENT = "percent"
    YUAN = "yuan"


class WebhookFormat(StrEnum):
    """Format of the message to a webhook."""

    JSON = "json"
    DINGTALK = "dingtalk"
    FEISHU = "feishu"
    WECOM = "wecom"


class AlarmRule(BaseModel):
    """A rule: alarms of a price that moves more than ``amount`` within ``days``, or of runs of a crawl.

    An empty ``crawl`` is any crawl; an empty ``region`` or ``entity`` any. ``webhook`` is empty for none.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    kind: RuleKind
    crawl: _Text = ""
    commodity: _Text = ""
    region: _Text = ""
    entity: _Text = ""
    amount: Annotated[float, Field(gt=0, le=100_000, allow_inf_nan=False)] = 3.0
    unit: MoveUnit = MoveUnit.PERCENT
    days: Annotated[int, Field(ge=1, le=365)] = 7
    by_mail: bool = False
    webhook: WebhookFormat | None = None

    @model_validator(mode="after")
    def _names_goods(self) -> Self:
        if self.kind is RuleKind.PRICE and self.commodity not in commodities():
            raise ValueError(f"commodity {self.commodity!r} is not known; choose one of the list")
        return self

    def row(self) -> dict[str, Any]:
        """Return the rule as JSON values."""
        return {**self.model_dump(mode="json"), "webhook": self.webhook or ""}


class StoredRule(AlarmRule):
    """A stored rule; ``webhook_url`` is secret, and empty for the webhook of the settings."""

    number: int
    webhook_url: str = Field("", repr=False)
    made_by: str
    made_at: datetime
