/*
 * write.h - what the accuracy runs leave: the document, and the figures that CI holds later runs against.
 */
#ifndef WRITE_H
#define WRITE_H

#include "table.h"

bool accuracy_write(const struct table *t, const char *file);
/* Mean error per group, of all rows and of the quick ones. */
bool figures_write(const struct table *t, const char *file);
/* Groups whose mean error over the quick rows is worse than in the file; each is named on stderr. */
int figures_check(const struct table *t, const char *file);

#endif
