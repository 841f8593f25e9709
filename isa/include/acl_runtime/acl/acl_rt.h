/* acl_rt.h - see acl.h, which holds all of it. */
#include "acl.h"
