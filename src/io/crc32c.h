/* crc32c.h - the Castagnoli checksum (RFC 3720), which finds every single flipped bit and every burst of
 * up to 32 bits. */
#ifndef NI_CRC32C_H
#define NI_CRC32C_H

#include <stddef.h>
#include <stdint.h>

/* Continues from `crc`, 0 at the start. Uses the instruction of the CPU where there is one. */
uint32_t ni_crc32c(uint32_t crc, const void *bytes, size_t count);

/* The same from tables, on any CPU. */
uint32_t ni_crc32c_portable(uint32_t crc, const void *bytes, size_t count);

#endif
