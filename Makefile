# make demo   build Outward and run its main job on data it makes itself
# make test   everything CI checks
# make fuzz MINUTES=5   tests with random cases, with fresh seeds; SEED=… repeats a round
# make bench  the benchmark of docs/BENCHMARKS.md, beside DuckDB and Splink
# make install PREFIX=…   the binary, completions and man pages

.PHONY: demo test fuzz lint bench build install clean
PREFIX ?= /usr/local
CARGO_TARGET_DIR ?= target
export CARGO_TARGET_DIR
OUTWARD = $(CARGO_TARGET_DIR)/release/outward

demo: build
	$(OUTWARD) demo census --out outward-demo

build:
	@[ -x $(OUTWARD) ] || echo "The first build takes about a quarter of an hour on two cores."
	scripts/setup build
	cargo build --release --locked --package outward

test: lint
	scripts/setup build test
	scripts/test

fuzz:
	scripts/setup build
	scripts/fuzz

lint:
	scripts/setup build
	cargo fmt --all --check
	cargo clippy --release --locked --workspace --all-targets -- -D warnings
	RUSTDOCFLAGS="-D warnings" cargo doc --release --locked --workspace --no-deps --quiet
	scripts/deny

bench: build
	scripts/bench

install: build
	install -D -m 755 $(OUTWARD) $(DESTDIR)$(PREFIX)/bin/outward
	$(OUTWARD) man --quiet $(DESTDIR)$(PREFIX)/share/man/man1
	install -d $(DESTDIR)$(PREFIX)/share/bash-completion/completions
	$(OUTWARD) completions bash > $(DESTDIR)$(PREFIX)/share/bash-completion/completions/outward

clean:
	cargo clean
	rm -rf outward-demo
