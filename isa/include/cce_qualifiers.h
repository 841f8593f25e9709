/*
 * cce_qualifiers.h - the words that kernel code puts before functions and pointers. A C++ operator is preprocessed first
 * (VINCI_SOURCE_PASS): then the words stay as they are, for the driver's source pass to see, and get their meaning here when
 * the kernel half is compiled.
 */
#ifndef VINCI_CCE_QUALIFIERS_H
#define VINCI_CCE_QUALIFIERS_H

/* Memories. Pointers to local buffers are offsets from 0 in their own address space; GM is the default one. */
#define __gm__
#define __fbuf__ __attribute__((address_space(7)))
#define __biasbuf__ __attribute__((address_space(8)))
#ifdef VINCI_SOURCE_PASS
#define __ubuf__ __ubuf__
#define __cbuf__ __cbuf__
#define __ca__ __ca__
#define __cb__ __cb__
#define __cc__ __cc__
#define __aicore__ __aicore__
#define __global__ __global__
#else
#define __ubuf__ __attribute__((address_space(2)))
#define __cbuf__ __attribute__((address_space(3)))
#define __ca__ __attribute__((address_space(4)))
#define __cb__ __attribute__((address_space(5)))
#define __cc__ __attribute__((address_space(6)))
/* __global__ marks an entry: the loader finds the functions of this section. */
#define __aicore__
#define __global__ __attribute__((used, noinline, section(".text.vinci_entry")))
#endif

#endif
