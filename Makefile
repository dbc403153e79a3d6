# Everything here works on a fresh Debian with Python 3.11, make and git; it makes its own environment.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
HANDIWORK_HOME ?= $(CURDIR)/demo/home
MODEL ?= qwen2.5-coder-1.5b

.PHONY: help demo test check lint types contracts unit integration bench reliability docs picture clean

help:
	@echo "make demo    set up, pull a local model (1.1 GB, once) and watch it work"
	@echo "make test    set up and run every test"
	@echo "make check   lint, types, import contracts, unit tests"
	@echo "make bench   figures beside those of others"
	@echo "make reliability  kill a run at every operation and see that nothing is doubled or lost (some minutes)"
	@echo "make picture draw docs/picture.svg from its transcript (bench/picture.py --run: a new one)"
	@echo "make docs    build the tool reference and the pages in site/, and check their links"

# Debian's python3 comes without venv: say the one line that mends it.
$(BIN)/python:
	@$(PYTHON) -c "import sys; sys.exit(sys.version_info < (3, 11))" || \
	  { echo "Handiwork needs Python 3.11 or newer; $(PYTHON) is $$($(PYTHON) --version)."; exit 1; }
	@$(PYTHON) -c "import ensurepip, venv" 2>/dev/null || \
	  { echo "This Python has no venv. Run:  sudo apt-get install -y python3-venv"; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.ready: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable ".[dev,local,multilingual,documents,secrets]"
	@touch $@

demo: $(VENV)/.ready
	HANDIWORK_HOME="$(HANDIWORK_HOME)" MODEL="$(MODEL)" bash bench/demo.sh "$(abspath $(BIN))/handiwork"

test: $(VENV)/.ready
	$(BIN)/python -m pytest

check: lint types contracts unit

lint: $(VENV)/.ready
	$(BIN)/ruff check src tests bench docs
	$(BIN)/ruff format --check src tests bench docs

types: $(VENV)/.ready
	$(BIN)/mypy

contracts: $(VENV)/.ready
	$(BIN)/lint-imports --no-cache

unit: $(VENV)/.ready
	$(BIN)/python -m pytest -m "not integration and not model" -n 2

integration: $(VENV)/.ready
	$(BIN)/python -m pip install --quiet --editable ".[dojo]"
	$(BIN)/python -m pytest -m "integration or model"

bench: $(VENV)/.ready
	$(BIN)/python bench/spine.py

reliability: $(VENV)/.ready
	$(BIN)/python bench/reliability.py

docs: $(VENV)/.ready
	$(BIN)/python docs/build.py

picture: $(VENV)/.ready
	$(BIN)/python bench/picture.py

clean:
	rm -rf $(VENV) demo site .mypy_cache .ruff_cache .pytest_cache .hypothesis dist build
