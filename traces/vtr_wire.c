/*
 * vtr_wire.c - checksum, fixed numbers and chunk headers of .vtr.
 */
#include "vtr_wire.h"

/* Half a byte at a time: a table small enough to stand in the source. */
static const uint32_t crc_table[16] = {
	0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4, 0x4db26158, 0x5005713c,
	0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c, 0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c,
};
enum { CRC_LONG = 8192 };

static uint32_t crc_step(uint32_t crc, const uint8_t *p, size_t n)
{
	while (n--) {
		crc ^= *p++;
		crc = crc >> 4 ^ crc_table[crc & 15];
		crc = crc >> 4 ^ crc_table[crc & 15];
	}
	return crc;
}

/* Eight bytes at a time for blocks; making the tables costs less than 2048 steps of the above. */
static uint32_t crc_long(uint32_t crc, const uint8_t *p, size_t n)
{
	uint32_t t[8][256];
	for (uint32_t i = 0; i < 256; i++) {
		uint8_t byte = (uint8_t)i;
		t[0][i] = crc_step(0, &byte, 1);
	}
	for (int k = 1; k < 8; k++)
		for (int i = 0; i < 256; i++)
			t[k][i] = t[k - 1][i] >> 8 ^ t[0][t[k - 1][i] & 255];
	for (; n >= 8; n -= 8, p += 8) {
		uint32_t a = crc ^ vtr_get32(p), b = vtr_get32(p + 4);
		crc = t[7][a & 255] ^ t[6][a >> 8 & 255] ^ t[5][a >> 16 & 255] ^ t[4][a >> 24] ^ t[3][b & 255] ^
		      t[2][b >> 8 & 255] ^ t[1][b >> 16 & 255] ^ t[0][b >> 24];
	}
	return crc_step(crc, p, n);
}

uint32_t vtr_crc32(uint32_t crc, const void *bytes, size_t n)
{
	return ~(n < CRC_LONG ? crc_step : crc_long)(~crc, bytes, n);
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
	*c = (struct vtr_chunk){ vtr_get32(p), vtr_get32(p + 4), vtr_get32(p + 8), vtr_get32(p + 12),
				 vtr_get32(p + 16) };
	return c->raw_bytes <= VTR_MAX_CHUNK_BYTES && c->packed_bytes <= c->raw_bytes &&
	       (uint64_t)c->summary_bytes + c->packed_bytes <= left - VTR_CHUNK_HEAD_BYTES;
}
