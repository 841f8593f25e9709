/*
 * kernel_matmul.h - the Matmul object over TCubeTiling, on 910B.
 *
 *   cube only (ASCENDC_CUBE_ONLY, or code of the cube core): the object computes where it is called.
 *   mixed: the vector cores keep the object and send what to compute to the cube core of their block through the system region
 *   (gm.h): a message of 32 words per vector core; the cube core serves both until both have said that they end. A result that
 *   is wanted in UB, and matrices that lie there, go through places of their own in that region, as the library's go through GM.
 *
 * One tile baseM x baseN: both operands through L1 in steps of baseK, two stages each for L1 and L0, then fixpipe to rows.
 */
#ifndef VINCI_ASCENDC_MATMUL_H
#define VINCI_ASCENDC_MATMUL_H

enum class IterateMode : uint8_t {
	ITERATE_MODE_NORMAL,
	ITERATE_MODE_ALL,
	ITERATE_MODE_BATCH,
	ITERATE_MODE_N_BATCH,
	ITERATE_MODE_DEFAULT
};
enum class IterateOrder { ORDER_M = 0, ORDER_N, UNDEF };
enum class LayoutMode { NONE = 0, BSNGD, SBNGD, BNGS1S2, NORMAL };

namespace AscendC {

template <TPosition position, CubeFormat form, typename type, bool trans = false,
	  LayoutMode layoutMode = LayoutMode::NONE, bool ibShare = false>
struct MatmulType {
	static constexpr TPosition pos = position;
	static constexpr CubeFormat format = form;
	using T = type;
	static constexpr bool isTrans = trans;
	static constexpr LayoutMode layout = layoutMode;
};
struct MatmulConfig {
	bool doNorm = true, doBasicBlock = false, doMultiDataLoad = false;
	uint32_t basicM = 0, basicN = 0, basicK = 0;
	bool intrinsicsCheck = false, isNBatch = false, enVecND2NZ = false, doSpecialBasicBlock = false;
	uint32_t doMTE2Preload = 0;
	uint32_t singleCoreM = 0, singleCoreN = 0, singleCoreK = 0, stepM = 0, stepN = 0, baseMN = 0;
	bool enUnitFlag = false, isPerTensor = false, hasAntiQuantOffset = false;
	IterateOrder iterateOrder = IterateOrder::UNDEF;
};
constexpr MatmulConfig CFG_NORM = {}, CFG_MDL = {}, CFG_IBSHARE_NORM = {}, MM_CFG_BB = {};
constexpr MatmulConfig GetNormalConfig() { return MatmulConfig{}; }
constexpr MatmulConfig GetMDLConfig() { return MatmulConfig{}; }
template <typename... A> constexpr MatmulConfig GetMMConfig(A...) { return MatmulConfig{}; }

constexpr uint64_t vinci_mm_messages = 0x1C0800000 + 8192, vinci_mm_words = 32, vinci_mm_tiles = 0x1C0900000,
		   vinci_mm_tile_bytes = 256 * 1024;
/* per core: a matrix A, a matrix B and a bias that lay in UB; each matrix may fill it */
constexpr uint64_t vinci_mm_inputs = 0x1C2000000, vinci_mm_input_b = 192 * 1024, vinci_mm_input_bias = 2 * vinci_mm_input_b,
		   vinci_mm_input_bytes = vinci_mm_input_bias + 32 * 1024;
enum { VINCI_MM_NONE, VINCI_MM_WORK, VINCI_MM_END };
/* what to compute: rows [m0, m0 + m) x columns [n0, n0 + n) of C, in tiles */
struct VinciMmJob {
	uint64_t a, b, bias, c;
	uint32_t pitch_a, pitch_b, pitch_c; /* elements of a row as it lies in GM */
	uint32_t trans_a, trans_b, m0, n0, m, n, k, base_m, base_n, base_k, order, atomic, format_c;
	uint32_t rows_a, rows_b, rows_c;    /* of NZ matrices */
	uint32_t object;
};
static_assert(sizeof(VinciMmJob) <= (vinci_mm_words - 2) * 8, "a message holds a job");

struct VinciMmState {
	bool mixed, sent;
	uint32_t objects;
};
static VinciMmState vinci_mm;

VINCI_A __gm__ uint64_t *vinci_mm_slot(int64_t sub)
{
	return (__gm__ uint64_t *)(vinci_mm_messages + (uint64_t)(get_block_idx() * 2 + sub) * vinci_mm_words * 8);
}

#if VINCI_ARCH == 4 && VINCI_CORE == 1
template <typename T>
VINCI_A void vinci_mm_to_l1(uint32_t l1, const T *gm, uint32_t rows, uint32_t cols, uint32_t pitch, bool nz,
			    uint32_t nz_rows, uint32_t rows_up)
{
	LocalTensor<T> to(TPosition::A1, l1, 0);
	GlobalTensor<T> from;
	from.SetGlobalBuffer((T *)gm);
	if (nz) {
		constexpr uint32_t c0 = 32 / sizeof(T);
		DataCopy(to, from,
			 DataCopyParams((uint16_t)DivCeil(cols, c0), (uint16_t)rows_up, (uint16_t)(nz_rows - rows_up),
					0));
		return;
	}
	if (pitch <= 65535) {
		DataCopy(to, from, Nd2NzParams(1, (uint16_t)rows, (uint16_t)cols, 0, (uint16_t)pitch, (uint16_t)rows_up, 1, 0));
		return;
	}
	/* a row pitch beyond its field: row by row */
	for (uint32_t r = 0; r < rows; r++) {
		from.SetGlobalBuffer((T *)gm + (uint64_t)r * pitch);
		DataCopy(to[r * 32 / sizeof(T)], from,
			 Nd2NzParams(1, 1, (uint16_t)cols, 0, (uint16_t)cols, (uint16_t)rows_up, 1, 0));
	}
}

/* One tile; A, B: element types; C in L0C as T_c. Flags: stage 0/1 of L1 and L0. */
template <typename TA, typename TB, typename TL, typename TC, typename TBias>
VINCI_A void vinci_mm_tile(const VinciMmJob &j, bool nz_a, bool nz_b, uint32_t m0, uint32_t n0, uint32_t m, uint32_t n)
{
	constexpr uint32_t c0 = 32 / sizeof(TA), k_unit = sizeof(TA) == 4 ? 16 : c0;
	constexpr uint32_t l1_half = TOTAL_L1_SIZE / 2 - 4096, l0_half = TOTAL_L0A_SIZE / 2;
	uint32_t m_up = AlignUp(m, 16u), n_up = AlignUp(n, sizeof(TB) == 1 ? 32u : 16u);
	uint32_t fit = l0_half / ((m_up > n_up ? m_up : n_up) * (uint32_t)sizeof(TA)) / k_unit * k_unit,
		 step = AlignUp(j.base_k, k_unit);
	vinci_check(fit > 0, "Matmul: baseM or baseN of the tiling is too large for L0");
	if (step > fit || step == 0)
		step = fit;
	bool first = true;
	uint32_t stage = 0;
	LocalTensor<TL> l0c(TPosition::CO1, 0, 0);
	if (j.bias) {
		GlobalTensor<TBias> from;
		from.SetGlobalBuffer((TBias *)j.bias + n0);
		LocalTensor<TBias> c1(TPosition::C1, 2 * l1_half, 0);
		DataCopy(c1, from, Nd2NzParams(1, 1, (uint16_t)n, 0, (uint16_t)n, 1, 1, 0));
		set_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID2);
		wait_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID2);
		copy_cbuf_to_bt(0, (__cbuf__ void *)(uint64_t)(2 * l1_half), (uint16_t)(sizeof(TBias) == 2), 1,
				(uint16_t)DivCeil(n * 4, 64u), 0, 0);
		set_flag(PIPE_MTE1, PIPE_M, EVENT_ID2);
		wait_flag(PIPE_MTE1, PIPE_M, EVENT_ID2);
	}
	for (uint32_t s = 0; s < 2; s++) {
		set_flag(PIPE_MTE1, PIPE_MTE2, (event_t)s);
		set_flag(PIPE_M, PIPE_MTE1, (event_t)s);
	}
	for (uint32_t k0 = 0; k0 < j.k; k0 += step) {
		uint32_t k = j.k - k0 < step ? j.k - k0 : step, k_up = AlignUp(k, k_unit);
		uint32_t l1_a = stage * l1_half, l1_b = l1_a + AlignUp(m_up * k_up * (uint32_t)sizeof(TA), 512u),
			 l0 = stage * l0_half;
		wait_flag(PIPE_MTE1, PIPE_MTE2, (event_t)stage);
		/* A: M x K, or K x M when transposed */
		const TA *a = (const TA *)j.a;
		const TB *b = (const TB *)j.b;
		if (nz_a)
			a += j.trans_a ? (uint64_t)(m0 / c0) * j.rows_a * c0 + k0 * c0
				       : (uint64_t)(k0 / c0) * j.rows_a * c0 + m0 * c0;
		else
			a += j.trans_a ? (uint64_t)k0 * j.pitch_a + m0 : (uint64_t)m0 * j.pitch_a + k0;
		if (j.trans_a)
			vinci_mm_to_l1<TA>(l1_a, a, k, m, j.pitch_a, nz_a, j.rows_a, k_up);
		else
			vinci_mm_to_l1<TA>(l1_a, a, m, k, j.pitch_a, nz_a, j.rows_a, m_up);
		if (nz_b)
			b += j.trans_b ? (uint64_t)(k0 / c0) * j.rows_b * c0 + n0 * c0
				       : (uint64_t)(n0 / c0) * j.rows_b * c0 + k0 * c0;
		else
			b += j.trans_b ? (uint64_t)n0 * j.pitch_b + k0 : (uint64_t)k0 * j.pitch_b + n0;
		if (j.trans_b)
			vinci_mm_to_l1<TB>(l1_b, b, n, k, j.pitch_b, nz_b, j.rows_b, n_up);
		else if (sizeof(TB) == 4) /* 16 rows at a time, so that the two fractals of a square are neighbours */
			for (uint32_t r = 0; r < k; r += 16)
				vinci_mm_to_l1<TB>(l1_b + r * n_up * 4, b + (uint64_t)r * j.pitch_b,
						   k - r < 16 ? k - r : 16, n, j.pitch_b, false, 0, 16);
		else
			vinci_mm_to_l1<TB>(l1_b, b, k, n, j.pitch_b, nz_b, j.rows_b, k_up);
		set_flag(PIPE_MTE2, PIPE_MTE1, (event_t)stage);
		wait_flag(PIPE_MTE2, PIPE_MTE1, (event_t)stage);
		wait_flag(PIPE_M, PIPE_MTE1, (event_t)stage);
		uint32_t k1 = k_up / c0, m1 = m_up / 16, n1 = n_up / 16;
		LocalTensor<TA> a1(TPosition::A1, l1_a, 0), a2(TPosition::A2, l0, 0);
		LocalTensor<TB> b1(TPosition::B1, l1_b, 0), b2(TPosition::B2, l0, 0);
		if (j.trans_a) {
			vinci_check(sizeof(TA) == 2, "Matmul: a transposed A of 1 or 4 bytes per element is not modelled yet");
			LoadData(a2, a1, LoadData2DParams(0, (uint8_t)(m1 * k1), 1, 0, 0, sizeof(TA) == 2, 0));
		} else {
			for (uint32_t i = 0; i < m1; i++)
				LoadData(a2[i * k1 * 16 * c0], a1,
					 LoadData2DParams((uint16_t)i, (uint8_t)k1, (uint16_t)m1, 0, 0, false, 0));
		}
		if (j.trans_b) {
			for (uint32_t i = 0; i < k1; i++)
				LoadData(b2[i * n1 * 16 * c0], b1,
					 LoadData2DParams((uint16_t)(i * n1), (uint8_t)n1, 1, 0, 0, false, 0));
		} else if constexpr (sizeof(TB) == 2) {
			for (uint32_t i = 0; i < k1; i++)
				LoadData(b2[i * n1 * 16 * c0], b1,
					 LoadData2DParams((uint16_t)i, (uint8_t)n1, (uint16_t)k1, 0, 0, true, 0));
		} else if constexpr (sizeof(TB) == 1) {
			for (uint32_t i = 0; i < k1; i++)
				LoadDataWithTranspose(
					b2[i * n1 * 16 * c0], b1,
					LoadData2dTransposeParams((uint16_t)i, (uint8_t)(n1 / 2), (uint16_t)k1, 1, 0));
		} else {
			for (uint32_t i = 0; i < k_up / 16; i++)
				LoadDataWithTranspose(b2[2 * i * n1 * 16 * c0], b1,
						      LoadData2dTransposeParams((uint16_t)(i * n1), (uint8_t)n1, 1, 0,
										(uint16_t)(n1 - 1)));
		}
		set_flag(PIPE_MTE1, PIPE_MTE2, (event_t)stage);
		set_flag(PIPE_MTE1, PIPE_M, (event_t)stage);
		wait_flag(PIPE_MTE1, PIPE_M, (event_t)stage);
		/* m = 1 would be a matrix-vector product with another layout of A */
		MmadParams p((uint16_t)(m == 1 ? 16 : m), (uint16_t)n_up, (uint16_t)k, 0, first && j.bias, first && !j.bias);
		mad((__cc__ TL *)0, (__ca__ TA *)(uint64_t)l0, (__cb__ TB *)(uint64_t)l0, p.m, p.k, p.n, 0,
		    sizeof(TA) == 4, p.cmatrixSource, p.cmatrixInitVal);
		if (m1 * n1 < 10)
			pipe_barrier(PIPE_M);
		set_flag(PIPE_M, PIPE_MTE1, (event_t)stage);
		first = false;
		stage ^= 1;
	}
	for (uint32_t s = 0; s < 2; s++) {
		wait_flag(PIPE_MTE1, PIPE_MTE2, (event_t)s);
		wait_flag(PIPE_M, PIPE_MTE1, (event_t)s);
	}
	set_flag(PIPE_M, PIPE_FIX, EVENT_ID0);
	wait_flag(PIPE_M, PIPE_FIX, EVENT_ID0);
	GlobalTensor<TC> out;
	FixpipeParamsV220 fix((uint16_t)n, (uint16_t)m, (uint16_t)m_up, j.pitch_c, false);
	fix.quantPre = std::is_same<TC, half>::value && std::is_same<TL, float>::value ? F322F16
		       : std::is_same<TC, bfloat16_t>::value			       ? F322BF16
										       : NoQuant;
	if (j.format_c) {
		fix.nSize = (uint16_t)AlignUp(n, 16u);
		fix.dstStride = j.rows_c * 16 * (uint32_t)sizeof(TC) / 32;
		out.SetGlobalBuffer((TC *)j.c + (uint64_t)(n0 / 16) * j.rows_c * 16 + m0 * 16);
		Fixpipe<TC, TL, CFG_NZ>(out, l0c, fix);
	} else {
		out.SetGlobalBuffer((TC *)j.c + (uint64_t)(m0 - j.m0) * j.pitch_c + (n0 - j.n0));
		Fixpipe<TC, TL, CFG_ROW_MAJOR>(out, l0c, fix);
	}
	set_flag(PIPE_FIX, PIPE_M, EVENT_ID0);
	wait_flag(PIPE_FIX, PIPE_M, EVENT_ID0);
}
#endif

