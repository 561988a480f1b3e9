# The front door: every command installs what it needs (tools/deps); CMake does the building.

JOBS := $(shell nproc 2>/dev/null || echo 2)
MAKEFLAGS += --no-print-directory
SOURCES = $(shell find src include tests bench examples -name '*.[ch]')

build: ## the program build/neap and the library build/libneap.so and .a
	@tools/deps build
	@cmake -S . -B build -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCMAKE_EXPORT_COMPILE_COMMANDS=ON --log-level=WARNING
	@cmake --build build -j $(JOBS)

demo: build ## trains on Debian's dependencies, suggests links and explains them; leaves demo/
	@tools/demo

test: ## all tests: as built for use, under ASan and UBSan, and the threaded ones under TSan
	@tools/test

bench: build ## the README's numbers and their goals; NEAP_DATA=DIR adds the paper's graphs, bench/run ROW runs one
	@tools/deps bench
	@bench/run

style: build ## formats the code; clang-tidy, if there, looks it over
	@clang-format -i $(SOURCES)
	@if command -v clang-tidy >/dev/null; then \
	    find src -name '*.c' | xargs -P $(JOBS) -n 4 clang-tidy -p build --quiet; fi

clean: ## removes everything that was built or made
	@rm -rf build build-asan build-tsan build-release demo

help: ## this list
	@sed -n 's/^\([a-z]*\):.*## /make \1\t/p' Makefile | expand -t 14

.PHONY: build demo test bench style clean help
