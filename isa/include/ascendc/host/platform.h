/*
 * platform.h - what host code asks about the chip: the one that the program will simulate.
 */
#ifndef VINCI_PLATFORM_H
#define VINCI_PLATFORM_H
#include <cstdint>
#include <cstddef>
#include "vinci_launch.h"

namespace platform_ascendc {
enum class CoreMemType { L0_A = 0, L0_B, L0_C, L1, L2, UB, HBM, FB, BT, RESERVED };
enum class SocVersion { ASCEND910 = 0, ASCEND910B, ASCEND310P, ASCEND310B, ASCEND910_93, ASCEND950, RESERVED_VERSION = 99999 };
class PlatformAscendC {
public:
	PlatformAscendC() = default;
	explicit PlatformAscendC(void *) {}
	uint32_t GetCoreNum() const { return GetCoreNumAic() > GetCoreNumAiv() ? GetCoreNumAic() : GetCoreNumAiv(); }
	uint32_t GetCoreNumAic() const { return (uint32_t)vinci_acl_chip(0); }
	uint32_t GetCoreNumAiv() const { return (uint32_t)vinci_acl_chip(1); }
	uint32_t GetCoreNumVector() const { return 0; }
	uint32_t CalcTschBlockDim(uint32_t slice, uint32_t aic, uint32_t aiv) const
	{
		if (aic == 0 || aiv == 0 || aic > aiv)
			return slice;
		uint32_t ratio = aiv / aic;
		return (slice + ratio - 1) / ratio;
	}
	void GetCoreMemSize(const CoreMemType &type, uint64_t &size) const
	{
		switch (type) {
		case CoreMemType::UB: size = vinci_acl_chip(2) - 256; break;
		case CoreMemType::L1: size = vinci_acl_chip(3); break;
		case CoreMemType::L0_A: size = vinci_acl_chip(4); break;
		case CoreMemType::L0_B: size = vinci_acl_chip(5); break;
		case CoreMemType::L0_C: size = vinci_acl_chip(6); break;
		case CoreMemType::L2: size = vinci_acl_chip(8); break;
		default: size = 0; break;
		}
	}
	uint32_t GetLibApiWorkSpaceSize() const { return 16 * 1024 * 1024; }
	uint32_t GetResCubeGroupWorkSpaceSize() const { return 0; }
	SocVersion GetSocVersion() const
	{
		const char *n = vinci_acl_chip_name();
		for (const char *p = n; *p; p++) {
			if (p[0] == '9' && p[1] == '1' && p[2] == '0')
				return p[3] == 'b' ? SocVersion::ASCEND910B : SocVersion::ASCEND910;
			if (p[0] == '3' && p[1] == '1' && p[2] == '0')
				return SocVersion::ASCEND310P;
		}
		return SocVersion::RESERVED_VERSION;
	}
};
class PlatformAscendCManager {
public:
	static PlatformAscendC *GetInstance(const char * = nullptr)
	{
		static PlatformAscendC p;
		return &p;
	}
};
} // namespace platform_ascendc
#endif
