/*
 * kernel_event.h - flags between pipes, by HardEvent, and their ids.
 */
#ifndef VINCI_ASCENDC_EVENT_H
#define VINCI_ASCENDC_EVENT_H

namespace AscendC {
using TEventID = int8_t;

/* source and destination pipe of each event */
#define VINCI_EVENTS(X)                                                                                                \
	X(MTE2_MTE1) X(MTE1_MTE2) X(MTE1_M) X(M_MTE1) X(MTE2_V) X(V_MTE2) X(MTE3_V) X(V_MTE3) X(M_V) X(V_M) X(MTE3_MTE1)\
	X(MTE1_MTE3) X(MTE1_V) X(MTE2_M) X(M_MTE2) X(V_MTE1) X(M_FIX) X(FIX_M) X(MTE3_MTE2) X(MTE2_MTE3) X(S_V) X(V_S) \
	X(S_MTE2) X(MTE2_S) X(S_MTE3) X(MTE3_S) X(MTE2_FIX) X(FIX_MTE2) X(FIX_S) X(S_FIX) X(M_S) X(FIX_MTE3) X(MTE1_FIX)\
	X(FIX_MTE1) X(MTE1_S) X(S_M)
struct vinci_pair { pipe_t src, dst; };
constexpr pipe_t vinci_pipe_named(const char *n, int length)
{
	return length == 1 ? (n[0] == 'S' ? PIPE_S : n[0] == 'V' ? PIPE_V : PIPE_M)
	       : length == 3 ? PIPE_FIX : n[3] == '1' ? PIPE_MTE1 : n[3] == '2' ? PIPE_MTE2 : PIPE_MTE3;
}
constexpr vinci_pair vinci_pair_named(const char *n)
{
	int under = 0, end = 0;
	while (n[end])
		end++;
	while (n[under] != '_')
		under++;
	return { vinci_pipe_named(n, under), vinci_pipe_named(n + under + 1, end - under - 1) };
}
constexpr vinci_pair vinci_event_pipes(HardEvent e)
{
	switch (e) {
#define X(name) case HardEvent::name: return vinci_pair_named(#name);
		VINCI_EVENTS(X)
#undef X
	case HardEvent::V_V: return { PIPE_V, PIPE_V };
	default: return { PIPE_FIX, PIPE_FIX };
	}
}
/* by value of e, when a queue knows its event at compile time */
template <HardEvent e> constexpr pipe_t vinci_src = vinci_event_pipes(e).src;
template <HardEvent e> constexpr pipe_t vinci_dst = vinci_event_pipes(e).dst;
constexpr HardEvent vinci_event_of(pipe_t src, pipe_t dst)
{
	for (int e = 0; e < (int)HardEvent::MAX; e++)
		if (vinci_event_pipes((HardEvent)e).src == src && vinci_event_pipes((HardEvent)e).dst == dst)
			return (HardEvent)e;
	return HardEvent::MAX;
}

template <HardEvent e> VINCI_A void SetFlag(int32_t id)
{
	if constexpr (vinci_src<e> == vinci_dst<e>)
		pipe_barrier(vinci_src<e>);
	else
		set_flag(vinci_src<e>, vinci_dst<e>, (event_t)id);
}
template <HardEvent e> VINCI_A void WaitFlag(int32_t id)
{
	if constexpr (vinci_src<e> != vinci_dst<e>)
		wait_flag(vinci_src<e>, vinci_dst<e>, (event_t)id);
}
/* the same for an event that is known at run time; those of vector queues first, since a jump table costs a cache miss */
#define VINCI_WAIT_FOR(event)                                                                                          \
	case HardEvent::event:                                                                                         \
		WaitFlag<HardEvent::event>(id);                                                                        \
		break;
VINCI_A void vinci_wait_for(HardEvent e, int32_t id)
{
	if (__builtin_expect(e == HardEvent::V_MTE2, 1)) {
		WaitFlag<HardEvent::V_MTE2>(id);
	} else if (__builtin_expect(e == HardEvent::MTE3_V, 1)) {
		WaitFlag<HardEvent::MTE3_V>(id);
	} else {
		switch (e) {
			VINCI_EVENTS(VINCI_WAIT_FOR)
		default: break;
		}
	}
}
template <pipe_t p> VINCI_A void PipeBarrier() { pipe_barrier(p); }

/* the lowest free id of e */
VINCI_A TEventID vinci_event_free(HardEvent e)
{
	int64_t id = sff0(vinci_state.used[(int)e]);
	vinci_check(id >= 0 && id < vinci_event_ids, "out of event ids: more flags of one kind are in use than the chip has "
						   "(fewer buffers per queue, or fewer queues of this position)");
	return (TEventID)id;
}
VINCI_A TEventID vinci_event_take(HardEvent e)
{
	TEventID id = vinci_event_free(e);
	vinci_state.used[(int)e] |= (uint8_t)(1u << id);
	return id;
}
VINCI_A void vinci_event_give(HardEvent e, TEventID id)
{
	vinci_check(id >= 0 && id < vinci_event_ids && (vinci_state.used[(int)e] >> id & 1),
		    "ReleaseEventID: the id is not one that AllocEventID gave for this event");
	vinci_state.used[(int)e] &= (uint8_t)~(1u << id);
}

template <pipe_t src, pipe_t dst> class TQueSync {
public:
	VINCI_A void SetFlag(TEventID id) { set_flag(src, dst, (event_t)id); }
	VINCI_A void WaitFlag(TEventID id) { wait_flag(src, dst, (event_t)id); }
};
} // namespace AscendC
#endif
