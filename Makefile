# SPDX-License-Identifier: Apache-2.0
#
# A thin front for CMake (CMakePresets.json has the builds). Works on a machine that has only git and
# make: `make run` and `make test` install what they need, by the names of Debian packages.

PREFIX ?= /usr/local
FUZZ_SECONDS ?= 60
# As many at once as make -jN says, else as there are processors. Looked at in recipes only: make fills in MAKEFLAGS late.
JOBS = $(or $(patsubst -j%,%,$(filter -j%,$(MAKEFLAGS))),$(shell nproc 2>/dev/null || echo 2))
SUITE ?= trixie
CPU ?= sapphire_rapids
ARCH ?= $(shell dpkg --print-architecture 2>/dev/null)
comma = ,
EXAMPLE = examples/configs/tour.json
BUILD = cmake --build build --parallel $(JOBS)
# TESTS=REGEX runs those alone whose names match; other programs find the results in tests.xml of the build.
# Many tests wait more than they compute: half as many again at once.
CTEST = ctest --parallel $(shell expr $(JOBS) + $(JOBS) / 2) --output-on-failure --output-junit tests.xml $(if $(TESTS),--tests-regex '$(TESTS)')

.PHONY: all run test test-full test-on test-deb test-cpu test-compilers test-torch test-everywhere install uninstall deb python asan tsan fuzz bench format check coverage support docs clean help

all: ## build the program and the library: build/opbench
	@test -f build/build.ninja || cmake --preset default
	@$(BUILD) --target product

run: ## install what is needed, build, run the example
	@tools/install_deps run
	@$(MAKE) --no-print-directory all
	build/opbench run -c $(EXAMPLE) -w 3 -i 20 --force --output build/example_result.json

test: ## install what the tests need, build, run the quick tests
	@tools/install_deps test
	cmake --preset default
	$(BUILD)
	$(CTEST) --test-dir build --label-exclude full

test-full: ## all tests: long ones, and a minute of each fuzz target
	@tools/install_deps test
	cmake --preset default
	$(BUILD)
	$(CTEST) --test-dir build
	@$(MAKE) --no-print-directory fuzz

test-on: ## make run and make test on a fresh Debian: SUITE=bookworm|trixie|sid, ARCH=arm64 (needs root)
	@tools/install_deps $(if $(filter $(ARCH),$(shell dpkg --print-architecture)),system,emulation)
	tools/test_on --suite $(SUITE) --arch $(ARCH) $(if $(TESTS),--tests '$(TESTS)')

test-deb: ## build Debian packages on a fresh Debian; install, use and purge them on another: SUITE=bookworm|trixie (needs root)
	@tools/install_deps system
	tools/test_deb --suite $(SUITE)

test-compilers: ## every gcc and clang of a Debian compiles the tree, the newest pass its unit tests: SUITE, COMPILERS=gcc-13,clang-17 (needs root)
	@tools/install_deps system
	tools/test_compilers --suite $(SUITE) $(if $(COMPILERS),--compilers $(COMPILERS))

test-cpu: ## tests on an emulated processor: CPU=sapphire_rapids (AVX-512, AMX), TESTS=REGEX (needs root)
	@tools/install_deps system
	cmake --preset default
	$(BUILD)
	tools/test_cpu --cpu $(CPU) $(if $(TESTS),--tests '$(TESTS)')

test-torch: ## tests with a PyTorch from PyPI, its newest or TORCH=torch==2.6.0: another libtorch, compiled code (6 GB for a while)
	@tools/install_deps test
	cmake --preset default
	$(BUILD)
	tools/test_torch $(TORCH)

# What test-everywhere does, by name; .ci/run has each as a step.
WHERE_on-bookworm = test-on SUITE=bookworm
WHERE_on-trixie = test-on SUITE=trixie
WHERE_on-sid = test-on SUITE=sid
WHERE_on-arm64 = test-on SUITE=bookworm ARCH=arm64
WHERE_deb-bookworm = test-deb SUITE=bookworm
WHERE_deb-trixie = test-deb SUITE=trixie
WHERE_compilers = test-compilers SUITE=sid
WHERE_torch = test-torch
PLACES ?= on-bookworm on-trixie on-sid on-arm64 deb-bookworm deb-trixie compilers torch

test-everywhere: ## all of test-on, test-deb, test-compilers and test-torch, one after another, in hours; PLACES=on-sid,...: some alone (needs root)
	@failed=; $(foreach place,$(subst $(comma), ,$(PLACES)),$(MAKE) --no-print-directory \
	    $(or $(WHERE_$(place)),$(error there is no place $(place))) || failed="$$failed $(place)";) \
	test -z "$$failed" || { echo "failed:$$failed" >&2; exit 1; }

install: ## install to PREFIX (/usr/local), below DESTDIR if given
	@tools/install_deps run
	cmake --preset default -DCMAKE_INSTALL_PREFIX=$(PREFIX)
	$(BUILD) --target product
	cmake --install build

uninstall: ## remove what `make install` wrote to the same PREFIX, by the list that it left there
	tools/uninstall $(PREFIX)

deb: ## build Debian packages in build/deb, and check them with lintian
	@tools/install_deps deb
	JOBS=$(JOBS) tools/make_deb

python: ## build a wheel of the Python package in build/wheel, and test it in a fresh virtual environment
	@tools/install_deps python
	cmake --preset default
	$(BUILD) --target product python_core
	tools/test_wheel

asan: ## build and run the quick tests under AddressSanitizer and UndefinedBehaviorSanitizer
	@tools/install_deps test
	cmake --preset asan
	cmake --build build-asan --parallel $(JOBS)
	$(CTEST) --test-dir build-asan --label-exclude full

tsan: ## build the tests that start threads and run them under ThreadSanitizer
	@tools/install_deps test
	cmake --preset tsan
	cmake --build build-tsan --parallel $(JOBS) --target threaded_tests
	$(CTEST) --test-dir build-tsan --label-regex threads

fuzz: ## run each libFuzzer target for FUZZ_SECONDS (60)
	@tools/install_deps fuzz
	cmake --preset fuzz
	cmake --build build-fuzz --parallel $(JOBS) --target fuzz_targets
	tools/run_fuzz build-fuzz $(FUZZ_SECONDS)

bench: ## run the benchmarks of opbench itself
	@tools/install_deps bench
	cmake --preset default
	$(BUILD) --target run_benches

format: ## format all C files
	@tools/install_deps format
	tools/check_format --fix

check: ## static checks: format, includes, names, sizes, docs, clang-tidy, cppcheck
	@tools/install_deps check
	tools/check_format
	tools/check_includes
	tools/check_backend_names
	tools/check_names
	tools/check_sizes
	tools/check_docs
	tools/check_commits
	cmake --preset default
	tools/check_tidy build

coverage: ## line coverage of the quick tests, per folder
	@tools/install_deps test
	cmake --preset coverage
	cmake --build build-coverage --parallel $(JOBS)
	find build-coverage -name '*.gcda' -delete
	$(CTEST) --test-dir build-coverage --label-exclude full
	tools/coverage build-coverage

support: ## write the lists of what each backend that works here takes, and the page of operators
	cmake --preset default
	$(BUILD) --target support

docs: all ## regenerate docs/commands.md from the program's rows
	build/opbench __generate markdown > docs/commands.md

clean: ## remove all builds
	rm -rf build build-asan build-coverage build-debug build-fuzz build-tsan

help: ## this list
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/  make \1: \2/p' Makefile
