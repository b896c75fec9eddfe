# make demo   crawl a small web of our own and write the workbook (runtime package only)
# make quick  the tests that need no server, no process of their own and no browser: two minutes
# make test   everything that CI checks; sets up what is missing, database servers included
# make test-all  make test with the exhaustive sweeps, before a release
# make lint   the quick checks alone
# make assets fetch the JavaScript libraries of the web views, by npm
# make docs   build the documentation into site/
# make image  build the container image `focuscrawl` (needs docker or podman)
# make bench  the measurements that the documentation quotes

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
IMAGE ?= focuscrawl
PROCESSORS := $(shell nproc 2>/dev/null || echo 2)
# One more than there are processors: many tests wait for pauses, time limits and servers.
PYTEST_ARGS ?= --numprocesses $(shell expr $(PROCESSORS) + 1)
# Tests start thousands of processes: each would compile the package if it could not keep what it compiled.
COMPILING := PYTHONDONTWRITEBYTECODE=
# Hours: run them by hand.
LONG := harness harvest hostile

.PHONY: demo quick test test-all tests programs bytecode lint ruff mypy import-contracts assets docs image bench
ASSETS := focuscrawl/web/static/vendor/htmx.min.js
.DELETE_ON_ERROR:

demo: $(VENV)/.runtime assets
	@echo '== Crawling the demo web'
	@$(BIN)/scrapy demo --crawl

quick: $(VENV)/.dev assets
	$(COMPILING) $(BIN)/pytest --numprocesses $(PROCESSORS) -m quick

test: export TESTS := -m "not exhaustive"
# Side by side, but one apt-get at a time: what downloads, then what computes. The slow checks run
# beside the tests; if one fails, so does the whole, in the end.
test test-all: | $(BIN)/python
	@$(MAKE) --no-print-directory --jobs 2 $(VENV)/.dev programs
	@$(MAKE) --no-print-directory --jobs 2 ruff bytecode
	@$(MAKE) --no-print-directory --jobs 3 mypy import-contracts tests

tests: $(VENV)/.dev
	@echo '== Tests'
	$(COMPILING) $(BIN)/pytest $(PYTEST_ARGS) $(TESTS)

programs:
	@echo '== Programs that the tests use: MariaDB, Redis, LibreOffice, Chromium'
	@tools/provide mariadb redis libreoffice compiler chromium

# Compiles once what each process of the tests would compile for itself.
bytecode: $(VENV)/.dev assets
	@echo '== MongoDB, and compiling the package and what it imports'
	@tools/provide mongodb
	@$(COMPILING) $(BIN)/python -m tests.servers.all_modules

lint: ruff mypy import-contracts

ruff: $(VENV)/.dev
	@echo '== Code checks'
	$(BIN)/ruff check
	$(BIN)/ruff format --check

# Each speaks once, when it has ended: the tests write beside them.
mypy import-contracts: $(VENV)/.dev
	@$(CHECK_$@) > $(VENV)/$@.log 2>&1 || { cat $(VENV)/$@.log; exit 1; }
	@tail -n 1 $(VENV)/$@.log

CHECK_mypy := $(BIN)/mypy
CHECK_import-contracts := $(BIN)/lint-imports

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
	set -e; for name in $(filter-out $(LONG),$(basename $(notdir $(wildcard benchmarks/*.py)))); do echo "== $$name"; $(BIN)/python -m benchmarks.$$name; done

$(BIN)/python:
	@echo '== Creating the virtual environment $(VENV)'
	@tools/make-venv $(PYTHON) $(VENV)

$(VENV)/.runtime: pyproject.toml | $(BIN)/python
	@echo '== Installing focuscrawl and its packages into $(VENV): about 700 MB, half a minute'
	@$(BIN)/python tools/install_packages.py '.[web]'
	@touch $@

$(VENV)/.dev: pyproject.toml | $(BIN)/python
	@echo '== Installing focuscrawl and its development tools into $(VENV): about 900 MB, half a minute'
	@$(BIN)/python tools/install_packages.py '.[dev]'
	@touch $@ $(VENV)/.runtime
