# `make demo` runs the main job, `make test` passes the tests; each makes the virtual environment that it needs.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SOURCES := pyproject.toml setup.py build_backend.py $(wildcard dist/*.whl) $(wildcard rushlight/*.py rushlight/core/*.p[xy]* rushlight/autograd/roots.p[xy]* rushlight/compiler/*.py rushlight/explain/*.p[xy]* rushlight/overrides/*.py rushlight/ops/*/*.py rushlight/kernels/*.py rushlight/kernels/compiled/*.p[xy]*)

.PHONY: demo test clang docs bench verify programs suites lint clean

demo: $(VENV)/demo.installed
	@$(BIN)/rushlight demo $(ARGS)

test: $(VENV)/test.installed
	$(BIN)/python -m pytest $(ARGS)

# The compiled modules by Clang, in an environment of its own, and the tests of kernels with them, but for the one that
# needs `verify`, beside which the sources are.
clang:
	@if ! command -v clang > /dev/null; then echo "clang is not installed: what it compiles is not tested"; else \
	    { test -x $(VENV)-clang/bin/python || $(PYTHON) -m venv $(VENV)-clang; } && \
	    CC=clang $(VENV)-clang/bin/python -m pip install --quiet --disable-pip-version-check '.[test]' && \
	    $(VENV)-clang/bin/python -P -m pytest --import-mode=importlib -o pythonpath="tests tests/kernels tests/core" \
	        --ignore tests/core/test_arrays.py tests/kernels tests/core; fi

docs: $(VENV)/docs.installed
	$(BIN)/python -m sphinx -q -W --keep-going -j auto docs docs/build
	@echo "The site is in docs/build/index.html"

bench: $(VENV)/bench.installed
	$(BIN)/python -m benchmarks $(ARGS)

verify: $(VENV)/verify.installed
	$(BIN)/python -m verify --write $(ARGS)

# An environment of its own, without PyTorch, with the libraries that the programs use. `make suites` runs the libraries'
# own tests there.
programs: $(VENV)-programs/programs.installed
	$(VENV)-programs/bin/python -m programs $(ARGS)

suites: $(VENV)-programs/suites.installed
	$(VENV)-programs/bin/python -m programs.suites $(ARGS)

$(VENV)-programs/%.installed: $(SOURCES) programs/requirements.txt
	@echo "Installing rushlight, and libraries written for PyTorch, into $(VENV)-programs: this takes some minutes ..."
	@test -x $(VENV)-programs/bin/python || $(PYTHON) -m venv $(VENV)-programs
	@$(VENV)-programs/bin/python -m pip install --quiet --disable-pip-version-check --editable '.[$*]'
	@$(VENV)-programs/bin/python -m pip install --quiet --disable-pip-version-check --no-deps -r programs/requirements.txt
	@touch $@

lint: $(VENV)/dev.installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# An extra of the package, installed in the virtual environment; again when the core or the metadata changed.
$(VENV)/%.installed: $(SOURCES)
	@echo "Installing rushlight and what '$*' needs into $(VENV) ..."
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[$*]'
	@touch $@

clean:
	rm -rf $(VENV) $(VENV)-programs $(VENV)-clang build dist docs/build docs/reference *.egg-info rushlight/core/*.so rushlight/autograd/*.so rushlight/compiler/*.so rushlight/explain/*.so rushlight/overrides/*.so rushlight/kernels/compiled/*.so
