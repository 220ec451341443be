/* SPDX-License-Identifier: Apache-2.0
 *
 * Samples as bytes. Times are whole nanoseconds as a rule, and near each other: their differences take one to three bytes
 * instead of eight. What is not so is kept as it is. Either way all come back exactly.
 *
 * First a byte that says how, then, as all whole numbers here, in groups of seven bits, the lowest first: how many; and the
 * values.
 */
#include "store/store_int.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { AS_DIFFERENCES = 1, AS_DOUBLES = 2, LONGEST_NUMBER = 10 };

/* What a record has is ns / 1e6. */
static bool as_ns(double ms, int64_t *out)
{
    const double ns = nearbyint(ms * 1e6);
    if (!(fabs(ns) < 4e18) || ns / 1e6 != ms)
        return false;
    *out = (int64_t)ns;
    return true;
}

static unsigned char *put_number(unsigned char *to, uint64_t number)
{
    for (; number >= 0x80; number >>= 7)
        *to++ = (unsigned char)(number | 0x80);
    *to++ = (unsigned char)number;
    return to;
}

/* Small ones of either sign become small numbers. */
static uint64_t fold(int64_t difference)
{
    return ((uint64_t)difference << 1) ^ (difference < 0 ? UINT64_MAX : 0);
}

static int64_t unfold(uint64_t number)
{
    return (int64_t)(number >> 1) ^ -(int64_t)(number & 1);
}

static unsigned char *put_differences(unsigned char *to, const double *times_ms, size_t count)
{
    int64_t last = 0, ns;
    for (size_t i = 0; i < count; i++) {
        if (!as_ns(times_ms[i], &ns))
            return NULL;
        to = put_number(to, fold(ns - last));
        last = ns;
    }
    return to;
}

unsigned char *ob__samples_pack(const double *times_ms, size_t count, size_t *size)
{
    if (count > SIZE_MAX / LONGEST_NUMBER - 2)
        return NULL;
    unsigned char *data = malloc((count + 2) * LONGEST_NUMBER);
    if (data == NULL)
        return NULL;
    data[0] = AS_DIFFERENCES;
    unsigned char *body = put_number(data + 1, count);
    unsigned char *end = put_differences(body, times_ms, count);
    if (end == NULL) {
        data[0] = AS_DOUBLES;
        if (count > 0)
            memcpy(body, times_ms, count * sizeof *times_ms);
        end = body + count * sizeof *times_ms;
    }
    *size = (size_t)(end - data);
    return data;
}

/* ---- back ---- */

typedef struct cursor {
    const unsigned char *at, *end;
} cursor;

static bool get_number(cursor *c, uint64_t *out)
{
    uint64_t number = 0;
    for (unsigned shift = 0; shift < 64 && c->at < c->end; shift += 7) {
        const unsigned char byte = *c->at++;
        number |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) {
            *out = number;
            return true;
        }
    }
    return false;
}

static bool get_times(cursor *c, int how, double *times_ms, size_t count)
{
    if (how == AS_DOUBLES) {
        if ((size_t)(c->end - c->at) != count * sizeof *times_ms)
            return false;
        if (count > 0)
            memcpy(times_ms, c->at, count * sizeof *times_ms);
        return true;
    }
    uint64_t number, last = 0;
    for (size_t i = 0; i < count; i++) {
        if (!get_number(c, &number))
            return false;
        last += (uint64_t)unfold(number);
        times_ms[i] = (double)(int64_t)last / 1e6;
    }
    return c->at == c->end;
}

ob_status ob__samples_unpack(const void *data, size_t size, double **times_ms, size_t *count,
                             ob_err *err)
{
    cursor c = {.at = data, .end = (const unsigned char *)data + size};
    const int how = size > 0 ? *c.at++ : 0;
    uint64_t items;
    /* Each takes a byte at least. */
    if ((how != AS_DIFFERENCES && how != AS_DOUBLES) || !get_number(&c, &items) ||
        items > (uint64_t)(c.end - c.at))
        return ob_err_set(err, OB_ERR_SYNTAX, "the samples in the database are damaged");
    double *times = malloc(items > 0 ? (size_t)items * sizeof *times : 1);
    if (times == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for samples");
    if (!get_times(&c, how, times, (size_t)items)) {
        free(times);
        return ob_err_set(err, OB_ERR_SYNTAX, "the samples in the database are damaged");
    }
    *times_ms = times;
    *count = (size_t)items;
    return OB_OK;
}
