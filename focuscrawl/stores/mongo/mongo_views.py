"""Views over the quotes of a MongoDB database, with the fields of the views of SQL databases."""

from __future__ import annotations

from typing import Any

from bson.decimal128 import Decimal128
from pymongo.asynchronous.database import AsyncDatabase
from pymongo.errors import OperationFailure

from focuscrawl.errors import StoreError
from focuscrawl.stores.records.batch_changes import Row

_LEVELS = ("province", "city", "county")
_OWNER = ("commodity", *_LEVELS, "entity")
_PARTITION = {name: f"${name}" for name in _OWNER}
_HALF = Decimal128("0.005")
_MIDDLE = {"$divide": [{"$add": ["$price_yuan_per_ton_low", "$price_yuan_per_ton_high"]}, 2]}
_COUNTED = {
    "is_primary": True,
    "flag": "",
    "entity": {"$ne": ""},
    # As in the views of SQL databases: not later than today where the day begins first.
    "date": {"$ne": None},
    "$expr": {"$lte": ["$date", {"$add": ["$$NOW", 14 * 3_600_000]}]},
}
_PLACE = {level: f"${level}" for level in _LEVELS}


def _is_within(inner: str, outer: str) -> Row:
    """Return the condition that a place is another one or a part of it."""
    return {"$and": [{"$in": [f"{outer}.{level}", ["", f"{inner}.{level}"]]} for level in _LEVELS]}


# A place of an entity counts as the only smaller one within it: 山东潍坊 as 寿光, if no other county of
# 潍坊 is known of the entity.
_WITHIN = {"$filter": {"input": "$known", "as": "one", "cond": _is_within("$$one", "$$place")}}
_PARTS = {
    "$filter": {
        "input": "$$within",
        "as": "other",
        "cond": {"$and": [{"$ne": ["$$other", "$$one"]}, _is_within("$$other", "$$one")]},
    }
}
_SMALLEST = {"$filter": {"input": "$$within", "as": "one", "cond": {"$eq": [{"$size": _PARTS}, 0]}}}
_SETTLED = {
    "$let": {
        "vars": {"place": _PLACE},
        "in": {
            "$let": {
                "vars": {"within": _WITHIN},
                "in": {
                    "$let": {
                        "vars": {"smallest": _SMALLEST},
                        "in": {
                            "$cond": [
                                {"$eq": [{"$size": "$$smallest"}, 1]},
                                {"$first": "$$smallest"},
                                "$$place",
                            ]
                        },
                    }
                },
            }
        },
    }
}
# Halves away from zero, as SQL does: $round gives the even neighbour.
_ROUNDED = {
    "$trunc": [
        {
            "$cond": [
                {"$lt": ["$price", 0]},
                {"$subtract": ["$price", _HALF]},
                {"$add": ["$price", _HALF]},
            ]
        },
        2,
    ]
}
_DAILY: list[dict[str, Any]] = [
    {"$match": {"gone_at": None}},
    {
        "$lookup": {
            "from": "quotes",
            "localField": "url_md5",
            "foreignField": "article_md5",
            "pipeline": [{"$match": _COUNTED}],
            "as": "quote",
        }
    },
    {"$project": {"url": 1, "quote": 1}},
    {"$unwind": "$quote"},
    {"$replaceRoot": {"newRoot": {"$mergeObjects": ["$quote", {"url": "$url"}]}}},
    {
        "$setWindowFields": {
            "partitionBy": "$entity",
            "output": {"known": {"$addToSet": _PLACE}},
        }
    },
    {
        "$replaceWith": {
            "$mergeObjects": [{"$unsetField": {"field": "known", "input": "$$ROOT"}}, _SETTLED]
        }
    },
    {
        "$group": {
            "_id": {"date": "$date"} | _PARTITION,
            "entity_type": {"$max": "$entity_type"},
            "price": {"$avg": _MIDDLE},
            "price_low": {"$min": "$price_yuan_per_ton_low"},
            "price_high": {"$max": "$price_yuan_per_ton_high"},
            "quotes": {"$sum": 1},
            "article": {"$min": {"md5": "$article_md5", "url": "$url"}},
        }
    },
    {
        "$set": {
            **{name: f"$_id.{name}" for name in ("date", *_OWNER)},
            "price": _ROUNDED,
            "article_url": "$article.url",
        }
    },
    {
        "$setWindowFields": {
            "partitionBy": _PARTITION,
            "sortBy": {"date": 1},
            "output": {
                "previous_price": {"$shift": {"output": "$price", "by": -1}},
                "previous_date": {"$shift": {"output": "$date", "by": -1}},
            },
        }
    },
    {"$set": {"move": {"$round": [{"$subtract": ["$price", "$previous_price"]}, 2]}}},
    {"$unset": ["_id", "article", "previous_price"]},
]
_LATEST: list[dict[str, Any]] = [
    {"$sort": {"date": -1}},
    {"$group": {"_id": _PARTITION, "latest": {"$first": "$$ROOT"}}},
    {"$replaceRoot": {"newRoot": "$latest"}},
]
_VIEWS = {"daily_prices": ("articles", _DAILY), "latest_prices": ("daily_prices", _LATEST)}
# https://www.mongodb.com/docs/manual/reference/error-codes/
_NAMESPACE_EXISTS = 48
_SOURCES = {source for source, _ in _VIEWS.values()}


async def create_views(database: AsyncDatabase[Row], label: str) -> None:
    """Create the views that a database lacks, and replace those of an older version.

    ``label`` is shown in errors. Raises StoreError if another program has a collection or a view of
    the same name.
    """
    known = await _known(database)
    for name, (source, pipeline) in _VIEWS.items():
        definition = {"viewOn": source, "pipeline": pipeline}
        if name not in known:
            try:
                await database.command({"create": name} | definition)
                continue
            except OperationFailure as error:
                # Another program that starts on the same empty database was quicker.
                if error.code != _NAMESPACE_EXISTS:
                    raise
                known = await _known(database)
        if known[name]["options"].get("viewOn") not in _SOURCES:
            raise StoreError(
                f"{label} has a collection or view {name!r} of another program; rename it, or name "
                "another database"
            )
        if known[name]["options"] != definition:
            await database.command({"collMod": name} | definition)


async def _known(database: AsyncDatabase[Row]) -> dict[str, Any]:
    return {entry["name"]: entry async for entry in await database.list_collections()}