template <class A_TYPE, class B_TYPE, class C_TYPE, class BIAS_TYPE = C_TYPE, const MatmulConfig &CFG = CFG_NORM,
	  class... More>
class Matmul
{
      public:
	using AT = typename A_TYPE::T;
	using BT = typename B_TYPE::T;
	using CT = typename C_TYPE::T;
	using BiasT = typename BIAS_TYPE::T;
	using LT = std::conditional_t<std::is_same<AT, int8_t>::value, int32_t, float>;
	static_assert(VINCI_ARCH == 4, "Vinci models the Matmul object on 910B (c220) only; on 910 and 310P use Mmad");
	static constexpr bool local_a = A_TYPE::pos != TPosition::GM, local_b = B_TYPE::pos != TPosition::GM;
	static_assert((!local_a || vinci_is_ub(A_TYPE::pos)) && (!local_b || vinci_is_ub(B_TYPE::pos)),
		      "Vinci models the Matmul object with A and B in GM or UB (VECIN, VECOUT, VECCALC), not in L1 (TSCM)");

	VINCI_A Matmul() {}
	VINCI_A void Init(const TCubeTiling *tiling, TPipe * = nullptr)
	{
		if (!tiling)
			return;
		t_ = *tiling;
		M_ = (uint32_t)t_.M;
		N_ = (uint32_t)t_.N;
		Ka_ = (uint32_t)t_.Ka;
		Kb_ = (uint32_t)t_.Kb;
		Nc_ = N_;
		m_ = (uint32_t)t_.singleCoreM;
		n_ = (uint32_t)t_.singleCoreN;
		k_ = (uint32_t)t_.singleCoreK;
		restart();
	}
	VINCI_A void SetOrgShape(int orgM, int orgN, int orgK) { SetOrgShape(orgM, orgN, orgK, orgK, orgN); }
	VINCI_A void SetOrgShape(int orgM, int orgN, int orgKa, int orgKb, int orgKc = 0)
	{
		M_ = (uint32_t)orgM;
		N_ = (uint32_t)orgN;
		Ka_ = (uint32_t)orgKa;
		Kb_ = (uint32_t)orgKb;
		Nc_ = orgKc ? (uint32_t)orgKc : N_;
	}
	VINCI_A void SetSingleShape(int m, int n, int k) { SetTail(m, n, k); }
	VINCI_A void SetTail(int m = -1, int n = -1, int k = -1)
	{
		m_ = m >= 0 ? (uint32_t)m : m_;
		n_ = n >= 0 ? (uint32_t)n : n_;
		k_ = k >= 0 ? (uint32_t)k : k_;
	}
	VINCI_A void SetTensorA(const GlobalTensor<AT> &a, bool trans = false)
	{
		static_assert(!local_a, "Matmul::SetTensorA: the type says that A is in UB, this one is in GM");
		a_ = (uint64_t)a.p_;
		trans_a_ = trans;
		restart();
	}
	VINCI_A void SetTensorB(const GlobalTensor<BT> &b, bool trans = false)
	{
		static_assert(!local_b, "Matmul::SetTensorB: the type says that B is in UB, this one is in GM");
		b_ = (uint64_t)b.p_;
		trans_b_ = trans;
		restart();
	}
	VINCI_A void SetBias(const GlobalTensor<BiasT> &bias)
	{
		bias_ = (uint64_t)bias.p_;
		restart();
	}
	/* matrices of the single-core shape in UB */
	VINCI_A void SetTensorA(const LocalTensor<AT> &a, bool trans = false)
	{
		static_assert(local_a, "Matmul::SetTensorA: the type says that A is in GM, this one is local");
		rows_local_a_ = trans ? k_ : m_;
		cols_local_a_ = trans ? m_ : k_;
		a_ = to_gm(a, 0, local_count<AT>(A_TYPE::format, rows_local_a_, cols_local_a_));
		trans_a_ = trans;
		restart();
	}
	VINCI_A void SetTensorB(const LocalTensor<BT> &b, bool trans = false)
	{
		static_assert(local_b, "Matmul::SetTensorB: the type says that B is in GM, this one is local");
		rows_local_b_ = trans ? n_ : k_;
		cols_local_b_ = trans ? k_ : n_;
		b_ = to_gm(b, vinci_mm_input_b, local_count<BT>(B_TYPE::format, rows_local_b_, cols_local_b_));
		trans_b_ = trans;
		restart();
	}
	VINCI_A void SetBias(const LocalTensor<BiasT> &bias)
	{
		vinci_check(n_ * sizeof(BiasT) <= vinci_mm_input_bytes - vinci_mm_input_bias,
			    "Matmul::SetBias: a local bias of more than 32 KiB");
		bias_ = to_gm(bias, vinci_mm_input_bias, n_);
		restart();
	}
	VINCI_A void ClearBias() { bias_ = 0; }
	VINCI_A void DisableBias() { bias_ = 0; }
	VINCI_A void SetWorkspace(GM_ADDR) {}
	template <typename T> VINCI_A void SetWorkspace(GlobalTensor<T> &) {}
	template <typename T> VINCI_A void SetLocalWorkspace(const LocalTensor<T> &) {}
	VINCI_A void SetSubBlockIdx(uint8_t) {}
	VINCI_A void SetHF32(bool on = false, int32_t mode = 0)
	{
#if VINCI_ARCH == 4
		SetHF32Mode(on);
		SetHF32TransMode(mode == 1);
#endif
	}
	/* the next tile; false when there is none */
	template <bool sync = true> VINCI_A bool Iterate(bool enPartialSum = false)
	{
		(void)enPartialSum;
		uint32_t tiles_m = DivCeil(m_, base_m()), tiles_n = DivCeil(n_, base_n());
		if (started_)
			tile_++;
		started_ = true;
		if (tile_ >= tiles_m * tiles_n) {
			restart();
			return false;
		}
		if (t_.iterateOrder == (int)IterateOrder::ORDER_N) {
			cur_m_ = tile_ / tiles_n * base_m();
			cur_n_ = tile_ % tiles_n * base_n();
		} else {
			cur_m_ = tile_ % tiles_m * base_m();
			cur_n_ = tile_ / tiles_m * base_n();
		}
		return true;
	}
	template <bool sync = true>
	VINCI_A void GetTensorC(const GlobalTensor<CT> &gm, uint8_t enAtomic = 0, bool enSequentialWrite = false)
	{
		VinciMmJob j = tile_job(enAtomic);
		if (enSequentialWrite) {
			j.c = (uint64_t)gm.p_;
			j.pitch_c = base_n();
			j.rows_c = base_m();
		} else {
			j.c = (uint64_t)(gm.p_ + (C_TYPE::format == CubeFormat::NZ ? 0 : (uint64_t)cur_m_ * Nc_ + cur_n_));
		}
		run(j);
	}
	/* to UB, as rows of baseN elements (ND) or NZ */
	template <bool sync = true>
	VINCI_A void GetTensorC(const LocalTensor<CT> &co, uint8_t enAtomic = 0, bool enSequentialWrite = false)
	{
		(void)enSequentialWrite;
		VinciMmJob j = tile_job(enAtomic);
		uint64_t place = vinci_mm_tiles + (uint64_t)get_coreid() * vinci_mm_tile_bytes;
		uint32_t rows = AlignUp(j.m, 16u);
		vinci_check(base_m() * base_n() * sizeof(CT) <= vinci_mm_tile_bytes,
			    "Matmul::GetTensorC: a tile of more than 256 KiB");
		j.c = place;
		j.pitch_c = base_n();
		j.rows_c = rows;
		vinci_check(C_TYPE::format == CubeFormat::ND, "Matmul::GetTensorC to a local tensor: Vinci models rows (ND)");
		run(j);
		GlobalTensor<CT> from;
		from.SetGlobalBuffer((CT *)place);
		set_flag(PIPE_S, PIPE_MTE2, EVENT_ID7);
		wait_flag(PIPE_S, PIPE_MTE2, EVENT_ID7);
		uint32_t count = j.m * base_n();
		DataCopy(co, from, AlignUp(count, (uint32_t)(32 / sizeof(CT))));
		if constexpr (sync) {
			set_flag(PIPE_MTE2, PIPE_V, EVENT_ID7);
			wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID7);
		}
	}
	template <bool sync = true>
	VINCI_A void IterateAll(const GlobalTensor<CT> &gm, uint8_t enAtomic = 0, bool enSequentialWrite = false,
				bool waitIterateAll = false, bool fakeMsg = false)
	{
		(void)enSequentialWrite;
		(void)waitIterateAll;
		(void)fakeMsg;
		VinciMmJob j = job(0, 0, m_, n_, enAtomic);
		j.c = (uint64_t)gm.p_;
		run(j);
		restart();
	}
	template <bool sync = true> VINCI_A void IterateAll(const LocalTensor<CT> &co, uint8_t enAtomic = 0)
	{
		vinci_check(m_ <= base_m() && n_ <= base_n(),
			    "Matmul::IterateAll to a local tensor: the result must be one tile");
		Iterate();
		GetTensorC(co, enAtomic);
		restart();
	}
	VINCI_A void WaitIterateAll() {}
	VINCI_A void WaitGetTensorC() {}
	VINCI_A void AsyncGetTensorC(const LocalTensor<CT> &c) { GetTensorC(c); }
	VINCI_A void End() {}
	VINCI_A uint32_t GetCurrentM() const { return cur_m_; }

	VINCI_A void vinci_id(uint32_t id) { id_ = id; }
	VINCI_A uint32_t vinci_object() const { return id_; }
	/* on the cube core */
	VINCI_A void vinci_exec(const VinciMmJob &j)
	{
#if VINCI_ARCH == 4 && VINCI_CORE == 1
		uint32_t tiles_m = DivCeil(j.m, j.base_m), tiles_n = DivCeil(j.n, j.base_n);
		if (j.atomic)
			SetAtomicAdd<CT>();
		for (uint32_t i = 0; i < tiles_m * tiles_n; i++) {
			uint32_t m0 = j.order ? i / tiles_n : i % tiles_m, n0 = j.order ? i % tiles_n : i / tiles_m;
			uint32_t m = j.m - m0 * j.base_m, n = j.n - n0 * j.base_n;
			vinci_mm_tile<AT, BT, LT, CT, BiasT>(j, A_TYPE::format == CubeFormat::NZ,
							     B_TYPE::format == CubeFormat::NZ, j.m0 + m0 * j.base_m,
							     j.n0 + n0 * j.base_n, m < j.base_m ? m : j.base_m,
							     n < j.base_n ? n : j.base_n);
		}
		if (j.atomic)
			SetAtomicNone();
#else
		(void)j;
#endif
	}

