# make run   build loci and start it: finds or fetches a model, prints addresses
# make test  everything that proves it works; CI runs this and nothing else.
#            It needs Go, a C compiler (for the race detector), Python 3 with pip,
#            and at the first run the network, for about 400 MB.

GO      ?= go
BIN     := bin/loci
TAG     := $(shell git describe --tags --exact-match 2>/dev/null)
COMMIT  := $(shell git rev-parse --short HEAD 2>/dev/null)
LDFLAGS := -s -w -X loci/internal/app.commit=$(COMMIT) $(if $(TAG),-X loci/internal/app.Version=$(TAG:v%=%))
VENV    := .cache/venv
export CGO_ENABLED := 0

.PHONY: run build lint test test-all test-clients deps bench bench-bfcl bench-tools fuzz docs cross clean

run: build
	@$(BIN) up || test $$? -eq 130 # Ctrl-C is how it ends: no error of ours

build:
	@command -v $(GO) >/dev/null || { echo "Go is missing. Install Go 1.26 or newer from https://go.dev/dl and run make again." >&2; exit 1; }
	@echo "Building $(BIN)$(if $(wildcard $(BIN)),, (the first time this takes a minute or two)) ..." >&2
	@$(GO) build -trimpath -ldflags '$(LDFLAGS)' -o $(BIN) ./cmd/loci

lint:
	@fmt=$$(gofmt -l .); test -z "$$fmt" || { echo "gofmt: run gofmt -w on:"; echo "$$fmt"; exit 1; }
	$(GO) vet ./...
	$(GO) tool staticcheck ./...

# The race detector is the one thing here that needs a C compiler. With
# LOCI_TEST_ALL the tests of the embedded model fail where it is not to be had;
# go test alone skips them then.
test: deps build lint
	CGO_ENABLED=1 LOCI_TEST_ALL=1 LOCI_TEST_PYTHON=$(CURDIR)/$(VENV)/bin/python $(GO) test -race -shuffle=on -timeout 18m ./...
	@sh test/fuzz.sh 5s core

# Soak tests and long loops on top.
test-all: deps build lint
	CGO_ENABLED=1 LOCI_TEST_ALL=1 LOCI_TEST_PYTHON=$(CURDIR)/$(VENV)/bin/python $(GO) test -race -shuffle=on -count=3 -timeout 80m ./...
	CGO_ENABLED=1 $(GO) test -race -timeout 30m ./internal/sandbox ./internal/store -long
	$(GO) test -timeout 30m ./test/e2e -run TestKillAroundTheYes -long

# What the tests use besides Go: the official Python clients, in a folder of
# their own, and the OpenMP library of the embedded engine.
deps:
	@sh test/deps.sh $(VENV)

# What is too large for make test: the real Open WebUI in a browser (Chromium has
# to be there; the pictures are in .cache/screenshots) and a real Ollama. The
# first run installs and builds them, 8 GB and half an hour.
test-clients: deps build
	@sh test/clients/openwebui.sh .cache/openwebui
	@sh test/clients/ollama.sh .cache/ollama
	@mkdir -p .cache/screenshots
	LOCI_TEST_ALL=1 LOCI_TEST_PYTHON=$(CURDIR)/$(VENV)/bin/python LOCI_TEST_OPENWEBUI=$(CURDIR)/.cache/openwebui LOCI_TEST_SCREENSHOTS=$(CURDIR)/.cache/screenshots \
	LOCI_TEST_OLLAMA=$(CURDIR)/.cache/ollama/ollama $(GO) test -count=1 -timeout 30m -v -run 'Client|OpenWebUI|RealOllama' ./test/e2e

bench: build
	$(GO) test -run '^$$' -bench . -benchmem ./...
	$(GO) run ./test/bench -loci $(BIN)
	$(GO) test -count=1 -timeout 60m -v -run TestEngine ./test/natural -long

# How much each thing that loci adds helps the embedded model to call functions. The
# questions are not ours: LOCI_BFCL says in which folder they are. On two cores the
# sample takes about an hour.
bench-bfcl:
	$(GO) run ./test/bench/bfcl $(BFCL)

# The scoreboard of tool calls: loci, nanobot and Qwen-Agent, which are installed
# at the first run (some 400 MB), and Open WebUI where make test-clients has been.
bench-tools: build
	@sh test/bench/tools/peers/run.sh $(BIN) .cache/bench-tools .cache/openwebui

# Every fuzz target; make test runs eight of them, for 5 seconds each.
FUZZTIME ?= 30s
fuzz:
	@sh test/fuzz.sh $(FUZZTIME)

# Rewrites what is generated from the configuration struct.
docs:
	$(GO) test ./internal/config -run Generated -update

# Builds for the other platforms, to know that they still do.
cross:
	GOOS=linux GOARCH=arm64 $(GO) build -o /dev/null ./cmd/loci
	GOOS=darwin GOARCH=arm64 $(GO) build -o /dev/null ./cmd/loci
	GOOS=windows GOARCH=amd64 $(GO) build -o /dev/null ./cmd/loci

clean:
	rm -rf bin .cache
