/*
 * kernel_sort.h - Sort32, MrgSort and the calls made of them. On 910B a record is 8 bytes: score, then a 4-byte index.
 */
#ifndef VINCI_ASCENDC_SORT_H
#define VINCI_ASCENDC_SORT_H

namespace AscendC {
#if VINCI_ARCH == 1
#define VINCI_LIST_proposals half
#define VINCI_SAYS_proposals "half"
#else
#define VINCI_LIST_proposals half, float
#define VINCI_SAYS_proposals "half and float"
#endif
template <typename T> struct MrgSortSrcList {
	VINCI_A MrgSortSrcList() {}
	VINCI_A MrgSortSrcList(const LocalTensor<T> &a, const LocalTensor<T> &b, const LocalTensor<T> &c, const LocalTensor<T> &d)
	    : src1(a), src2(b), src3(c), src4(d)
	{
	}
	LocalTensor<T> src1, src2, src3, src4;
};
#define VINCI_BY_PROPOSALS "RpSort16 and MrgSort4 on region proposals"
template <typename T>
VINCI_220("Sort32", VINCI_BY_PROPOSALS)
VINCI_A void Sort32(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<uint32_t> &src1,
		    const int32_t repeat)
{
	VINCI_TAKES("Sort32", T, floats);
#if VINCI_ARCH == 4
	vinci_vector_call();
	vbitsort(vinci_ub<T>(dst), vinci_ub<T>(src0), vinci_ub<uint32_t>(src1), (uint8_t)repeat);
#endif
}
template <typename T>
VINCI_A void vinci_merge(const LocalTensor<T> &dst, const MrgSortSrcList<T> &src, const MrgSort4Info &p)
{
	__ubuf__ T *list[4] = { vinci_ub<T>(src.src1), vinci_ub<T>(src.src2), vinci_ub<T>(src.src3), vinci_ub<T>(src.src4) };
	vinci_vector_call();
	vmrgsort4(vinci_ub<T>(dst), list, (uint8_t)p.repeatTimes, p.elementLengths[0], p.elementLengths[1], p.elementLengths[2],
		  p.elementLengths[3], p.ifExhaustedSuspension, (uint8_t)p.validBit);
}
template <typename T>
VINCI_220("MrgSort", "MrgSort4 on region proposals")
VINCI_A void MrgSort(const LocalTensor<T> &dst, const MrgSortSrcList<T> &src, const MrgSort4Info &p)
{
	VINCI_TAKES("MrgSort", T, floats);
	vinci_merge(dst, src, p);
}

/* --- region proposals: 8 elements of T each, of which the fifth is the score --- */
template <typename T>
VINCI_FUSED("RpSort16", "Sort32")
VINCI_A void RpSort16(const LocalTensor<T> &dst, const LocalTensor<T> &src, const int32_t repeat)
{
	VINCI_TAKES("RpSort16", T, proposals);
	vinci_vector_call();
	vbitsort(vinci_ub<T>(dst), vinci_ub<T>(src), (uint8_t)repeat);
}
template <typename T>
VINCI_FUSED("MrgSort4", "MrgSort")
VINCI_A void MrgSort4(const LocalTensor<T> &dst, const MrgSortSrcList<T> &src, const MrgSort4Info &p)
{
	VINCI_TAKES("MrgSort4", T, proposals);
	vinci_merge(dst, src, p);
}
/* 16 values per repeat become element `mode` of 16 proposals, and back */
template <typename T>
VINCI_FUSED("ProposalConcat", "Sort32, which takes scores and indices as they are")
VINCI_A void ProposalConcat(const LocalTensor<T> &dst, const LocalTensor<T> &src, const int32_t repeat, const int32_t mode)
{
	VINCI_TAKES("ProposalConcat", T, proposals);
#if VINCI_ARCH != 4
	vinci_vector_call();
	vconcat(vinci_ub<T>(dst), vinci_ub<T>(src), (uint8_t)repeat, (uint8_t)mode);
#endif
}
template <typename T>
VINCI_FUSED("ProposalExtract", "Extract")
VINCI_A void ProposalExtract(const LocalTensor<T> &dst, const LocalTensor<T> &src, const int32_t repeat, const int32_t mode)
{
	VINCI_TAKES("ProposalExtract", T, proposals);
#if VINCI_ARCH != 4
	vinci_vector_call();
	vextract(vinci_ub<T>(dst), vinci_ub<T>(src), (uint8_t)repeat, (uint8_t)mode);
#endif
}
/* with what each list gave */
template <typename T, bool isExhaustedSuspension = false>
VINCI_220("MrgSort", "MrgSort4 on region proposals")
VINCI_A void MrgSort(const LocalTensor<T> &dst, const MrgSortSrcList<T> &src, const uint16_t elementCountList[4],
		     uint32_t sortedNum[4], uint16_t validBit, const int32_t repeat)
{
#if VINCI_ARCH == 4
	MrgSort<T>(dst, src, MrgSort4Info(elementCountList, isExhaustedSuspension, validBit, (uint16_t)repeat));
	if constexpr (isExhaustedSuspension) {
		set_flag(PIPE_V, PIPE_S, EVENT_ID7);
		wait_flag(PIPE_V, PIPE_S, EVENT_ID7);
		uint64_t used = (uint64_t)get_vms4_sr();
		for (int i = 0; i < 4; i++)
			sortedNum[i] = (uint32_t)(used >> (16 * i) & 0xffff);
	}
#endif
}
VINCI_200("GetMrgSortResult", "lists that are merged whole")
VINCI_A void GetMrgSortResult(uint16_t &a, uint16_t &b, uint16_t &c, uint16_t &d)
{
#if VINCI_ARCH != 1
	set_flag(PIPE_V, PIPE_S, EVENT_ID7);
	wait_flag(PIPE_V, PIPE_S, EVENT_ID7);
	uint64_t used = (uint64_t)get_vms4_sr();
	a = (uint16_t)used;
	b = (uint16_t)(used >> 16);
	c = (uint16_t)(used >> 32);
	d = (uint16_t)(used >> 48);
#endif
}
/* elements of T that n records take */
template <typename T> VINCI_220("GetSortLen", VINCI_BY_PROPOSALS)
VINCI_A uint32_t GetSortLen(const uint32_t n) { return n * 8 / sizeof(T); }
template <typename T> VINCI_220("GetSortOffset", VINCI_BY_PROPOSALS)
VINCI_A uint32_t GetSortOffset(const uint32_t n) { return n * 8 / sizeof(T); }
template <typename T>
VINCI_220("Concat", "ProposalConcat")
VINCI_A void Concat(LocalTensor<T> &concat, const LocalTensor<T> &src, const LocalTensor<T> &, const int32_t)
{
	concat = src;
}

/* Sort32 of every 32, then, when all are wanted, lists of four to one until one is left; the result is in dst. */
template <typename T, bool isFullSort>
VINCI_220("Sort", VINCI_BY_PROPOSALS)
VINCI_A void Sort(const LocalTensor<T> &dst, const LocalTensor<T> &concat, const LocalTensor<uint32_t> &index,
		  LocalTensor<T> &tmp, const int32_t repeat)
{
#if VINCI_ARCH == 4
	constexpr uint32_t rec = 8 / sizeof(T);
	uint32_t total = (uint32_t)repeat * 32, levels = 0;
	if constexpr (!isFullSort) {
		Sort32<T>(dst, concat, index, repeat);
		return;
	}
	for (uint32_t n = 32; n < total; n *= 4)
		levels++;
	LocalTensor<T> from = levels % 2 ? tmp : dst, to = levels % 2 ? dst : tmp;
	Sort32<T>(from, concat, index, repeat);
	for (uint32_t n = 32; n < total; n *= 4) {
		for (uint32_t at = 0; at < total; at += 4 * n) {
			uint32_t left = total - at;
			uint16_t len[4], valid = 0;
			__ubuf__ T *list[4];
			for (uint32_t i = 0; i < 4; i++) {
				len[i] = (uint16_t)(left > i * n ? (left - i * n < n ? left - i * n : n) : 0);
				list[i] = vinci_ub<T>(len[i] ? from[(at + i * n) * rec] : from[at * rec]);
				valid |= len[i] ? (uint16_t)(1u << i) : (uint16_t)0;
			}
			vinci_vector_call();
			if (valid == 1)
				copy_ubuf_to_ubuf((__ubuf__ void *)vinci_ub<T>(to[at * rec]), (__ubuf__ void *)list[0],
						  0, 1, (uint16_t)(left * 8 / 32), 0, 0);
			else
				vmrgsort4(vinci_ub<T>(to[at * rec]), list, 1, len[0], len[1], len[2], len[3], false,
					  (uint8_t)valid);
		}
		LocalTensor<T> swap = from;
		from = to;
		to = swap;
	}
#endif
}
/* scores and indices out of records, 32 of them per repeat */
template <typename T>
VINCI_220("Extract", "ProposalExtract")
VINCI_A void Extract(const LocalTensor<T> &dstValue, const LocalTensor<uint32_t> &dstIndex,
		     const LocalTensor<T> &sorted, const int32_t repeat)
{
#if VINCI_ARCH == 4
	vinci_vector_call();
	if constexpr (sizeof(T) == 2)
		vreducev2(vinci_ub<uint16_t>(dstValue), vinci_ub<uint16_t>(sorted), vinci_ub<uint16_t>(sorted),
			  (uint16_t)repeat, 1, 3, 8, 0);
	else
		vreducev2(vinci_ub<uint32_t>(dstValue), vinci_ub<uint32_t>(sorted), vinci_ub<uint32_t>(sorted),
			  (uint16_t)repeat, 1, 1, 8, 0);
	vreducev2(vinci_ub<uint32_t>(dstIndex), vinci_ub<uint32_t>(sorted), vinci_ub<uint32_t>(sorted),
		  (uint16_t)repeat, 1, 2, 8, 0);
#endif
}
} // namespace AscendC
#endif
