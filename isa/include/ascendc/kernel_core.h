/*
 * kernel_core.h - what every call stands on: errors that carry a sentence, and the order between the scalar unit and the
 * pipes that the vendor's compiler adds by itself ("auto sync") and sample code therefore leaves out:
 *   a vector call waits for the vector calls before it (pipe_barrier(PIPE_V));
 *   GetValue and SetValue of a local tensor wait for the pipes, and pipes that follow wait for SetValue.
 * -DVINCI_NO_AUTO_SYNC leaves all of it to the kernel.
 */
#ifndef VINCI_ASCENDC_CORE_H
#define VINCI_ASCENDC_CORE_H

/*
 * What a chip lacks is still declared on it, so that using it is a compile error that names the chip and a way around.
 * VINCI_220 stands before functions of 910B alone, VINCI_200 before those of 910B and 310P, VINCI_FUSED before those of
 * 910 and 310P.
 */
#if VINCI_ARCH == 4
#define VINCI_CHIP "Ascend 910B"
#elif VINCI_ARCH == 2
#define VINCI_CHIP "Ascend 310P"
#else
#define VINCI_CHIP "Ascend 910 and 310"
#endif
#define VINCI_ABSENT(name, instead)                                                                                    \
	__attribute__((unavailable("AscendC::" name " does not exist on " VINCI_CHIP "; use " instead)))
#if VINCI_ARCH == 4
#define VINCI_220(name, instead)
#define VINCI_FUSED(name, instead) VINCI_ABSENT(name, instead)
#else
#define VINCI_220(name, instead) VINCI_ABSENT(name, instead)
#define VINCI_FUSED(name, instead)
#endif
#if VINCI_ARCH != 1
#define VINCI_200(name, instead)
#else
#define VINCI_200(name, instead) VINCI_ABSENT(name, instead)
#endif

namespace AscendC {

/* End the kernel; the engine reads the sentence, a constant of the kernel, from the trap's code. */
VINCI_A void vinci_fail(const char *sentence) { trap((int64_t)sentence); }
VINCI_A void vinci_check(bool good, const char *sentence)
{
	if (__builtin_expect(!good, 0))
		trap((int64_t)sentence);
}

/* Where the kernel is, for a sentence that is told later. */
VINCI_A uint64_t vinci_here()
{
	uint64_t pc;
	__asm__ volatile("auipc %0, 0" : "=r"(pc));
	return pc;
}
/*
 * The same about the call at `where`: the sentence begins with a 1 and the engine looks for the place in the last word but
 * one of the core's part of the system region (gm.h, kernel_print.h).
 */
VINCI_A void vinci_fail_at(const char *sentence, uint64_t where)
{
	st_dev(where, (__gm__ uint64_t *)(0x1C0000000 + (uint64_t)get_coreid() * 16384), 16384 - 16);
	trap((int64_t)sentence);
}

/* The 8 event ids of a pair of pipes, one bit each; gen-1 chips have 4. */
constexpr uint32_t vinci_event_ids = VINCI_ARCH == 1 ? 4 : 8;

class TPipe;
struct vinci_core_state {
	TPipe *pipe;
	bool pipes_busy;   /* something was sent to a pipe since the scalar unit last waited for all */
	bool scalar_wrote; /* the scalar unit wrote to a local buffer since */
	bool counter_mode; /* SetMaskCount */
	uint64_t counted;  /* and how many elements */
	uint8_t *system_workspace;
	uint64_t tiling_key;
	uint8_t used[(int)HardEvent::MAX];
	void (*at_end)(); /* of the kernel: a library object says good-bye */
};
static vinci_core_state vinci_state;

#ifndef VINCI_NO_AUTO_SYNC
VINCI_A void vinci_scalar_to_pipes()
{
	if (__builtin_expect(vinci_state.scalar_wrote, 0)) {
		pipe_barrier(PIPE_ALL);
		vinci_state.scalar_wrote = false;
	}
	vinci_state.pipes_busy = true;
}
VINCI_A void vinci_vector_call()
{
	vinci_scalar_to_pipes();
	pipe_barrier(PIPE_V);
}
VINCI_A void vinci_move_call() { vinci_scalar_to_pipes(); }
VINCI_A void vinci_scalar_read()
{
	if (__builtin_expect(vinci_state.pipes_busy, 0)) {
		pipe_barrier(PIPE_ALL);
		vinci_state.pipes_busy = false;
	}
}
VINCI_A void vinci_scalar_write()
{
	vinci_scalar_read();
	vinci_state.scalar_wrote = true;
}
#else
VINCI_A void vinci_vector_call() {}
VINCI_A void vinci_move_call() {}
VINCI_A void vinci_scalar_read() {}
VINCI_A void vinci_scalar_write() {}
#endif

/* Between the steps of one library call, whatever the kernel's own setting. */
VINCI_A void vinci_step() { pipe_barrier(PIPE_V); }

} // namespace AscendC
#endif
