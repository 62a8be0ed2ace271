# Everything a newcomer needs: `make run`, `make test`. Each makes its own .venv and installs what it needs.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/$(if $(filter Windows_NT,$(OS)),Scripts,bin)
DATA ?= tearsheet-data
FEEDS ?=
# Two test processes for each core: half of the tests' time is waiting for processes, servers and polite pauses.
JOBS ?= $(shell $(PYTHON) -c 'import os; print(2 * (os.cpu_count() or 1))')
ENGINES ?=

# Packages are compiled once, when they are installed, and our modules before the tests or when they are first imported: the tests
# start many processes, and each would compile everything again where the environment tells Python to keep no bytecode.
export UV_COMPILE_BYTECODE := 1
# As pip does, uv trusts the certificates that this system trusts: those of a company's proxy are among them.
export UV_SYSTEM_CERTS := 1
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: $(shell sed -n 's/^\([a-z-]*\):.*\#\# .*/\1/p' $(MAKEFILE_LIST))

help: ## Show what can be made
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-16s %s\n", $$1, $$2}'

# Every package is one of those in the lock, byte for byte, and nothing else; uv itself is installed by pip in the same way.
INSTALL = $(BIN)/uv pip install --quiet --python $(BIN)/python
$(BIN)/uv: | locks/run.txt
	@sh tools/check_python.sh '$(PYTHON)' $(firstword $(MAKECMDGOALS))
	@$(PYTHON) -m venv $(VENV)
	@sed -n '/^uv==/,/[^\\]$$/p' locks/run.txt >$(VENV)/uv.txt
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps -r $(VENV)/uv.txt

$(VENV)/.base: $(BIN)/uv pyproject.toml locks/run.txt
	@$(INSTALL) --require-hashes -r locks/run.txt
	@$(INSTALL) --no-deps --no-build-isolation -e .
	@touch $@

$(VENV)/.dev: $(VENV)/.base locks/dev.txt
	@$(INSTALL) --require-hashes -r locks/dev.txt
	@$(BIN)/python -m compileall -q src tests/support
	@touch $@

LOCK = $(BIN)/uv pip compile --quiet pyproject.toml --universal --python-version 3.11 --generate-hashes --no-annotate \
	--custom-compile-command "make lock" $(UPGRADE)
lock: $(BIN)/uv ## Lock the versions and digests of all packages anew (UPGRADE=--upgrade, or --upgrade-package=NAME, for newer ones)
	@$(LOCK) --extra all --group dev --group make -o locks/dev.txt
	@$(LOCK) --group make -c locks/dev.txt -o locks/run.txt

sbom: $(VENV)/.base ## Write what is installed, with licences and digests, as CycloneDX to sbom.json
	@$(BIN)/python -m tools.sbom sbom.json

run: $(VENV)/.base ## Collect, archive, index and serve on 127.0.0.1 (FEEDS="https://… list.opml" for your own)
	@$(BIN)/tearsheet --data $(DATA) run $(FEEDS)

smoke: $(VENV)/.base ## Import everything, lock and write a file, index a story, search it: does it work on this system?
	@$(BIN)/python -m tools.smoke

TESTS = $(BIN)/python -m pytest -n $(JOBS) --dist loadfile --no-loadscope-reorder

test: $(VENV)/.dev ## Run the tests (no network beyond loopback); says what was left out for want of a server or a browser
	@$(TESTS) -m "not slow and not restarts and not proof" tests

proofs: $(VENV)/.dev ## Run the proofs that `make test` leaves out because each takes seconds: kills, floods, hostile pages in a browser
	@$(TESTS) -m "proof and not slow and not restarts" tests

coverage: $(VENV)/.dev ## Run tests and proofs and show the branch coverage of src, which must not fall below the floor in pyproject.toml
	@$(TESTS) -m "not slow and not restarts" --cov --cov-report=term:skip-covered tests

test-engines: $(VENV)/.dev engines-up ## Run the contract suites against the real servers, all of which must be up
	@TEARSHEET_REQUIRE_ENGINES=1 $(BIN)/python -m pytest -n $(JOBS) -m "engine and not slow and not restarts" tests
	@TEARSHEET_REQUIRE_ENGINES=1 $(BIN)/python -m pytest -m "restarts and not slow" tests

ROUNDS ?= 10
fuzz: $(VENV)/.dev ## Run the property tests and the fuzzer of all readers on fresh examples, ROUNDS times
	@for round in $$(seq $(ROUNDS)); do TEARSHEET_TEST_PROFILE=fuzz $(BIN)/python -m pytest -q -n $(JOBS) \
	-m "(hypothesis or fuzz) and not slow and not engine" tests || exit 1; done

