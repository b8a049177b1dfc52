# tandem: build, checks and installation. `make help` lists the targets.
# Everything is built under $(BUILD); `make demo`, `test` and `check` install missing Debian packages.
VERSION := 0.1.0
BUILD   ?= build
PREFIX  ?= /usr/local
JOBS    ?= $(shell nproc)
CC      := $(if $(filter default,$(origin CC)),gcc,$(CC))

# Debian package names: what `make` needs, and what the checks add.
BUILD_DEPS := gcc libc6-dev pkg-config liblua5.4-dev lua5.4 lua-cjson-dev lua-argparse \
              libsqlite3-dev libedit-dev zlib1g-dev libzstd-dev libxxhash-dev libpcre2-dev nettle-dev libhdf5-dev \
              libcurl4-openssl-dev libmicrohttpd-dev libzmq3-dev
TEST_DEPS  := lua-busted libcmocka-dev lua-check clang libclang-rt-14-dev clang-format curl openssl sqlite3

# Libraries, by pkg-config name.
REQUIRED := sqlite3 zlib libzstd libxxhash libpcre2-8 nettle
EDIT     := $(shell pkg-config --exists libedit 2>/dev/null && echo libedit)
PACKAGES := $(REQUIRED) $(EDIT)

# SANITIZE, COVERAGE, EXTRA: for instrumented builds and your own experiments.
WARN     := -Wall -Wextra -Wshadow -Wconversion -Werror
DEFINES  := -D_GNU_SOURCE -DTDM_VERSION='"$(VERSION)"' $(if $(EDIT),-DTDM_HAVE_EDIT)
INCLUDES := -Isrc $(patsubst -I%,-isystem %,$(shell pkg-config --cflags lua5.4 $(PACKAGES) 2>/dev/null))
OPTIMIZE := -O3
CFLAGS   := -std=c11 $(OPTIMIZE) -g -ffp-contract=off -ffile-prefix-map=$(CURDIR)=. -pthread \
            $(WARN) $(DEFINES) $(INCLUDES) $(SANITIZE) $(EXTRA)
LUA_LIBS := -Wl,--whole-archive -l:liblua5.4.a -Wl,--no-whole-archive -l:liblua5.4-cjson.a
LIBS     := $(LUA_LIBS) $(shell pkg-config --libs sqlite3 $(EDIT) 2>/dev/null) -l:libpcre2-8.a -l:libnettle.a -l:libzstd.a -l:libz.a -lm -ldl
LINK      = $(CC) -pthread $(SANITIZE) -Wl,-E -Wl,--build-id=sha1

