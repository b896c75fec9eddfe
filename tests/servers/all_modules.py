"""Imports of all modules of a package: a module to run, which compiles what ours import."""

from __future__ import annotations

import importlib
import pkgutil


def import_below(*packages: str) -> None:
    """Import packages and all modules below them."""
    for package in packages:
        path = importlib.import_module(package).__path__
        for module in pkgutil.walk_packages(path, f"{package}."):
            importlib.import_module(module.name)


if __name__ == "__main__":
    import_below("focuscrawl")
