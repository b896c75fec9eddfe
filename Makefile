# make demo   crawl a small web of our own and write the workbook (runtime package only)
# make test   everything that CI checks; sets up what is missing, database servers included
# make lint   the quick checks alone
# make assets fetch the JavaScript libraries of the web views, by npm
# make docs   build the documentation into site/
# make image  build the container image `focuscrawl` (needs docker or podman)
# make bench  the measurements that the documentation quotes

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
IMAGE ?= focuscrawl
# One more than there are processors: many tests wait for pauses, time limits and servers.
PYTEST_ARGS ?= --numprocesses $(shell expr $$(nproc 2>/dev/null || echo 2) + 1)
# Hours: run them by hand.
LONG := benchmarks/fuzz.py benchmarks/hostile.py

.PHONY: demo test lint assets docs image bench
ASSETS := focuscrawl/web/static/vendor/htmx.min.js
.DELETE_ON_ERROR:

demo: $(VENV)/.runtime assets
	@echo '== Crawling the demo web'
	@$(BIN)/scrapy demo --crawl

test: $(VENV)/.dev lint assets
	@echo '== Programs that the tests use: MariaDB, MongoDB, LibreOffice, libfaketime, Chromium'
	@tools/provide
	@echo '== Tests'
	@# Many tests start processes; where PYTHONDONTWRITEBYTECODE is set, each would compile the package.
	@$(BIN)/python -m compileall -q -j 0 focuscrawl tests
	$(BIN)/pytest $(PYTEST_ARGS)

lint: $(VENV)/.dev
	@echo '== Code checks'
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports

assets: | $(ASSETS)

# Order-only: what cannot be fetched now is not fetched again by each command that follows.
$(ASSETS): package.json
	@echo '== Fetching the JavaScript libraries of the web views'
	@tools/fetch-assets

docs: $(VENV)/.dev
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict

image:
	@tools/build-image $(IMAGE)

bench: $(VENV)/.dev
	set -e; for script in $(filter-out $(LONG),$(wildcard benchmarks/*.py)); do echo "== $$script"; $(BIN)/python $$script; done

$(BIN)/python:
	@echo '== Creating the virtual environment $(VENV)'
	@tools/make-venv $(PYTHON) $(VENV)

$(VENV)/.runtime: pyproject.toml | $(BIN)/python
	@echo '== Installing focuscrawl and its packages into $(VENV): about 700 MB, a minute or two'
	@$(BIN)/python tools/install_packages.py '.[web]'
	@touch $@

$(VENV)/.dev: pyproject.toml | $(BIN)/python
	@echo '== Installing focuscrawl and its development tools into $(VENV): about 900 MB, two minutes'
	@$(BIN)/python tools/install_packages.py '.[dev]'
	@touch $@ $(VENV)/.runtime
