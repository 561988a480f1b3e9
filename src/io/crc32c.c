/* CRC-32C by slicing: eight table look-ups for eight bytes (Kounavis and Berry 2005). */
#include "io/crc32c.h"

#include <pthread.h>
#include <string.h>

/* table[0][b] is the remainder of byte b; table[k][b] that of byte b with k zero bytes behind it, so that
 * eight bytes are eight independent look-ups (Kounavis and Berry 2005). */
static uint32_t table[8][256];
static pthread_once_t table_made = PTHREAD_ONCE_INIT;

static void make_table(void)
{
    const uint32_t polynomial = 0x82f63b78; /* 0x1edc6f41, bits reversed */
    for (uint32_t b = 0; b < 256; b++) {
        uint32_t r = b;
        for (int bit = 0; bit < 8; bit++) r = r >> 1 ^ (r & 1 ? polynomial : 0);
        table[0][b] = r;
    }
    for (int k = 1; k < 8; k++)
        for (uint32_t b = 0; b < 256; b++)
            table[k][b] = table[k - 1][b] >> 8 ^ table[0][table[k - 1][b] & 255];
}

uint32_t ni_crc32c_portable(uint32_t crc, const void *bytes, size_t count)
{
    pthread_once(&table_made, make_table);
    const unsigned char *at = bytes;
    crc = ~crc;
    for (; count >= 8; at += 8, count -= 8) {
        uint32_t low = crc ^ (at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24);
        crc = table[7][low & 255] ^ table[6][low >> 8 & 255] ^ table[5][low >> 16 & 255] ^
              table[4][low >> 24] ^ table[3][at[4]] ^ table[2][at[5]] ^ table[1][at[6]] ^ table[0][at[7]];
    }
    while (count--) crc = crc >> 8 ^ table[0][(crc ^ *at++) & 255];
    return ~crc;
}

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) static uint32_t crc_sse42(uint32_t crc, const void *bytes, size_t count)
{
    const unsigned char *at = bytes;
    uint64_t r = (uint32_t)~crc, word;
    for (; count >= 8; at += 8, count -= 8) {
        memcpy(&word, at, 8);
        r = __builtin_ia32_crc32di(r, word);
    }
    while (count--) r = __builtin_ia32_crc32qi((uint32_t)r, *at++);
    return ~(uint32_t)r;
}

uint32_t ni_crc32c(uint32_t crc, const void *bytes, size_t count)
{
    if (__builtin_cpu_supports("sse4.2")) return crc_sse42(crc, bytes, count);
    return ni_crc32c_portable(crc, bytes, count);
}
#else
uint32_t ni_crc32c(uint32_t crc, const void *bytes, size_t count)
{
    return ni_crc32c_portable(crc, bytes, count);
}
#endif
