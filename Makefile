# Everything here needs Go, and the tests PostgreSQL, MariaDB, Node.js, Chromium and more, which
# make test installs where it may; see .ci/servers and .ci/console. The linter is built
# from the module proxy into a cache folder; see .ci/lint.
# Works with GNU make 3.81 (macOS) and later; recipes are plain POSIX sh.

SHELL := /bin/sh

GO           ?= go
GOLANGCI     ?= v2.5.0
TEST_TIMEOUT ?= 15m
TEST_FLAGS   ?=
FUZZTIME     ?= 10s
FAULT_CYCLES ?= 1000
FAULT_CLUSTER ?= 100
FAULT_SOAK   ?= 1h
FAULT_RUN    ?= .
WORLDS       ?= 20000
MODELS       ?= 1000
WORLD        ?= 0
ARGS         ?=
OUT          ?= benchmarks-here

export GO GOLANGCI FUZZTIME

.DEFAULT_GOAL := help

.PHONY: help
help: ## Show this list
	@echo "Targets (make TARGET [ARGS=...]):"
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)$$/  \1|\2/p' Makefile | \
		awk -F'|' '{ printf "%-18s %s\n", $$1, $$2 }'

# --- use it -----------------------------------------------------------------

.PHONY: run
run: ## Start a server on http://127.0.0.1:7070 with ./outlast.db
	$(GO) run ./cmd/outlast serve $(ARGS)

.PHONY: demo
demo: ## See retries and a redrive; at a terminal the server stays, with its console
	$(GO) run ./cmd/outlast demo $$(test -t 1 && echo --keep) $(ARGS)

.PHONY: build
build: ## Build the static binary bin/outlast
	CGO_ENABLED=0 $(GO) build -trimpath -o bin/outlast ./cmd/outlast

.PHONY: picture
picture: ## Take docs/pictures/demo.gif again, from the demo's console and command line (Node.js, Chromium, ffmpeg)
	@command -v ffmpeg >/dev/null || { echo "picture: ffmpeg is missing: apt-get install --no-install-recommends ffmpeg" >&2; exit 1; }
	@sh .ci/console install && GO='$(GO)' CHROMIUM="$$(command -v chromium-headless-shell || command -v chromium)" npm --prefix internal/console run --silent recording

# Other binaries than these: make image BINARIES="PATH PATH", of one platform each.
IMAGE    ?= ghcr.io/outlast-dev/outlast:latest
BINARIES ?=

.PHONY: image
image: ## Make the container image for linux/amd64 and arm64 without Docker: bin/image/oci, and a tarball of each for docker load
	@binaries='$(BINARIES)'; [ -n "$$binaries" ] || for arch in amd64 arm64; do \
		CGO_ENABLED=0 GOOS=linux GOARCH=$$arch $(GO) build -trimpath -ldflags='-s -w' -o bin/linux-$$arch/outlast ./cmd/outlast || exit 1; \
		binaries="$$binaries $$PWD/bin/linux-$$arch/outlast"; \
	done; \
	cd deploy && $(GO) run ./image -out ../bin/image -name '$(IMAGE)' $$binaries

# --- every change -----------------------------------------------------------

# The race detector, but not in SQLite itself: C translated to Go, which starts no
# goroutine and shares nothing without locks, and would be nine times slower. Programs
# that tests start would end a second late, each, without a word to it.
RACE = -race -gcflags='github.com/ncruces/go-sqlite3-wasm/v6/...=-race=false'

# Every package runs with the race detector, once, but for these. Its tests of one
# goroutine skip themselves there and run without it (internal/racetest), as .ci/unraced
# reads in their code. Without it, once, run packages whose tests start programs, which it
# does not see, that do one thing after another, or whose goroutines meet in other
# packages' tests too: see docs/explanation/decisions.md.
PLAIN = ./store/mysql ./cmd/... ./examples/... ./store/postgres ./internal/failovertest ./internal/historytest ./internal/sim/... \
	./internal/stormtest ./internal/archtest ./internal/badinput ./internal/secrettest ./internal/servers/... ./internal/servertest \
	./cel ./internal/chart ./internal/expr ./internal/hints ./internal/lanemodel ./internal/lighttest ./internal/openapi ./internal/strictjson ./internal/targetname ./internal/racetest \
	./internal/config ./internal/console ./plan ./task ./retry/internal/classify ./retry/internal/inspection ./retry/internal/label ./retry/internal/plainfmt ./retry/internal/wholetx ./store ./store/internal/... ./store/storetest

