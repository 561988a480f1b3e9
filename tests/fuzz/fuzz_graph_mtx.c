/* Matrix Market. A size line may announce a million nodes for nothing (SECURITY.md), which takes a tenth of
 * a second each: numbers that are large and still allowed are left out, those beyond the limit are not. */
#include "harness.h"

static bool announces_many(const uint8_t *data, size_t size)
{
    enum { MANY = 5000, LIMIT = 2000000 };
    uint64_t number = 0;
    for (size_t i = 0; i <= size; i++) {
        bool digit = i < size && data[i] >= '0' && data[i] <= '9';
        if (!digit && number > MANY && number < LIMIT) return true;
        number = digit ? number * 10 + data[i] - '0' : 0;
        if (number > LIMIT) number = LIMIT;
    }
    return false;
}

static void one(const uint8_t *data, size_t size)
{
    if (!announces_many(data, size)) fuzz_text_graph("mtx", data, size, 1024);
}

const fuzz_target fuzz = { .one = one };
