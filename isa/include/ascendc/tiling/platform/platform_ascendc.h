/* platform_ascendc.h - see host/platform.h. */
#include "../../host/platform.h"
