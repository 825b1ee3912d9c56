# SPDX-License-Identifier: Apache-2.0
# All commands for building and testing. Each target first installs the packages it needs (tools/setup.sh).
BUILD ?= build
PREFIX ?= /usr/local
JOBS ?= $(shell nproc)

.DEFAULT_GOAL := help
.PHONY: help build demo test sanitize soak bench race arm conformance interop jax-tests peer wheel deb reproducible coverage sbom fuzz format lint lint-packages docs install uninstall

help:  ## this list
	@awk -F':.*## ' '/^[a-z-]+:.*## / && $$1 != "help" { printf "make %-12s %s\n", $$1, $$2 }' Makefile

build:  ## the library and the command (build/bin/hilo)
	@tools/setup.sh build
	@tools/build.sh $(BUILD) $(JOBS) hilo hilo_command

demo:  ## train on real digits; leaves demo/report.html
	@tools/setup.sh build
	@tools/build.sh $(BUILD) $(JOBS) hilo hilo_command example_digits
	@mkdir -p demo
	@$(BUILD)/bin/examples/digits demo/report.html

test:  ## build and run everything; ends with "N passed, N failed"
	@tools/setup.sh build test
	@python3 tools/run_tests.py --build $(BUILD) --jobs $(JOBS)

sanitize:  ## all tests under the sanitizers address and undefined and with guard pages, some under thread and valgrind
	@tools/setup.sh build test fuzz
	@python3 tools/sanitize.py --jobs $(JOBS)

soak:  ## a server under attacks (SECONDS=8 each; 200 take an hour), jobs of several processes, and 200,000 runs under the C API; FAULTS=1: all faults at once, by SEED=1, for SECONDS=600
	@tools/setup.sh build test
ifdef FAULTS
	@tools/build.sh $(BUILD) $(JOBS) hilo hilo_command soakers
	@python3 tools/soak.py --build $(BUILD) --faults $(or $(SECONDS),600) --seed $(or $(SEED),1)
else
	@tools/build.sh $(BUILD) $(JOBS) hilo hilo_command soakers processes_program test_pjrt
	@$(BUILD)/bin/tests/test_pjrt --gtest_brief=1 --gtest_filter='*TwoHundredThousand*'
	@python3 tools/soak.py --build $(BUILD) --seconds $(or $(SECONDS),8)
	@python3 tests/processes/soak.py --build $(BUILD) --seconds $$((10 * $(or $(SECONDS),8)))
endif

bench:  ## hilo compared with its peers; RECORD=1 writes the ratios into docs/
	@tools/setup.sh build test bench
	@tools/build.sh $(BUILD) $(JOBS) hilo hilo_command hilo_pjrt hilo_rt bench example_digits
	@python3 tools/bench.py --build $(BUILD) $(if $(RECORD),--record)

race:  ## random programs on hilo and on jaxlib: PROGRAMS=200, OPTIONS="--threads all --isa avx2 --classes product"; RECORD=1 writes the ratios into docs/
	@tools/setup.sh build test bench
	@tools/build.sh $(BUILD) $(JOBS) hilo bench_race bench_without_avx512
	@python3 tools/race.py --build $(BUILD) --programs $(or $(PROGRAMS),200) $(OPTIONS) $(if $(RECORD),--record)

arm:  ## the library on 64-bit ARM, under qemu: its tests, and objects
	@tools/setup.sh build test arm
	@tools/build.sh $(BUILD) $(JOBS) hilo hilo_command hilo_companions
	@python3 tools/arm.py --build $(BUILD) --jobs $(JOBS) $(if $(CONFORMANCE),--cases $(CONFORMANCE))

conformance:  ## programs of other projects, from CONFORMANCE=DIR
	@tools/setup.sh build test
	@tools/build.sh $(BUILD) $(JOBS) hilo hilo_command hilo_companions
	@python3 tools/conformance.py --build $(BUILD) $(if $(CONFORMANCE),--cases $(CONFORMANCE))
	@$(if $(CONFORMANCE),python3 tests/rpc/corpus.py --build $(BUILD) $(CONFORMANCE)/jax_corpus)

interop:  ## the tests that need a virtual environment with jaxlib
	@tools/setup.sh build test bench
	@tools/build.sh $(BUILD) $(JOBS) hilo hilo_pjrt hilo_companions hilo_command examples tests compile_for_gpu
	@python3 tools/interop.py --build $(BUILD)

peer:  ## the JAX that bench, race, interop and jax-tests compare with, in .venv/: PEER=0.12 or 0.10; by default the newest for which the system has a Python
	@tools/setup.sh bench
	@python3 tools/peer.py

