# deadheat: one Makefile, not recursive. `make help` lists what it does.
#
#   V=1                          show the commands
#   SANITIZE=address,undefined   the host program with sanitizers (the runtimes never)
#   PREFIX=/usr/local DESTDIR=   for make install
.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
.SUFFIXES:
MAKEFLAGS += -r

VERSION := 0.1
PREFIX ?= /usr/local
B := build
BIN := $(B)/bin
LIB := $(B)/lib/deadheat
Q := $(if $(V),,@)
say = $(if $(V),,@printf '  %-4s %s\n' '$(1)' '$(2)')

CC := gcc
SAN := $(if $(SANITIZE),-fsanitize=$(SANITIZE) -fno-omit-frame-pointer)
WARN := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wno-unused-parameter $(if $(SANITIZE),,-Werror)
# Recursive on purpose: pkg-config may only be asked once packages.txt is installed.
PKG_CFLAGS = $(shell pkg-config --cflags libdw libelf sqlite3 jansson libpq)
PKG_LIBS = $(shell pkg-config --libs libdw libelf sqlite3 jansson libpq) -lZydis -lm
HOST_CFLAGS = -std=gnu17 -O2 -g $(WARN) $(SAN) -Isrc -Iinclude -D_GNU_SOURCE \
	-DDEADHEAT_VERSION='"$(VERSION)"' -DDEADHEAT_PREFIX='"$(PREFIX)"' $(PKG_CFLAGS)
# The other world: no instrumentation, no stack protector, frame pointers for our own unwinder.
RT_CFLAGS := -std=gnu17 -O2 -g $(WARN) -fPIC -fvisibility=hidden -fno-omit-frame-pointer \
	-fno-stack-protector -fno-builtin -fno-tree-loop-distribute-patterns -fcf-protection=none \
	-ftls-model=initial-exec -Isrc -Iinclude -D_GNU_SOURCE
# What an access can reach without saving the program's vectors (rt/preserve.c). Not all of rt: functions
# with a variable list of arguments would lose their doubles.
RT_GENERAL := -mgeneral-regs-only
# The compiler may call memcpy and the like; those we export are the program's: rt/string.c has ours.
comma := ,
RT_LDFLAGS := -shared -nostartfiles -Wl,-soname,libdeadheat_rt.so -Wl,-z,now -Wl,-z,nodelete -Wl,-z,defs \
	-Wl,--hash-style=gnu -Wl,-Bsymbolic $(patsubst %,-Wl$(comma)--wrap=%,memcpy memmove memset memcmp)