private:
	template <typename T> static constexpr uint32_t local_count(CubeFormat format, uint32_t rows, uint32_t cols)
	{
		return format == CubeFormat::NZ ? AlignUp(rows, 16u) * AlignUp(cols, (uint32_t)(32 / sizeof(T))) : rows * cols;
	}
	/* count elements of UB to this core's place in GM, where the cube core can read them */
	template <typename T> VINCI_A uint64_t to_gm(const LocalTensor<T> &t, uint64_t offset, uint32_t count)
	{
		uint64_t place = vinci_mm_inputs + (uint64_t)get_coreid() * vinci_mm_input_bytes + offset;
#if VINCI_ARCH == 4 && VINCI_CORE == 2
		uint32_t whole = AlignUp(count, (uint32_t)(32 / sizeof(T)));
		vinci_check(count > 0, "Matmul: a local matrix before REGIST_MATMUL_OBJ or Init gave the shape");
		vinci_check(count * sizeof(T) <= t.size_, "Matmul: the local tensor is smaller than the single-core shape");
		GlobalTensor<T> to;
		to.SetGlobalBuffer((T *)place);
		pipe_barrier(PIPE_ALL);
		DataCopy(to, t, DataCopyParams(1, (uint16_t)(whole * sizeof(T) / 32), 0, 0));
#else
		(void)t;
		(void)count;
		vinci_check(vinci_mm.mixed, "Matmul: a cube core has no UB; A and B in UB take a mixed kernel");
#endif
		return place;
	}
	VINCI_A uint32_t base_m() const { return t_.baseM > 0 ? (uint32_t)t_.baseM : 128; }
	VINCI_A uint32_t base_n() const { return t_.baseN > 0 ? (uint32_t)t_.baseN : 128; }
	VINCI_A void restart()
	{
		started_ = false;
		tile_ = 0;
	}
	VINCI_A VinciMmJob job(uint32_t m0, uint32_t n0, uint32_t m, uint32_t n, uint8_t atomic) const
	{
		VinciMmJob j;
		j.a = a_;
		j.b = b_;
		j.bias = bias_;
		j.c = 0;
		j.pitch_a = trans_a_ ? M_ : Ka_;
		j.pitch_b = trans_b_ ? Kb_ : N_;
		j.pitch_c = Nc_;
		j.trans_a = trans_a_;
		j.trans_b = trans_b_;
		j.m0 = m0;
		j.n0 = n0;
		j.m = m;
		j.n = n;
		j.k = k_;
		j.base_m = base_m();
		j.base_n = base_n();
		j.base_k = (uint32_t)t_.baseK;
		j.order = t_.iterateOrder == (int)IterateOrder::ORDER_N;
		j.atomic = atomic;
		j.format_c = C_TYPE::format == CubeFormat::NZ;
		j.rows_a = AlignUp(trans_a_ ? Ka_ : M_, 16u);
		j.rows_b = AlignUp(trans_b_ ? N_ : Kb_, 16u);
		j.rows_c = AlignUp(M_, 16u);
		if constexpr (local_a) {
			vinci_check(cols_local_a_ == (trans_a_ ? m_ : k_) && rows_local_a_ >= (trans_a_ ? k_ : m_),
				    "Matmul: A in UB was set with another single-core shape; SetTail comes before SetTensorA");
			j.pitch_a = cols_local_a_;
			j.rows_a = AlignUp(rows_local_a_, 16u);
		}
		if constexpr (local_b) {
			vinci_check(cols_local_b_ == (trans_b_ ? k_ : n_) && rows_local_b_ >= (trans_b_ ? n_ : k_),
				    "Matmul: B in UB was set with another single-core shape; SetTail comes before SetTensorB");
			j.pitch_b = cols_local_b_;
			j.rows_b = AlignUp(rows_local_b_, 16u);
		}
		j.object = id_;
		return j;
	}
	VINCI_A VinciMmJob tile_job(uint8_t atomic) const
	{
		vinci_check(started_, "Matmul::GetTensorC: Iterate comes first");
		uint32_t m = m_ - cur_m_, n = n_ - cur_n_;
		return job(cur_m_, cur_n_, m < base_m() ? m : base_m(), n < base_n() ? n : base_n(), atomic);
	}
	VINCI_A void run(VinciMmJob &j)
	{
		vinci_check(t_.baseM > 0 || m_ > 0,
			    "Matmul: there is no tiling: REGIST_MATMUL_OBJ or Init with a TCubeTiling comes first");
		pipe_barrier(PIPE_ALL);
		if (!vinci_mm.mixed) {
			vinci_exec(j);
			pipe_barrier(PIPE_ALL);
			return;
		}
#if VINCI_ARCH == 4 && VINCI_CORE == 2
		__gm__ uint64_t *slot = vinci_mm_slot(get_subblockid());
		const uint64_t *w = (const uint64_t *)&j;
		for (uint32_t i = 0; i < (sizeof j + 7) / 8; i++)
			st_dev(w[i], slot, (int64_t)(i + 1) * 8);
		st_dev((uint64_t)VINCI_MM_WORK, slot, 0);
		while (ld_dev(slot, 0) != VINCI_MM_NONE)
			;
#endif
	}
	TCubeTiling t_ = {};
	uint32_t rows_local_a_ = 0, cols_local_a_ = 0, rows_local_b_ = 0, cols_local_b_ = 0; /* as they were copied */
	uint64_t a_ = 0, b_ = 0, bias_ = 0;
	bool trans_a_ = false, trans_b_ = false, started_ = false;
	uint32_t M_ = 0, N_ = 0, Ka_ = 0, Kb_ = 0, Nc_ = 0, m_ = 0, n_ = 0, k_ = 0, tile_ = 0, cur_m_ = 0, cur_n_ = 0, id_ = 0;
};
template <class A, class B, class C, class Bias = C, const MatmulConfig &CFG = CFG_NORM, class... More>
using MatmulImpl = Matmul<A, B, C, Bias, CFG, More...>;

