/*
 * kernel_bufpool.h - TBufPool: a part of the unified buffer or of L1 that stages of a kernel use one after the other. Pools may
 * lie in pools and share memory; Reset waits for what the stage did and makes the memory free again.
 */
#ifndef VINCI_ASCENDC_BUFPOOL_H
#define VINCI_ASCENDC_BUFPOOL_H

namespace AscendC {

template <TPosition pos, uint32_t bufIDSize = 4> class TBufPool {
public:
	static constexpr TPosition vinci_pos = pos;
	static_assert(bufIDSize >= 1 && bufIDSize <= 16, "TBufPool: bufIDSize is 1 to 16 buffers");
	static_assert(GetPhyType(pos) == Hardware::UB || GetPhyType(pos) == Hardware::L1,
		      "TBufPool: a pool lies in the unified buffer or in L1");

	VINCI_A TBufPool() {}
	VINCI_A ~TBufPool()
	{
		empty("\1EnQue without DeQue: the kernel ends with this tensor in its queue",
		      "\1FreeTensor is missing: the kernel ends with this tensor not freed");
	}
	template <TPosition src, TPosition dst, int32_t depth, auto mask>
	VINCI_A bool InitBuffer(TQueBind<src, dst, depth, mask> &que, uint8_t num, uint32_t len)
	{
		static_assert(GetPhyType(dst == TPosition::GM ? src : dst) == GetPhyType(pos),
			      "TBufPool::InitBuffer: the queue is of another memory than the pool");
		len = AlignUp(len, ONE_BLK_SIZE);
		vinci_check(num > 0, "TBufPool::InitBuffer: a queue has at least one buffer");
		uint32_t first = buffers_, addr = take(num * len, num);
		VinciQueue &q = queue_[queues_++];
		vinci_make_queue(q, &buffer_[first], num, addr, len);
		que.vinci_setup(&q);
		return true;
	}
	template <TPosition p> VINCI_A bool InitBuffer(TBuf<p> &buf, uint32_t len)
	{
		static_assert(GetPhyType(p) == GetPhyType(pos),
			      "TBufPool::InitBuffer: the buffer is of another memory than the pool");
		len = AlignUp(len, ONE_BLK_SIZE);
		uint32_t first = buffers_;
		buf.vinci_setup(take(len, 1), len);
		buffer_[first] = TBufType();
		return true;
	}
	template <class Pool> VINCI_A bool InitBufPool(Pool &pool, uint32_t len)
	{
		static_assert(GetPhyType(Pool::vinci_pos) == GetPhyType(pos), "TBufPool::InitBufPool: pools of one memory");
		len = AlignUp(len, ONE_BLK_SIZE);
		pool.vinci_setup(take(len, 0), len);
		return true;
	}
	template <class Pool, class Other> VINCI_A bool InitBufPool(Pool &pool, uint32_t len, Other &shared)
	{
		static_assert(GetPhyType(Pool::vinci_pos) == GetPhyType(pos), "TBufPool::InitBufPool: pools of one memory");
		pool.vinci_share(shared, len);
		return true;
	}
	/* The queues and buffers of the pool are gone and their memory is free, once all pipes have come to rest. */
	VINCI_A void Reset()
	{
		empty("\1EnQue without DeQue: the pool is reset with this tensor in its queue",
		      "\1FreeTensor is missing: the pool is reset with this tensor not freed");
		pipe_barrier(PIPE_ALL);
	}
	VINCI_A void vinci_setup(uint32_t start, uint32_t len)
	{
		start_ = start;
		len_ = len;
		used_ = queues_ = buffers_ = 0;
	}
	template <class Other> VINCI_A void vinci_share(const Other &shared, uint32_t len)
	{
		static_assert(GetPhyType(Other::vinci_pos) == GetPhyType(pos), "InitBufPool: pools that share are of one memory");
		len = AlignUp(len, ONE_BLK_SIZE);
		vinci_check(len <= shared.vinci_bytes(), "InitBufPool: longer than the pool whose memory it shares");
		vinci_setup(shared.vinci_start(), len);
	}
	VINCI_A uint32_t vinci_start() const { return start_; }
	VINCI_A uint32_t vinci_bytes() const { return len_; }

private:
	VINCI_A uint32_t take(uint32_t bytes, uint32_t buffers)
	{
		vinci_check(len_, "TBufPool: the pool has no memory: InitBufPool comes first");
		vinci_check(bytes <= len_ - used_, "TBufPool: more buffers than the pool has room for");
		vinci_check(buffers_ + buffers <= bufIDSize,
			    "TBufPool::InitBuffer: more buffers than bufIDSize, the second argument of its type (default 4)");
		uint32_t at = start_ + used_;
		used_ += bytes;
		buffers_ += buffers;
		return at;
	}
	VINCI_A void empty(const char *enqueued, const char *taken)
	{
		for (uint32_t i = 0; i < buffers_; i++) {
			TBufType &b = buffer_[i];
			vinci_end_buffer(b, enqueued, taken);
			if (b.enQueEvtID >= 0)
				vinci_state.used[b.enQueEvt] &= (uint8_t)~(1u << b.enQueEvtID);
			if (b.freeBufEvtID >= 0)
				vinci_state.used[b.freeBufEvt] &= (uint8_t)~(1u << b.freeBufEvtID);
		}
		used_ = queues_ = buffers_ = 0;
	}
	uint32_t start_ = 0, len_ = 0, used_ = 0, queues_ = 0, buffers_ = 0;
	/* no member is set before InitBuffer does */
	union {
		VinciQueue queue_[bufIDSize];
	};
	union {
		TBufType buffer_[bufIDSize];
	};
};
} // namespace AscendC
#endif
