# The front door: CMake does the building (CMakePresets.json), tools/deps knows the packages.

JOBS := $(shell nproc 2>/dev/null || echo 2)
MAKEFLAGS += --no-print-directory
PREFIX ?= /usr/local
CONFIGURE = cmake --log-level=WARNING --preset

build: ## the program build/neap and the library build/libneap.so and .a; names the packages that are missing
	@tools/deps build --check
	@$(CONFIGURE) plain >/dev/null
	@cmake --build --preset plain -j $(JOBS)

deps: ## installs the packages that building needs, if they are missing
	@tools/deps build

check: ## the quick tests, in a minute; names the packages that are missing
	@tools/deps test --check
	@$(CONFIGURE) check >/dev/null
	@cmake --build --preset check -j $(JOBS)
	@ctest --preset check -j $(JOBS)

install: build ## into PREFIX (/usr/local), below DESTDIR if that is set
	@cmake --install build --prefix "$(PREFIX)"

demo: deps ## trains on Debian's dependencies, suggests links and explains them; leaves demo/; installs what is missing
	@$(MAKE) build
	@tools/demo

test: ## all tests: as built for use, under ASan and UBSan, and the threaded ones under TSan; installs what is missing
	@tools/test

SECONDS ?= 60
fuzz: ## attacks every parser for SECONDS=60 each, or TARGET=NAME alone; installs what is missing
	@tools/fuzz --seconds $(SECONDS) $(TARGET)

bench: ## the README's numbers and their goals; NEAP_DATA=DIR adds the paper's graphs, bench/run ROW runs one
	@tools/deps bench
	@$(MAKE) build
	@bench/run

style: build ## formats the code; clang-tidy, if there, looks it over
	@tools/style
	@if command -v clang-tidy >/dev/null; then \
	    find src programs -name '*.c' | xargs -P $(JOBS) -n 4 clang-tidy -p build --quiet; fi

style-check: ## looks at the code as `make style` does, and for calls that do not belong; changes nothing
	@tools/style --check

clean: ## removes everything that was built or made
	@rm -rf build build-asan build-tsan build-release build-debug build-fuzz demo

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /make \1\t/p' Makefile | expand -t 18

.PHONY: build deps check install demo test fuzz bench style style-check clean help
