/* SPDX-License-Identifier: Apache-2.0
 *
 * Arithmetic, functions of one number, comparisons, logic, bits and choices, element by element.
 */
#include "reference_formula.h"

/* ---- sums and products ---- */

/* alpha * x, which PyTorch rounds to half precision. */
static ball scaled(const ball_rules *r, ball alpha, ball x)
{
    const ball made = MUL(alpha, x);
    return (ball){made.v, isfinite(made.v) ? made.e + r->given * fabs(made.v) : made.e};
}
#define SCALED(x) (o->given & 4 && a[2].v != 1 ? scaled(r, a[2], x) : (x))
REAL(add, ADD(a[0], SCALED(a[1])))
REAL(sub, SUB(a[0], SCALED(a[1])))
REAL(rsub, SUB(a[1], SCALED(a[0])))
REAL(mul, MUL(a[0], a[1]))
REAL(addcmul, ADD(a[0], MUL(MUL(o->given & 8 ? a[3] : ONE, a[1]), a[2])))
REAL(addcdiv, ADD(a[0], DIV(MUL(o->given & 8 ? a[3] : ONE, a[1]), a[2])))
REAL(lerp, ADD(a[0], MUL(a[2], SUB(a[1], a[0]))))
REAL(square, MUL(a[0], a[0]))
REAL(neg, ball_neg(a[0]))
REAL(abs, ball_abs(a[0]))

/* Whole numbers wrap around. */
#define WRAP(x, op, y) (int64_t)((uint64_t)(x)op(uint64_t)(y))
WHOLE(add, WRAP(a[0], +, o->given & 4 ? WRAP(a[1], *, a[2]) : a[1]))
WHOLE(sub, WRAP(a[0], -, o->given & 4 ? WRAP(a[1], *, a[2]) : a[1]))
WHOLE(rsub, WRAP(a[1], -, o->given & 4 ? WRAP(a[0], *, a[2]) : a[0]))
WHOLE(mul, WRAP(a[0], *, a[1]))
WHOLE(addcmul, WRAP(a[0], +, WRAP(WRAP(a[1], *, a[2]), *, o->given & 8 ? a[3] : 1)))
WHOLE(square, WRAP(a[0], *, a[0]))
WHOLE(neg, WRAP(0, -, a[0]))
WHOLE(abs, a[0] < 0 ? WRAP(0, -, a[0]) : a[0])
WHOLE(same, a[0])

COMPLEX(add, CADD(a[0], o->given & 4 ? cmul(r, a[2], a[1]) : a[1]))
COMPLEX(sub, CADD(a[0], cneg(o->given & 4 ? cmul(r, a[2], a[1]) : a[1])))
COMPLEX(rsub, CADD(a[1], cneg(o->given & 4 ? cmul(r, a[2], a[0]) : a[0])))
COMPLEX(mul, cmul(r, a[0], a[1]))
COMPLEX(square, cmul(r, a[0], a[0]))
COMPLEX(neg, cneg(a[0]))

/* ---- quotients ---- */

/* A quotient that is whole is computed exactly; near to one it may come out on either side. */
static ball whole_quotient(const ball_rules *r, const ball *a, double (*f)(double))
{
    if (a[0].e == 0 && a[1].e == 0 && fmod(a[0].v, a[1].v) == 0)
        return ball_of(a[0].v / a[1].v);
    const ball q = DIV(a[0], a[1]);
    return ball_step((ball){q.v, 2 * q.e}, f);
}

static ball real_div(const ball_rules *r, const ball *a, const point_options *o)
{
    if (o->mode == '\0')
        return DIV(a[0], a[1]);
    return whole_quotient(r, a, o->mode == 'f' ? floor : trunc);
}

static int64_t whole_div(const int64_t *a, const point_options *o)
{
    if (a[1] == 0 || a[1] == -1)
        return a[1] == 0 ? 0 : WRAP(0, -, a[0]);
    const int64_t q = a[0] / a[1];
    return o->mode == 'f' && a[0] % a[1] != 0 && (a[0] < 0) != (a[1] < 0) ? q - 1 : q;
}

static int64_t whole_floor_divide(const int64_t *a, const point_options *o)
{
    point_options floored = *o;
    floored.mode = 'f';
    return whole_div(a, &floored);
}
REAL(floor_divide, whole_quotient(r, a, floor))

