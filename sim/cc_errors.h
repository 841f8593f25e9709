/*
 * cc_errors.h - the messages of a kernel's compiler, told at the lines of its author.
 */
#ifndef CC_ERRORS_H
#define CC_ERRORS_H

/*
 * Rewrite what clang printed. A message inside Vinci's headers (files under one of the folders `ours`, NULL at the end)
 * moves to the line of the kernel that led there, once per line; why an overload does not fit becomes one line each; what
 * remains of templates and macros goes. Text in another shape stays as it is. The result is the caller's to free, NULL
 * without memory; *errors counts the errors in it.
 */
char *cc_errors(const char *text, const char *const *ours, int *errors);

#endif