test-slow: $(VENV)/.dev ## Long proofs: many kills, soaks, Elasticsearch (its download is large)
	@engines/all start $(ENGINES)
	@engines/all start elasticsearch
	@TEARSHEET_REQUIRE_ENGINES=1 $(BIN)/python -m pytest -m "slow" --timeout 3600 tests

kills: $(VENV)/.dev ## Kill every part that writes, more than a hundred times, and count: nothing is lost, nothing comes twice
	@$(BIN)/python -m pytest -m kills --timeout 3600 tests

test-wheel: $(VENV)/.dev ## Build the package, install the wheel in a clean environment, and run the notebooks there
	@$(BIN)/python -m tools.check_wheel

browser: ## Install the browser that the page tests drive (Debian, as root), and ReplayWeb.page for it
	@engines/browser

engines-up: ## Install and start the test servers on loopback (ENGINES="kafka s3" for some; elasticsearch only by name)
	@engines/all start $(ENGINES)

engines-down: ## Stop the test servers
	@engines/all stop $(ENGINES)

engines-status: ## Say which test servers are up
	@engines/all status $(ENGINES)

lint: $(VENV)/.dev ## Check style, types and layers
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-cache

format: $(VENV)/.dev ## Format the code
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

docs: $(VENV)/.dev ## Write what is made from the program: the reference pages, and the schema of new SQLite files
	@$(BIN)/python -m tools.write_schema
	@$(BIN)/python -m tools.write_reference

docs-site: $(VENV)/.dev ## Build the documentation as a site into build/site, without the network; a warning is an error
	@$(BIN)/python -m sphinx -b html -W --keep-going -q -d build/doctrees docs build/site
	@echo "build/site/index.html"

bench: bench-pipeline bench-memory bench-feeds bench-feedparser bench-rhythm bench-extract bench-index bench-archive bench-fetch bench-broker bench-topics bench-ledger bench-start ## Run every benchmark (alone, on a quiet machine)

bench-broker: $(VENV)/.dev ## Publish, forward and acknowledge on SQLite and on RabbitMQ, side by side
	@engines/all start rabbitmq
	@$(BIN)/python bench/broker.py

bench-fetch: $(VENV)/.dev ## Pages a second from many hosts, beside requests with threads
	@$(BIN)/python -m bench.fetch

bench-feeds: $(VENV)/.dev ## Feeds a second beside feedparser, picking due feeds, polling on loopback
	@$(BIN)/python -m bench.feeds

bench-feedparser: $(VENV)/.dev ## Links, titles, dates and speed beside feedparser on its own test files, which it fetches
	@$(BIN)/python -m bench.feedparser_files --fetch

bench-rhythm: $(VENV)/.dev ## How long stories wait for a poll, by the rhythm of their feeds and by duplicates alone, also of feeds held out
	@$(BIN)/python -m bench.rhythm

bench-archive: $(VENV)/.dev ## Writing and reading WARC files beside warcio
	@$(BIN)/python -m bench.archive

bench-extract: $(VENV)/.dev ## Text, dates, titles, authors and speed beside other extractors
	@$(BIN)/python -m bench.extract

bench-pipeline: $(VENV)/.dev ## What the queues cost beside fetching and parsing
	@$(BIN)/python bench/pipeline.py

PAGES ?= 20000
bench-memory: $(VENV)/.dev ## Peak memory of each process of a pipeline over real pages (PAGES=2000 for a quick look)
	@$(BIN)/python -m bench.memory --pages $(PAGES)

STORIES ?= 1000000
bench-index: $(VENV)/.dev ## The embedded index beside SQLite FTS5 (STORIES=50000 for a quick look, KEEP=folder to ask again)
	@$(BIN)/python -m bench.index --stories $(STORIES) $(if $(KEEP),--keep $(KEEP))

ROWS ?= 10000000
bench-ledger: $(VENV)/.dev ## Counts, look-ups, /metrics, recording and folding at 10 million rows (ROWS=100000 for a quick look)
	@$(BIN)/python -m bench.ledger --rows $(ROWS)

KNOWN ?= 1000000
bench-topics: $(VENV)/.dev ## Relevance, link matching and a large snapshot (KNOWN=50000 for a quick look)
	@$(BIN)/python -m bench.topics --stories $(KNOWN)

bench-start: $(VENV)/.dev ## Processor time of every command before its work begins, and of a completion
	@$(BIN)/python -m bench.start

clean: ## Remove what was built (not your data)
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .coverage
