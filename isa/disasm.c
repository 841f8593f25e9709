#include "row.h"
void isa_disasm(uint32_t raw, uint64_t pc, char *text, size_t size) { (void)raw; (void)pc; if (size) *text = 0; }
