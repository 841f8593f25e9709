/* data_utils.h - files in and out, as host programs of samples have it. */
#ifndef DATA_UTILS_H
#define DATA_UTILS_H
#include <cstdio>
#include <fstream>
#include <iostream>
#include <string>
#include "acl/acl.h"
#define CHECK_ACL(x)                                                                                                   \
	do {                                                                                                           \
		aclError r_ = x;                                                                                       \
		if (r_ != ACL_ERROR_NONE) {                                                                            \
			std::cerr << __FILE__ << ":" << __LINE__ << " aclError:" << r_ << std::endl;                   \
		}                                                                                                      \
	} while (0)
inline bool ReadFile(const std::string &p, size_t &n, void *b, size_t max)
{
	std::ifstream f(p, std::ios::binary);
	f.read((char *)b, max);
	n = f.gcount();
	return n > 0;
}
inline bool WriteFile(const std::string &p, const void *b, size_t n)
{
	std::ofstream f(p, std::ios::binary);
	f.write((const char *)b, n);
	return true;
}
#endif
