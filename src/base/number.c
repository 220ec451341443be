/* SPDX-License-Identifier: Apache-2.0
 *
 * Numbers to and from text. The C library's functions take the decimal point from the process's
 * locale, which belongs to whoever embeds us; here it is always ".".
 */
#include "base/number.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool ob__parse_i64(const char *text, size_t length, int64_t *out)
{
    const bool negative = length > 0 && text[0] == '-';
    uint64_t value = 0;
    for (size_t i = negative; i < length; i++) {
        if (__builtin_mul_overflow(value, (uint64_t)10, &value) ||
            __builtin_add_overflow(value, (uint64_t)(text[i] - '0'), &value))
            return false;
    }
    if (value > (uint64_t)INT64_MAX + negative)
        return false;
    *out = negative ? (int64_t)(0 - value) : (int64_t)value;
    return length > (size_t)negative;
}

/* Mantissa below 2^53 and a power of ten up to 10^22 are exact doubles, so one multiplication or
 * division rounds once: the result is the nearest double. Covers nearly all numbers in practice. */
static bool parse_exact(const char *text, size_t length, double *out)
{
    static const double TEN[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                 1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    uint64_t mantissa = 0;
    int exponent = 0;
    bool fraction = false;
    size_t i = text[0] == '-';
    if (length > 40)
        return false;
    for (; i < length && text[i] != 'e' && text[i] != 'E'; i++) {
        if (text[i] == '.') {
            fraction = true;
            continue;
        }
        mantissa = mantissa * 10 + (uint64_t)(text[i] - '0');
        exponent -= fraction;
        if (mantissa >= (uint64_t)1 << 53)
            return false;
    }
    if (i < length) {
        const bool minus = text[i + 1] == '-';
        int written = 0;
        i += minus || text[i + 1] == '+' ? 2 : 1;
        for (; i < length; i++) {
            written = written * 10 + (text[i] - '0');
            if (written > 1000)
                return false;
        }
        exponent += minus ? -written : written;
    }
    if (exponent < -22 || exponent > 22)
        return false;
    const double value =
        exponent < 0 ? (double)mantissa / TEN[-exponent] : (double)mantissa * TEN[exponent];
    *out = text[0] == '-' ? -value : value;
    return true;
}

/* strtod in the "C" locale. newlocale of "C" costs no memory in glibc and musl. */
static double parse_slow(const char *text)
{
    locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    const double value = c != (locale_t)0 ? strtod_l(text, NULL, c) : strtod(text, NULL);
    if (c != (locale_t)0)
        freelocale(c);
    return value;
}

double ob__parse_double(const char *text, size_t length)
{
    double value = 0;
    if (length == 0 || parse_exact(text, length, &value))
        return value;
    char small[128];
    char *copy = length < sizeof small ? small : malloc(length + 1);
    if (copy == NULL)
        return NAN;
    memcpy(copy, text, length);
    copy[length] = '\0';
    value = parse_slow(copy);
    if (copy != small)
        free(copy);
    return value;
}

typedef struct decimal {
    char digits[20]; /* without zeros at the end */
    size_t count;
    int exponent; /* of the first digit */
} decimal;

#define MAX_SCALE 22

/* Digits of n / 10^scale. */
static void set_digits(uint64_t n, int scale, decimal *out)
{
    char reversed[20];
    size_t count = 0;
    for (; n > 0; n /= 10)
        reversed[count++] = (char)('0' + n % 10);
    out->exponent = (int)count - 1 - scale;
    out->count = 0;
    size_t zeros = 0;
    while (zeros + 1 < count && reversed[zeros] == '0')
        zeros++;
    while (count > zeros)
        out->digits[out->count++] = reversed[--count];
}

/* The nearest number of `precision` digits, if it reads back as value = mantissa / 2^shift. All in
 * integers: value * 10^scale is mantissa * 10^scale / 2^shift, and half a unit in the last place of
 * value is 10^scale / 2 of the same unit. */
static bool try_digits(uint64_t mantissa, int shift, int scale, uint64_t *n)
{
    __extension__ typedef unsigned __int128 wide;
    static const uint64_t TEN[] = {1,         10,         100,         1000,
                                   10000,     100000,     1000000,     10000000,
                                   100000000, 1000000000, 10000000000, 100000000000};
    const wide ten = (wide)TEN[scale / 2] * TEN[scale - scale / 2];
    const wide scaled = mantissa * ten, one = (wide)1 << shift;
    const wide rest = scaled & (one - 1);
    const bool up = rest > one - rest || (rest == one - rest && (scaled >> shift & 1));
    const wide error = up ? one - rest : rest;
    *n = (uint64_t)(scaled >> shift) + up;
    /* Below a power of two the neighbour is only half as far away. */
    return mantissa == (uint64_t)1 << 52 ? error < ten / 4 : error < ten / 2;
}

/* Without the C library, for numbers of everyday size: a run prints thousands of samples. */
static bool exact_digits(double value, decimal *out)
{
    int binary;
    uint64_t n;
    const double fraction = frexp(value, &binary);
    const uint64_t mantissa = (uint64_t)ldexp(fraction, 53);
    const int shift = 53 - binary;
    if (shift < 0 || value < 1e-8)
        return false;
    /* 15 digits suffice for every number that was written with no more, 17 for all. The exponent may be
     * one too low here, which costs a digit that is a zero or not needed. */
    const int exponent = (int)floor((binary - 1) * 0.30102999566398120);
    for (int precision = 15; precision <= 17; precision++) {
        const int scale = precision - 1 - exponent;
        if (scale < 0 || scale > MAX_SCALE)
            return false;
        if (try_digits(mantissa, shift, scale, &n)) {
            set_digits(n, scale, out);
            return true;
        }
    }
    return false;
}

/* The fewest digits that read back, by printing and reading. */
static void printed_digits(double value, decimal *out)
{
    char text[40];
    for (int precision = 0; precision <= 16; precision++) {
        snprintf(text, sizeof text, "%.*e", precision, value);
        for (char *c = text; *c != '\0'; c++)
            if (strchr("0123456789+-e", *c) == NULL)
                *c = '.';
        if (ob__parse_double(text, strlen(text)) == value)
            break;
    }
    const char *c = text;
    for (out->count = 0; *c != 'e'; c++)
        if (*c != '.' && out->count < sizeof out->digits)
            out->digits[out->count++] = *c;
    out->exponent = (int)strtol(c + 1, NULL, 10);
}

size_t ob__format_double(double value, char *out)
{
    if (isnan(value))
        return (size_t)sprintf(out, "nan");
    if (isinf(value))
        return (size_t)sprintf(out, value < 0 ? "-inf" : "inf");
    decimal d = {.digits = "0", .count = 1};
    if (!exact_digits(fabs(value), &d))
        printed_digits(fabs(value), &d);
    const char *digits = d.digits;
    const size_t count = d.count;
    const int exponent = d.exponent;
    char *to = out;
    if (signbit(value))
        *to++ = '-';
    if (exponent < -4 || exponent >= 16) {
        *to++ = digits[0];
        if (count > 1) {
            *to++ = '.';
            memcpy(to, digits + 1, count - 1);
            to += count - 1;
        }
        const int size = abs(exponent);
        *to++ = 'e';
        *to++ = exponent < 0 ? '-' : '+';
        if (size >= 100)
            *to++ = (char)('0' + size / 100);
        *to++ = (char)('0' + size / 10 % 10);
        *to++ = (char)('0' + size % 10);
    } else if (exponent < 0) {
        memcpy(to, "0.0000", 6);
        to += 1 - exponent;
        memcpy(to, digits, count);
        to += count;
    } else {
        for (size_t i = 0; i <= (size_t)exponent; i++)
            *to++ = i < count ? digits[i] : '0';
        *to++ = '.';
        if (count <= (size_t)exponent + 1)
            *to++ = '0';
        for (size_t i = (size_t)exponent + 1; i < count; i++)
            *to++ = digits[i];
    }
    *to = '\0';
    return (size_t)(to - out);
}

bool ob__named_real(const char *text, double *out)
{
    static const struct {
        const char *name;
        double value;
    } NAMED[] = {{"inf", (double)INFINITY}, {"-inf", -(double)INFINITY}, {"nan", (double)NAN}};
    for (size_t i = 0; text != NULL && i < sizeof NAMED / sizeof *NAMED; i++)
        if (strcmp(text, NAMED[i].name) == 0) {
            *out = NAMED[i].value;
            return true;
        }
    return false;
}
