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

GOFMT   = $(shell $(GO) env GOROOT)/bin/gofmt
LDFLAGS = -s -w $(if $(VERSION),-X main.version=$(VERSION))

.PHONY: help build run test lint strings recording fmt bench bench-compare race fuzz fuzz-short tidy check clean

help: ## what there is
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

build: ## build ./plimsoll
	$(GO) build -trimpath -ldflags '$(LDFLAGS)' -o plimsoll .

run: build ## build and start the chat
	@./plimsoll $(ARGS)

test: ## run the tests
	$(GO) test -timeout 5m ./...

lint: ## formatting, go vet, staticcheck
	@unformatted=$$("$(GOFMT)" -l .); if [ -n "$$unformatted" ]; then echo "not formatted; run make fmt:"; echo "$$unformatted"; exit 1; fi
	$(GO) vet ./...
	$(GO) tool staticcheck ./...

strings: ## list every text a user can see, with file and line
	@$(GO) run ./docs/strings

recording: ## play the first minute anew for the pictures of README and docs
	$(GO) run ./docs/record

fmt: ## format the sources
	"$(GOFMT)" -w .

bench: ## run the benchmarks; their budgets stand beside them in the sources
	@{ $(GO) test -run '^$$' -bench '$(BENCH)' -benchmem -timeout 30m ./... 2>&1; echo "exit $$?"; } | awk "$$BENCH_TABLE"

bench-compare: ## compare the benchmarks of BASE with those of this tree; fails when something is slower
	@$(GO) run ./bench -base '$(BASE)' -bench '$(BENCH)' -pkg '$(PKG)' -rounds $(ROUNDS) -time $(TIME)

# The other targets vet the same files.
race: ## run the tests under the race detector
	CGO_ENABLED=1 $(GO) test -race -vet=off -timeout 8m ./...

# By number of inputs: a run that ends by the clock fails now and then because its worker is still at it.
FUZZ = $(GO) test -run '^$$' -fuzzminimizetime 100x

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
	@for at in conversation:FuzzUnmarshal compact/planner:FuzzProject compact/planner:FuzzProjectRandomLog compact/edit:FuzzParseBound config:FuzzProfile; do \
		pkg=./$${at%:*} target=$${at#*:}; echo "$$target ($$pkg)"; \
		$(GO) test -list "^$$target\$$" "$$pkg" | grep -q "^$$target\$$" || { echo "there is no $$target in $$pkg"; exit 1; }; \
		$(FUZZ) -fuzz "^$$target\$$" -fuzztime $(SHORT) "$$pkg" || exit 1; \
	done

tidy: ## check that go.mod and go.sum say what is imported
	$(GO) mod tidy -diff
	$(GO) mod verify

check: lint test race tidy ## everything that has to pass before a change is done

clean: ## remove what was built
	rm -f plimsoll

# Turns the lines of go test -bench into a table per package, with times and sizes in units one can read.
define BENCH_TABLE
function human(value, unit) {
	if (unit == "ns/op") {
		if (value >= 1e9) return sprintf("%.2f s", value / 1e9)
		if (value >= 1e6) return sprintf("%.2f ms", value / 1e6)
		if (value >= 1e3) return sprintf("%.2f us", value / 1e3)
		return value " ns"
	}
	if (unit == "B/op") {
		if (value >= 1048576) return sprintf("%.1f MiB", value / 1048576)
		if (value >= 1024) return sprintf("%.1f KiB", value / 1024)
		return value " B"
	}
	sub("/op$$", "", unit)
	return value " " unit
}
/^exit [0-9]+$$/ { code = $$2; next }
/^pkg: / { package = $$2; printed = 0; next }
/^(goos|goarch|PASS|ok|\?)/ || /no test files/ { next }
/^cpu: / { if (!cpu++) print substr($$0, 6); next }
/^Benchmark/ && NF >= 4 {
	if (!printed++) printf "\n%s\n", package
	name = $$1; sub(/^Benchmark/, "", name); sub(/-[0-9]+$$/, "", name)
	line = sprintf("  %-44s", name)
	for (i = 3; i < NF; i += 2) line = line sprintf(" %14s", human($$i, $$(i + 1)))
	print line; fflush(); next
}
{ print; fflush() }
END { exit code }
endef
export BENCH_TABLE