# These start and kill whole processes, and mostly wait for them: they run beside the others.
KILLING = ./internal/faulttest ./internal/incidenttest

RACED = ./store/sqlite ./internal/engine . ./server ./internal/txtest $$($(GO) list ./... | grep -vxF "$$($(GO) list $(PLAIN) $(KILLING))")

TEST = $(GO) test -vet=off -shuffle=on -timeout $(TEST_TIMEOUT) $(TEST_FLAGS)

# Not by its name in the recipe, or make -n would start servers.
AGAIN = $(MAKE) --no-print-directory

.PHONY: test
test: servers ## Run all tests: with the race detector, in random order; beside them the console in Chromium, faults, incidents, and nested modules; then the clients
	@mkdir -p .cache && $(GO) build -o .cache/with ./internal/servers/with
	@$(GO) build -ldflags='-s -w' -o .cache/outlast-test ./cmd/outlast
	@export OUTLAST_TEST_BINARY="$$PWD/.cache/outlast-test"; \
	.cache/with $(AGAIN) -j 2 tests-of-packages tests-of-programs; tested=$$?; \
	.cache/with sh .ci/clients test; clients=$$?; \
	GO='$(GO)' sh .ci/openapi; [ "$$tested $$clients $$?" = "0 0 0" ]

# One PostgreSQL and one MariaDB serve all of them; tests that hurt a server start their own.
# What mostly calculates and what mostly waits run beside each other, each of them in its
# order: no verdict of one depends on what the other leaves of the machine. What fails does
# not keep the rest from its turn: a run tells all that is wrong.
.PHONY: tests-of-packages
tests-of-packages:
	@GORACE=atexit_sleep_ms=100 $(TEST) $(RACE) $(RACED); raced=$$?; \
	unraced=$$(sh .ci/unraced) || exit 1; \
	$(TEST) $$unraced & unraced=$$!; trap 'kill $$unraced' INT TERM; \
	$(TEST) -p 3 -parallel 6 $(PLAIN); plain=$$?; \
	wait $$unraced && [ "$$raced $$plain" = "0 0" ]

