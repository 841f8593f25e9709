/*
 * acl.c - the acl runtime library over the simulator: device, memory, copies, streams and events. A device pointer is an
 * address of simulated global memory; its bytes lie elsewhere, so that host code which follows one fails as on a machine.
 */
#include "acl.h"

#include "../isa/include/acl_runtime/acl/acl.h"
#include "../isa/include/acl_runtime/vinci_launch.h"
#include "npy.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

struct acl_state acl_device;

int acl_error(int code, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(acl_device.message, sizeof acl_device.message, fmt, ap);
	va_end(ap);
	fprintf(stderr, "vinci: acl error %d: %s\n", code, acl_device.message);
	return code;
}

/* --- memory --- */

struct acl_block *acl_find(const void *addr, uint64_t size)
{
	uint64_t a = (uint64_t)(uintptr_t)addr;
	for (int i = 0; i < acl_device.n_block; i++) {
		struct acl_block *b = &acl_device.block[i];
		if (a >= b->addr && a - b->addr <= b->size && size <= b->size - (a - b->addr))
			return b;
	}
	return NULL;
}

struct acl_block *acl_new(uint64_t size, bool mapped)
{
	struct acl_state *d = &acl_device;
	if (d->n_block == ACL_BLOCKS)
		return NULL;
	if (!d->next)
		d->next = GM_ARGS;
	/* the runtime rounds up to 32 bytes and adds 32, which a kernel may read */
	uint64_t room = (size + 31) / 32 * 32 + 32;
	struct acl_block b = { .addr = d->next, .size = size, .room = room, .mapped = mapped };
	if (mapped) {
		void *p = mmap((void *)(uintptr_t)b.addr, room, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
		b.host = p == (void *)(uintptr_t)b.addr ? p : NULL;
	} else {
		b.host = calloc(room, 1);
	}
	if (!b.host)
		return NULL;
	/* page-aligned, with at least 64 KiB that belong to nobody */
	d->next = (d->next + room + 65536 + 4095) / 4096 * 4096;
	d->block[d->n_block] = b;
	return &d->block[d->n_block++];
}

void acl_delete(struct acl_block *b)
{
	if (b->mapped)
		munmap(b->host, b->room);
	else
		free(b->host);
	*b = acl_device.block[--acl_device.n_block];
}

static int need_device(void)
{
	return acl_device.ready ? ACL_SUCCESS : acl_error(ACL_ERROR_UNINITIALIZE, "aclInit and aclrtSetDevice come first");
}

aclError aclrtMalloc(void **devPtr, size_t size, aclrtMemMallocPolicy policy)
{
	(void)policy;
	if (need_device())
		return ACL_ERROR_UNINITIALIZE;
	if (!devPtr || !size)
		return acl_error(ACL_ERROR_INVALID_PARAM, "aclrtMalloc: %s", devPtr ? "0 bytes" : "no place for the pointer");
	struct acl_block *b = acl_new(size, false);
	if (!b)
		return acl_error(ACL_ERROR_BAD_ALLOC,
				 "aclrtMalloc: no room for %zu bytes (or more than %d allocations)", size, ACL_BLOCKS);
	*devPtr = (void *)(uintptr_t)b->addr;
	return ACL_SUCCESS;
}
aclError aclrtMallocCached(void **p, size_t size, aclrtMemMallocPolicy policy) { return aclrtMalloc(p, size, policy); }
aclError aclrtMallocAlign32(void **p, size_t size, aclrtMemMallocPolicy policy) { return aclrtMalloc(p, size, policy); }

aclError aclrtFree(void *devPtr)
{
	struct acl_block *b = acl_find(devPtr, 0);
	if (!b || b->addr != (uint64_t)(uintptr_t)devPtr)
		return acl_error(ACL_ERROR_INVALID_PARAM, "aclrtFree: %p was not allocated by aclrtMalloc", devPtr);
	acl_delete(b);
	return ACL_SUCCESS;
}

aclError aclrtMallocHost(void **hostPtr, size_t size)
{
	if (!hostPtr)
		return acl_error(ACL_ERROR_INVALID_PARAM, "aclrtMallocHost: no place for the pointer");
	*hostPtr = calloc(size ? size : 1, 1);
	return *hostPtr ? ACL_SUCCESS : acl_error(ACL_ERROR_BAD_ALLOC, "aclrtMallocHost: no room for %zu bytes", size);
}

aclError aclrtFreeHost(void *hostPtr)
{
	free(hostPtr);
	return ACL_SUCCESS;
}

/* Host address of a pointer that is on the device or not; NULL: f is said. */
static uint8_t *side(const char *call, const void *p, size_t n, bool device)
{
	struct acl_block *b = acl_find(p, n);
	if (b)
		return b->host + ((uint64_t)(uintptr_t)p - b->addr);
	if (!device && !acl_find(p, 0))
		return (uint8_t *)(uintptr_t)p;
	if (acl_find(p, 0))
		acl_error(ACL_ERROR_RT_PARAM_INVALID,
			  "%s: %zu bytes from %p go past the end of the device memory there", call, n, p);
	else
		acl_error(ACL_ERROR_RT_PARAM_INVALID, "%s: %p is not device memory", call, p);
	return NULL;
}

aclError aclrtMemcpy(void *dst, size_t destMax, const void *src, size_t count, aclrtMemcpyKind kind)
{
	bool to = kind == ACL_MEMCPY_HOST_TO_DEVICE || kind == ACL_MEMCPY_DEVICE_TO_DEVICE;
	bool from = kind == ACL_MEMCPY_DEVICE_TO_HOST || kind == ACL_MEMCPY_DEVICE_TO_DEVICE;
	if (count > destMax || !dst || !src)
		return acl_error(ACL_ERROR_INVALID_PARAM, "aclrtMemcpy: %s",
				 dst && src ? "count is above destMax" : "a null pointer");
	uint8_t *d = side("aclrtMemcpy", dst, count, to), *s = side("aclrtMemcpy", src, count, from);
	if (!d || !s)
		return ACL_ERROR_RT_PARAM_INVALID;
	memmove(d, s, count);
	return ACL_SUCCESS;
}
aclError aclrtMemcpyAsync(void *dst, size_t destMax, const void *src, size_t count, aclrtMemcpyKind kind, aclrtStream stream)
{
	(void)stream;
	return aclrtMemcpy(dst, destMax, src, count, kind);
}

aclError aclrtMemset(void *devPtr, size_t maxCount, int32_t value, size_t count)
{
	uint8_t *d = count <= maxCount ? side("aclrtMemset", devPtr, count, false) : NULL;
	if (!d)
		return count <= maxCount ? ACL_ERROR_RT_PARAM_INVALID
					 : acl_error(ACL_ERROR_INVALID_PARAM, "aclrtMemset: count is above maxCount");
	memset(d, value, count);
	return ACL_SUCCESS;
}
aclError aclrtMemsetAsync(void *p, size_t max, int32_t value, size_t count, aclrtStream stream)
{
	(void)stream;
	return aclrtMemset(p, max, value, count);
}

aclError aclrtGetMemInfo(aclrtMemAttr attr, size_t *freeBytes, size_t *totalBytes)
{
	(void)attr;
	*totalBytes = (size_t)64 << 30;
	*freeBytes = *totalBytes;
	for (int i = 0; i < acl_device.n_block; i++)
		*freeBytes -= acl_device.block[i].size;
	return ACL_SUCCESS;
}

void *vinci_acl_gm_alloc(size_t size)
{
	struct acl_block *b = acl_new(size, true);
	if (!b)
		acl_error(ACL_ERROR_BAD_ALLOC, "GmAlloc: no room for %zu bytes", size);
	return b ? b->host : NULL;
}

void vinci_acl_gm_free(void *p)
{
	struct acl_block *b = acl_find(p, 0);
	if (b && b->host == p)
		acl_delete(b);
	else
		acl_error(ACL_ERROR_INVALID_PARAM, "GmFree: %p was not allocated by GmAlloc", p);
}

/* --- device, context, streams, events --- */

aclError aclInit(const char *configPath)
{
	(void)configPath;
	acl_device.ready = true;
	return ACL_SUCCESS;
}
aclError aclFinalize(void)
{
	acl_device.ready = false;
	return ACL_SUCCESS;
}
const char *aclGetRecentErrMsg(void) { return acl_device.message[0] ? acl_device.message : NULL; }
aclError aclrtGetVersion(int32_t *major, int32_t *minor, int32_t *patch)
{
	*major = 1;
	*minor = *patch = 0;
	return ACL_SUCCESS;
}
static aclError check_device(const char *call, int32_t id)
{
	return id == 0 ? ACL_SUCCESS : acl_error(ACL_ERROR_RT_INVALID_DEVICEID, "%s: there is no device %d, only 0", call, id);
}
aclError aclrtSetDevice(int32_t deviceId)
{
	acl_device.ready = true;
	return check_device("aclrtSetDevice", deviceId);
}
aclError aclrtResetDevice(int32_t deviceId) { return check_device("aclrtResetDevice", deviceId); }
aclError aclrtResetDeviceForce(int32_t deviceId) { return aclrtResetDevice(deviceId); }
aclError aclrtGetDevice(int32_t *deviceId)
{
	*deviceId = 0;
	return ACL_SUCCESS;
}
aclError aclrtGetDeviceCount(uint32_t *count)
{
	*count = 1;
	return ACL_SUCCESS;
}
aclError aclrtGetRunMode(aclrtRunMode *runMode)
{
	*runMode = ACL_HOST;
	return ACL_SUCCESS;
}

/* handles only have to be different from NULL */
static aclError handle(void **to)
{
	*to = calloc(1, sizeof(double) + 8);
	return *to ? ACL_SUCCESS : ACL_ERROR_BAD_ALLOC;
}
static aclError drop(void *h)
{
	free(h);
	return ACL_SUCCESS;
}
aclError aclrtCreateContext(aclrtContext *context, int32_t deviceId)
{
	aclError e = check_device("aclrtCreateContext", deviceId);
	acl_device.ready = true;
	return e ? e : handle(context);
}
aclError aclrtDestroyContext(aclrtContext context) { return drop(context); }
aclError aclrtSetCurrentContext(aclrtContext context) { return context ? ACL_SUCCESS : ACL_ERROR_RT_CONTEXT_NULL; }
aclError aclrtGetCurrentContext(aclrtContext *context)
{
	*context = &acl_device;
	return ACL_SUCCESS;
}
aclError aclrtCreateStream(aclrtStream *stream) { return handle(stream); }
aclError aclrtCreateStreamWithConfig(aclrtStream *stream, uint32_t priority, uint32_t flag)
{
	(void)priority;
	(void)flag;
	return handle(stream);
}
aclError aclrtDestroyStream(aclrtStream stream) { return drop(stream); }
aclError aclrtDestroyStreamForce(aclrtStream stream) { return drop(stream); }
/* the error of a launch since the last call */
aclError aclrtSynchronizeStream(aclrtStream stream)
{
	aclError e = acl_device.error;
	(void)stream;
	acl_device.error = ACL_SUCCESS;
	return e;
}
aclError aclrtSynchronizeStreamWithTimeout(aclrtStream stream, int32_t milliseconds)
{
	(void)milliseconds;
	return aclrtSynchronizeStream(stream);
}
aclError aclrtSynchronizeDevice(void) { return aclrtSynchronizeStream(NULL); }
aclError aclrtSynchronizeDeviceWithTimeout(int32_t milliseconds)
{
	(void)milliseconds;
	return aclrtSynchronizeStream(NULL);
}
aclError aclrtStreamWaitEvent(aclrtStream stream, aclrtEvent event)
{
	(void)stream;
	return event ? ACL_SUCCESS : ACL_ERROR_INVALID_PARAM;
}
aclError aclrtCreateEvent(aclrtEvent *event) { return handle(event); }
aclError aclrtCreateEventWithFlag(aclrtEvent *event, uint32_t flag)
{
	(void)flag;
	return handle(event);
}
aclError aclrtDestroyEvent(aclrtEvent event) { return drop(event); }
aclError aclrtRecordEvent(aclrtEvent event, aclrtStream stream)
{
	(void)stream;
	memcpy(event, &acl_device.time_ms, sizeof acl_device.time_ms);
	return ACL_SUCCESS;
}
aclError aclrtResetEvent(aclrtEvent event, aclrtStream stream)
{
	(void)event;
	(void)stream;
	return ACL_SUCCESS;
}
aclError aclrtSynchronizeEvent(aclrtEvent event) { return event ? ACL_SUCCESS : ACL_ERROR_INVALID_PARAM; }
aclError aclrtQueryEventStatus(aclrtEvent event, aclrtEventRecordedStatus *status)
{
	(void)event;
	*status = ACL_EVENT_RECORDED_STATUS_COMPLETE;
	return ACL_SUCCESS;
}
aclError aclrtEventElapsedTime(float *ms, aclrtEvent start, aclrtEvent end)
{
	double a, b;
	memcpy(&a, start, sizeof a);
	memcpy(&b, end, sizeof b);
	*ms = (float)(b - a);
	return ACL_SUCCESS;
}

/* --- numbers --- */

float aclFloat16ToFloat(aclFloat16 value)
{
	return (float)dtype_get(DT_F16, (const uint8_t *)&value, 0);
}
aclFloat16 aclFloatToFloat16(float value)
{
	aclFloat16 bits;
	dtype_set(DT_F16, (uint8_t *)&bits, 0, (double)value);
	return bits;
}
size_t aclDataTypeSize(aclDataType type)
{
	switch (type) {
	case ACL_FLOAT: case ACL_INT32: case ACL_UINT32: return 4;
	case ACL_FLOAT16: case ACL_BF16: case ACL_INT16: case ACL_UINT16: return 2;
	case ACL_INT64: case ACL_UINT64: case ACL_DOUBLE: return 8;
	case ACL_INT8: case ACL_UINT8: case ACL_BOOL: return 1;
	default: return 0;
	}
}
