// Two files of C and this one of C++ have the header, and are one program.

#include <queuecore.h>
#include <queuecore.h>

extern "C" {
uint32_t header_twice_a(void);
uint32_t header_twice_b(void);
}

int main() { return header_twice_a() == qc_abi_version() && header_twice_b() == QC_VERSION_NUMBER ? 0 : 1; }
