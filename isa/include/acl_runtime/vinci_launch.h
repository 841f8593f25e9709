/*
 * vinci_launch.h - how host code starts a kernel: NAME<<<blocks, l2ctrl, stream>>>(...), ACLRT_LAUNCH_KERNEL(NAME)(blocks,
 * stream, ...) and ICPU_RUN_KF(NAME, blocks, ...) all end in vinci_acl_launch (sim/acl_launch.c). The driver includes this
 * before the host half of every source.
 */
#ifndef VINCI_LAUNCH_H
#define VINCI_LAUNCH_H

#include <stdint.h>
#include <stddef.h>

#ifdef __cplusplus
#include <type_traits>
extern "C" {
#endif
enum { VINCI_ARG_POINTER, VINCI_ARG_INT, VINCI_ARG_FLOAT, VINCI_ARG_STRUCT };
/* bytes of one argument; a float of 2 bytes is IEEE half */
struct vinci_arg { int kind; uint32_t size; const void *data; };
/* 0 or an acl error code; the sentence goes to stderr */
int vinci_acl_launch(const char *kernel, uint32_t blocks, void *stream, const struct vinci_arg *arg, int n_arg);
void *vinci_acl_gm_alloc(size_t size);
void vinci_acl_gm_free(void *p);
void vinci_acl_tiling_key(uint64_t key);
/* chip facts for tiling on the host: 0 cube cores, 1 vector cores, 2 UB, 3 L1, 4 L0A, 5 L0B, 6 L0C bytes, 7 fused (0,
 * 1), 8 L2 bytes */
uint64_t vinci_acl_chip(int what);
const char *vinci_acl_chip_name(void);
#ifdef __cplusplus
}

namespace vinci_acl {
template <typename T> vinci_arg argument(const T &v)
{
	if constexpr (std::is_pointer<T>::value || std::is_null_pointer<T>::value)
		return { VINCI_ARG_POINTER, 8, &v };
	else if constexpr (std::is_integral<T>::value || std::is_enum<T>::value)
		return { VINCI_ARG_INT, (uint32_t)sizeof(T) | (std::is_signed<T>::value ? 0x100u : 0u), &v };
	else if constexpr (std::is_class<T>::value || std::is_union<T>::value)
		return { VINCI_ARG_STRUCT, (uint32_t)sizeof(T), &v };
	else
		return { VINCI_ARG_FLOAT, (uint32_t)sizeof(T), &v };
}
struct Launch {
	const char *kernel;
	uint32_t blocks;
	void *stream;
	Launch(const char *k, uint32_t n, const void *l2ctrl = nullptr, void *s = nullptr)
	    : kernel(k), blocks(n), stream(s)
	{
		(void)l2ctrl;
	}
	template <typename... A> uint32_t operator()(const A &...a) const
	{
		const vinci_arg list[sizeof...(A) + 1] = { argument(static_cast<const std::decay_t<A> &>(a))... };
		return (uint32_t)vinci_acl_launch(kernel, blocks, stream, list, (int)sizeof...(A));
	}
};
struct AclrtLaunch {
	const char *kernel;
	template <typename... A> uint32_t operator()(uint32_t blocks, void *stream, const A &...a) const
	{
		return Launch(kernel, blocks, nullptr, stream)(a...);
	}
};
} // namespace vinci_acl
#define ACLRT_LAUNCH_KERNEL(kernel) ::vinci_acl::AclrtLaunch{ #kernel }
#define ICPU_RUN_KF(kernel, blocks, ...) ::vinci_acl::Launch(#kernel, (uint32_t)(blocks))(__VA_ARGS__)
#define ICPU_SET_TILING_KEY(key) vinci_acl_tiling_key(key)
#endif
#endif
