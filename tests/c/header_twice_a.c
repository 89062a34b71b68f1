/* The first of two files with the header; see header_twice_main.cpp. */

#include <queuecore.h>
#include <queuecore.h>

uint32_t header_twice_a(void);
uint32_t header_twice_a(void) { return qc_abi_version(); }
