"""YAML without duplicate keys, for those who check it themselves: pydantic takes 10 MB in each worker."""

from __future__ import annotations

from typing import Any

import yaml


class DuplicateKeyError(yaml.MarkedYAMLError):
    """A key that is in one mapping twice, of which YAML would keep the last."""


class UniqueKeyLoader(yaml.SafeLoader):
    """Loader of plain values that refuses a mapping with the same key twice."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        """Return the mapping of a node; raises an error for a duplicate key."""
        lines: dict[str, int] = {}
        for key, _ in node.value:
            if not isinstance(key, yaml.ScalarNode) or key.tag == "tag:yaml.org,2002:merge":
                continue
            line = key.start_mark.line + 1
            if key.value in lines:
                places = f"lines {lines[key.value]} and {line}"
                raise DuplicateKeyError(places, problem=f"the key {key.value} is twice")
            lines[key.value] = line
        return super().construct_mapping(node, deep)