# ---- what there is -------------------------------------------------------------
HOST_SRC := $(sort $(wildcard src/base/*.c src/race/*.c src/wire/*.c src/sym/*.c src/store/*.c src/report/*.c \
	src/confirm/*.c src/find/*.c src/find/*/*.c src/cli/*.c))
HOST_OBJ := $(HOST_SRC:src/%.c=$(B)/host/%.o)
HOST_LIB_OBJ := $(filter-out $(B)/host/cli/main.o,$(HOST_OBJ))

rt_obj = $(patsubst src/rt/%.c,$(B)/rt/%.o,$(sort $(wildcard $(1))))
RT_COMMON := $(call rt_obj,src/rt/*.c src/rt/abi/*.c)
RT_NATIVE := $(call rt_obj,src/rt/native/*.c)
RT_SCHED := $(call rt_obj,src/rt/sched/*.c src/rt/plain/*.c)
RT_DETECT := $(call rt_obj,src/rt/detect/*.c)
RT_nop := $(RT_COMMON) $(RT_NATIVE) $(call rt_obj,src/rt/nop/*.c)
RT_detect := $(RT_COMMON) $(RT_NATIVE) $(RT_DETECT)
RT_sched := $(RT_COMMON) $(RT_SCHED) $(B)/rt/nop/engine.o
RT_explore := $(RT_COMMON) $(filter-out $(B)/rt/sched/access.o,$(RT_SCHED)) $(RT_DETECT)
RUNTIMES := nop detect sched explore
RT_LIBS := $(RUNTIMES:%=$(LIB)/%/libdeadheat_rt.so)
RT_TRACE := $(call rt_obj,src/rt/trace/*.c src/rt/trap/*.c) $(addprefix $(B)/rt/,raw.o handler.o lock.o string.o memory.o libc.o)
TRACE_LIB := $(LIB)/trace/libdeadheat_trace.so

# scan's lowering is a program of its own: only it is linked against LLVM.
LOWER_SRC := $(sort $(wildcard src/find/scan/lower/*.c))
LOWER := $(if $(LOWER_SRC),$(LIB)/lower)

# Lock and library models of scan: data, found next to the program as the runtimes are.
MODELS := $(patsubst models/%,$(B)/share/deadheat/models/%,$(wildcard models/*.model))

# What the compilers are told of the access entries: clang by bitcode of its own version, gcc by a header.
PROMISE := $(LIB)/preserved-19.bc
KEPT := $(LIB)/kept/deadheat-kept.h

UNIT_SRC := $(sort $(wildcard tests/unit/*.c))
UNIT_BIN := $(UNIT_SRC:tests/unit/%.c=$(B)/tests/unit/%)
WRAPPERS := $(BIN)/deadheat-cc $(BIN)/deadheat-c++
COMMANDS := $(subst _,-,$(filter-out cxx,$(shell sed -n 's/^COMMAND(\(.*\))/\1/p' src/cli/commands.def)))
MAN := $(patsubst man/%.scd,$(B)/man/%,$(wildcard man/*.scd)) $(B)/man/deadheat.1 $(COMMANDS:%=$(B)/man/deadheat-%.1)

.PHONY: all run test bench bench-quick projects install deb clean help deps unit
all: $(BIN)/deadheat $(WRAPPERS) $(RT_LIBS) $(LOWER) $(MODELS) $(TRACE_LIB) $(PROMISE) $(KEPT)

help:
	@printf '%s\n' 'make            build into build/' 'make run        install packages, build, hunt the races in examples/' \
	 'make test       all tests' 'make bench      measure against the rivals' 'make bench-quick   the same in five minutes' 'make projects   build five real projects by deadheat-cc, run their suites' 'make install    PREFIX=$(PREFIX) DESTDIR=' 'make deb        a package for Debian, in build/' 'make clean'

# ---- packages: installed once, before the first object ----------------------------
$(B)/.packages: packages.txt tests/packages
	$(Q)mkdir -p $(B)
	$(Q)sh tests/packages $(PACKAGE_KINDS)
	$(Q)touch $@
PACKAGE_KINDS := build $(if $(filter test bench bench-quick unit,$(MAKECMDGOALS)),test)
# `make` alone needs the build packages; `make test` afterwards must look again.
ifneq ($(filter test bench bench-quick unit,$(MAKECMDGOALS)),)
$(B)/.packages-test: packages.txt tests/packages
	$(Q)mkdir -p $(B)
	$(Q)sh tests/packages build test
	$(Q)touch $@
PACKAGES := $(B)/.packages-test
else
PACKAGES := $(B)/.packages
endif
deps: $(PACKAGES)

# ---- host ---------------------------------------------------------------------------
$(B)/host/%.o: src/%.c | $(PACKAGES)
	$(call say,CC,$<)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(HOST_CFLAGS) -MMD -MP -c -o $@ $<

# The page of the HTML report is taken into its printer.
$(B)/host/report/format_html.o: $(wildcard src/report/html/*)

$(BIN)/deadheat: $(HOST_OBJ)
	$(call say,LD,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(SAN) -o $@ $^ -Wl,--as-needed $(PKG_LIBS) -lpthread

$(LIB)/lower: $(LOWER_SRC:src/%.c=$(B)/host/%.o) $(filter $(B)/host/base/%,$(HOST_OBJ))
	$(call say,LD,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(SAN) -o $@ $^ $$(llvm-config-19 --ldflags --libs --link-shared) -ljansson -lpthread
$(LOWER_SRC:src/%.c=$(B)/host/%.o): HOST_CFLAGS += -I$(shell llvm-config-19 --includedir 2>/dev/null)

$(B)/share/deadheat/models/%: models/%
	$(Q)mkdir -p $(@D)
	$(Q)cp $< $@

$(WRAPPERS): $(BIN)/deadheat
	$(Q)ln -sf deadheat $@

# ---- runtimes -------------------------------------------------------------------------
$(B)/rt/%.o: src/rt/%.c | $(PACKAGES)
	$(call say,CC,$<)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(RT_CFLAGS) $(RT_CFLAGS_$(subst /,_,$*)) -MMD -MP -c -o $@ $<

$(RT_DETECT) $(call rt_obj,src/rt/*.c) $(B)/rt/abi/meant.o: RT_CFLAGS += $(RT_GENERAL)

define runtime_rule
$(B)/rt/kind/$(1).o: src/rt/kind/kind.c | $(PACKAGES)
	$$(Q)mkdir -p $$(@D)
	$$(Q)$(CC) $(RT_CFLAGS) -DRT_KIND=WIRE_RT_$(shell echo $(1) | tr a-z A-Z) -MMD -MP -c -o $$@ $$<

$(LIB)/$(1)/libdeadheat_rt.so: $$(RT_$(1)) $(B)/rt/kind/$(1).o
	$$(call say,LD,$$@)
	$$(Q)mkdir -p $$(@D)
	$$(Q)$(CC) $(RT_LDFLAGS) -o $$@ $$^ -lc
	$$(Q)ln -sf libdeadheat_rt.so $$(@D)/libtsan.so.2
endef
$(foreach r,$(RUNTIMES),$(eval $(call runtime_rule,$(r))))

# trace is not linked to but preloaded into programs nobody built for us: its own name, its own table.
$(B)/rt/trace/%.o $(B)/rt/trap/%.o: RT_CFLAGS += -DRT_INTERPOSED='"rt/trace/interposed.def"'
# Their stand-ins are called a million times a second, and no walk of ours passes through them.
$(addprefix $(B)/rt/trace/,alloc.o mutex.o rwlock.o): RT_CFLAGS += -fomit-frame-pointer
$(TRACE_LIB): $(RT_TRACE)
	$(call say,LD,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(subst libdeadheat_rt,libdeadheat_trace,$(RT_LDFLAGS)) -Wl,-z,initfirst -o $@ $^ -lc

$(PROMISE): src/cli/preserved.awk src/rt/abi/access.def | $(PACKAGES)
	$(call say,GEN,$@)
	$(Q)mkdir -p $(@D)
	$(Q)awk -f $^ > $(B)/preserved.ll
	$(Q)clang-19 -c -emit-llvm -Wno-override-module -x ir -o $@ $(B)/preserved.ll

$(KEPT): src/cli/kept.awk src/rt/abi/access.def
	$(call say,GEN,$@)
	$(Q)mkdir -p $(@D)
	$(Q)awk -f $^ > $@

# ---- tests -----------------------------------------------------------------------------
$(B)/tests/unit/%: tests/unit/%.c $(HOST_LIB_OBJ) | $(PACKAGES)
	$(call say,CC,$<)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(HOST_CFLAGS) -Wno-missing-prototypes -MMD -MP -o $@ $< $(HOST_LIB_OBJ) $(PKG_LIBS) -lcmocka -lpthread

# A tool of tests/scan/front.t: the front end of scan without the rest.
$(B)/tests/scan/print: tests/scan/print.c $(HOST_LIB_OBJ) | $(PACKAGES)
	$(call say,CC,$<)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(HOST_CFLAGS) -MMD -MP -o $@ $< $(HOST_LIB_OBJ) $(PKG_LIBS) -lpthread

unit: $(UNIT_BIN) $(B)/tests/scan/print
test: all $(UNIT_BIN) $(B)/tests/scan/print $(MAN)
	$(Q)sh tests/run

run: all
	$(Q)sh examples/run

bench: all
	$(Q)sh bench/run

bench-quick: all
	$(Q)sh bench/run quick

# Five real projects from Debian sources, built by deadheat-cc; their own suites.
projects: all
	$(Q)sh tests/packages build test bench
	$(Q)sh bench/projects.sh

# ---- installing ---------------------------------------------------------------------------
$(B)/man/%: man/%.scd | $(PACKAGES)
	$(Q)mkdir -p $(@D)
	$(Q)scdoc < $< > $@

# Pages of commands and the completion are printed from the option tables.
$(B)/man/deadheat.1: $(BIN)/deadheat
	$(Q)mkdir -p $(@D)
	$(Q)$(BIN)/deadheat help --man | scdoc > $@
$(B)/man/deadheat-%.1: $(BIN)/deadheat
	$(Q)mkdir -p $(@D)
	$(Q)$(BIN)/deadheat help --man $* | scdoc > $@

# Where zsh looks: distributions have a folder for packages.
ZSH_DIR = $(PREFIX)/share/zsh/$(if $(filter /usr,$(PREFIX)),vendor-completions,site-functions)

install: all $(MAN)
	$(Q)install -d '$(DESTDIR)$(PREFIX)'/bin '$(DESTDIR)$(PREFIX)'/include '$(DESTDIR)$(PREFIX)'/share/man/man1
	$(Q)install -m 755 $(BIN)/deadheat '$(DESTDIR)$(PREFIX)'/bin/deadheat
	$(Q)ln -sf deadheat '$(DESTDIR)$(PREFIX)'/bin/deadheat-cc
	$(Q)ln -sf deadheat '$(DESTDIR)$(PREFIX)'/bin/deadheat-c++
	$(Q)install -m 644 include/deadheat.h '$(DESTDIR)$(PREFIX)'/include/deadheat.h
	$(Q)for r in $(RUNTIMES); do \
	  install -d '$(DESTDIR)$(PREFIX)'/lib/deadheat/$$r && \
	  install -m 755 $(LIB)/$$r/libdeadheat_rt.so '$(DESTDIR)$(PREFIX)'/lib/deadheat/$$r/ && \
	  ln -sf libdeadheat_rt.so '$(DESTDIR)$(PREFIX)'/lib/deadheat/$$r/libtsan.so.2 || exit 1; done
	$(Q)install -d '$(DESTDIR)$(PREFIX)'/lib/deadheat/trace && install -m 755 $(TRACE_LIB) '$(DESTDIR)$(PREFIX)'/lib/deadheat/trace/
	$(Q)install -d '$(DESTDIR)$(PREFIX)'/lib/deadheat && install -m 755 $(LIB)/lower '$(DESTDIR)$(PREFIX)'/lib/deadheat/lower
	$(Q)install -m 644 $(PROMISE) '$(DESTDIR)$(PREFIX)'/lib/deadheat/
	$(Q)install -d '$(DESTDIR)$(PREFIX)'/lib/deadheat/kept && install -m 644 $(KEPT) '$(DESTDIR)$(PREFIX)'/lib/deadheat/kept/
	$(Q)for m in $(MAN); do install -m 644 $$m '$(DESTDIR)$(PREFIX)'/share/man/man1/ || exit 1; done
	$(Q)ln -sf deadheat-cc.1 '$(DESTDIR)$(PREFIX)'/share/man/man1/deadheat-c++.1
	$(Q)install -d '$(DESTDIR)$(PREFIX)'/share/bash-completion/completions
	$(Q)$(BIN)/deadheat help --completion > '$(DESTDIR)$(PREFIX)'/share/bash-completion/completions/deadheat
	$(Q)install -d '$(DESTDIR)$(ZSH_DIR)' '$(DESTDIR)$(PREFIX)'/share/pkgconfig '$(DESTDIR)$(PREFIX)'/share/deadheat/cmake
	$(Q)$(BIN)/deadheat help --completion zsh > '$(DESTDIR)$(ZSH_DIR)'/_deadheat
	$(Q)sed 's|@PREFIX@|$(PREFIX)|; s|@VERSION@|$(VERSION)|' packaging/deadheat.pc.in > '$(DESTDIR)$(PREFIX)'/share/pkgconfig/deadheat.pc
	$(Q)install -m 644 cmake/*.cmake '$(DESTDIR)$(PREFIX)'/share/deadheat/cmake/
	$(Q)install -d '$(DESTDIR)$(PREFIX)'/share/deadheat/models
	$(Q)install -m 644 models/*.model '$(DESTDIR)$(PREFIX)'/share/deadheat/models/

# An installable package; dpkg-deb alone, no debhelper.
deb: all $(MAN)
	$(Q)VERSION='$(VERSION)' B='$(B)' MAKE='$(MAKE)' sh packaging/deb

clean:
	$(Q)rm -rf $(B)

-include $(HOST_OBJ:.o=.d) $(LOWER_SRC:src/%.c=$(B)/host/%.d) $(wildcard $(B)/rt/*.d $(B)/rt/*/*.d $(B)/tests/unit/*.d)
