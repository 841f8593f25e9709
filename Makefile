# Vinci: make run | make test | make bench | make vinci | make doc. Objects go to build/$(MODE).
# MODE=rel (default), dbg, asan, fuzz; CC=gcc (default) or clang-19.
MODE ?= rel
CC = gcc
CLANG = clang-19
B := build/$(MODE)
FUZZ_SECONDS ?= 30

CFLAGS_rel = -O2 -g
CFLAGS_dbg = -O0 -g
CFLAGS_asan = -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
CFLAGS_fuzz = -O1 -g -fsanitize=address,undefined,fuzzer-no-link -fno-sanitize-recover=all
PKGS = libconfig libelf libdw jansson libzstd
WARN = -Wall -Wextra -Werror -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith -Wvla
# one rounding per operation: no fused multiply-add behind the source's back
CFLAGS = -std=c11 -D_GNU_SOURCE $(WARN) -ffp-contract=off $(CFLAGS_$(MODE)) $(CFLAGS_EXTRA)
LDLIBS = $(shell pkg-config --libs $(PKGS)) -lm
# pictures of vinci tune, when libpng is there
ifeq ($(shell pkg-config --exists libpng && echo yes),yes)
PKGS += libpng
CFLAGS += -DHAVE_PNG
endif

ISA_C := isa/isa.c isa/check.c isa/args.c isa/operands.c isa/disasm.c
ISATOOL_C := isa/isatool.c isa/gen_header.c isa/gen_doc.c
ISA_DEPS := $(wildcard isa/*.def) $(wildcard isa/*.h)
SIM_C := $(filter-out sim/main.c sim/mpi_meet.c,$(wildcard sim/*.c))
# vinci tune under mpirun: MPI=yes when Open MPI's headers are there
MPI ?= $(shell pkg-config --exists ompi-c 2>/dev/null && echo yes)
TRACE_C := $(wildcard traces/*.c)
# the window: all but the sdl_ files is plain C and part of the library; vinci-view needs SDL2, SDL2_ttf and libpng
VIZ_C := $(filter-out viz/sdl_%.c,$(wildcard viz/*.c))
VIZ_SDL_C := $(wildcard viz/sdl_*.c)
VIZ_PKGS = sdl2 SDL2_ttf libpng
HAVE_SDL := $(shell pkg-config --exists $(VIZ_PKGS) 2>/dev/null && echo yes)
LIB_O := $(patsubst %.c,$(B)/%.o,$(ISA_C) $(SIM_C) $(TRACE_C) $(VIZ_C))
TEST_C := $(wildcard test/*.c) $(wildcard test/ref/*.c)
FUZZERS := $(patsubst test/fuzz/%.c,%,$(wildcard test/fuzz/*.c))
BENCHES := $(patsubst test/bench/%.c,%,$(wildcard test/bench/*.c))
HEADER := build/include/cce_intrinsics.h

.PHONY: all train run test check bench vinci viz tests setup fuzz fuzzers clean doc accuracy
all: vinci

setup:
	@.ci/setup

run: setup
	@$(MAKE) --no-print-directory -s -j$$(nproc) vinci
	@build/vinci run kernels/matmul

# what CI runs; see test/run.sh for the order and what each step is for
test: setup
	@test/run.sh

vinci: build/vinci build/libvinci_acl.a $(if $(HAVE_SDL),viz) $(if $(filter yes,$(MPI)),build/rel/vinci-mpi)
viz: build/rel/vinci-view
	@ln -sf rel/vinci-view build/vinci-view
# the acl runtime for host programs (vinci cc --host)
build/libvinci_acl.a: build/rel/libvinci_acl.a
	@ln -sf rel/libvinci_acl.a $@
$(B)/libvinci_acl.a: $(LIB_O)
	@rm -f $@
	ar rcs $@ $^
ifneq ($(MODE),rel)
build/rel/libvinci_acl.a: build/rel/vinci
	$(MAKE) MODE=rel build/rel/libvinci_acl.a
endif
build/vinci: build/rel/vinci $(HEADER)
	@ln -sf rel/vinci build/vinci
ifneq ($(MODE),rel)
build/rel/vinci: FORCE
	$(MAKE) MODE=rel build/rel/vinci
build/rel/vinci-view: FORCE
	$(MAKE) MODE=rel build/rel/vinci-view
endif

$(B)/vinci: $(B)/sim/main.o $(LIB_O)
	$(CC) $(CFLAGS) -o $@ $^ $(LDLIBS)

$(B)/vinci-view: $(VIZ_SDL_C:%.c=$(B)/%.o) $(LIB_O)
	$(CC) $(CFLAGS) -o $@ $^ $(LDLIBS) $(shell pkg-config --libs $(VIZ_PKGS))
$(B)/viz/sdl_%.o: CFLAGS += $(shell pkg-config --cflags $(VIZ_PKGS))

# brings the ranks of vinci tune together; vinci itself needs no MPI
build/rel/vinci-mpi: sim/mpi_meet.c
	@mkdir -p $(dir $@)
	$(CC) $(CFLAGS) $(shell pkg-config --cflags ompi-c) -o $@ $< $(shell pkg-config --libs ompi-c)

# a host program that trains a network on simulated kernels
train: build/train_cnn
build/train_cnn: $(patsubst %.c,build/rel/%.o,$(wildcard kernels/train_cnn/*.c)) $(patsubst $(B)/%,build/rel/%,$(LIB_O))
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
	build/isatool doc > isa/ISA.md.tmp && mv isa/ISA.md.tmp isa/ISA.md

tests: $(B)/tests
# data.c: what the training program reads
$(B)/tests: $(patsubst %.c,$(B)/%.o,$(TEST_C)) $(B)/kernels/train_cnn/data.o $(LIB_O)
	$(CC) $(CFLAGS) -o $@ $^ $(LDLIBS) -lcriterion
check: vinci tests
	$(B)/tests

# fuzzing: MODE=fuzz CC=clang-19; `make fuzz` runs each target FUZZ_SECONDS from its committed seeds
fuzzers: $(FUZZERS:%=build/fuzz/%)
build/fuzz/%: build/fuzz/test/fuzz/%.o $(patsubst %.c,build/fuzz/%.o,$(ISA_C) $(SIM_C) $(TRACE_C) $(VIZ_C))
	$(CC) $(CFLAGS) -fsanitize=fuzzer -o $@ $^ $(LDLIBS)
fuzz:
	@$(MAKE) --no-print-directory -s MODE=fuzz CC=$(CLANG) fuzzers
	@test/fuzz.sh $(FUZZ_SECONDS) $(FUZZERS)

# timed numbers: printed, never tested
bench: vinci $(BENCHES:%=$(B)/bench/%)
	@test/bench.sh $(B)/bench $(BENCHES)
$(B)/bench/%: $(B)/test/bench/%.o $(LIB_O)
	@mkdir -p $(dir $@)
	$(CC) $(CFLAGS) -o $@ $^ $(LDLIBS) -ldl

# published figures against simulated ones
ACCURACY_C := $(wildcard test/accuracy/*.c)
accuracy: $(B)/accuracy
	$(B)/accuracy
$(B)/accuracy: $(patsubst %.c,$(B)/%.o,$(ACCURACY_C)) $(LIB_O)
	$(CC) $(CFLAGS) -o $@ $^ $(LDLIBS)

clean:
	rm -rf build
FORCE:

-include $(shell find $(B) -name '*.d' 2>/dev/null)