/* a - b * whole(a / b): what is left has the rounding of a, and is off by one b where the quotient is. */
static ball remainder_of(const ball_rules *r, const ball *a, double v, double (*f)(double))
{
    const double e = 2 * r->u * fabs(a[0].v) + a[0].e +
                     ball_times(whole_quotient(r, a, f).v, a[1].e) +
                     ball_times(a[1].v, whole_quotient(r, a, f).e);
    return (ball){v, isfinite(v) ? e : 0};
}

static ball real_fmod(const ball_rules *r, const ball *a, const point_options *o)
{
    (void)o;
    return remainder_of(r, a, fmod(a[0].v, a[1].v), trunc);
}

static ball real_remainder(const ball_rules *r, const ball *a, const point_options *o)
{
    (void)o;
    const double left = fmod(a[0].v, a[1].v);
    const bool other_side = left != 0 && (a[1].v < 0) != (left < 0);
    return remainder_of(r, a, other_side ? left + a[1].v : left, floor);
}

WHOLE(fmod, a[1] == 0 || a[1] == -1 ? 0 : a[0] % a[1])

static int64_t whole_remainder(const int64_t *a, const point_options *o)
{
    const int64_t left = whole_fmod(a, o);
    return left != 0 && (left < 0) != (a[1] < 0) ? left + a[1] : left;
}

/* ---- powers ---- */

static ball real_pow(const ball_rules *r, const ball *a, const point_options *o)
{
    (void)o;
    const double v = pow(a[0].v, a[1].v);
    const double steep = a[0].v != 0 && isfinite(v) ? fabs(a[1].v * log(fabs(a[0].v))) : 0;
    double e = (BALL_FUNCTION_ROUNDINGS + 2 * steep) * ball_rounding(r, v);
    for (int corner = 0; corner < 4 && (a[0].e > 0 || a[1].e > 0); corner++) {
        const double x = a[0].v + (corner & 1 ? a[0].e : -a[0].e);
        const double y = a[1].v + (corner & 2 ? a[1].e : -a[1].e);
        const double off = fabs(pow(x, y) - v);
        e = fmax(e, isnan(off) ? INFINITY : off + 4 * ball_rounding(r, v));
    }
    return (ball){v, isfinite(v) ? e : 0};
}

static int64_t whole_pow(const int64_t *a, const point_options *o)
{
    (void)o;
    uint64_t base = (uint64_t)a[0], result = 1;
    if (a[1] < 0)
        return a[0] == 1 ? 1 : a[0] == -1 ? (a[1] % 2 != 0 ? -1 : 1) : 0;
    for (uint64_t n = (uint64_t)a[1]; n > 0; n >>= 1, base *= base)
        if (n & 1)
            result *= base;
    return (int64_t)result;
}

static ball real_xlogy(const ball_rules *r, const ball *a, const point_options *o)
{
    (void)o;
    if (a[0].v == 0 && a[0].e == 0 && !isnan(a[1].v))
        return ball_of(0);
    return MUL(a[0], F(log, a[1]));
}

static ball real_atan2(const ball_rules *r, const ball *a, const point_options *o)
{
    (void)o;
    const double v = atan2(a[0].v, a[1].v);
    const double far = a[0].v * a[0].v + a[1].v * a[1].v;
    const double turned = ball_times(a[1].v, a[0].e) + ball_times(a[0].v, a[1].e);
    return (ball){v,
                  BALL_FUNCTION_ROUNDINGS * ball_rounding(r, v) + (turned > 0 ? turned / far : 0)};
}

/* ---- functions of one number ---- */

REAL(exp, F(exp, a[0]))
REAL(exp2, F(exp2, a[0]))
REAL(expm1, F(expm1, a[0]))
REAL(log, F(log, a[0]))
REAL(log2, F(log2, a[0]))
REAL(log10, F(log10, a[0]))
REAL(log1p, F(log1p, a[0]))
REAL(sqrt, ball_function_of(r, a[0], sqrt, 1))
REAL(rsqrt, F(rsqrt_of, a[0]))
REAL(reciprocal, DIV(ONE, a[0]))
REAL(sin, F(sin, a[0]))
REAL(cos, F(cos, a[0]))
REAL(tan, F(tan, a[0]))
REAL(atan, F(atan, a[0]))
REAL(tanh, F(tanh, a[0]))
REAL(erf, ERF(a[0]))
/* As 1 - erf(x), too. */
REAL(erfc, LOOSE(F(erfc, a[0]), 4))
REAL(sigmoid, SIGMOID(a[0]))
REAL(sign, ball_step(a[0], sign_of))
REAL(floor, ball_step(a[0], floor))
REAL(ceil, ball_step(a[0], ceil))
REAL(round, ball_step(a[0], nearbyint))
REAL(trunc, ball_step(a[0], trunc))
WHOLE(sign, (a[0] > 0) - (a[0] < 0))

