/*
 * causes.c - kinds of lost time, told from the texts that a trace carries for its causes.
 */
#include "model.h"

#include <string.h>

enum cause_group cause_group(const char *text)
{
	static const struct {
		const char *part;
		enum cause_group group;
	} of[] = {
		/* the first part that is found decides */
		{ "none:", GROUP_EMPTY },         { "no instruction", GROUP_EMPTY }, { "on its way", GROUP_EMPTY },
		{ "busy", GROUP_BUSY },           { "sync issue", GROUP_SYNC },      { "bank", GROUP_BANK },
		{ "bandwidth", GROUP_BANDWIDTH }, { "L2 miss", GROUP_BANDWIDTH },    { "cross-core", GROUP_CROSS },
		{ "unit flag", GROUP_CROSS },     { "wait for", GROUP_FLAG },        { "barrier", GROUP_BARRIER },
		{ "queue", GROUP_QUEUE },         { "cache", GROUP_CACHE },          { "launch", GROUP_OUTSIDE },
		{ "finished", GROUP_OUTSIDE },    { "block ends", GROUP_OUTSIDE },
	};
	if (strstr(text, "scalar waits"))
		return strncmp(text, "none:", 5) == 0 ? GROUP_EMPTY : GROUP_FLAG;
	for (size_t i = 0; i < sizeof of / sizeof of[0]; i++)
		if (strstr(text, of[i].part))
			return of[i].group;
	return GROUP_CROSS;
}

const char *cause_group_name(enum cause_group g)
{
	static const char *const name[GROUP_COUNT] = {
		"working",    "flags, barriers", "bank conflict", "bandwidth",      "waits for a pipe", "barrier",
		"other core", "queue full",      "cache miss",    "no instruction", "launch, end",
	};
	return name[g];
}
