/*
 * home.h - where Vinci's own files (configs/, isa/include, kernels/) are found at run time.
 */
#ifndef HOME_H
#define HOME_H

/* The folder that holds configs/ and isa/: VINCI_HOME when set, else the nearest one above the executable, else the
 * current folder ("."). The text stays valid for the life of the process. */
const char *vinci_home(void);

#endif
