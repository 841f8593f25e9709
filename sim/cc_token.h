/*
 * cc_token.h - tokens and declarations of a C++ source, as far as the source pass looks at them. Text that comes from system
 * headers (clang's line markers say so) is one opaque token.
 */
#ifndef CC_TOKEN_H
#define CC_TOKEN_H

#include "fail.h"

#include <stddef.h>

enum { TOK_NAME, TOK_OTHER, TOK_TEXT, TOK_DIRECTIVE };

struct token { size_t from, to; int kind; };

/* One declaration: tokens [from, to), its body's braces when it has one. */
struct part {
	int from, to, open, close; /* open, close: -1 without a body */
	bool function, kernel_code, global;
	int name; /* token, or -1 */
};

struct source {
	char *text; /* `size` bytes and zeros behind them */
	size_t size;
	struct token *tok;
	int n, max;
	struct part *part;
	int n_part, max_part;
	const char *path;
};

/* Read and split a file. FAIL_USER when it cannot be read; then nothing is to be closed. */
bool source_open(struct source *s, const char *path, struct fail *f) SIM_MUST_CHECK;
/* The same for text in memory, which is copied; `path` names it in messages and must live as long. */
bool source_parse(struct source *s, const char *text, size_t size, const char *path, struct fail *f) SIM_MUST_CHECK;
void source_close(struct source *s);

/* Is token t this text? False outside the source. */
bool tok_is(const struct source *s, int t, const char *text);
bool tok_same(const struct source *s, int a, int b);
/* The token's text into out; false when it does not fit. */
bool tok_text(const struct source *s, int t, char *out, size_t size);
/* The token that closes the bracket at t, or the last one. */
int tok_close(const struct source *s, int t, const char *open, const char *close);
/* The file of an #include, of an #include "file" when quoted_only; false for other tokens. */
bool tok_include(const struct source *s, int t, bool quoted_only, char *out, size_t size);
/* Is `word` in a NULL-terminated list? */
bool word_in(const char *word, const char *const *list);

#endif
