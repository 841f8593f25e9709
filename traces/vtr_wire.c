/*
 * vtr_wire.c - checksum, fixed numbers and chunk headers of .vtr.
 */
#include "vtr_wire.h"

/* Two tables of 16 instead of one of 256: small enough to stand in the source, fast enough for packed bytes. */
static const uint32_t crc_table[16] = {
	0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4, 0x4db26158, 0x5005713c,
	0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c, 0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c,
};

uint32_t vtr_crc32(uint32_t crc, const void *bytes, size_t n)
{
	const uint8_t *p = bytes;
	crc = ~crc;
	while (n--) {
		crc ^= *p++;
		crc = crc >> 4 ^ crc_table[crc & 15];
		crc = crc >> 4 ^ crc_table[crc & 15];
	}
	return ~crc;
}

void vtr_put32(uint8_t *p, uint32_t v)
{
	for (int i = 0; i < 4; i++)
		p[i] = (uint8_t)(v >> 8 * i);
}

void vtr_put64(uint8_t *p, uint64_t v)
{
	vtr_put32(p, (uint32_t)v);
	vtr_put32(p + 4, (uint32_t)(v >> 32));
}

uint32_t vtr_get32(const uint8_t *p)
{
	return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

uint64_t vtr_get64(const uint8_t *p) { return vtr_get32(p) | (uint64_t)vtr_get32(p + 4) << 32; }

void vtr_chunk_put(const struct vtr_chunk *c, uint8_t head[VTR_CHUNK_HEAD_BYTES])
{
	vtr_put32(head, c->tag);
	vtr_put32(head + 4, c->summary_bytes);
	vtr_put32(head + 8, c->packed_bytes);
	vtr_put32(head + 12, c->raw_bytes);
	vtr_put32(head + 16, c->body_crc);
	vtr_put32(head + 20, vtr_crc32(0, head, 20));
}

bool vtr_chunk_get(const uint8_t *p, size_t left, struct vtr_chunk *c)
{
	if (left < VTR_CHUNK_HEAD_BYTES || vtr_get32(p + 20) != vtr_crc32(0, p, 20))
		return false;
	*c = (struct vtr_chunk){ vtr_get32(p), vtr_get32(p + 4), vtr_get32(p + 8), vtr_get32(p + 12), vtr_get32(p + 16) };
	return c->raw_bytes <= VTR_MAX_CHUNK_BYTES && c->packed_bytes <= c->raw_bytes &&
	       (uint64_t)c->summary_bytes + c->packed_bytes <= left - VTR_CHUNK_HEAD_BYTES;
}
