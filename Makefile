# Everything a person or CI does with this checkout. `make` alone lists it.
# Steps print one line each; what they said is in target/logs. V=1 shows it all as it comes.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.NOTPARALLEL:
MAKEFLAGS += --no-print-directory

# Where cargo and CMake build. Reports, tables and logs go to target/ whatever this says.
export CARGO_TARGET_DIR := $(abspath $(or $(CARGO_TARGET_DIR),target))
unexport CARGO_BUILD_TARGET
JOBS ?= $(shell nproc)
export JOBS

cmake_dir := $(CARGO_TARGET_DIR)/cmake
cmake_flags := -DCMAKE_BUILD_TYPE=Release -Dqueuecore_DIR=$(CURDIR)/cmake -DQUEUECORE_TARGET_DIR=$(CARGO_TARGET_DIR)
cargo := cargo build --release --locked
# In a folder of its own: the features of what it depends on differ, so in one folder `cargo build` and `cargo bench`
# undo each other's library, and nothing is ever up to date.
cargo_bench := cargo bench --locked --target-dir $(CARGO_TARGET_DIR)/rust-bench
# The replay's own flags; `make demo REPLAY_FLAGS=--help` lists them.
# Three policies keep the demo within ten minutes from a fresh clone; the replay alone compares all of them.
REPLAY_FLAGS ?= --predict-capacity --run scheduled-1000/stl,inline-1000/stl,steady/queuecore
step := @scripts/step.sh
report := $(CARGO_TARGET_DIR)/release/queuecore-report

##@ The two commands
.PHONY: demo
demo: replay-build report-build ## Replay the dispatcher incident; writes target/replay/report.html
	@$(cmake_dir)/replay/queuecore-replay $(REPLAY_FLAGS) --out target/replay
	@echo
	@$(cmake_dir)/replay/queuecore-replay --scenario usage --duration 2 --out target/replay
	@echo
	@$(cmake_dir)/replay/queuecore-replay --scenario cursor --backlog 150000 --out target/replay
	@$(report) page target/replay
	@echo "The comparison with its charts: target/replay/report.html"

.PHONY: test
test: build ## Run every test in Rust, C, C++ and Java; closes with 'N passed, N failed'
	@scripts/test.sh $(SUITES)

##@ Building
.PHONY: deps
deps: ## Install what is missing (root or sudo); does nothing when all is there
	@scripts/install-deps.sh build

.PHONY: build
build: deps ## Build the library: libqueuecore.so and .a in target/release
	$(step) "build the library (release)" build-library $(cargo) -p queuecore

.PHONY: replay-build
replay-build: build
	$(step) "configure the C++ replay" replay-configure cmake -S cpp-example -B $(cmake_dir)/replay $(cmake_flags)
	$(step) "build the C++ replay" replay-build cmake --build $(cmake_dir)/replay -j $(JOBS) --target queuecore-replay

.PHONY: report-build
report-build: deps
	$(step) "build the report tool" report-build $(cargo) -p queuecore-report

.PHONY: header
header: deps ## Write include/queuecore.h anew from src/ffi
	$(step) "write include/queuecore.h" header env QUEUECORE_UPDATE_HEADER=1 cargo build --locked
	@git --no-pager diff --stat -- include/queuecore.h

.PHONY: install
install: ## Install what `make build` built into $(DESTDIR)$(PREFIX) (default /usr/local)
	@scripts/install.sh

