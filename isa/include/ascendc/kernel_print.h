/*
 * kernel_print.h - printf, DumpTensor and assert from a kernel. Records go, around the data cache, to a region of GM that
 * every run has (gm.h, GM_SYSTEM): 16 KiB per core, a count in front. The simulator prints them when the run has ended, in
 * the order of cores; what does not fit is counted and said. A format is a constant of the kernel and travels as its address.
 *   record: kind and number of words, block, words...   printf: format, then per argument its type and its bits
 */
#ifndef VINCI_ASCENDC_PRINT_H
#define VINCI_ASCENDC_PRINT_H

namespace AscendC {
constexpr uint64_t vinci_print_base = 0x1C0000000, vinci_print_slot = 16 * 1024;
enum { VINCI_PRINT_TEXT = 1, VINCI_PRINT_TENSOR = 2 };

struct VinciPrint {
	uint64_t slot, at;
	bool room;
	/* words: of the whole record */
	VINCI_A VinciPrint(uint32_t kind, uint32_t words)
	{
		slot = vinci_print_base + (uint64_t)get_coreid() * vinci_print_slot;
		at = ld_dev((__gm__ uint64_t *)slot, 0);
		/* the last two words have uses of their own */
		room = at + 8 + (2 + words) * 8 <= vinci_print_slot - 16;
		if (room) {
			word(kind | (uint64_t)words << 32);
			word((uint64_t)get_block_idx() | (uint64_t)(VINCI_CORE == 2 ? get_subblockid() : 0) << 32);
		} else {
			st_dev(ld_dev((__gm__ uint64_t *)slot, (int64_t)vinci_print_slot - 8) + 1,
			       (__gm__ uint64_t *)slot, (int64_t)vinci_print_slot - 8);
		}
	}
	VINCI_A void word(uint64_t v)
	{
		if (!room)
			return;
		st_dev(v, (__gm__ uint64_t *)slot, (int64_t)at + 8);
		at += 8;
	}
	VINCI_A void done()
	{
		if (room)
			st_dev(at, (__gm__ uint64_t *)slot, 0);
	}
	template <typename T> VINCI_A void value(T v)
	{
		if constexpr (std::is_floating_point<T>::value || std::is_same<T, half>::value ||
			      std::is_same<T, bfloat16_t>::value) {
			double d = (double)(float)v;
			uint64_t bits;
			if constexpr (std::is_same<T, double>::value)
				d = v;
			__builtin_memcpy(&bits, &d, 8);
			word(1);
			word(bits);
		} else if constexpr (std::is_pointer<T>::value) {
			word(2);
			word((uint64_t)v);
		} else {
			word(0);
			word((uint64_t)(int64_t)v);
		}
	}
};
template <typename... Args> VINCI_A void vinci_printf(const char *format, Args... args)
{
	VinciPrint p(VINCI_PRINT_TEXT, 1 + 2 * sizeof...(args));
	p.word((uint64_t)format);
	(p.value(args), ...);
	p.done();
}
template <typename... Args> VINCI_A void printf(const char *format, Args... args) { vinci_printf(format, args...); }
template <typename... Args> VINCI_A void PRINTF(const char *format, Args... args) { vinci_printf(format, args...); }

template <typename T> constexpr uint32_t vinci_print_type =
	std::is_same<T, half>::value ? 1 : std::is_same<T, float>::value ? 2 : std::is_same<T, bfloat16_t>::value ? 3
	: std::is_same<T, int8_t>::value ? 4 : std::is_same<T, uint8_t>::value ? 5 : std::is_same<T, int16_t>::value ? 6
	: std::is_same<T, uint16_t>::value ? 7 : std::is_same<T, int32_t>::value ? 8 : std::is_same<T, uint32_t>::value ? 9
	: std::is_same<T, int64_t>::value ? 10 : 11;
template <typename T, typename F> VINCI_A void vinci_dump(uint32_t desc, uint64_t position, uint64_t addr, uint32_t count, F get)
{
	uint32_t per = 8 / sizeof(T), words = (count + per - 1) / per;
	VinciPrint p(VINCI_PRINT_TENSOR, 3 + words);
	p.word(desc | (uint64_t)vinci_print_type<T> << 32);
	p.word(addr | position << 56);
	p.word(count);
	for (uint32_t w = 0; w < words; w++) {
		uint64_t v = 0;
		for (uint32_t i = 0; i < per && w * per + i < count; i++) {
			T e = get(w * per + i);
			uint64_t bits = 0;
			__builtin_memcpy(&bits, &e, sizeof(T));
			v |= bits << (8 * sizeof(T) * i);
		}
		p.word(v);
	}
	p.done();
}
template <typename T> VINCI_A void DumpTensor(const LocalTensor<T> &t, uint32_t desc, uint32_t count)
{
	vinci_check(vinci_is_ub(t.pos_), "DumpTensor: Vinci dumps tensors in UB and in GM");
	vinci_dump<T>(
		desc, (uint64_t)t.pos_, t.addr_,
		count, [&](uint32_t i) __attribute__((always_inline)) { return t.GetValue(i); });
}
template <typename T> VINCI_A void DumpTensor(const GlobalTensor<T> &t, uint32_t desc, uint32_t count)
{
	pipe_barrier(PIPE_ALL);
	vinci_dump<T>(desc, 0, (uint64_t)t.p_, count, [&](uint32_t i) __attribute__((always_inline)) {
		dcci((__gm__ void *)(t.p_ + i), SINGLE_CACHE_LINE);
		return t.p_[i];
	});
}
template <typename T>
VINCI_A void DumpAccChkPoint(const LocalTensor<T> &t, uint32_t index, uint32_t offset, uint32_t count)
{
	DumpTensor(t[offset], index, count);
}
VINCI_A void PrintTimeStamp(uint32_t id) { vinci_printf("time stamp %u: %ld\n", id, get_sys_cnt()); }
template <typename... Args> VINCI_A void vinci_log(Args... args)
{
	if constexpr (sizeof...(args) > 0)
		vinci_printf(args...);
}
} // namespace AscendC

using AscendC::printf;
using AscendC::PRINTF;
enum { KERNEL_ERROR, KERNEL_WARN, KERNEL_INFO };
#define KERNEL_LOG(level, ...) AscendC::vinci_log(__VA_ARGS__)
#define VINCI_TEXT2(x) #x
#define VINCI_TEXT(x) VINCI_TEXT2(x)
#define ASCENDC_ASSERT(cond, ...)                                                                                      \
	do {                                                                                                           \
		if (!(cond)) {                                                                                         \
			__VA_ARGS__;                                                                                   \
			AscendC::vinci_fail("assertion failed: " #cond);                                               \
		}                                                                                                      \
	} while (0)
#define ascendc_assert(cond, ...) ASCENDC_ASSERT(cond, AscendC::vinci_log(__VA_ARGS__))
#undef assert
#define assert(cond, ...) ASCENDC_ASSERT(cond, AscendC::vinci_log(__VA_ARGS__))
#define ASSERT(cond, ...) ASCENDC_ASSERT(cond, AscendC::vinci_log(__VA_ARGS__))
#define ASCENDC_DEBUG_ASSERT(cond, ...) ASCENDC_ASSERT(cond, __VA_ARGS__)
#define ASCENDC_REPORT_OVERFLOW_MEM(cond) ASCENDC_ASSERT(cond)
#endif
