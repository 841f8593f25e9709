/*
 * kernel_tpipe.h - TPipe hands out local memory and event ids; TQue and TQueBind pass tensors from one pipe to the next,
 * with a flag for "filled" and one for "free again"; TBuf is plain memory. Misuse ends the kernel with a sentence.
 */
#ifndef VINCI_ASCENDC_TPIPE_H
#define VINCI_ASCENDC_TPIPE_H

namespace AscendC {

constexpr uint32_t QUE_MAX_BUFFERS = 16;

constexpr Hardware GetPhyType(TPosition p)
{
	switch (p) {
	case TPosition::GM: return Hardware::GM;
	case TPosition::A1:
	case TPosition::B1:
	case TPosition::C1:
	case TPosition::TSCM:
	case TPosition::SPM: return Hardware::L1;
	case TPosition::A2: return Hardware::L0A;
	case TPosition::B2: return Hardware::L0B;
	case TPosition::C2: return VINCI_ARCH == 4 ? Hardware::BIAS : Hardware::L0C;
	case TPosition::CO1: return Hardware::L0C;
	case TPosition::C2PIPE2GM: return Hardware::FIXBUF;
	default: return Hardware::UB;
	}
}
constexpr uint32_t vinci_memory_size(Hardware h)
{
	switch (h) {
	case Hardware::UB: return TMP_UB_OFFSET;
	case Hardware::L1: return TOTAL_L1_SIZE;
	case Hardware::L0A: return TOTAL_L0A_SIZE;
	case Hardware::L0B: return TOTAL_L0B_SIZE;
	case Hardware::L0C: return TOTAL_L0C_SIZE;
	case Hardware::BIAS: return 1024;
	case Hardware::FIXBUF: return 2048;
	default: return 0;
	}
}

/* The pipe that fills a queue of SRC -> DST, and the one that empties it. */
constexpr pipe_t vinci_producer(TPosition src, TPosition dst)
{
	switch (src == TPosition::GM ? dst : src) {
	case TPosition::A2: case TPosition::B2: case TPosition::C2: return PIPE_MTE1;
	case TPosition::CO1: return PIPE_M;
	case TPosition::CO2: return PIPE_V;
	case TPosition::VECOUT: return PIPE_V;
	case TPosition::VECCALC: return PIPE_V;
	case TPosition::C2PIPE2GM: return PIPE_FIX;
	case TPosition::TSCM: return src == TPosition::VECIN || src == TPosition::VECOUT ? PIPE_MTE3 : PIPE_MTE2;
	default: return PIPE_MTE2; /* VECIN, A1, B1, C1 */
	}
}
constexpr pipe_t vinci_consumer(TPosition dst)
{
	switch (dst) {
	case TPosition::A1: case TPosition::B1: case TPosition::C1: case TPosition::TSCM: return PIPE_MTE1;
	case TPosition::A2: case TPosition::B2: case TPosition::C2: return PIPE_M;
	case TPosition::CO1: return VINCI_ARCH == 4 ? PIPE_FIX : PIPE_V;
	case TPosition::CO2: return PIPE_MTE3;
	case TPosition::VECOUT: return PIPE_MTE3;
	case TPosition::C2PIPE2GM: return PIPE_FIX;
	default: return PIPE_V; /* VECIN, VECCALC */
	}
}

template <TPosition pos = TPosition::LCM> class TBuf;
template <TPosition src, TPosition dst, int32_t depth, auto mask> class TQueBind;

/* A queue's state lives in its TPipe, which outlives the queue objects of most kernels. */
struct VinciQueue {
	TBufType *buf;
	uint8_t num, next, head, tail, count;
	uint8_t order[QUE_MAX_BUFFERS];
};
constexpr uint32_t vinci_max_queues = 32, vinci_max_buffers = 64;
/* an empty queue of num buffers of len bytes each from addr on */
VINCI_A void vinci_make_queue(VinciQueue &q, TBufType *buf, uint8_t num, uint32_t addr, uint32_t len)
{
	q.buf = buf;
	q.num = num;
	q.next = q.head = q.tail = q.count = 0;
	for (uint32_t i = 0; i < num; i++) {
		q.buf[i] = TBufType();
		q.buf[i].address = addr + i * len;
		q.buf[i].dataLen = len;
	}
}
/* Wait for what the last FreeTensor of b announced; a tensor that is out is a mistake, told with these sentences. */
VINCI_A void vinci_end_buffer(TBufType &b, const char *enqueued, const char *taken)
{
	if (b.freePending)
		vinci_wait_for((HardEvent)b.freeBufEvt, b.freeBufEvtID); /* nobody took it again */
	if (b.state == TBufState::ENQUE)
		vinci_fail_at(enqueued, b.where);
	else if (b.state != TBufState::FREE)
		vinci_fail_at(taken, b.where);
}

class TPipe {
public:
	VINCI_A TPipe() { Init(); }
	VINCI_A ~TPipe() { Destroy(); }
	VINCI_A void Init()
	{
		for (uint32_t i = 0; i < (uint32_t)Hardware::MAX; i++)
			used_[i] = 0;
		for (uint32_t i = 0; i < (uint32_t)HardEvent::MAX; i++)
			vinci_state.used[i] = 0;
		queues_ = buffers_ = 0;
		alive_ = true;
		vinci_state.pipe = this;
	}
	/* waits for everything; a queue that still holds tensors is a mistake of the kernel */
	VINCI_A void Destroy()
	{
		if (!alive_)
			return;
		alive_ = false;
		finish();
		if (vinci_state.at_end)
			vinci_state.at_end();
	}
	VINCI_A void Reset()
	{
		finish();
		Init();
	}
	template <TPosition src, TPosition dst, int32_t depth, auto mask>
	VINCI_A bool InitBuffer(TQueBind<src, dst, depth, mask> &que, uint8_t num, uint32_t len)
	{
		vinci_check(num > 0 && num <= QUE_MAX_BUFFERS, "TPipe::InitBuffer: a queue has 1 to 16 buffers");
		len = AlignUp(len, ONE_BLK_SIZE);
		vinci_check(queues_ < vinci_max_queues && buffers_ + num <= vinci_max_buffers,
			    "TPipe::InitBuffer: more than 64 buffers or 32 queues");
		VinciQueue &q = queue_[queues_++];
		uint32_t addr = take(GetPhyType(dst == TPosition::GM ? src : dst), num * len);
		TBufType *buf = &buffer_[buffers_];
		buffers_ += num;
		vinci_make_queue(q, buf, num, addr, len);
		que.vinci_setup(&q);
		return true;
	}
	template <TPosition pos> VINCI_A bool InitBuffer(TBuf<pos> &buf, uint32_t len)
	{
		len = AlignUp(len, ONE_BLK_SIZE);
		buf.vinci_setup(take(GetPhyType(pos), len), len);
		return true;
	}
	/* memory for a pool (kernel_bufpool.h); with a third argument the memory of that pool, which both then share */
	template <class Pool> VINCI_A bool InitBufPool(Pool &pool, uint32_t len)
	{
		len = AlignUp(len, ONE_BLK_SIZE);
		pool.vinci_setup(take(GetPhyType(Pool::vinci_pos), len), len);
		return true;
	}
	template <class Pool, class Other> VINCI_A bool InitBufPool(Pool &pool, uint32_t len, Other &shared)
	{
		pool.vinci_share(shared, len);
		return true;
	}
	template <HardEvent e> VINCI_A TEventID AllocEventID() { return vinci_event_take(e); }
	template <HardEvent e> VINCI_A void ReleaseEventID(TEventID id) { vinci_event_give(e, id); }
	template <HardEvent e> VINCI_A TEventID FetchEventID() { return vinci_event_free(e); }
	VINCI_A TEventID FetchEventID(HardEvent e) { return vinci_event_free(e); }
	template <TPosition pos> VINCI_A uint64_t GetQueueEndAddress() const { return used_[(int)GetPhyType(pos)]; }
	VINCI_A uint32_t vinci_take(Hardware h, uint32_t bytes) { return take(h, bytes); }
	template <TPosition pos, typename T> VINCI_A LocalTensor<T> GetAbsAddr(int32_t offset, int32_t count) const
	{
		return LocalTensor<T>(pos, (uint32_t)offset, (uint32_t)count);
	}