/* told by the TPipe of a vector core when the kernel ends */
VINCI_A void vinci_mm_end()
{
#if VINCI_ARCH == 4 && VINCI_CORE == 2
	if (vinci_mm.mixed && !vinci_mm.sent) {
		vinci_mm.sent = true;
		st_dev((uint64_t)VINCI_MM_END, vinci_mm_slot(get_subblockid()), 0);
	}
#endif
}
static inline void vinci_mm_at_end() { vinci_mm_end(); }

VINCI_A void vinci_regist_one() {}
template <typename Mm> VINCI_A void vinci_regist_one(Mm &mm) { mm.vinci_id(vinci_mm.objects++); }
/* objects, each with its tiling behind it or without */
template <typename Mm, typename Next, typename... Rest> VINCI_A void vinci_regist_one(Mm &mm, Next &&next, Rest &&...rest)
{
	mm.vinci_id(vinci_mm.objects++);
	if constexpr (std::is_pointer<std::decay_t<Next>>::value || std::is_null_pointer<std::decay_t<Next>>::value) {
		mm.Init((const TCubeTiling *)next);
		vinci_regist_one(rest...);
	} else {
		vinci_regist_one(next, rest...);
	}
}
template <typename... A> VINCI_A void vinci_regist(TPipe *, A &&...a)
{
	vinci_mm.objects = 0;
	vinci_mm.sent = false;
#if VINCI_ARCH == 4
	vinci_mm.mixed = VINCI_CORE == 2;
	vinci_state.at_end = &vinci_mm_at_end;
#endif
	vinci_regist_one(a...);
}
template <typename T> VINCI_A void vinci_serve_one(const VinciMmJob &j, T &&mm)
{
	if constexpr (!std::is_pointer<std::decay_t<T>>::value && !std::is_null_pointer<std::decay_t<T>>::value)
		if (j.object == mm.vinci_object())
			mm.vinci_exec(j);
}
/* the cube core of a mixed kernel: true when it has served and must leave */
template <typename... A> VINCI_A bool vinci_serve(A &&...a)
{
#if VINCI_ARCH == 4 && VINCI_CORE == 1
	if (get_subblockdim() != 2)
		return false;
	bool open[2] = { true, true };
	VinciMmJob j;
	while (open[0] || open[1])
		for (int64_t sub = 0; sub < 2; sub++) {
			__gm__ uint64_t *slot = vinci_mm_slot(sub);
			uint64_t what = open[sub] ? ld_dev(slot, 0) : (uint64_t)VINCI_MM_NONE;
			if (what == VINCI_MM_WORK) {
				/* once more as a polling loop, by which vinci check orders the cores */
				while (ld_dev(slot, 0) != VINCI_MM_WORK)
					;
				uint64_t *w = (uint64_t *)&j;
				for (uint32_t i = 0; i < (sizeof j + 7) / 8; i++)
					w[i] = ld_dev(slot, (int64_t)(i + 1) * 8);
				(vinci_serve_one(j, a), ...);
				pipe_barrier(PIPE_ALL);
			}
			if (what == VINCI_MM_END)
				open[sub] = false;
			if (what != VINCI_MM_NONE)
				st_dev((uint64_t)VINCI_MM_NONE, slot, 0);
		}
	return true;
#else
	((void)a, ...);
	return false;
#endif
}
} // namespace AscendC

