"""What pyproject.toml cannot say yet; everything else stands there."""

from setuptools import Extension, setup

FOLDER = "focuscrawl/links"

# Links are scored twice as fast with it. Where it cannot be compiled, Python does the same.
setup(
    ext_modules=[
        Extension(
            "focuscrawl.links._word_adder",
            [f"{FOLDER}/_word_adder.c"],
            depends=[f"{FOLDER}/_word_table.h", f"{FOLDER}/_word_text.h"],
            optional=True,
        )
    ]
)