# Open MPI, HDF5, libcurl, ZeroMQ and the HTTP server are in shared objects of their own: the program
# must start fast, and without them.
mpi      := $(shell pkg-config --exists ompi-c 2>/dev/null && echo ompi-c)
hdf5     := $(shell for n in hdf5-serial hdf5; do pkg-config --exists $$n 2>/dev/null && echo $$n && break; done)
serve    := $(shell pkg-config --exists 'libmicrohttpd >= 0.9.75' 2>/dev/null && echo libmicrohttpd zlib)
tandem   := libzstd
upload   := $(shell pkg-config --exists libcurl 2>/dev/null && echo libcurl)
jupyter  := $(shell pkg-config --exists libzmq 2>/dev/null && echo libzmq)
SHARED   := $(foreach name,mpi hdf5 serve upload jupyter tandem,$(if $($(name)),$(BUILD)/$(name).so))
# The extension for the sqlite3 shell, and what it needs of the program.
tandem_files := src/extension/*.c $(patsubst %,src/%.c,engine/sink base/error base/memory base/hash_map base/decimal \
  $(addprefix trace/,chunk utf8 record intern $(addprefix store/,span_table run_tables scan args_json find pages still)))
tandem_flags := -include src/extension/api.h

# What tandem capture puts into the programs that it traces: nothing but libc, and no sanitizer, since
# those programs have none. Each is made of the files of its name, and of the buffer.
INJECTED       := $(if $(filter Linux,$(shell uname -s)),$(BUILD)/capture.so)
capture_files  := $(patsubst %,src/capture/%.c,buffer handles driver wrappers interpose contexts ranges call_bytes event_times nvtx kernel_name)
capture_flags  := -O2 -foptimize-sibling-calls # of which dlsym says why
# The one over CUPTI, where CUDA's headers are; in some toolkits CUPTI's lie beside the others.
CUDA_ROOTS   := $(CUDA_HOME) $(CUDA_PATH) /usr/local/cuda /usr
cuda_folder   = $(dir $(firstword $(wildcard $(foreach at,include extras/CUPTI/include,$(CUDA_ROOTS:%=%/$(at)/$(1))))))
CUDA_FOLDERS := $(and $(call cuda_folder,cuda.h),$(call cuda_folder,cupti.h),$(sort $(foreach h,cuda.h cupti.h,$(call cuda_folder,$(h)))))
CUDA_FLAGS   := $(addprefix -isystem ,$(CUDA_FOLDERS))
INJECTED     += $(if $(CUDA_FOLDERS),$(BUILD)/capture_cupti.so)
capture_cupti_files := $(wildcard src/capture/cupti*.c) src/capture/buffer.c src/capture/kernel_name.c
capture_cupti_flags := $(CUDA_FLAGS)
FAKE_CUPTI   := $(if $(CUDA_FOLDERS),$(BUILD)/test/libcupti_fake.so)
TRACED       := $(addprefix $(BUILD)/test/capture/,libcuda.so.1 libnext.so linked asked nvtx driverless speed)

# Sources. A file's instruction set stands in its name; other machines leave those files out.
SOURCES := $(filter-out src/mpi/% src/hdf5/% src/serve/% src/upload/% src/jupyter/% src/extension/% \
  src/capture/% src/app/module.c $(if $(filter x86_64,$(shell uname -m)),,%_avx2.c %_avx512.c),$(sort $(wildcard src/*/*.c src/*/*/*.c)))
%_avx2.o:   ISA := -mavx2
AVX512 := -mavx512f -mavx512dq -mavx512vl
%_avx512.o: ISA = $(AVX512)
OBJECTS := $(SOURCES:src/%.c=$(BUILD)/obj/%.o)
CORE    := $(filter-out $(BUILD)/obj/app/main.o,$(OBJECTS)) $(BUILD)/obj/embedded.o
CTESTS  := $(patsubst tests/c/%.c,$(BUILD)/test/%,$(sort $(wildcard tests/c/test_*.c)))
FUZZERS := $(patsubst tests/fuzz/%.c,$(BUILD)/fuzz/%,$(sort $(wildcard tests/fuzz/fuzz_*.c)))

# What the program carries inside: Lua, the catalogue, the scenarios, the manual with its pictures, the
# styles and scripts of pages.
ARGPARSE := /usr/share/lua/5.4/argparse.lua
EMBED    := $(shell find lua lib scenarios src/viewer -name '*.lua' -o -name '*.json' -o -name '*.csv' \
                    -o -name '*.jsonl' -o -name '*.gz' -o -name '*.txt' -o -name '*.css' -o -name '*.js' -o -name '*.html' \
                    -o -name '[0-9]*.md' -o -name '*.svg' -o -name '*.png' | LC_ALL=C sort)
# Modules are carried compiled too, since parsing them was most of the start-up time.
LUAC     := luac5.4
MODULES  := $(filter lua/%.lua lib/%.lua,$(EMBED)) argparse.lua
COMPILED := $(MODULES:%.lua=$(BUILD)/luac/%.luac)

# Said in one line before the compiler says it in many; the goals that install packages go on.
ifneq ($(filter-out help deps demo test test-% check lint clean dist deb container,$(or $(MAKECMDGOALS),all)),)
LACKING := $(shell CC="$(firstword $(CC))" tests/run-deps --lacking $(LUAC) $(ARGPARSE) lua5.4 $(REQUIRED))
ifneq ($(LACKING),)
$(error Not installed: $(strip $(LACKING)). `make deps` installs what building and testing need)
endif
endif

.DELETE_ON_ERROR:
.PHONY: all help demo test check bench accuracy lint fuzz asan tsan fuzzers ctests install clean deps FORCE
MAKEFLAGS += --no-builtin-rules
# On all cores unless the caller chose a number of jobs.
PARALLEL = $(MAKE) --no-print-directory $(if $(findstring jobserver,$(MAKEFLAGS)),,-j$(JOBS) -O)

