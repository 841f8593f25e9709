# Vinci: make run | make test | make bench | make vinci. Objects go to build/$(MODE).
# MODE=rel (default) dbg asan; CC=gcc or clang-19.
MODE ?= rel
CC = gcc
B := build/$(MODE)

CFLAGS_rel = -O2 -g
CFLAGS_dbg = -O0 -g
CFLAGS_asan = -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
PKGS = libconfig libelf libdw jansson libzstd
WARN = -Wall -Wextra -Werror -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith -Wvla
# one rounding per operation: no fused multiply-add behind the source's back (design D10)
CFLAGS = -std=c11 -D_GNU_SOURCE $(WARN) -ffp-contract=off $(CFLAGS_$(MODE)) $(CFLAGS_EXTRA)
LDLIBS = $(shell pkg-config --libs $(PKGS)) -lm

ISA_C := isa/isa.c isa/check.c isa/args.c isa/disasm.c
ISATOOL_C := isa/isatool.c isa/gen_header.c isa/gen_doc.c
ISA_DEPS := $(wildcard isa/*.def) $(wildcard isa/*.h)
SIM_C := $(filter-out sim/main.c,$(wildcard sim/*.c))
TRACE_C := $(wildcard traces/*.c)
LIB_O := $(patsubst %.c,$(B)/%.o,$(ISA_C) $(SIM_C) $(TRACE_C))
TEST_C := $(wildcard test/*.c) $(wildcard test/ref/*.c)
HEADER := build/include/cce_intrinsics.h

.PHONY: all run test bench vinci setup fuzz clean doc
all: vinci

setup:
	@.ci/setup

run: setup
	@$(MAKE) --no-print-directory vinci
	@build/rel/vinci run kernels/matmul

vinci: build/vinci
build/vinci: $(B)/vinci $(HEADER)
	@ln -sf rel/vinci build/vinci

$(B)/vinci: $(B)/sim/main.o $(LIB_O)
	$(CC) $(CFLAGS) -o $@ $^ $(LDLIBS)

$(B)/%.o: %.c | $(HEADER)
	@mkdir -p $(dir $@)
	$(CC) $(CFLAGS) -MMD -MP -c -o $@ $<

# the table checks itself before anything else is compiled, and writes the kernels' header
build/isatool: $(ISATOOL_C) $(ISA_C) $(ISA_DEPS)
	@mkdir -p build
	$(CC) -std=c11 -D_GNU_SOURCE $(WARN) -O1 -g -o $@ $(ISATOOL_C) $(ISA_C)
$(HEADER): build/isatool
	@mkdir -p build/include
	build/isatool check
	build/isatool header > $@.tmp && mv $@.tmp $@

doc: build/isatool
	build/isatool doc > isa/ISA.md

$(B)/tests: $(patsubst %.c,$(B)/%.o,$(TEST_C)) $(LIB_O)
	$(CC) $(CFLAGS) -o $@ $^ $(LDLIBS) -lcriterion

clean:
	rm -rf build

-include $(shell find $(B) -name '*.d' 2>/dev/null)
