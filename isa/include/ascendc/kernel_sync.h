/*
 * kernel_sync.h - blocks and cores: who am I, flags between cores, barriers over all cores, atomics, caches.
 */
#ifndef VINCI_ASCENDC_SYNC_H
#define VINCI_ASCENDC_SYNC_H

namespace AscendC {
VINCI_A int64_t GetBlockNum() { return get_block_num(); }
VINCI_A int64_t GetTaskRatio() { return VINCI_ARCH == 4 && VINCI_CORE == 2 ? get_subblockdim() : 1; }
VINCI_A int64_t GetTaskRation() { return GetTaskRatio(); }
VINCI_A int64_t GetSubBlockIdx() { return VINCI_ARCH == 4 && VINCI_CORE == 2 ? get_subblockid() : 0; }
VINCI_A int64_t GetSubBlockNum() { return get_subblockdim(); }
/* vector cores are numbered through: two per block in a mixed kernel */
VINCI_A int64_t GetBlockIdx()
{
#if VINCI_ARCH == 4 && VINCI_CORE == 2
	return get_block_idx() * get_subblockdim() + get_subblockid();
#else
	return get_block_idx();
#endif
}
VINCI_A int64_t GetSystemCycle() { return get_sys_cnt(); }
VINCI_A int64_t GetProgramCounter() { return get_pc(); }
VINCI_A int64_t GetArchVersion() { return __NPU_ARCH__; }
VINCI_A void GetArchVersion(uint32_t &v) { v = __NPU_ARCH__; }
VINCI_A constexpr uint32_t GetUBSizeInBytes() { return TOTAL_UB_SIZE; }
VINCI_A constexpr uint32_t GetDataBlockSizeInBytes() { return 32; }
VINCI_A constexpr uint32_t GetVecLen() { return 256; }
VINCI_A void Trap() { trap(); }
VINCI_A int64_t vinci_ctrl(int8_t from, int8_t to) { return (get_ctrl() >> from) & (int64_t)((1ull << (to - from + 1)) - 1); }
template <int8_t from, int8_t to> VINCI_A int64_t GetCtrlSpr() { return vinci_ctrl(from, to); }
template <int8_t from, int8_t to> VINCI_A void SetCtrlSpr(int64_t v)
{
	uint64_t mask = ((1ull << (to - from + 1)) - 1) << from;
	set_ctrl(((uint64_t)get_ctrl() & ~mask) | ((uint64_t)v << from & mask));
}

/* --- flags between cores --- */
#if VINCI_ARCH == 4
template <uint8_t mode, pipe_t pipe>
VINCI_A void CrossCoreSetFlag(uint16_t flagId)
{
	ffts_cross_core_sync(pipe, 1 | (uint64_t)mode << 4 | (uint64_t)flagId << 8);
}
template <uint8_t mode = 0, pipe_t pipe = PIPE_S> VINCI_A void CrossCoreWaitFlag(uint16_t flagId) { wait_flag_dev(flagId); }
VINCI_A void SetSyncBaseAddr(uint64_t) {}
constexpr uint16_t vinci_sync_aic = 11, vinci_sync_aiv = 12, vinci_sync_aic_aiv = 13, vinci_sync_aiv_only = 14;
template <bool isAIVOnly = true> VINCI_A void SyncAll()
{
	pipe_barrier(PIPE_ALL);
	dcci((__gm__ void *)&vinci_state, ENTIRE_DATA_CACHE, CACHELINE_OUT);
	if constexpr (isAIVOnly) {
#if VINCI_CORE == 2
		ffts_cross_core_sync(PIPE_MTE3, 1 | vinci_sync_aiv_only << 8);
		wait_flag_dev(vinci_sync_aiv_only);
#endif
		return;
	}
#if VINCI_CORE == 1
	wait_flag_dev(vinci_sync_aiv);
	ffts_cross_core_sync(PIPE_FIX, 1 | vinci_sync_aic << 8);
	wait_flag_dev(vinci_sync_aic);
	ffts_cross_core_sync(PIPE_MTE3, 1 | 2 << 4 | vinci_sync_aic_aiv << 8);
#else
	ffts_cross_core_sync(PIPE_MTE3, 1 | 2 << 4 | vinci_sync_aiv << 8);
	wait_flag_dev(vinci_sync_aic_aiv);
#endif
}
/* the form with workspaces does the same with the same result */
template <bool isAIVOnly = true>
VINCI_A void SyncAll(const GlobalTensor<int32_t> &, const LocalTensor<int32_t> &, const int32_t usedCores = 0)
{
	(void)usedCores;
	SyncAll<isAIVOnly>();
}
#else
#define VINCI_NO_CROSS "SyncAll with a workspace: its cores have no flags between them"
template <uint8_t mode, pipe_t pipe> VINCI_ABSENT("CrossCoreSetFlag", VINCI_NO_CROSS) void CrossCoreSetFlag(uint16_t flagId);
template <uint8_t mode = 0, pipe_t pipe = PIPE_S>
VINCI_ABSENT("CrossCoreWaitFlag", VINCI_NO_CROSS) void CrossCoreWaitFlag(uint16_t flagId);
template <bool isAIVOnly = true>
VINCI_ABSENT("SyncAll without a workspace", "SyncAll(workspace, local): its cores have no flags between them") void SyncAll();
/* no flags between cores: every core counts its arrivals in its own slot of the workspace (32 bytes) and polls the others */
template <bool isAIVOnly = true>
VINCI_A void SyncAll(const GlobalTensor<int32_t> &gm, const LocalTensor<int32_t> &, const int32_t usedCores = 0)
{
	int64_t n = usedCores ? usedCores : get_block_num();
	pipe_barrier(PIPE_ALL);
	int32_t *own = gm.p_ + get_block_idx() * 8;
	int32_t round = ld_dev(own, 0) + 1;
	st_dev(round, own, 0);
	for (int64_t i = 0; i < n; i++)
		while (ld_dev(gm.p_ + i * 8, 0) < round)
			;
}
#endif
/* Between two cores: a word in GM, in a slot of 32 bytes per event and block, which one sets and the other waits for and
 * clears. Set waits until the one before it has been taken. */
VINCI_A int32_t *vinci_block_flag(const GlobalTensor<int32_t> &gm, int32_t block, int32_t event)
{
	return gm.p_ + ((int64_t)GetBlockNum() * event + block) * 8;
}
template <bool isAIVOnly = true>
VINCI_A void IBSet(const GlobalTensor<int32_t> &gm, const LocalTensor<int32_t> &, int32_t block, int32_t event)
{
	int32_t *flag = vinci_block_flag(gm, block, event);
	pipe_barrier(PIPE_ALL);
	while (ld_dev(flag, 0) != 0)
		;
	st_dev(1, flag, 0);
}
template <bool isAIVOnly = true>
VINCI_A void IBWait(const GlobalTensor<int32_t> &gm, const LocalTensor<int32_t> &, int32_t block, int32_t event)
{
	int32_t *flag = vinci_block_flag(gm, block, event);
	pipe_barrier(PIPE_ALL);
	while (ld_dev(flag, 0) != 1)
		;
	st_dev(0, flag, 0);
}
VINCI_A void WaitPreBlock() {}
VINCI_A void NotifyNextBlock() {}

/* --- atomics --- */
#if VINCI_ARCH == 4
#define VINCI_ATOMIC_OP(op) set_atomic_##op()
#else
#define VINCI_ATOMIC_OP(op)
#endif
#if VINCI_ARCH == 4
#define VINCI_ATOMIC_TYPES "float, half, bfloat16_t, int32_t, int16_t and int8_t"
#elif VINCI_ARCH == 2
#define VINCI_ATOMIC_TYPES "float, half and int16_t"
#else
#define VINCI_ATOMIC_TYPES "float"
#endif
template <typename T> VINCI_A void vinci_atomic_type()
{
	if constexpr (std::is_same<T, float>::value)
		set_atomic_f32();
#if VINCI_ARCH != 1
	else if constexpr (std::is_same<T, half>::value)
		set_atomic_f16();
	else if constexpr (std::is_same<T, int16_t>::value)
		set_atomic_s16();
#endif
#if VINCI_ARCH == 4
	else if constexpr (std::is_same<T, int32_t>::value)
		set_atomic_s32();
	else if constexpr (std::is_same<T, int8_t>::value)
		set_atomic_s8();
	else if constexpr (std::is_same<T, bfloat16_t>::value)
		set_atomic_bf16();
#endif
	else
		VINCI_ONLY("SetAtomicAdd", VINCI_ATOMIC_TYPES, T, float);
}
template <typename T> VINCI_A void SetAtomicAdd()
{
	vinci_atomic_type<T>();
	VINCI_ATOMIC_OP(add);
}
#define VINCI_NO_ATOMIC "SetAtomicAdd, or Max and Min of what one core gathers"
template <typename T> VINCI_220("SetAtomicMax", VINCI_NO_ATOMIC) VINCI_A void SetAtomicMax()
{
	vinci_atomic_type<T>();
	VINCI_ATOMIC_OP(max);
}
template <typename T> VINCI_220("SetAtomicMin", VINCI_NO_ATOMIC) VINCI_A void SetAtomicMin()
{
	vinci_atomic_type<T>();
	VINCI_ATOMIC_OP(min);
}
VINCI_A void SetAtomicNone() { set_atomic_none(); }
VINCI_A void DisableDmaAtomic() { set_atomic_none(); }
template <AtomicDtype type, AtomicOp op>
VINCI_220("SetStoreAtomicConfig", "SetAtomicAdd") VINCI_A void SetStoreAtomicConfig()
{
#if VINCI_ARCH == 4
	switch (type) {
	case AtomicDtype::ATOMIC_F32: set_atomic_f32(); break;
	case AtomicDtype::ATOMIC_F16: set_atomic_f16(); break;
	case AtomicDtype::ATOMIC_S16: set_atomic_s16(); break;
	case AtomicDtype::ATOMIC_S32: set_atomic_s32(); break;
	case AtomicDtype::ATOMIC_S8: set_atomic_s8(); break;
	case AtomicDtype::ATOMIC_BF16: set_atomic_bf16(); break;
	default: set_atomic_none(); break;
	}
	if (op == AtomicOp::ATOMIC_SUM)
		set_atomic_add();
	else if (op == AtomicOp::ATOMIC_MAX)
		set_atomic_max();
	else
		set_atomic_min();
#endif
}

/* --- caches --- */
template <typename T, CacheLine entire, DcciDst dst> VINCI_A void DataCacheCleanAndInvalid(const GlobalTensor<T> &t)
{
	dcci((__gm__ void *)t.p_, entire == CacheLine::ENTIRE_DATA_CACHE ? ENTIRE_DATA_CACHE : SINGLE_CACHE_LINE,
	     (dcci_dst_t)dst);
}
template <typename T, CacheLine entire> VINCI_A void DataCacheCleanAndInvalid(const GlobalTensor<T> &t)
{
	dcci((__gm__ void *)t.p_, entire == CacheLine::ENTIRE_DATA_CACHE ? ENTIRE_DATA_CACHE : SINGLE_CACHE_LINE);
}
template <typename T, CacheLine entire, DcciDst dst> VINCI_A void DataCacheCleanAndInvalid(const LocalTensor<T> &) {}
template <MemDsbT kind> VINCI_A void DataSyncBarrier()
{
	dsb(kind == MemDsbT::DDR ? DSB_DDR : kind == MemDsbT::UB ? DSB_UB : kind == MemDsbT::SEQ ? DSB_SEQ : DSB_ALL);
}
template <typename T>
VINCI_200("DataCachePreload", "a read of the address, ahead of its use")
VINCI_A void DataCachePreload(const GlobalTensor<uint64_t> &src, const T offset)
{
#if VINCI_ARCH != 1
	dc_preload(src.p_, (int64_t)offset);
#endif
}
VINCI_200("ICachePreLoad", "the program as it is: there is no such instruction") VINCI_A void ICachePreLoad(const int64_t) {}
template <typename T> VINCI_A T ReadGmByPassDCache(__gm__ T *p) { return ld_dev(p, 0); }
template <typename T> VINCI_A void WriteGmByPassDCache(__gm__ T *p, T v) { st_dev(v, p, 0); }

/* --- overflow behaviour --- */
VINCI_A void InitSocState()
{
	set_atomic_none();
	set_mask_norm();
	set_vector_mask(~0ull, ~0ull);
}
} // namespace AscendC
#endif