all: $(BUILD)/tandem $(SHARED) $(INJECTED) $(BUILD)/meta/tandem.lua ## build the program: build/tandem

help: ## this list
	@sed -n 's/^\([a-z][a-z-]*\):.*## /  make \1\t/p' Makefile lib/package/rules.mk | expand -t 24
	@printf '  make test-KIND        one kind of make test: %s;\n' "$(KINDS)"
	@printf '                        of make check: %s\n' "$(MORE)"
	@echo "  settings: CC BUILD PREFIX DESTDIR JOBS EXTRA, e.g. make CC=clang BUILD=build/clang"

deps: ## install the Debian packages that building and testing need
	@tests/run-deps $(BUILD_DEPS) $(TEST_DEPS)

demo: ## install what is missing, build, run the first scenario and write its trace
	@tests/run-deps $(BUILD_DEPS)
	+@$(PARALLEL) all
	@$(BUILD)/tandem run scenarios/01-demo.lua --trace $(BUILD)/demo-trace.json \
	  --store $(BUILD)/demo.db

# Kinds of check; tests/run-all says what each is. KINDS are run by `make test`, in minutes; MORE, which
# rebuild, wait or need more packages, by `make check`.
KINDS := lint c spec cli notebooks
MORE  := vectors faults uploads theory asan tsan fuzz repro recipes compilers packages mpi web jupyter
RUN_ALL = MAKE="$(PARALLEL)" JOBS=$(JOBS) tests/run-all
.PHONY: $(KINDS:%=test-%) $(MORE:%=test-%) check-deps playwright others vectors asan-fuzzers
test: deps ## install what is missing, build, run the tests; ends with "N passed, N failed"
	+@$(RUN_ALL) $(KINDS)
check: deps check-deps ## everything else: sanitizers, fuzzers, faults, theory, MPI, web, Jupyter …
	+@$(RUN_ALL) $(MORE)
$(filter-out test-packages test-mpi test-web test-jupyter,$(KINDS:%=test-%) $(MORE:%=test-%)):
	+@$(RUN_ALL) $(@:test-%=%)

# What `make check` needs beside the packages of `make test`. Where one cannot be installed the other
# kinds run all the same, and its own says what it lacks.
PACKAGE_DEPS := dpkg-dev lintian luarocks
MPI_DEPS     := openmpi-bin libopenmpi-dev
JUPYTER_DEPS := python3-jupyter-kernel-test python3-jupyter-client python3-nbclient
check-deps:
	-@tests/run-deps $(PACKAGE_DEPS)
	-@tests/run-deps $(MPI_DEPS)
	-@tests/run-deps $(JUPYTER_DEPS)
	-@tests/run-deps $(WEB_DEPS)
	-+@$(MAKE) --no-print-directory playwright others
	-@$(MAKE) --no-print-directory $(BUILD)/promtool
test-packages:
	@tests/run-deps $(BUILD_DEPS) $(PACKAGE_DEPS)
	+@$(RUN_ALL) packages
test-mpi:
	@tests/run-deps $(BUILD_DEPS) $(MPI_DEPS)
	+@$(RUN_ALL) mpi
test-jupyter:
	@tests/run-deps $(BUILD_DEPS) $(JUPYTER_DEPS)
	+@$(RUN_ALL) jupyter

# Of Debian's packages only those whose command is not there, from wherever it is.
WEB_DEPS = $(foreach pair,chromium:chromium node:nodejs npm:npm,$(shell \
  command -v $(firstword $(subst :, ,$(pair))) >/dev/null || echo $(lastword $(subst :, ,$(pair)))))
PLAYWRIGHT := 1.55.0
test-web:
	@tests/run-deps $(BUILD_DEPS) $(WEB_DEPS)
	+@$(MAKE) --no-print-directory playwright others
	-@$(MAKE) --no-print-directory $(BUILD)/promtool
	+@$(RUN_ALL) web
$(BUILD)/promtool:
	@tests/run-promtool $@
playwright: $(BUILD)/web/playwright-$(PLAYWRIGHT)
$(BUILD)/web/playwright-%:
	@rm -rf $(@D) && mkdir -p $(@D)
	@npm install --silent --no-save --no-audit --no-fund --prefix $(@D) playwright-core@$* && touch $@
