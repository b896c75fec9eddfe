"""The pages over each kind of store, as for those about crawls."""

from tests.web.crawls.conftest import pytest_generate_tests, store_url

__all__ = ["pytest_generate_tests", "store_url"]
