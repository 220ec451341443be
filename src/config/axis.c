/* SPDX-License-Identifier: Apache-2.0
 *
 * Ranges as axes. Fractions are counted in decimal: [0.1, 1.0, 0.1] has ten values and the third is 0.3,
 * where adding doubles would give 0.30000000000000004 and perhaps nine.
 */
#include "config/axis.h"

#include "base/number.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static ob_status check_form(const char *name, const ob_json *range, ob_err *err)
{
    if (ob_json_get_kind(range) != OB_JSON_ARRAY)
        return ob__node_error(err, range,
                              "\"%s\" is named in \"__range__\", so it must be [lowest, highest] "
                              "or [lowest, highest, step], not %s",
                              name, ob_json_kind_name(ob_json_get_kind(range)));
    if (range->count < 2 || range->count > 3)
        return ob__node_error(err, range,
                              "a range has two or three numbers, [lowest, highest] or [lowest, "
                              "highest, step]; this one has %u",
                              range->count);
    return OB_OK;
}

/* How many of lo, lo + step, ... are within hi. */
static bool count_steps(int64_t lo, int64_t hi, int64_t step, uint64_t *count)
{
    const uint64_t size = step > 0 ? (uint64_t)step : 0 - (uint64_t)step;
    if (size == 0)
        return false;
    if (step > 0 ? lo > hi : lo < hi) {
        *count = 0;
        return true;
    }
    const uint64_t span = step > 0 ? (uint64_t)hi - (uint64_t)lo : (uint64_t)lo - (uint64_t)hi;
    return !__builtin_add_overflow(span / size, 1, count);
}

static ob_status zero_step(const ob_json *range, ob_err *err)
{
    return ob__node_error(err, ob_json_item(range, 2),
                          "the step of a range must not be 0; use 1, or a plain value");
}

ob_status ob__axis_from_int_range(const char *name, const ob_json *range, ob_axis *out, ob_err *err)
{
    OB_TRY(check_form(name, range, err));
    for (uint32_t i = 0; i < range->count; i++)
        OB_TRY(ob__check_value(OB_ATTR_INT, name, &range->as.items[i], err));
    const int64_t lo = range->as.items[0].as.integer, hi = range->as.items[1].as.integer;
    const int64_t step = range->count == 3 ? range->as.items[2].as.integer : 1;
    if (step == 0)
        return zero_step(range, err);
    *out = (ob_axis){.kind = OB_AXIS_INT, .lo = lo, .step = step};
    if (!count_steps(lo, hi, step, &out->count) || out->count > INT64_MAX)
        return ob__node_error(err, range, "the range has more than 2^63 values; use a larger step");
    return OB_OK;
}

/* The number's text as mantissa / 10^decimals; false when that does not fit. */
static bool to_decimal(const ob_json *node, int64_t *mantissa, int *decimals)
{
    char digits[24];
    size_t count = 0;
    *decimals = 0;
    if (node->kind == OB_JSON_INT) {
        *mantissa = node->as.integer;
        return true;
    }
    const char *text = node->as.real.text;
    if (text == NULL)
        return false;
    bool fraction = false;
    for (; *text != '\0' && *text != 'e' && *text != 'E'; text++) {
        if (*text == '.') {
            fraction = true;
            continue;
        }
        if (count == sizeof digits)
            return false;
        digits[count++] = *text;
        *decimals += fraction;
    }
    if (*text != '\0') {
        const double exponent =
            ob__parse_double(text + 1 + (text[1] == '+'), strlen(text + 1 + (text[1] == '+')));
        if (fabs(exponent) > 30)
            return false;
        *decimals -= (int)exponent;
    }
    return ob__parse_i64(digits, count, mantissa);
}

static bool scale_up(int64_t *value, int times)
{
    for (int i = 0; i < times; i++)
        if (__builtin_mul_overflow(*value, 10, value))
            return false;
    return true;
}

/* All three on one power of ten, small enough that (double)value / scale rounds once. */
static bool decimal_axis(const ob_json *range, ob_axis *out)
{
    int64_t value[3] = {0, 0, 1};
    int decimals[3] = {0, 0, 0}, most = 0;
    for (uint32_t i = 0; i < range->count; i++)
        if (!to_decimal(&range->as.items[i], &value[i], &decimals[i]))
            return false;
    for (int i = 0; i < 3; i++)
        most = decimals[i] > most ? decimals[i] : most;
    if (most > 15)
        return false;
    double scale = 1;
    for (int i = 0; i < most; i++)
        scale *= 10;
    for (int i = 0; i < 3; i++)
        if (!scale_up(&value[i], most - decimals[i]) || value[i] > (int64_t)1 << 53 ||
            value[i] < -((int64_t)1 << 53))
            return false;
    *out = (ob_axis){.kind = OB_AXIS_DECIMAL, .lo = value[0], .step = value[2], .scale = scale};
    return count_steps(value[0], value[1], value[2], &out->count);
}

ob_status ob__axis_from_real_range(const char *name, const ob_json *range, ob_axis *out,
                                   ob_err *err)
{
    OB_TRY(check_form(name, range, err));
    for (uint32_t i = 0; i < range->count; i++) {
        if (range->as.items[i].kind == OB_JSON_STRING)
            return ob__node_error(err, &range->as.items[i],
                                  "\"%s\" is a range; its ends must be numbers", name);
        OB_TRY(ob__check_value(OB_ATTR_REAL, name, &range->as.items[i], err));
    }
    const double lo = ob_json_real(&range->as.items[0], 0),
                 hi = ob_json_real(&range->as.items[1], 0);
    const double step = range->count == 3 ? ob_json_real(&range->as.items[2], 0) : 1;
    if (step == 0)
        return zero_step(range, err);
    if (decimal_axis(range, out))
        return OB_OK;
    const double steps = floor((hi - lo) / step * (1 + 4 * 0x1p-52));
    if (!isfinite(hi - lo))
        return ob__node_error(err, range, "the ends of the range are too far apart for a double");
    if (!(steps < 0x1p53))
        return ob__node_error(err, range, "the range has more than 2^53 values; use a larger step");
    *out = (ob_axis){.kind = OB_AXIS_REAL,
                     .real_lo = lo,
                     .real_step = step,
                     .count = steps < 0 ? 0 : (uint64_t)steps + 1};
    return OB_OK;
}

static void write_real(ob_json *node, double value)
{
    node->kind = OB_JSON_REAL;
    node->as.real.value = value;
    node->as.real.text = NULL;
}

void ob__axis_write(const ob_axis *axis, uint64_t i)
{
    ob_json *node = axis->node;
    switch (axis->kind) {
    case OB_AXIS_INT:
        node->kind = OB_JSON_INT;
        node->as.integer = (int64_t)((uint64_t)axis->lo + i * (uint64_t)axis->step);
        break;
    case OB_AXIS_DECIMAL:
        write_real(node, (double)(axis->lo + (int64_t)i * axis->step) / axis->scale);
        break;
    case OB_AXIS_REAL:
        write_real(node, axis->real_lo + (double)i * axis->real_step);
        break;
    case OB_AXIS_LIST: {
        const ob_json *item = &axis->items[i];
        node->kind = item->kind;
        node->flags = item->flags | OB_JSON_FLAG_VARIES;
        node->count = item->count;
        node->as = item->as;
        break;
    }
    }
}