# Clients and types that others wrote, of what tandem serves and writes.
OTHERS := @modelcontextprotocol/client@2.4.0 @modelcontextprotocol/inspector@2.12.0 \
  apache-arrow@21.2.0 hyparquet@1.31.0 kubernetes-models@4.5.1 @kubernetes-models/keda@0.4.2 \
  typescript@7.0.2 yaml@2.9.1 ajv@8.20.0
OTHERS_STAMP = $(BUILD)/npm/stamp-$(firstword $(shell echo $(OTHERS) | cksum))
others: $(OTHERS_STAMP)
$(OTHERS_STAMP):
	@rm -rf $(@D) && mkdir -p $(@D)
	@npm install --silent --no-save --no-audit --no-fund --prefix $(@D) $(OTHERS) && touch $@

lint: test-lint ## short for test-lint
fuzz: asan-fuzzers ## run every fuzzer for FUZZ_SECONDS (60) each
	+@FUZZ_SECONDS=$${FUZZ_SECONDS:-60} $(RUN_ALL) fuzz

bench: all $(BUILD)/bench/engine $(TRACED) ## speed of the engine, medians of 5, with the machine; CASE=t5 filters
	@$(BUILD)/tandem lua tests/bench/run.lua --build $(BUILD) $(if $(CASE),--case $(CASE)) \
	  $(if $(JSON),--json)

accuracy: all ## how far models are from measurements; CASE=roofline filters
	@$(BUILD)/tandem lua tests/accuracy/run.lua $(CASE)

# Instrumented builds. The ASan build carries the fuzzers' coverage too, but for what runs for long: there
# it takes most of the time, and says little about an input.
ASAN := BUILD=$(BUILD)/asan CC=clang OPTIMIZE=-O1 COVERAGE=-fsanitize=fuzzer-no-link \
        SANITIZE="-fsanitize=address,undefined -fno-sanitize-recover=all"
TSAN := BUILD=$(BUILD)/tsan OPTIMIZE=-O1 SANITIZE=-fsanitize=thread
THREADED := $(filter test_parallel_% test_serve_%,$(notdir $(CTESTS)))
asan: ## address and undefined-behaviour sanitizers: build/asan/tandem
	+@$(PARALLEL) $(ASAN) all ctests
tsan: ## thread sanitizer: build/tsan/tandem
	+@$(PARALLEL) $(TSAN) all $(THREADED:%=$(BUILD)/tsan/test/%)
VECTORS := rng dist engine_books engine_paths parallel_replicate
# The AVX-512 kernels on stand-ins for their instructions (tests/c/avx512).
vectors:
	+@$(PARALLEL) BUILD=$(BUILD)/vectors OPTIMIZE=-O1 AVX512=-Wno-psabi \
	  EXTRA="-Itests/c/avx512 -DTDM_AVX512_STANDS_IN" $(VECTORS:%=$(BUILD)/vectors/test/test_%)
asan-fuzzers:
	+@$(PARALLEL) $(ASAN) fuzzers
ctests: $(CTESTS)
fuzzers: $(FUZZERS)
Q := $(if $(V),,@) # commands are shown in short; V=1 shows them whole
say = $(if $(V),,@echo "  $(1)	$(2)")

$(BUILD)/tandem: $(BUILD)/obj/app/main.o $(CORE)
	$(call say,LINK,$@)
	$(Q)$(LINK) -o $@.new $^ $(LIBS) && mv $@.new $@ # a failed link keeps the last program

# What editors show of td, as the program says it (.luarc.json points here).
$(BUILD)/meta/tandem.lua: $(BUILD)/tandem
	@mkdir -p $(@D)
	$(Q)$(BUILD)/tandem help --stubs > $@.new && mv $@.new $@

# Tests and fuzzers take of the core what they use; whole, the tests alone were 3 GB. The archive holds
# paths only.
$(BUILD)/core.a: $(CORE)
	$(Q)rm -f $@ && ar rcsT $@ $^

$(BUILD)/obj/tests/%.o: tests/c/%.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) -O1 -MMD -MP -c -o $@ $<
$(BUILD)/test/%: $(BUILD)/obj/tests/%.o $(BUILD)/core.a
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(Q)$(LINK) -o $@ $< $(TESTED) $(BUILD)/core.a $(LIBS) -lcmocka
.PRECIOUS: $(BUILD)/obj/tests/%.o