/* ---- the larger, the smaller ---- */

/* With the bounds crossed, PyTorch takes the upper one; others do not. */
static ball clamp_to(ball x, ball low, ball high)
{
    if (low.v > high.v)
        return isnan(x.v) ? x : (ball){high.v, fabs(high.v - low.v) + high.e + low.e};
    return ball_min(ball_max(x, low), high);
}

static ball real_clamp(const ball_rules *r, const ball *a, const point_options *o)
{
    (void)r;
    const ball low = o->given & 2 ? a[1] : ball_of(-INFINITY);
    const ball high = o->given & 4 ? a[2] : ball_of(INFINITY);
    return clamp_to(a[0], low, high);
}

static int64_t whole_clamp(const int64_t *a, const point_options *o)
{
    const int64_t raised = o->given & 2 && a[0] < a[1] ? a[1] : a[0];
    return o->given & 4 && raised > a[2] ? a[2] : raised;
}

REAL(maximum, ball_max(a[0], a[1]))
REAL(minimum, ball_min(a[0], a[1]))
WHOLE(maximum, a[0] > a[1] ? a[0] : a[1])
WHOLE(minimum, a[0] < a[1] ? a[0] : a[1])

/* ---- comparisons and logic ---- */

#define TRUTH(is_true) ball_truth_value((ball_truth){is_true, ball_less(a[0], a[1]).sure})
REAL(eq, TRUTH(a[0].v == a[1].v))
REAL(ne, TRUTH(a[0].v != a[1].v))
REAL(lt, TRUTH(a[0].v < a[1].v))
REAL(le, TRUTH(a[0].v <= a[1].v))
REAL(gt, TRUTH(a[0].v > a[1].v))
REAL(ge, TRUTH(a[0].v >= a[1].v))
WHOLE(eq, a[0] == a[1])
WHOLE(ne, a[0] != a[1])
WHOLE(lt, a[0] < a[1])
WHOLE(le, a[0] <= a[1])
WHOLE(gt, a[0] > a[1])
WHOLE(ge, a[0] >= a[1])

#define IS(x) ((x).v != 0)
#define SURE(x) ((x).e == 0 || fabs((x).v) > (x).e)
REAL(logical_and, ball_truth_value((ball_truth){IS(a[0]) && IS(a[1]), SURE(a[0]) && SURE(a[1])}))
REAL(logical_or, ball_truth_value((ball_truth){IS(a[0]) || IS(a[1]), SURE(a[0]) && SURE(a[1])}))
REAL(logical_xor, ball_truth_value((ball_truth){IS(a[0]) != IS(a[1]), SURE(a[0]) && SURE(a[1])}))
REAL(logical_not, ball_truth_value((ball_truth){!IS(a[0]), SURE(a[0])}))
REAL(isnan, ball_of(isnan(a[0].v)))
REAL(isinf, ball_of(isinf(a[0].v)))
REAL(isfinite, ball_of(isfinite(a[0].v)))
WHOLE(bitwise_and, a[0] & a[1])
WHOLE(bitwise_or, a[0] | a[1])
WHOLE(bitwise_xor, a[0] ^ a[1])
WHOLE(bitwise_not, o->truth ? !a[0] : ~a[0])

/* ---- choices ---- */

REAL(where, a[0].v != 0 ? a[1] : a[2])
REAL(masked_fill, a[1].v != 0 ? a[2] : a[0])
REAL(fill, a[1])
REAL(zero, ball_of(0))
WHOLE(where, a[0] != 0 ? a[1] : a[2])
WHOLE(masked_fill, a[1] != 0 ? a[2] : a[0])
WHOLE(fill, a[1])
COMPLEX(where, a[0].re.v != 0 ? a[1] : a[2])
COMPLEX(masked_fill, a[1].re.v != 0 ? a[2] : a[0])
COMPLEX(fill, a[1])
COMPLEX(zero, ((complex_ball){ball_of(0), ball_of(0)}))

#define SELF_OTHER "self other|scalar|scalars"
#define WITH_ALPHA SELF_OTHER " alpha"
#define THREE "self tensor1 tensor2 value|scalars"