namespace AscendC {
/* quotient rounded up, as code around the Matmul object calls it */
template <typename T> constexpr std::enable_if_t<std::is_integral<T>::value, T> Ceil(T a, T b) { return (a + b - 1) / b; }
} // namespace AscendC

namespace matmul {
using AscendC::Ceil;
using AscendC::CFG_MDL;
using AscendC::CFG_NORM;
using AscendC::GetMDLConfig;
using AscendC::GetNormalConfig;
using AscendC::Matmul;
using AscendC::MatmulConfig;
using AscendC::MatmulImpl;
using AscendC::MatmulType;
} // namespace matmul
using AscendC::MatmulConfig;
using AscendC::MatmulType;
using AscendC::CFG_NORM;
using AscendC::CFG_MDL;

#ifdef ASCENDC_CUBE_ONLY
#define REGIST_MATMUL_OBJ(pipe, workspace, ...)                                                                        \
	((void)(workspace), AscendC::vinci_regist(pipe, __VA_ARGS__), AscendC::vinci_mm.mixed = false)
#else
#define REGIST_MATMUL_OBJ(pipe, workspace, ...)                                                                        \
	(void)(workspace);                                                                                             \
	AscendC::vinci_regist(pipe, __VA_ARGS__);                                                                      \
	if (AscendC::vinci_serve(__VA_ARGS__))                                                                         \
	return
#endif
#define REGIST_CUBE_OBJ REGIST_MATMUL_OBJ
#endif
