#define _GNU_SOURCE /* strtod_l */
#include "support/text.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* 10^0 .. 10^22: the powers of ten that a double holds exactly. */
static const double exact_power[] = { 1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                      1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                      1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22 };

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Everything the fast path of ni_parse_double leaves: strtod in the C locale, whatever the host set. */
static bool parse_slowly(const char *text, size_t length, double *value)
{
    char copy[512];
    if (length >= sizeof copy) return false;
    memcpy(copy, text, length);
    copy[length] = 0;
    locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!c) return false;
    char *end;
    *value = strtod_l(copy, &end, c);
    freelocale(c);
    return end == copy + length && isfinite(*value);
}

/* A number of at most 15 digits and a small exponent is one exact integer times or divided by one exact
 * power of ten, hence correctly rounded by one operation (Clinger 1990). */
bool ni_parse_double(const char *text, size_t length, double *value)
{
    const char *at = text, *end = text + length;
    bool negative = at < end && *at == '-';
    if (at < end && (*at == '-' || *at == '+')) at++;
    uint64_t digits = 0;
    int count = 0, exponent = 0, seen = 0;
    for (; at < end && is_digit(*at); at++, seen++)
        if (digits || *at != '0') digits = count++ < 18 ? digits * 10 + (uint64_t)(*at - '0') : digits;
    if (at < end && *at == '.')
        for (at++; at < end && is_digit(*at); at++, seen++) {
            if (digits || *at != '0') digits = count++ < 18 ? digits * 10 + (uint64_t)(*at - '0') : digits;
            exponent--;
        }
    if (!seen) return false;
    if (at < end && (*at == 'e' || *at == 'E')) {
        bool minus = ++at < end && *at == '-';
        if (at < end && (*at == '-' || *at == '+')) at++;
        int power = 0, power_digits = 0;
        for (; at < end && is_digit(*at); at++, power_digits++)
            if (power < 10000) power = power * 10 + (*at - '0');
        if (!power_digits) return false;
        exponent += minus ? -power : power;
    }
    if (at != end) return false;
    if (count > 15 || exponent > 22 || exponent < -22) return parse_slowly(text, length, value);
    double v = (double)digits;
    v = exponent < 0 ? v / exact_power[-exponent] : v * exact_power[exponent];
    *value = negative ? -v : v;
    return true;
}

bool ni_parse_u64(const char *text, size_t length, uint64_t *value)
{
    uint64_t v = 0;
    if (length == 0) return false;
    for (size_t i = 0; i < length; i++) {
        if (!is_digit(text[i])) return false;
        if (__builtin_mul_overflow(v, (uint64_t)10, &v)) return false;
        if (__builtin_add_overflow(v, (uint64_t)(text[i] - '0'), &v)) return false;
    }
    *value = v;
    return true;
}

/* snprintf with a point as decimal sign, whatever locale the host program has set. */
size_t ni_format_digits(double value, int digits, char text[32])
{
    int n = snprintf(text, 32, "%.*g", digits, value);
    const char *theirs = localeconv()->decimal_point;
    char *comma = strstr(text, theirs);
    size_t extra = strlen(theirs) - 1;
    if (!comma) return (size_t)n;
    *comma = '.';
    memmove(comma + 1, comma + 1 + extra, strlen(comma + 1 + extra) + 1);
    return (size_t)n - extra;
}

void ni_format_double(double value, char text[32])
{
    double back;
    for (int digits = 1; digits <= 17; digits++) {
        size_t n = ni_format_digits(value, digits, text);
        if (digits == 17 || (ni_parse_double(text, n, &back) && back == value)) return;
    }
}

size_t ni_format_float(float value, char text[32])
{
    double back;
    size_t n = 0;
    for (int digits = 6; digits <= 9; digits++) {
        n = ni_format_digits((double)value, digits, text);
        if (ni_parse_double(text, n, &back) && (float)back == value) break;
    }
    return n;
}

/* Rounded by integers, because printf would write the decimal point of the host's language. */
bool ni_format_fixed(double value, int decimals, char text[NI_FIXED_BYTES])
{
    uint64_t one = 1;
    for (int i = 0; i < decimals; i++) one *= 10;
    double scaled = fabs(value) * (double)one + 0.5;
    if (!(scaled < 0x1p53)) return false;
    uint64_t units = (uint64_t)scaled;
    int n = snprintf(text, NI_FIXED_BYTES, "%s%llu", value < 0 && units ? "-" : "",
                     (unsigned long long)(units / one));
    if (decimals)
        snprintf(text + n, NI_FIXED_BYTES - (size_t)n, ".%0*llu", decimals,
                 (unsigned long long)(units % one));
    return true;
}

char *ni_format_count(uint64_t value, char text[32])
{
    char digits[32], *to = text;
    int n = snprintf(digits, sizeof digits, "%llu", (unsigned long long)value);
    for (int i = 0; i < n; i++) {
        if (i && (n - i) % 3 == 0) *to++ = ',';
        *to++ = digits[i];
    }
    *to = 0;
    return text;
}

char *ni_format_seconds(double seconds, char text[32])
{
    bool known = isfinite(seconds) && seconds >= 0 && seconds <= 1e12;
    unsigned long long s = known ? (unsigned long long)(seconds + 0.5) : 0;
    if (!known) snprintf(text, 32, "unknown");
    else if (seconds < 1) snprintf(text, 32, "%.0f ms", seconds * 1000);
    else if (seconds < 59.95) snprintf(text, 32, "%.1f s", seconds);
    else if (s < 3600) snprintf(text, 32, "%llu min %02llu s", s / 60, s % 60);
    else if (s < 172800) snprintf(text, 32, "%llu h %02llu min", s / 3600, s % 3600 / 60);
    else snprintf(text, 32, "%llu days", s / 86400);
    return text;
}

size_t ni_finite_until(const float *values, size_t count)
{
    size_t i = 0;
    while (i < count && isfinite(values[i])) i++;
    return i;
}
