# make demo   crawl a small web of our own and write the workbook (runtime package only)
# make test   everything that CI checks; sets up what is missing, database servers included
# make lint   the quick checks alone
# make docs   build the documentation into site/
# make bench  the measurements that the documentation quotes

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PYTEST_ARGS ?= --numprocesses auto
# Hours: run them by hand.
LONG := benchmarks/fuzz.py benchmarks/hostile.py

.PHONY: demo test lint docs bench
.DELETE_ON_ERROR:

demo: $(VENV)/.runtime
	$(BIN)/scrapy demo --crawl

test: $(VENV)/.dev lint
	tools/provide
	$(BIN)/pytest $(PYTEST_ARGS)

lint: $(VENV)/.dev
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports

docs: $(VENV)/.dev
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict

bench: $(VENV)/.dev
	set -e; for script in $(filter-out $(LONG),$(wildcard benchmarks/*.py)); do echo "== $$script"; $(BIN)/python $$script; done

$(BIN)/python:
	tools/make-venv $(PYTHON) $(VENV)

$(VENV)/.runtime: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --editable .
	touch $@

$(VENV)/.dev: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	touch $@ $(VENV)/.runtime