	/* An id of e for a buffer. When all are taken: one of a buffer whose flag is not up, once all pipes have come to rest. */
	VINCI_A int8_t vinci_id_for(HardEvent e, bool enQue)
	{
		int64_t id = sff0(vinci_state.used[(int)e]);
		if (id < vinci_event_ids) {
			vinci_state.used[(int)e] |= (uint8_t)(1u << id);
			return (int8_t)id;
		}
		for (uint32_t i = 0; i < buffers_; i++) {
			TBufType &b = buffer_[i];
			int8_t &own = enQue ? b.enQueEvtID : b.freeBufEvtID;
			bool up = enQue ? b.state == TBufState::ENQUE : b.freePending;
			if (own < 0 || up || (enQue ? b.enQueEvt : b.freeBufEvt) != (uint8_t)e)
				continue;
			int8_t stolen = own;
			own = -1;
			pipe_barrier(PIPE_ALL);
			return stolen;
		}
		return vinci_event_free(e); /* says so */
	}

private:
	VINCI_A uint32_t take(Hardware h, uint32_t bytes)
	{
		uint32_t at = used_[(int)h];
		if (h == Hardware::UB)
			vinci_check(bytes <= TMP_UB_OFFSET - at,
				    "TPipe::InitBuffer: more buffers than the unified buffer has room for "
				    "(192 KiB on 910B, 256 KiB on 910 and 310P, less 256 bytes)");
		else
			vinci_check(bytes <= vinci_memory_size(h) - at,
				    "TPipe::InitBuffer: more buffers than the local memory has room for");
		used_[(int)h] = at + bytes;
		return at;
	}
	VINCI_A void finish()
	{
		for (uint32_t i = 0; i < queues_; i++) {
			VinciQueue &q = queue_[i];
			for (uint32_t k = 0; k < q.num; k++)
				vinci_end_buffer(
					q.buf[k],
					"\1EnQue without DeQue: the kernel ends with this tensor in its queue",
					"\1FreeTensor is missing: the kernel ends with this tensor not freed");
		}
		pipe_barrier(PIPE_ALL);
	}
	uint32_t used_[(int)Hardware::MAX];
	uint32_t queues_, buffers_;
	bool alive_;
	VinciQueue queue_[vinci_max_queues];
	/* no member is set before InitBuffer does: stores to all of them would cost a cache miss per line */
	union {
		TBufType buffer_[vinci_max_buffers];
	};
};

VINCI_A TPipe *GetTPipePtr()
{
	vinci_check(vinci_state.pipe, "GetTPipePtr: there is no TPipe yet");
	return vinci_state.pipe;
}

template <TPosition src, TPosition dst, int32_t depth, auto mask = 0> class TQueBind {
public:
	static constexpr TPosition srcPosition = src, dstPosition = dst;
	static constexpr pipe_t producer = vinci_producer(src, dst);
	static constexpr pipe_t consumer = dst == TPosition::GM ? vinci_consumer(src) : vinci_consumer(dst);
	static constexpr HardEvent enQueEvent = vinci_event_of(producer, consumer);
	static constexpr HardEvent freeEvent = vinci_event_of(consumer, producer);
	static constexpr TPosition place = dst == TPosition::GM ? src : dst;

	VINCI_A TQueBind() {}
	template <typename T> VINCI_A LocalTensor<T> AllocTensor()
	{
		vinci_check(q_, "AllocTensor: the queue has no buffers: TPipe::InitBuffer comes first");
		for (uint32_t tried = 0; tried < q_->num; tried++) {
			TBufType &b = q_->buf[q_->next];
			q_->next = q_->next + 1 < q_->num ? q_->next + 1 : 0;
			if (b.state != TBufState::FREE)
				continue;
			settle(&b);
			b.state = TBufState::OCCUPIED;
			b.where = vinci_here();
			return tensor<T>(b);
		}
		vinci_fail("AllocTensor: all buffers of the queue are taken; is a FreeTensor missing, or is the queue "
			   "too small?");
		return LocalTensor<T>();
	}
	template <typename T> VINCI_A void AllocTensor(LocalTensor<T> &t) { t = AllocTensor<T>(); }
	template <typename T> VINCI_A bool EnQue(const LocalTensor<T> &t)
	{
		TBufType *b = check(t.handle_, "EnQue: the tensor was not allocated by this queue");
		vinci_check(b->state == TBufState::OCCUPIED || b->state == TBufState::DEQUE,
			    "EnQue: the tensor is not in the kernel's hands (never allocated, freed, or in the queue already)");
		vinci_check(q_->count < q_->num, "EnQue: the queue is full");
		b->state = TBufState::ENQUE;
		b->where = vinci_here();
		if constexpr (producer != consumer) {
			if (b->enQueEvtID < 0) {
				b->enQueEvt = (uint8_t)enQueEvent;
				b->enQueEvtID = GetTPipePtr()->vinci_id_for(enQueEvent, true);
			}
			SetFlag<enQueEvent>(b->enQueEvtID);
		} else {
			pipe_barrier(producer);
		}
		q_->order[q_->tail] = (uint8_t)(b - q_->buf);
		q_->tail = (q_->tail + 1) % QUE_MAX_BUFFERS;
		q_->count++;
		return true;
	}
	template <TPosition a, TPosition b, typename T> VINCI_A bool EnQue(const LocalTensor<T> &t) { return EnQue(t); }
	VINCI_A bool EnQue(TBufHandle h) { return EnQue(tensor<uint8_t>(*h)); }
	template <typename T> VINCI_A LocalTensor<T> DeQue()
	{
		vinci_check(q_ && q_->count > 0, "DeQue: the queue is empty; an EnQue is missing");
		TBufType &b = q_->buf[q_->order[q_->head]];
		q_->head = (q_->head + 1) % QUE_MAX_BUFFERS;
		q_->count--;
		b.state = TBufState::DEQUE;
		b.where = vinci_here();
		if constexpr (producer != consumer)
			WaitFlag<enQueEvent>(b.enQueEvtID);
		return tensor<T>(b);
	}
	template <typename T> VINCI_A void DeQue(LocalTensor<T> &t) { t = DeQue<T>(); }
	template <TPosition a, TPosition b, typename T> VINCI_A LocalTensor<T> DeQue() { return DeQue<T>(); }
	template <typename T> VINCI_A void FreeTensor(const LocalTensor<T> &t) { free(t.handle_); }
	VINCI_A bool HasTensorInQue() const { return q_ && q_->count > 0; }
	VINCI_A int32_t GetTensorCountInQue() const { return q_ ? q_->count : 0; }
	VINCI_A bool VacantInQue() const { return q_ && q_->count < q_->num; }
	VINCI_A bool HasIdleBuffer() const
	{
		for (uint32_t i = 0; q_ && i < q_->num; i++)
			if (q_->buf[i].state == TBufState::FREE)
				return true;
		return false;
	}
	VINCI_A void FreeAllEvent()
	{
		for (uint32_t i = 0; q_ && i < q_->num; i++)
			settle(&q_->buf[i]);
	}
	VINCI_A void vinci_setup(VinciQueue *q) { q_ = q; }

private:
	template <typename T> VINCI_A LocalTensor<T> tensor(TBufType &b)
	{
		LocalTensor<T> t;
		t.pos_ = place;
		t.addr_ = b.address;
		t.size_ = b.dataLen;
		t.handle_ = &b;
		return t;
	}
	VINCI_A TBufType *check(TBufHandle h, const char *sentence)
	{
		vinci_check(q_ && h >= q_->buf && h < q_->buf + q_->num, sentence);
		return h;
	}
	VINCI_A void free(TBufHandle h)
	{
		TBufType *b = check(h, "FreeTensor: the tensor was not allocated by this queue");
		vinci_check(b->state != TBufState::FREE, "FreeTensor: the tensor is free already");
		vinci_check(b->state != TBufState::ENQUE, "FreeTensor: the tensor is in the queue; a DeQue is missing");
		if constexpr (producer != consumer) {
			if (b->freeBufEvtID < 0) {
				b->freeBufEvt = (uint8_t)freeEvent;
				b->freeBufEvtID = GetTPipePtr()->vinci_id_for(freeEvent, false);
			}
			SetFlag<freeEvent>(b->freeBufEvtID);
			b->freePending = true;
		}
		b->state = TBufState::FREE;
	}
	static VINCI_A void settle(TBufType *b)
	{
		if constexpr (producer != consumer) {
			if (!b->freePending)
				return;
			WaitFlag<freeEvent>(b->freeBufEvtID);
			b->freePending = false;
		}
	}
	VinciQueue *q_ = nullptr;
};

/* A queue of one position: the data come from GM, or go there. */
template <TPosition pos, int32_t depth, auto mask = 0> class TQue : public TQueBind<TPosition::GM, pos, depth, mask> { };
template <TPosition pos, int32_t depth = 1, auto mask = 0> class TSCM : public TQueBind<pos, TPosition::TSCM, depth, mask> { };

template <TPosition pos> class TBuf {
public:
	VINCI_A TBuf() {}
	template <typename T> VINCI_A LocalTensor<T> Get()
	{
		vinci_check(len_, "TBuf::Get: the buffer has no memory: TPipe::InitBuffer comes first");
		return LocalTensor<T>(pos, addr_, len_ * 8 / vinci_bits_of<T>);
	}
	template <typename T> VINCI_A LocalTensor<T> Get(uint32_t count)
	{
		vinci_check(vinci_bytes_of<T>(count) <= len_, "TBuf::Get: more elements than the buffer holds");
		return LocalTensor<T>(pos, addr_, count);
	}
	template <typename T> VINCI_A LocalTensor<T> GetWithOffset(uint32_t count, uint32_t offset_bytes)
	{
		vinci_check(vinci_bytes_of<T>(count) + offset_bytes <= len_, "TBuf::GetWithOffset: behind the end of the buffer");
		return LocalTensor<T>(pos, addr_ + offset_bytes, count);
	}
	template <typename T> VINCI_A void EnQue(const LocalTensor<T> &) {}
	template <typename T> VINCI_A LocalTensor<T> DeQue() { return Get<T>(); }
	template <typename T> VINCI_A LocalTensor<T> AllocTensor() { return Get<T>(); }
	template <typename T> VINCI_A void FreeTensor(LocalTensor<T> &) {}
	VINCI_A uint32_t GetBufLen() const { return len_; }
	VINCI_A void vinci_setup(uint32_t addr, uint32_t len)
	{
		addr_ = addr;
		len_ = len;
	}

private:
	uint32_t addr_ = 0, len_ = 0;
};

/* Bump allocation without a TPipe. */
template <Hardware hw> class LocalMemAllocator {
public:
	template <TPosition pos, typename T, uint32_t count> VINCI_A LocalTensor<T> Alloc() { return Alloc<pos, T>(count); }
	template <TPosition pos, typename T> VINCI_A LocalTensor<T> Alloc(uint32_t count)
	{
		uint32_t bytes = AlignUp((uint32_t)vinci_bytes_of<T>(count), ONE_BLK_SIZE);
		vinci_check(bytes <= vinci_memory_size(hw) - at_, "LocalMemAllocator::Alloc: the memory has no room for this");
		LocalTensor<T> t(pos, at_, count);
		at_ += bytes;
		return t;
	}
	VINCI_A uint32_t GetCurAddr() const { return at_; }

private:
	uint32_t at_ = 0;
};
} // namespace AscendC
#endif
