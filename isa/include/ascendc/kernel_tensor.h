/*
 * kernel_tensor.h - LocalTensor and GlobalTensor: a typed place in a local buffer or in global memory.
 */
#ifndef VINCI_ASCENDC_TENSOR_H
#define VINCI_ASCENDC_TENSOR_H

namespace AscendC {

/* A buffer of a queue, as TPipe::InitBuffer makes it. */
enum class TBufState : uint8_t { FREE, OCCUPIED, ENQUE, DEQUE };
struct TBufType {
	uint32_t address = 0, dataLen = 0;
	TBufState state = TBufState::FREE;
	/* a buffer keeps its ids: set again only behind the other pipe's wait, so that no set is lost */
	int8_t enQueEvtID = -1, freeBufEvtID = -1;
	uint8_t enQueEvt = 0, freeBufEvt = 0; /* HardEvent */
	bool freePending = false;             /* freed, and nobody has waited for that yet */
	uint32_t userTag = 0;
	uint64_t where = 0; /* pc of the last AllocTensor, EnQue or DeQue */
};
using TBufHandle = TBufType *;


constexpr bool vinci_is_ub(TPosition p)
{
	return p == TPosition::VECIN || p == TPosition::VECOUT || p == TPosition::VECCALC || (p == TPosition::CO2) ||
	       p == TPosition::MAX;
}
constexpr bool vinci_is_l1(TPosition p)
{
	return p == TPosition::A1 || p == TPosition::B1 || p == TPosition::C1 || p == TPosition::TSCM || p == TPosition::SPM;
}

template <typename T> class LocalTensor {
public:
	using PrimType = T;
	VINCI_A LocalTensor() {}
	VINCI_A LocalTensor(TPosition pos, uint32_t addr, uint32_t count)
	    : pos_(pos), addr_(addr), size_((uint32_t)vinci_bytes_of<T>(count))
	{
	}
	VINCI_A explicit LocalTensor(uint32_t addr) : addr_(addr) {}
	VINCI_A uint64_t GetPhyAddrOf() const { return addr_; }
	VINCI_A __ubuf__ T *GetPhyAddr() const { return (__ubuf__ T *)(uint64_t)addr_; }
	VINCI_A __ubuf__ T *GetPhyAddr(uint32_t offset) const
	{
		return (__ubuf__ T *)((uint64_t)addr_ + vinci_bytes_of<T>(offset));
	}
	VINCI_A T GetValue(uint32_t i) const
	{
		inside(i, "LocalTensor::GetValue: the index is behind the end of the tensor");
		vinci_scalar_read();
		return GetPhyAddr()[i];
	}
	template <typename U> VINCI_A void SetValue(uint32_t i, const U value) const
	{
		inside(i, "LocalTensor::SetValue: the index is behind the end of the tensor");
		vinci_scalar_write();
		GetPhyAddr()[i] = (T)value;
	}
	struct Ref {
		__ubuf__ T *p;
		VINCI_A operator T() const { return *p; }
		VINCI_A const Ref &operator=(T v) const
		{
			vinci_state.scalar_wrote = true;
			*p = v;
			return *this;
		}
		VINCI_A const Ref &operator=(const Ref &o) const { return *this = (T)o; }
	};
	VINCI_A Ref operator()(uint32_t i) const
	{
		inside(i, "LocalTensor: the index is behind the end of the tensor");
		vinci_scalar_read();
		return Ref{ GetPhyAddr() + i };
	}
	VINCI_A LocalTensor operator[](uint32_t offset) const
	{
		LocalTensor t = *this;
		uint32_t bytes = (uint32_t)vinci_bytes_of<T>(offset);
		t.addr_ += bytes;
		t.size_ = bytes < size_ ? size_ - bytes : 0;
		return t;
	}
	template <typename U> VINCI_A LocalTensor<U> ReinterpretCast() const
	{
		LocalTensor<U> t;
		t.pos_ = pos_;
		t.addr_ = addr_;
		t.size_ = size_;
		t.handle_ = handle_;
		return t;
	}
	VINCI_A uint32_t GetSize() const { return (uint32_t)((uint64_t)size_ * 8 / vinci_bits_of<T>); }
	VINCI_A uint32_t GetLength() const { return size_; }
	VINCI_A void SetSize(uint32_t count) { size_ = (uint32_t)vinci_bytes_of<T>(count); }
	VINCI_A void SetBufferLen(uint32_t count) { SetSize(count); }
	VINCI_A void SetAddrWithOffset(LocalTensor<T> &from, uint32_t offset) { *this = from[offset]; }
	template <typename U> VINCI_A void SetAddrWithOffset(LocalTensor<U> &from, uint32_t offset)
	{
		*this = from.template ReinterpretCast<T>()[offset];
	}
	VINCI_A void SetAddr(uint32_t offset) { addr_ += (uint32_t)vinci_bytes_of<T>(offset); }
	VINCI_A int32_t GetPosition() const { return (int32_t)pos_; }
	VINCI_A void SetUserTag(uint32_t tag)
	{
		if (handle_)
			handle_->userTag = tag;
	}
	VINCI_A uint32_t GetUserTag() const { return handle_ ? handle_->userTag : 0; }
	/* library calls of these headers take shapes as arguments; a tensor does not carry one */
	VINCI_A void SetShapeInfo(const ShapeInfo &) {}
	template <typename V = T>
	ShapeInfo GetShapeInfo() const __attribute__((unavailable("Vinci does not model AscendC::GetShapeInfo yet")));
	VINCI_A TBufHandle GetBufferHandle() const { return handle_; }
	VINCI_A void operator=(const LocalTensor<T> &o)
	{
		pos_ = o.pos_;
		addr_ = o.addr_;
		size_ = o.size_;
		handle_ = o.handle_;
	}
	VINCI_A LocalTensor(const LocalTensor<T> &o) : pos_(o.pos_), addr_(o.addr_), size_(o.size_), handle_(o.handle_) {}
	/* z = x + y and the like: kernel_vec.h */
	template <typename Op> VINCI_A auto operator=(const Op &op) -> decltype(op.vinci_assign(*this), void())
	{
		op.vinci_assign(*this);
	}

	TPosition pos_ = TPosition::MAX;
	uint32_t addr_ = 0, size_ = 0; /* bytes */
	TBufHandle handle_ = nullptr;

private:
	VINCI_A void inside(uint32_t i, const char *sentence) const
	{
		vinci_check(size_ == 0 || vinci_bytes_of<T>((uint64_t)i + 1) <= size_, sentence);
	}
};

template <typename T> class GlobalTensor {
public:
	using PrimType = T;
	VINCI_A void SetGlobalBuffer(__gm__ T *p, uint64_t count)
	{
		p_ = p;
		count_ = count;
	}
	VINCI_A void SetGlobalBuffer(__gm__ T *p)
	{
		p_ = p;
		count_ = 0;
	}
	VINCI_A const __gm__ T *GetPhyAddr() const { return p_; }
	VINCI_A __gm__ T *GetPhyAddr(uint64_t offset) const
	{
		return (__gm__ T *)((uint64_t)p_ + vinci_bytes_of<T>(offset));
	}
	VINCI_A T GetValue(uint64_t i) const { return p_[i]; }
	VINCI_A T &operator()(uint64_t i) const { return p_[i]; }
	VINCI_A void SetValue(uint64_t i, T value) { p_[i] = value; }
	VINCI_A uint64_t GetSize() const { return count_; }
	VINCI_A GlobalTensor operator[](uint64_t offset) const
	{
		GlobalTensor t = *this;
		t.p_ = GetPhyAddr(offset);
		t.count_ = offset < count_ ? count_ - offset : 0;
		return t;
	}
	template <typename U> VINCI_A GlobalTensor<U> ReinterpretCast() const
	{
		GlobalTensor<U> t;
		t.p_ = (__gm__ U *)p_;
		t.count_ = count_ * vinci_bits_of<T> / vinci_bits_of<U>;
		return t;
	}
	/* library calls of these headers take shapes as arguments; a tensor does not carry one */
	VINCI_A void SetShapeInfo(const ShapeInfo &) {}
	template <typename V = T>
	ShapeInfo GetShapeInfo() const __attribute__((unavailable("Vinci does not model AscendC::GetShapeInfo yet")));
	template <CacheRwMode rw = CacheRwMode::RW> VINCI_A void SetL2CacheHint(CacheMode) {}

	__gm__ T *p_ = nullptr;
	uint64_t count_ = 0; /* elements; 0: not said */
};

/* Addresses as the intrinsics want them. */
/* Costs nothing where the compiler does not know the position, and finds the mistake where it does. */
#define VINCI_MUST_BE(good, t, sentence)                                                                               \
	if (__builtin_constant_p((t).pos_) && !(good))                                                                 \
	vinci_fail(sentence)
#define VINCI_IN_UB(t)                                                                                                 \
	VINCI_MUST_BE(vinci_is_ub((t).pos_), t,                                                                        \
		      "a vector call or copy takes tensors of the unified buffer (VECIN, VECOUT, VECCALC); this one is "\
		      "in another memory")
template <typename T, typename U> VINCI_A __ubuf__ T *vinci_ub(const LocalTensor<U> &t)
{
	VINCI_IN_UB(t);
	return (__ubuf__ T *)(uint64_t)t.addr_;
}
template <typename T, typename U> VINCI_A __ubuf__ T *vinci_ub(const LocalTensor<U> &t, uint32_t bytes)
{
	VINCI_IN_UB(t);
	return (__ubuf__ T *)((uint64_t)t.addr_ + bytes);
}

} // namespace AscendC
#endif
