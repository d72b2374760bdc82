# Plimsoll. Building, running and testing need Go and nothing else; the race detector also needs a C compiler.
#
#   make run ARGS="-c"            what follows plimsoll on the command line
#   make build VERSION=v1.2.0     the version that --version tells
#   make bench BENCH=Stream       only benchmarks whose name matches
#   make bench-compare BASE=main BENCH='Turn|Paced' PKG=./e2e ROUNDS=10 TIME=1x
#                                 measure this tree against another revision; 8 rounds at least
#   make fuzz FUZZTIME=1m         how long each fuzz target runs; 3000x is a number of inputs
#   make fuzz-short SHORT=10000x  the same for the few that the gate runs

GO       ?= go
ARGS     ?=
BENCH    ?= .
BASE     ?=
PKG      ?= ./...
ROUNDS   ?= 8
TIME     ?= 100ms
FUZZTIME ?= 3000x
SHORT    ?= 10000x
VERSION  ?=

# The program is one static file; a C compiler that happens to be there changes nothing.
export CGO_ENABLED ?= 0

# No path of this machine is in what is built. Every target has this flag, so that build, test and lint compile a package once.
export GOFLAGS += -trimpath

# The compiler spends a sixth of its time on collecting garbage; memory is cheaper. The program itself runs without this.
build test lint race: export GOGC ?= 300

GOFMT   = $(shell $(GO) env GOROOT)/bin/gofmt
LDFLAGS = -s -w $(if $(VERSION),-X main.version=$(VERSION))

.PHONY: help build run test lint fmt bench bench-compare race fuzz fuzz-short tidy check clean

help: ## what there is
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

build: ## build ./plimsoll
	$(GO) build -ldflags '$(LDFLAGS)' -o plimsoll .

run: build ## build and start the chat
	@./plimsoll $(ARGS)

test: ## run the tests
	$(GO) test -vet=off -timeout 5m ./...

lint: ## formatting, go vet, staticcheck
	@unformatted=$$("$(GOFMT)" -l .); if [ -n "$$unformatted" ]; then echo "not formatted; run make fmt:"; echo "$$unformatted"; exit 1; fi
	$(GO) vet ./...
	$(GO) tool staticcheck ./...

fmt: ## format the sources
	"$(GOFMT)" -w .

bench: ## run the benchmarks; their budgets stand beside them in the sources
	$(GO) test -run '^$$' -bench '$(BENCH)' -benchmem -timeout 30m ./...

# The rounds of the two trees alternate, so that other load on the machine meets both.
MEASURE = $(GO) test -run '^$$' -bench '$(BENCH)' -benchmem -benchtime $(TIME) -timeout 30m $(PKG)

bench-compare: ## compare the benchmarks of BASE with those of this tree
	@at=$$(mktemp -d); trap 'git worktree remove --force "$$at/base"; rm -rf "$$at"' EXIT; \
	git worktree add --quiet --detach "$$at/base" '$(BASE)' || exit 1; \
	for round in $$(seq $(ROUNDS)); do \
		(cd "$$at/base" && $(MEASURE)) >> "$$at/base.txt" && $(MEASURE) >> "$$at/this.txt" || exit 1; \
	done; \
	$(GO) tool benchstat base="$$at/base.txt" this="$$at/this.txt"

# make lint vets the same files. The race detector would make each of some hundred programs wait a second before it ends. With
# -short, random checks make a fifth of the rounds that make test makes, and need not meet each case in them; nothing else heeds it.
race: ## run the tests under the race detector
	CGO_ENABLED=1 GORACE=atexit_sleep_ms=0 $(GO) test -race -short -vet=off -timeout 8m ./...

# By number of inputs: a run that ends by the clock fails now and then because its worker is still at it.
FUZZ = $(GO) test -vet=off -run '^$$' -fuzzminimizetime 100x

fuzz: ## run every fuzz target for a moment
	@$(GO) list ./... | while read -r pkg; do \
		for target in $$($(GO) test -list '^Fuzz' "$$pkg" | grep '^Fuzz'); do \
			echo "$$target ($$pkg)"; \
			$(FUZZ) -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) "$$pkg" || exit 1; \
		done || exit 1; \
	done

# What reads stored logs, makes views of them, and takes apart what users write about compaction. A name that no target
# has would pass as one without a find.
fuzz-short: ## run the fuzz targets that the gate runs
	@for at in conversation:FuzzUnmarshal compact/planner:FuzzProject compact/edit:FuzzParseBound config:FuzzProfile; do \
		pkg=./$${at%:*} target=$${at#*:}; echo "$$target ($$pkg)"; \
		grep -qs "^func $$target(" $$pkg/*_test.go || { echo "there is no $$target in $$pkg"; exit 1; }; \
		$(FUZZ) -fuzz "^$$target\$$" -fuzztime $(SHORT) "$$pkg" || exit 1; \
	done

tidy: ## check that go.mod and go.sum say what is imported
	$(GO) mod tidy -diff
	$(GO) mod verify

check: lint test race tidy ## everything that has to pass before a change is done

clean: ## remove what was built
	rm -f plimsoll
