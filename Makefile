# Everything one types to run and work on Trickle; needs only Python and make.

PYTHON ?= python3
HOST ?= 127.0.0.1
PORT ?= 8000
DURATION ?= 600
STREAMS ?= 200

BIN := .venv/bin
PIP := $(BIN)/python -m pip -qq --disable-pip-version-check --retries 2
NOT_INSTALLED := { echo "Not installed; pip says why above. This once it needs the internet, or the mirror that" \
	"pip is set up for. Then run the same again." >&2; exit 1; }

# Each block of the lock builds on the one before it, so each stamp needs the one before it. What is in .venv holds its
# own path, so one that was moved is made anew: the first stamp is another one then.
VENV_STAMP := .venv/.stamp-venv-$(firstword $(shell printf %s "$(CURDIR)" | cksum))
RUN_STAMP := .venv/.stamp-run
TEST_STAMP := .venv/.stamp-test
LINT_STAMP := .venv/.stamp-lint
LOCK_STAMP := .venv/.stamp-lock
NODE_STAMP := node_modules/.stamp

# $(call install,BLOCK) installs the lines from `# --- BLOCK` up to the next such line.
install = @echo "Installing what \`make $(1)\` needs …" \
	&& awk -v block=$(1) '/^\# --- / { wanted = $$3 == block } wanted' requirements.lock >.venv/$(1).txt \
	&& $(PIP) install --require-hashes --requirement .venv/$(1).txt || $(NOT_INSTALLED)

.PHONY: help run install test soak bench bench-quick screenshots lint lock clean

help:
	@echo "make run      serve on http://$(HOST):$(PORT) (HOST=… and PORT=… change that)"
	@echo "make install  install into .venv what running needs"
	@echo "make test     run all tests, those in a real browser too"
	@echo "make soak     hold STREAMS=$(STREAMS) streams for DURATION=$(DURATION) seconds, and print figures"
	@echo "make bench    measure everything, and rewrite benchmarks/RESULTS.md (about ten minutes)"
	@echo "make bench-quick  measure ratios, and say which got worse (under a minute)"
	@echo "make screenshots  take the README's pictures anew"
	@echo "make lint     check style and types of Python and JavaScript"
	@echo "make lock     write requirements.lock anew, with the newest versions"
	@echo "make clean    remove what the others made"

run: install
	@$(BIN)/trickle serve --host $(HOST) --port $(PORT)

install: $(RUN_STAMP)

# Apart, because Playwright leaves an event loop running in the process it is used in; several at a time, because many
# wait for tokens most of the time, and by file where the tests of a file share a server.
test: $(TEST_STAMP)
	@$(BIN)/python -m tools.chromium
	@$(BIN)/python -m tools.proxies
	@$(BIN)/python -m pytest -q --numprocesses=2 --dist=loadfile --ignore=tests/js --ignore=tests/browser --cov
	@$(BIN)/python -m pytest -q --numprocesses=2 --dist=worksteal tests/js tests/browser

soak: $(TEST_STAMP)
	@$(BIN)/python -m benchmarks.soak --duration $(DURATION) --streams $(STREAMS)

bench: $(TEST_STAMP)
	@$(BIN)/python -m benchmarks

bench-quick: $(TEST_STAMP)
	@$(BIN)/python -m benchmarks --quick

screenshots: $(TEST_STAMP)
	@$(BIN)/python -m tools.chromium
	@$(BIN)/python -m tools.screenshots

lint: $(LINT_STAMP) $(NODE_STAMP)
	@$(PIP) check
	@$(BIN)/ruff check --quiet .
	@$(BIN)/mypy --no-error-summary
	@$(BIN)/node node_modules/typescript/bin/tsc --project jsconfig.json

lock: $(LOCK_STAMP)
	@$(BIN)/python tools/lock.py

clean:
	rm -rf .venv node_modules build dist *.egg-info .coverage .coverage.* .hypothesis .*_cache
	find . -name __pycache__ -prune -exec rm -rf {} +

$(VENV_STAMP):
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
		echo "Trickle needs Python 3.11 or newer, and $(PYTHON) is none: name one with \`make PYTHON=python3.13 …\`" \
			"(on Debian: apt install python3 python3-venv)." >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
		echo "This Python lacks its venv module: install it first (on Debian: apt install python3-venv)." >&2; exit 1; }
	@echo "Creating .venv …"
	@$(PYTHON) -m venv --clear .venv
	@touch $@

$(RUN_STAMP): $(VENV_STAMP) requirements.lock pyproject.toml setup.py
	$(call install,run)
	@$(PIP) install --no-deps --no-build-isolation --editable . || $(NOT_INSTALLED)
	@touch $@

$(TEST_STAMP): $(RUN_STAMP)
	$(call install,test)
	@touch $@

$(LINT_STAMP): $(TEST_STAMP)
	$(call install,lint)
	@touch $@

$(LOCK_STAMP): $(LINT_STAMP)
	$(call install,lock)
	@touch $@

# npm must find the Node.js of .venv, not another one or none; it trusts what this machine trusts (a proxy's
# certificate, say).
$(NODE_STAMP): package.json package-lock.json | $(LINT_STAMP)
	@PATH="$(CURDIR)/$(BIN):$$PATH" NODE_USE_SYSTEM_CA=1 \
		$(BIN)/npm ci --loglevel=error --ignore-scripts --no-audit --no-fund --no-update-notifier >/dev/null
	@touch $@