.PHONY: clean
clean: ## Remove everything that was built or written
	@cargo clean --quiet
	@rm -rf target java/*/target

# The JNI library by itself: built together with the library, the features of what they depend on would differ, and each
# build would undo the other's.
.PHONY: jni-build
jni-build: build ## Build libqueuecore_jni.so, for Java
	$(step) "build the JNI library (release)" build-jni $(cargo) -p queuecore-jni

##@ Measuring
.PHONY: bench
bench: bench-history bench-usage bench-cursor bench-java ## Run every benchmark

.PHONY: bench-history
bench-history: build report-build ## Measure history against the stand-in; writes target/bench/history.json
	$(step) "configure the C++ bench" bench-configure cmake -S cpp-example -B $(cmake_dir)/replay $(cmake_flags)
	$(step) "build the C++ bench" bench-build cmake --build $(cmake_dir)/replay -j $(JOBS) --target bench-history
	@mkdir -p target/bench
	@$(cmake_dir)/replay/bench/bench-history --out target/bench/history.json
	@echo "written: target/bench/history.json"
	$(step) "build the Rust bench" bench-criterion-build $(cargo_bench) --bench history --no-run
	@$(cargo_bench) --bench history --quiet

.PHONY: bench-usage
bench-usage: build report-build ## Measure usage against locks and atomics; writes target/bench/usage.json
	$(step) "configure the C++ bench" bench-configure cmake -S cpp-example -B $(cmake_dir)/replay $(cmake_flags)
	$(step) "build the C++ side" bench-usage-cpp-build cmake --build $(cmake_dir)/replay -j $(JOBS) --target bench-usage-cpp
	$(step) "build the usage bench" bench-usage-build $(cargo_bench) --bench usage --no-run
	@mkdir -p target/bench/parts
	@$(cmake_dir)/replay/bench-usage/bench-usage-cpp --out target/bench/parts/usage-cpp.json >target/logs/bench-usage-cpp.log
	@$(cargo_bench) --bench usage --quiet -- --cpp target/bench/parts/usage-cpp.json --out target/bench/usage.json
	@echo "written: target/bench/usage.json"

.PHONY: bench-java
bench-java: jni-build report-build ## Measure the Java meter alone and in a whole broker, history and cursor from Java; writes target/bench/java.json
	$(step) "build the Java bench" bench-java-build scripts/maven.sh package -DskipTests -pl queuecore-bench,queuecore-activemq -am
	@java -Dorg.queuecore.library.path=$(CARGO_TARGET_DIR)/release \
		-Dqueuecore.agent=java/queuecore-activemq/target/queuecore-activemq-agent.jar -jar java/queuecore-bench/target/queuecore-bench-all.jar \
		--out target/bench/java.json $(if $(QUICK),--quick)

.PHONY: bench-cursor
bench-cursor: build report-build ## Measure paging by three policies, from SQLite and from a slow store; writes target/bench/cursor.json
	$(step) "configure the C++ bench" bench-configure cmake -S cpp-example -B $(cmake_dir)/replay $(cmake_flags)
	$(step) "build the cursor bench" bench-cursor-build cmake --build $(cmake_dir)/replay -j $(JOBS) --target bench-cursor
	@mkdir -p target/bench
	@$(cmake_dir)/replay/bench-cursor/bench-cursor --out target/bench/cursor.json
	@echo "written: target/bench/cursor.json"

.PHONY: figures
figures: report-build ## The goals and figures of the last demo and bench as Markdown, for the README
	@for file in target/replay/summary.json target/bench/history.json; do \
		[[ -e $$file ]] || { echo "$$file is missing: run make demo and make bench-history" >&2; exit 1; }; \
		$(report) goals $$file; echo; \
	done
	@for file in target/bench/usage.json target/bench/cursor.json target/bench/java.json; do \
		[[ ! -e $$file ]] || { $(report) goals $$file; echo; }; \
	done

.PHONY: chart
chart: report-build ## Write the README's chart, docs/img/history.svg, from the last demo
	@mkdir -p docs/img
	@$(report) chart target/replay --out docs/img/history.svg

.PHONY: usage-chart
usage-chart: report-build ## Write the chart of usage, docs/img/usage.svg, from the last bench-usage
	@mkdir -p docs/img
	@$(report) usage-chart target/bench/usage.json --out docs/img/usage.svg

.PHONY: cursor-chart
cursor-chart: report-build ## Write the chart of the cursor, docs/img/cursor.svg, from the last demo
	@mkdir -p docs/img
	@$(report) cursor-chart target/replay --out docs/img/cursor.svg

##@ Working on it
.PHONY: lint
lint: ## Check format, clippy, shell scripts, API docs and the tree
	@scripts/install-deps.sh lint
	@scripts/lint.sh

.PHONY: fmt
fmt: ## Format the Rust code
	@cargo fmt --all

.PHONY: check-usage
check-usage: deps ## The usage meter for long: 100 M reservations, over 1 M races of each kind, 5,000 rounds
	@USAGE_ATTEMPTS=$${USAGE_ATTEMPTS:-100000000} USAGE_RACES=$${USAGE_RACES:-1000000} USAGE_ROUNDS=$${USAGE_ROUNDS:-5000} \
		CARGO_TARGET_DIR=$(CARGO_TARGET_DIR)/test CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_DEBUG=0 \
		CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16 cargo test --release -p queuecore --locked --no-fail-fast \
		--test usage_admission --test usage_waits --test usage_threads -- --nocapture --test-threads 1

.PHONY: check-history
check-history: deps ## The history through the C ABI beside a naive model, for long (OPS=100000000, SEED=1)
	@OPS=$${OPS:-100000000} SEED=$${SEED:-1} \
		CARGO_TARGET_DIR=$(CARGO_TARGET_DIR)/test CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_DEBUG=0 \
		CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16 cargo test --release -p queuecore --locked \
		--test history_differential -- --nocapture

.PHONY: check-activemq
check-activemq: jni-build ## ActiveMQ's own published tests with the agent, twenty minutes (TESTS=patterns, AGENT=0)
	@scripts/check-activemq.sh

.PHONY: check-java
check-java: jni-build ## Java, C++ and Rust threads on one tracker for long: the sum has to be exact (OPS=1000000000)
	$(step) "build the side in C++ and Rust" build-languages $(cargo) -p queuecore-jni-languages
	@scripts/check-java.sh $(or $(OPS),1000000000)

.PHONY: loom
loom: build ## Only the interleaving models; LOOM_MAX_PREEMPTIONS=3 looks deeper
	@scripts/test.sh loom

.PHONY: mutants-usage
mutants-usage: deps ## Seed faults into the usage meter, one by one: a model has to catch each (MUTANTS=part of a name)
	@scripts/mutants-usage.sh $(MUTANTS)

.PHONY: miri
miri: ## Run the unit tests under Miri (needs a nightly toolchain with it)
	@cargo +nightly miri --version >/dev/null 2>&1 || { echo "Miri is missing: rustup toolchain install nightly --component miri" >&2; exit 1; }
	cargo +nightly miri test --lib --locked

.PHONY: docs
docs: deps ## Build the Rust API pages into target/doc
	$(step) "cargo doc" doc env RUSTDOCFLAGS="-D warnings" cargo doc --no-deps --locked --document-private-items -p queuecore
	@echo "open: $(CARGO_TARGET_DIR)/doc/queuecore/index.html"

.PHONY: help
help: ## This list
	@awk -f scripts/help.awk Makefile
