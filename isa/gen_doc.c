#include "gen.h"
void gen_doc(FILE *out) { (void)out; }