const ref_row ref_rows_arithmetic[] = {
    POINT(add, WITH_ALPHA, real_add, whole_add, complex_add),
    POINT(sub, WITH_ALPHA, real_sub, whole_sub, complex_sub),
    POINT(rsub, WITH_ALPHA, real_rsub, whole_rsub, complex_rsub),
    POINT(mul, SELF_OTHER, real_mul, whole_mul, complex_mul),
    {.name = "aten::div",
     .run = ref_pointwise,
     .data =
         &(const point_row){
             .operands = SELF_OTHER, .real = real_div, .whole = whole_div, .with_mode = true}},
    POINT(floor_divide, SELF_OTHER, real_floor_divide, whole_floor_divide, NULL),
    POINT(remainder, SELF_OTHER, real_remainder, whole_remainder, NULL),
    POINT(fmod, SELF_OTHER, real_fmod, whole_fmod, NULL),
    POINT(pow, "self exponent", real_pow, whole_pow, NULL),
    POINT(xlogy, SELF_OTHER, real_xlogy, NULL, NULL),
    POINT(atan2, SELF_OTHER, real_atan2, NULL, NULL),
    POINT(maximum, SELF_OTHER, real_maximum, whole_maximum, NULL),
    POINT(minimum, SELF_OTHER, real_minimum, whole_minimum, NULL),
    POINT(clamp, "self min max", real_clamp, whole_clamp, NULL),
    POINT(clamp_min, "self min", real_maximum, whole_maximum, NULL),
    POINT(clamp_max, "self max", real_minimum, whole_minimum, NULL),
    POINT(addcmul, THREE, real_addcmul, whole_addcmul, NULL),
    POINT(addcdiv, THREE, real_addcdiv, NULL, NULL),
    POINT(lerp, "self end weight", real_lerp, NULL, NULL),
    POINT(neg, "self", real_neg, whole_neg, complex_neg),
    POINT(abs, "self", real_abs, whole_abs, NULL),
    POINT(sign, "self", real_sign, whole_sign, NULL),
    POINT(floor, "self", real_floor, whole_same, NULL),
    POINT(ceil, "self", real_ceil, whole_same, NULL),
    POINT(round, "self", real_round, whole_same, NULL),
    POINT(trunc, "self", real_trunc, whole_same, NULL),
    POINT(square, "self", real_square, whole_square, complex_square),
    POINT_REAL(exp),
    POINT_REAL(exp2),
    POINT_REAL(expm1),
    POINT_REAL(log),
    POINT_REAL(log2),
    POINT_REAL(log10),
    POINT_REAL(log1p),
    POINT_REAL(sqrt),
    POINT_REAL(rsqrt),
    POINT_REAL(reciprocal),
    POINT_REAL(sin),
    POINT_REAL(cos),
    POINT_REAL(tan),
    POINT_REAL(atan),
    POINT_REAL(tanh),
    POINT_REAL(erf),
    POINT_REAL(erfc),
    POINT_REAL(sigmoid),
    POINT_REAL(isnan),
    POINT_REAL(isinf),
    POINT_REAL(isfinite),
    POINT(eq, SELF_OTHER, real_eq, whole_eq, NULL),
    POINT(ne, SELF_OTHER, real_ne, whole_ne, NULL),
    POINT(lt, SELF_OTHER, real_lt, whole_lt, NULL),
    POINT(le, SELF_OTHER, real_le, whole_le, NULL),
    POINT(gt, SELF_OTHER, real_gt, whole_gt, NULL),
    POINT(ge, SELF_OTHER, real_ge, whole_ge, NULL),
    POINT(logical_and, SELF_OTHER, real_logical_and, NULL, NULL),
    POINT(logical_or, SELF_OTHER, real_logical_or, NULL, NULL),
    POINT(logical_xor, SELF_OTHER, real_logical_xor, NULL, NULL),
    POINT(logical_not, "self", real_logical_not, NULL, NULL),
    POINT(bitwise_and, SELF_OTHER, NULL, whole_bitwise_and, NULL),
    POINT(bitwise_or, SELF_OTHER, NULL, whole_bitwise_or, NULL),
    POINT(bitwise_xor, SELF_OTHER, NULL, whole_bitwise_xor, NULL),
    POINT(bitwise_not, "self", NULL, whole_bitwise_not, NULL),
    POINT(where, "condition self other", real_where, whole_where, complex_where),
    POINT(masked_fill, "self mask value", real_masked_fill, whole_masked_fill, complex_masked_fill),
    POINT(fill, "self value", real_fill, whole_fill, complex_fill),
    POINT(zero, "self", real_zero, NULL, complex_zero),
    {.name = NULL},
};