# Lua comes from the program that loads them, as does src/base; -z nodelete, since MPI leaves threads
# behind, and HDF5 exit handlers, that must not be unmapped.
$(SHARED): $(BUILD)/%.so: $(wildcard src/mpi/* src/hdf5/* src/serve/* src/serve/*/* src/upload/* src/jupyter/* src/extension/* \
  src/trace/*.[ch] src/trace/store/*.[ch]) Makefile
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(Q)$(CC) -shared -fPIC $(CFLAGS) $($*_flags) $(patsubst -I%,-isystem %,$(shell pkg-config --cflags $($*))) \
	  -Wl,-z,nodelete,-Bsymbolic,--build-id=sha1 -o $@.new $(wildcard src/$*/*.c src/$*/*/*.c $($*_files)) \
	  $(shell pkg-config --libs $($*)) && mv $@.new $@
$(INJECTED): $(BUILD)/%.so: $(wildcard src/capture/*) Makefile
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(Q)$(CC) -shared -fPIC $(filter-out $(SANITIZE),$(CFLAGS)) $($*_flags) -fvisibility=hidden \
	  -Wl,-z,nodelete,-Bsymbolic,--build-id=sha1 -o $@.new $($*_files) $($*_libs) -ldl -lpthread && mv $@.new $@
$(CTESTS) $(FUZZERS): | $(SHARED) $(INJECTED)
# A driver of our own, and programs that tests of the capture trace; strangers, so no sanitizer either.
TRACED_FLAGS := -O1 -g -Wall -Wextra -Werror -pthread
$(BUILD)/test/capture/libcuda.so.1: tests/capture/fake_cuda.c tests/capture/fake_cuda_calls.def
$(BUILD)/test/capture/libnext.so: tests/capture/next.c
$(BUILD)/test/capture/%.so.1 $(BUILD)/test/capture/%.so:
	@mkdir -p $(@D)
	$(Q)$(CC) -shared -fPIC $(TRACED_FLAGS) -Wl,-Bsymbolic,-soname,$(@F) -o $@ $< -ldl
$(BUILD)/test/capture/linked $(BUILD)/test/capture/speed: \
  | $(BUILD)/test/capture/libcuda.so.1 $(BUILD)/test/capture/libnext.so
$(BUILD)/test/capture/linked: LINKED = -Wl,--no-as-needed -L$(@D) -lnext -l:libcuda.so.1
$(BUILD)/test/capture/speed: LINKED = -L$(@D) -l:libcuda.so.1
$(BUILD)/test/capture/%: tests/capture/%.c tests/capture/fake_cuda.h
	@mkdir -p $(@D)
	$(Q)$(CC) $(TRACED_FLAGS) -o $@ $< $(LINKED) -ldl
$(BUILD)/test/test_capture: | $(TRACED)
# What is injected is no part of the program; these of it are tested alone, under sanitizers too.
$(BUILD)/test/test_capture_buffer: TESTED = $(BUILD)/obj/capture/buffer.o
$(BUILD)/test/test_capture_buffer: $(BUILD)/obj/capture/buffer.o
$(BUILD)/test/test_capture_events: TESTED = $(patsubst %,$(BUILD)/obj/capture/%.o,buffer handles event_times) \
  -Wl,--wrap=tdm_capture_now_ns,--wrap=pthread_mutex_timedlock
$(BUILD)/test/test_capture_events: $(patsubst %,$(BUILD)/obj/capture/%.o,buffer handles event_times)
$(BUILD)/test/libcupti_fake.so: $(wildcard tests/capture/fake_cupti.*) Makefile
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(Q)$(CC) -shared -fPIC $(filter-out $(SANITIZE),$(CFLAGS)) $(CUDA_FLAGS) -o $@ tests/capture/fake_cupti.c
$(BUILD)/obj/tests/test_capture_cupti.o: CFLAGS += $(CUDA_FLAGS)
$(BUILD)/test/test_capture_cupti: | $(FAKE_CUPTI) $(TRACED)
BENCH := $(wildcard tests/bench/*.c)
$(BUILD)/bench/engine: $(BENCH) $(wildcard tests/bench/*.h) $(CORE)
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(Q)$(LINK) -o $@ $(CFLAGS) $(BENCH) $(CORE) $(LIBS)

$(BUILD)/fuzz/%: tests/fuzz/%.c $(BUILD)/core.a
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(Q)$(LINK) -o $@ $(CFLAGS) -fsanitize=fuzzer -MMD -MP -MT $@ -MF $@.d $< $(BUILD)/core.a $(LIBS)

$(foreach layer,engine analysis parallel,$(BUILD)/obj/$(layer)/%.o): override COVERAGE :=
$(BUILD)/obj/%.o: src/%.c Makefile
	@mkdir -p $(@D)
	$(call say,CC,$@)
	$(Q)$(CC) $(CFLAGS) $(COVERAGE) $(ISA) -MMD -MP -c -o $@ $<

# The list is rewritten only when a file came or went, the table only when the list changed.
$(BUILD)/embedded.list: FORCE
	@mkdir -p $(@D)
	@printf '%s\n' $(EMBED) | cmp -s - $@ || printf '%s\n' $(EMBED) > $@

$(BUILD)/embedded.S: $(BUILD)/embedded.list src/app/embed.awk Makefile
	@LC_ALL=C awk -v extra="argparse.lua=$(ARGPARSE)" -v compiled="$(BUILD)/luac" \
	  -v modules="$(MODULES)" -f src/app/embed.awk $< > $@

$(BUILD)/luac/%.luac: %.lua
	@mkdir -p $(@D)
	$(Q)$(LUAC) -o $@ $<

$(BUILD)/luac/argparse.luac: $(ARGPARSE)
	@mkdir -p $(@D)
	$(Q)cd $(<D) && $(LUAC) -o $(abspath $@) $(<F)

$(BUILD)/obj/embedded.o: $(BUILD)/embedded.S $(EMBED) $(ARGPARSE) $(COMPILED)
	@mkdir -p $(@D)
	$(call say,AS,$@)
	$(Q)$(CC) -c -o $@ $<

SHARE := tandem/src pkgconfig man/man1 bash-completion/completions zsh/site-functions \
  fish/vendor_completions.d
# The capture that notebooks read, and whose it is.
CAPTURE := $(addprefix tests/data/nsys/,h100_2gpu_1s.sqlite.gz LICENSE README.md)
install: all ## install under PREFIX (/usr/local), staged under DESTDIR
	install -D -m 755 $(BUILD)/tandem $(DESTDIR)$(PREFIX)/bin/tandem
	$(if $(strip $(SHARED) $(INJECTED)),install -D -m 755 -t $(DESTDIR)$(PREFIX)/lib/tandem $(SHARED) $(INJECTED))
	install -d $(SHARE:%=$(DESTDIR)$(PREFIX)/share/%)
	cp -R lua lib scenarios notebooks $(DESTDIR)$(PREFIX)/share/tandem
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/tandem/lua/tandem/meta $(BUILD)/meta/tandem.lua
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/tandem/tests/data/nsys $(CAPTURE)
	cp -R src/viewer $(DESTDIR)$(PREFIX)/share/tandem/src
	printf '%s\n' 'prefix=$(PREFIX)' 'bindir=$${prefix}/bin' 'datadir=$${prefix}/share/tandem' '' \
	  'Name: tandem' 'Description: simulator and profiler for GPU serving workloads' \
	  'Version: $(VERSION)' > $(DESTDIR)$(PREFIX)/share/pkgconfig/tandem.pc
	$(BUILD)/tandem help --man > $(DESTDIR)$(PREFIX)/share/man/man1/tandem.1
	$(BUILD)/tandem help --completion bash > $(DESTDIR)$(PREFIX)/share/bash-completion/completions/tandem
	$(BUILD)/tandem help --completion zsh > $(DESTDIR)$(PREFIX)/share/zsh/site-functions/_tandem
	$(BUILD)/tandem help --completion fish > $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/tandem.fish
include lib/package/rules.mk
clean: ## remove everything that was built
	rm -rf $(BUILD)

-include $(OBJECTS:.o=.d) $(wildcard $(BUILD)/obj/capture/*.d $(BUILD)/obj/tests/*.d) $(FUZZERS:=.d)