.PHONY: tests-of-programs
tests-of-programs:
	@failed=0; GO='$(GO)' sh .ci/console test || failed=1; \
	$(TEST) -parallel 6 $(KILLING) || failed=1; \
	for mod in */go.mod examples/*/go.mod; do \
		[ -f "$$mod" ] || continue; \
		echo "test: $${mod%/go.mod}"; \
		(cd "$${mod%/go.mod}" && $(TEST) -parallel 4 ./...) || failed=1; \
	done; \
	exit $$failed

# Without the tests of processes, of servers and of the console. Nothing to install.
SHORT = ./internal/engine ./store ./store/memory ./store/sqlite ./store/sealed ./internal/faulty ./store/storetest \
	$$($(GO) list ./store/internal/... | grep -v /migrate) ./retry ./retry/internal/... ./task ./plan ./internal/policy ./internal/schedules \
	./internal/token ./internal/stats ./internal/group ./internal/alerts/... ./internal/plaintext ./internal/config ./internal/agenda/... ./internal/archtest ./internal/background ./internal/buckets ./internal/chart ./cel \
	./internal/expr ./internal/heap ./internal/hints ./internal/lease ./internal/membership ./internal/operation ./internal/strictjson ./internal/targetname ./internal/topology

.PHONY: test-short
test-short: ## Only what an inner loop needs, in about a minute: what is pure, the engine, and the stores in memory and on SQLite
	$(TEST) -short $(SHORT)

.PHONY: console-test
console-test: ## Only the web console in Chromium, a part of make test (ARGS='tasks.test.js --headed')
	@GO='$(GO)' sh .ci/console test $(ARGS)

.PHONY: clients
clients: servers ## Only the packages of other languages, a part of make test: types, tests, and the package file installed and used
	@mkdir -p .cache && $(GO) build -o .cache/with ./internal/servers/with && $(GO) build -o .cache/outlast-test ./cmd/outlast
	@OUTLAST_TEST_BINARY="$$PWD/.cache/outlast-test" .cache/with sh .ci/clients test

.PHONY: clusters
clusters: servers ## Only hurt clusters of three nodes on both servers in every way, and on SQLite in some, once each (most of it a part of make test)
	OUTLAST_FAULT_CLUSTER=1 $(GO) test -parallel 8 -timeout $(TEST_TIMEOUT) $(TEST_FLAGS) -run '^TestCluster$$' ./internal/faulttest

.PHONY: citus
citus: ## Run the tests of a store distributed with Citus, on the coordinator that DSN names (make citus DSN=postgres://user@host:5432/database)
	@[ -n "$(DSN)" ] || { echo "citus: name a coordinator: make citus DSN=postgres://user@host:5432/database" >&2; exit 1; }
	OUTLAST_CITUS_DSN='$(DSN)' $(GO) test -v -count=1 -timeout 30m $(TEST_FLAGS) -run '^TestCitus' ./store/postgres

.PHONY: servers
servers: ## Install what tests start, if it is missing (postgresql, mariadb-server, redis-server, pgbouncer, curl, openssl, python3)
	@sh .ci/servers

.PHONY: check
check: check-format check-vet check-arch check-tidy check-generated check-console check-lint check-vulnerabilities ## All checks that need no running: format, vet, lint, ...
	@echo "check: ok"

.PHONY: check-format
check-format: ## gofmt on every Go file
	@echo "check: gofmt"
	@sh .ci/format

.PHONY: check-vet
check-vet: ## go vet of planted defects and nested modules; check-lint has it for all else
	@for tag in faults storm; do \
		echo "check: go vet -tags $$tag"; \
		$(GO) vet -tags $$tag $$(grep -rl --include='*.go' --exclude-dir=node_modules "^//go:build $$tag" . | xargs -n 1 dirname | sort -u) || exit 1; \
	done
	@for mod in */go.mod examples/*/go.mod; do \
		[ -f "$$mod" ] || continue; \
		echo "check: go vet in $${mod%/go.mod}"; \
		(cd "$${mod%/go.mod}" && $(GO) vet ./...) || exit 1; \
	done

.PHONY: check-arch
check-arch: ## Imports, package docs, budgets of files, functions, types, folders and circles
	@echo "check: architecture"
	@$(GO) test -count=1 ./internal/archtest

.PHONY: check-tidy
check-tidy: ## go.mod and go.sum hold what is needed and no more
	@echo "check: go mod tidy"
	@$(GO) mod tidy -diff || { \
		echo "check: go.mod or go.sum is not tidy (diff above): run go mod tidy" >&2; exit 1; }
	@for mod in */go.mod examples/*/go.mod; do \
		[ -f "$$mod" ] || continue; \
		(cd "$${mod%/go.mod}" && $(GO) mod tidy -diff) || { \
			echo "check: $$mod or its go.sum is not tidy (diff above): run go mod tidy there" >&2; exit 1; }; \
	done

.PHONY: check-generated
check-generated: ## Generated files are what go generate makes
	@echo "check: generated files"
	@sh .ci/generated

.PHONY: check-console
check-console: ## Types, vendored libraries and weight of the web console
	@echo "check: console"
	@GO='$(GO)' sh .ci/console check

.PHONY: check-openapi
check-openapi: ## The OpenAPI document pleases redocly and spectral, and generates for TypeScript and Go (Node.js; installs 110 MB once)
	@echo "check: OpenAPI"
	@GO='$(GO)' sh .ci/openapi

.PHONY: check-lint
check-lint: ## golangci-lint, built once per version
	@echo "check: golangci-lint $(GOLANGCI)"
	@sh .ci/lint

.PHONY: check-vulnerabilities
check-vulnerabilities: ## Known vulnerabilities, where their database can be reached
	@echo "check: vulnerabilities"
	@GO='$(GO)' sh .ci/vulnerabilities

.PHONY: cover
cover: ## Test coverage of all packages: coverage.out, coverage.html
	$(GO) test -timeout $(TEST_TIMEOUT) -coverpkg=./... -coverprofile=coverage.out ./...
	$(GO) tool cover -html=coverage.out -o coverage.html
	@$(GO) tool cover -func=coverage.out | tail -n 1

.PHONY: cost
cost: ## Functions and files that one task runs, by coverage (ARGS='-v noop' lists them)
	@GO='$(GO)' sh .ci/cost $(ARGS)

# --- releases ---------------------------------------------------------------

.PHONY: release-snapshot
release-snapshot: ## Make dist/: binary, archive, bill of materials, on Linux .deb and .rpm, of this platform, as a release has them
	cd packaging && $(GO) run . $(ARGS)

.PHONY: release-check
release-check: ## Make dist/ for all platforms and check it; where root can, install the package in an empty Debian (ARGS='--tag v0.1.0' to publish)
	cd packaging && $(GO) run . --all $(ARGS)
	cd packaging && OUTLAST_DIST=../dist $(TEST) -v ./...

# --- long runs --------------------------------------------------------------

.PHONY: fuzz
fuzz: ## Run each fuzz target for FUZZTIME (10s)
	@sh .ci/fuzz

.PHONY: bench
bench: ## Measure Outlast (ARGS are passed on, such as ARGS='B7 B13 --runs 5 --json')
	cd bench && $(GO) run . run $(ARGS)

.PHONY: benchmarks
benchmarks: ## Measure all that docs/explanation/benchmarks.md and the READMEs show and write them (two and a half hours, nothing else running; GROUPS='race crash' for some, CITUS=postgres://user@host:5432/database for its coordinator too, TEMPORAL=folder for Temporal)
	@CITUS='$(CITUS)' TEMPORAL='$(TEMPORAL)' sh .ci/benchmarks $(GROUPS)

.PHONY: benchmarks-here
benchmarks-here: ## Measure B1 to B10 beside the peers on your machine, and write a page into OUT (benchmarks-here): some hours; DSN=postgres://user@host/db or PGBIN=folder, REDIS=host:port, ARGS='B1 B3 --runs 5' for some
	@mkdir -p .cache && cd bench && $(GO) build -o ../.cache/bench .
	@cd bench && exec ../.cache/bench here --out '$(abspath $(OUT))' $(if $(DSN),--store '$(DSN)') $(if $(PGBIN),--postgres-bin '$(PGBIN)') $(if $(REDIS),--redis '$(REDIS)') $(ARGS)

.PHONY: faults
faults: servers ## WORLDS (20000) fleets in virtual time, MODELS (1000) random runs of each store against the one in memory, a kill campaign of FAULT_CYCLES (1000), every fault of a cluster FAULT_CLUSTER times (100) on both servers, FAULT_SOAK (1h) of mixed faults (about five hours; FAULT_RUN=NAME for some)
	OUTLAST_WORLDS=$(WORLDS) $(GO) test -count=1 -timeout 6h -run '^TestWorlds$$/$(FAULT_RUN)' ./internal/worldtest
	$(GO) test -count=1 -timeout 6h -run '^TestTheProtocolHolds$$/$(FAULT_RUN)' ./internal/lanemodel -seeds $(WORLDS)
	RAPID_CHECKS=$(MODELS) $(GO) test -v -count=1 -timeout 3h -run '^TestModel$$/$(FAULT_RUN)' ./store/sqlite ./store/postgres ./store/mysql
	OUTLAST_FAULT_LONG=1 OUTLAST_FAULT_CYCLES=$(FAULT_CYCLES) $(GO) test -tags faults -v -count=1 -timeout 3h -skip '^(TestCluster|TestSoak)$$' -run '$(FAULT_RUN)' ./internal/faulttest
	OUTLAST_FAULT_CLUSTER=$(FAULT_CLUSTER) $(GO) test -parallel 8 -v -count=1 -timeout 6h -skip '^TestSoak$$' -run '^TestCluster$$/$(FAULT_RUN)' ./internal/faulttest
	OUTLAST_FAULT_SOAK=$(FAULT_SOAK) $(GO) test -tags faults -v -count=1 -timeout 6h -run '^TestSoak$$/$(FAULT_RUN)' ./internal/faulttest
	OUTLAST_FIRE_ROUNDS=120 $(GO) test -v -count=1 -timeout 1h -run '^TestCompleteUnderFire$$/$(FAULT_RUN)' ./internal/txtest
	OUTLAST_GROUP_COST=30s $(GO) test -v -count=1 -timeout 1h -run '^(TestDeadGroupCostsLittle|TestHealthyGroupBesideOneThatIsAway)$$/$(FAULT_RUN)' ./cmd/outlast
	OUTLAST_FAULT_LONG=1 $(GO) test -v -count=1 -timeout 1h -run '^(TestTasks|TestRetryStorm)$$/$(FAULT_RUN)' -p 1 ./internal/stormtest ./internal/incidenttest
	OUTLAST_FAILOVER_CYCLES=10 $(GO) test -v -count=1 -timeout 1h ./internal/failovertest

.PHONY: world
world: ## One fleet in virtual time, by its seed, with all that happens to it (make world WORLD=17)
	OUTLAST_WORLD=$(WORLD) $(GO) test -v -count=1 -run '^TestWorlds$$' ./internal/worldtest

.PHONY: site
site: ## The documentation as web pages in .cache/site; a link that leads nowhere fails it. A server has them at /docs
	@rm -rf .cache/site && $(GO) run ./internal/site/write .cache/site

.PHONY: storm
storm: ## A real outage under load, long; writes the pictures and numbers of docs/explanation/storm.md (about 10 minutes)
	$(GO) test -tags storm -v -count=1 -timeout 30m -run TestFull ./internal/stormtest