wheel:  ## the Python packages hilo, with the library and the command, and jax-hilo, which puts it under JAX: build/wheel/*.whl
	@tools/setup.sh build
	@tools/build.sh $(BUILD) $(JOBS) hilo hilo_command hilo_wheel
	@python3 tools/wheel.py --build $(BUILD)

deb:  ## the packages of Debian: libhilo0.1, libhilo-dev, hilo-tools, python3-hilo, libhilo-doc in build/deb; lintian has no errors. RELEASE=trixie builds and tests them, and the wheels, on that fresh Debian
	@tools/setup.sh build deb $(if $(RELEASE),chroot)
ifdef RELEASE
	@$(MAKE) --no-print-directory wheel
	@python3 tools/deb_release.py $(RELEASE) --build $(BUILD) --jobs $(JOBS)
else
	@python3 tools/deb.py --build $(BUILD) --jobs $(JOBS)
endif

reproducible:  ## builds the commit again in another folder, and compares the libraries and wheels with those of BUILD; OBJECTS=numpy: only such objects
	@tools/setup.sh build
	@rm -f $(BUILD)/lib/*.so* $(BUILD)/portable/*.so*  # a companion that is older than libhilo.so has its symbols in another order
	@tools/build.sh $(BUILD) $(JOBS) hilo hilo_command hilo_companions hilo_pjrt hilo_wheel
	@python3 tools/wheel.py --build $(BUILD)
	@python3 tools/reproducible.py --build $(BUILD) --jobs $(JOBS) $(if $(OBJECTS),--objects $(OBJECTS))

coverage:  ## the lines and branches of src/hilo that the tests run, in a tree of clang: docs/internal/coverage.md; fails below 90 and 75 percent
	@tools/setup.sh build test fuzz coverage
	@python3 tools/coverage.py --jobs $(JOBS)

sbom:  ## what the product consists of, as SPDX: build/hilo.spdx.json
	@python3 tools/sbom.py --out $(BUILD)/hilo.spdx.json

jax-tests:  ## JAX's own tests on jaxlib and on hilo, from JAX=DIR, a clone at the tag of the peer; FILES="lax api", OPTIONS="--limit 40"
	@tools/setup.sh build bench
	@tools/build.sh $(BUILD) $(JOBS) hilo hilo_pjrt
	@python3 tools/jax_suite/run.py --jax $(or $(JAX),JAX) --build $(BUILD) $(OPTIONS) $(FILES)

fuzz:  ## the readers under libFuzzer, SECONDS=60 each; then PROGRAMS=20000 random programs, MOVED=100000 moves with reductions, and 5000 texts with mistakes
	@tools/setup.sh build test fuzz
	@python3 tools/fuzz.py --jobs $(JOBS) --seconds $(or $(SECONDS),60)
	@tools/build.sh build $(JOBS) hilo_command test_random_programs test_moved_reductions
	@HILO_RANDOM_PROGRAMS=$(or $(PROGRAMS),20000) build/bin/tests/test_random_programs --gtest_filter='RandomPrograms.*'
	@HILO_LAYOUT_PROGRAMS=$(or $(PROGRAMS),20000) build/bin/tests/test_random_programs --gtest_filter='RandomLayouts.*'
	@HILO_CACHE=off HILO_MOVED_FORMS=all HILO_MOVED_SEED=100000 HILO_MOVED_PROGRAMS=$(or $(MOVED),100000) build/bin/tests/test_moved_reductions --gtest_brief=1
	@HILO_MUTATED_PROGRAMS=5000 python3 tests/mutated/run.py
	@HILO_FANS=all python3 tests/hostile_costs/run.py
	@tools/build.sh build $(JOBS) test_hostile_costs test_stopped
	@HILO_HUGE_PROGRAMS=20 build/bin/tests/test_hostile_costs
	@HILO_LOOKS=all build/bin/tests/test_stopped

format:  ## clang-format over all sources
	@tools/setup.sh test
	@tools/check_format.sh --apply

lint:  ## clang-tidy over the differences from main (ALL=1: everything)
	@tools/setup.sh build test lint
	@python3 tools/lint.py --build $(BUILD) --jobs $(JOBS) $(if $(ALL),--all)

lint-packages:  ## the linters that PyPI and Debian have for workflows, container files, shell scripts and recipes
	@tools/setup.sh recipes
	@python3 tools/lint_packaging.py

docs:  ## the generated pages, then all pages and the API reference as a site, opened in Chromium: site/index.html
	@tools/setup.sh build test docs
	@python3 tools/generate_docs.py
	@mkdocs build --strict --quiet
	@python3 tools/open_site.py

install: build  ## headers, library, command, CMake package, pkg-config; PREFIX=/usr/local
	@python3 tools/install.py install --build $(BUILD) --prefix $(PREFIX)

uninstall:  ## remove the files that install wrote
	@python3 tools/install.py uninstall --prefix $(PREFIX)
