/* SPDX-License-Identifier: Apache-2.0
 *
 * The grammar, loosest binding first; all but `not` and the signs group from the left:
 *
 *   or:      and { "or" and }            and: not { "and" not }         not: { "not" } compare
 *   compare: sum { ("==" "!=" "<" "<=" ">" ">=") sum }      a < b < c means a < b and b < c
 *   sum:     product { ("+" "-") product }    product: sign { ("*" "/" "//" "%") sign }
 *   sign:    { "-" "+" } atom                 atom: number, name, true, false, "(" or ")"
 *
 * Division rounds down and the remainder has the divisor's sign, as in Python.
 */
#include "fuzz/expression.h"

#include "base/number.h"

#include <string.h>

enum { MAX_LENGTH = 4096, MAX_DEPTH = 64, STACK_SIZE = 256 };

typedef enum op {
    OP_PUSH,
    OP_LOAD,
    OP_NEGATE,
    OP_NOT,
    OP_TRUTH,         /* anything but 0 becomes 1 */
    OP_SKIP_IF_FALSE, /* false stays and the right side is skipped, else dropped */
    OP_SKIP_IF_TRUE,  /* likewise */
    OP_BEGIN_COMPARE, /* a -> true a */
    OP_COMPARE,       /* truth a b -> (truth and a OP b) b; OP is the operand */
    OP_END_COMPARE,   /* truth b -> truth */
    OP_ADD,
    OP_SUBTRACT,
    OP_MULTIPLY,
    OP_DIVIDE,
    OP_REMAINDER,
    OP_EQUAL,
    OP_UNEQUAL,
    OP_LESS,
    OP_LESS_EQUAL,
    OP_GREATER,
    OP_GREATER_EQUAL,
} op;

typedef struct infix {
    const char *text;
    op op;
} infix;

/* Longer ones first, so that "<=" is not read as "<". */
static const infix COMPARISONS[] = {{"==", OP_EQUAL},      {"!=", OP_UNEQUAL},
                                    {"<=", OP_LESS_EQUAL}, {">=", OP_GREATER_EQUAL},
                                    {"<", OP_LESS},        {">", OP_GREATER}};
static const infix SUMS[] = {{"+", OP_ADD}, {"-", OP_SUBTRACT}};
static const infix PRODUCTS[] = {
    {"*", OP_MULTIPLY}, {"//", OP_DIVIDE}, {"/", OP_DIVIDE}, {"%", OP_REMAINDER}};
#define COUNT(table) (sizeof(table) / sizeof *(table))

typedef struct parser {
    const char *text, *at;
    const ob__expression_names *names;
    ob__expression_step *steps;
    size_t count, capacity;
    int depth;
    int stack; /* how many numbers are on the stack at this point of the code */
    ob_err *err;
} parser;

static ob_status parse_or(parser *p);

static ob_status fail(const parser *p, ob_status code, const char *what)
{
    return ob_err_set(p->err, code, "constraint '%.200s', character %zu: %s", p->text,
                      (size_t)(p->at - p->text) + 1, what);
}

/* Every step comes from at least one character of the text, two at most; there is always room. */
static ob_status emit(parser *p, op code, int64_t operand, int grows)
{
    p->stack += grows;
    if (p->count >= p->capacity || p->stack >= STACK_SIZE)
        return fail(p, OB_ERR_LIMIT, "the expression is too long; split it into several");
    p->steps[p->count++] = (ob__expression_step){.op = (int)code, .operand = operand};
    return OB_OK;
}

static void skip_blanks(parser *p)
{
    while (*p->at == ' ' || *p->at == '\t' || *p->at == '\n' || *p->at == '\r')
        p->at++;
}

static size_t word_length(const char *at)
{
    size_t length = 0;
    while (ob__is_word_start(at[length]) || (length > 0 && ob__is_digit(at[length])))
        length++;
    return length;
}

static bool is_word(const parser *p, const char *word)
{
    const size_t length = word_length(p->at);
    return length == strlen(word) && memcmp(p->at, word, length) == 0;
}

static bool take_word(parser *p, const char *word)
{
    skip_blanks(p);
    if (!is_word(p, word))
        return false;
    p->at += strlen(word);
    return true;
}

static bool take_infix(parser *p, const infix *table, size_t count, op *out)
{
    skip_blanks(p);
    for (size_t i = 0; i < count; i++) {
        const size_t length = strlen(table[i].text);
        if (strncmp(p->at, table[i].text, length) == 0) {
            p->at += length;
            *out = table[i].op;
            return true;
        }
    }
    return false;
}

static ob_status parse_number(parser *p)
{
    int64_t number;
    size_t length = 0;
    while (ob__is_digit(p->at[length]))
        length++;
    if (p->at[length] == '.' || ob__is_word_start(p->at[length]))
        return fail(p, OB_ERR_SYNTAX, "only whole numbers are allowed here");
    if (!ob__parse_i64(p->at, length, &number))
        return fail(p, OB_ERR_OVERFLOW, "the number does not fit 64 bits");
    p->at += length;
    return emit(p, OP_PUSH, number, 1);
}

static ob_status parse_name(parser *p)
{
    const size_t length = word_length(p->at);
    if (is_word(p, "true") || is_word(p, "True") || is_word(p, "false") || is_word(p, "False")) {
        const bool value = *p->at == 't' || *p->at == 'T';
        p->at += length;
        return emit(p, OP_PUSH, value, 1);
    }
    if (is_word(p, "and") || is_word(p, "or") || is_word(p, "not"))
        return fail(p, OB_ERR_SYNTAX, "a number, a parameter or '(' is missing here");
    const ptrdiff_t place = p->names->find(p->names->ctx, p->at, length);
    if (place < 0)
        return fail(p, OB_ERR_NOT_FOUND, "there is no parameter of this name");
    p->at += length;
    return emit(p, OP_LOAD, place, 1);
}

static ob_status parse_atom(parser *p)
{
    skip_blanks(p);
    if (ob__is_digit(*p->at))
        return parse_number(p);
    if (ob__is_word_start(*p->at))
        return parse_name(p);
    if (*p->at != '(')
        return fail(p, OB_ERR_SYNTAX, "a number, a parameter or '(' is missing here");
    p->at++;
    OB_TRY(parse_or(p));
    skip_blanks(p);
    if (*p->at != ')')
        return fail(p, OB_ERR_SYNTAX, "')' is missing here");
    p->at++;
    return OB_OK;
}

static ob_status parse_sign(parser *p)
{
    bool negative = false;
    for (skip_blanks(p); *p->at == '-' || *p->at == '+'; skip_blanks(p))
        negative ^= *p->at++ == '-';
    OB_TRY(parse_atom(p));
    return negative ? emit(p, OP_NEGATE, 0, 0) : OB_OK;
}

static ob_status parse_product(parser *p)
{
    op code;
    OB_TRY(parse_sign(p));
    while (take_infix(p, PRODUCTS, COUNT(PRODUCTS), &code)) {
        OB_TRY(parse_sign(p));
        OB_TRY(emit(p, code, 0, -1));
    }
    return OB_OK;
}

static ob_status parse_sum(parser *p)
{
    op code;
    OB_TRY(parse_product(p));
    while (take_infix(p, SUMS, COUNT(SUMS), &code)) {
        OB_TRY(parse_product(p));
        OB_TRY(emit(p, code, 0, -1));
    }
    return OB_OK;
}

static ob_status parse_compare(parser *p)
{
    op code;
    bool any = false;
    OB_TRY(parse_sum(p));
    while (take_infix(p, COMPARISONS, COUNT(COMPARISONS), &code)) {
        if (!any)
            OB_TRY(emit(p, OP_BEGIN_COMPARE, 0, 1));
        any = true;
        OB_TRY(parse_sum(p));
        OB_TRY(emit(p, OP_COMPARE, code, -1));
    }
    return any ? emit(p, OP_END_COMPARE, 0, -1) : OB_OK;
}

static ob_status parse_not(parser *p)
{
    size_t count = 0;
    while (take_word(p, "not"))
        count++;
    OB_TRY(parse_compare(p));
    if (count == 0)
        return OB_OK;
    return emit(p, count % 2 != 0 ? OP_NOT : OP_TRUTH, 0, 0);
}

typedef ob_status (*parse_fn)(parser *p);

static ob_status parse_either(parser *p, const char *word, op skip, parse_fn part)
{
    OB_TRY(part(p));
    while (take_word(p, word)) {
        const size_t jump = p->count;
        OB_TRY(emit(p, skip, 0, -1));
        OB_TRY(part(p));
        OB_TRY(emit(p, OP_TRUTH, 0, 0));
        p->steps[jump].operand = (int64_t)p->count;
    }
    return OB_OK;
}

static ob_status parse_and(parser *p)
{
    return parse_either(p, "and", OP_SKIP_IF_FALSE, parse_not);
}

static ob_status parse_or(parser *p)
{
    if (++p->depth > MAX_DEPTH)
        return fail(p, OB_ERR_LIMIT, "too many nested parentheses");
    OB_TRY(parse_either(p, "or", OP_SKIP_IF_TRUE, parse_and));
    p->depth--;
    return OB_OK;
}

ob_status ob__expression_compile(const char *text, const ob__expression_names *names,
                                 ob_arena *arena, ob__expression *out, ob_err *err)
{
    const size_t length = strlen(text);
    if (length > MAX_LENGTH)
        return ob_err_set(err, OB_ERR_LIMIT,
                          "a constraint has %zu characters, but at most %d are read; split it into "
                          "several",
                          length, (int)MAX_LENGTH);
    parser p = {.text = text, .at = text, .names = names, .capacity = 3 * length + 4, .err = err};
    p.steps = ob__arena_alloc_array(arena, p.capacity, sizeof *p.steps);
    char *copy = ob__arena_strdup(arena, text, length);
    if (p.steps == NULL || copy == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for a constraint");
    OB_TRY(parse_or(&p));
    skip_blanks(&p);
    if (*p.at != '\0')
        return fail(&p, OB_ERR_SYNTAX, "expected an operator or the end of the expression");
    *out = (ob__expression){.text = copy, .steps = p.steps, .step_count = p.count};
    return OB_OK;
}

/* ---- evaluation ---- */

/* A divisor of 0 has an error of its own before this is called. */
static bool divide(int64_t a, int64_t b, bool remainder, int64_t *out)
{
    if (b == 0)
        return false;
    if (b == -1) { /* INT64_MIN / -1 does not fit, and its remainder traps */
        *out = 0;
        return remainder || !__builtin_sub_overflow((int64_t)0, a, out);
    }
    const int64_t rest = a % b;
    const bool lower = rest != 0 && (rest < 0) != (b < 0);
    *out = remainder ? (lower ? rest + b : rest) : a / b - lower;
    return true;
}

/* False: it does not fit. */
static bool calculate(op code, int64_t a, int64_t b, int64_t *out)
{
    switch (code) {
    case OP_ADD:
        return !__builtin_add_overflow(a, b, out);
    case OP_SUBTRACT:
        return !__builtin_sub_overflow(a, b, out);
    case OP_MULTIPLY:
        return !__builtin_mul_overflow(a, b, out);
    default:
        return divide(a, b, code == OP_REMAINDER, out);
    }
}

static bool compare(op code, int64_t a, int64_t b)
{
    switch (code) {
    case OP_EQUAL:
        return a == b;
    case OP_UNEQUAL:
        return a != b;
    case OP_LESS:
        return a < b;
    case OP_LESS_EQUAL:
        return a <= b;
    case OP_GREATER:
        return a > b;
    default:
        return a >= b;
    }
}

static ob_status load(const ob__expression *e, const ob_value *value, int64_t *out, ob_err *err)
{
    if (value->kind == OB_VALUE_INT)
        *out = value->as.integer;
    else if (value->kind == OB_VALUE_BOOL)
        *out = value->as.boolean;
    else
        return ob_err_set(err, OB_ERR_INVALID,
                          "constraint '%.200s' uses a parameter whose value is a %s; only whole "
                          "numbers and bools can be compared",
                          e->text, ob_value_kind_name(value->kind));
    return OB_OK;
}

/* Steps that take one number and leave one. */
static bool change_top(op code, int64_t *top)
{
    if (code == OP_NEGATE)
        return !__builtin_sub_overflow((int64_t)0, *top, top);
    *top = code == OP_NOT ? *top == 0 : *top != 0;
    return true;
}

ob_status ob__expression_eval(const ob__expression *e, const ob_value *values, int64_t *out,
                              ob_err *err)
{
    int64_t stack[STACK_SIZE] = {0};
    size_t top = 0; /* how many are on it */
    for (size_t i = 0; i < e->step_count; i++) {
        const ob__expression_step *step = &e->steps[i];
        const op code = (op)step->op;
        bool fits = true;
        if (code == OP_PUSH) {
            stack[top++] = step->operand;
        } else if (code == OP_LOAD) {
            OB_TRY(load(e, &values[step->operand], &stack[top++], err));
        } else if (code == OP_NEGATE || code == OP_NOT || code == OP_TRUTH) {
            fits = change_top(code, &stack[top - 1]);
        } else if (code == OP_SKIP_IF_FALSE || code == OP_SKIP_IF_TRUE) {
            const bool truth = stack[top - 1] != 0;
            stack[top - 1] = truth;
            if (truth == (code == OP_SKIP_IF_TRUE))
                i = (size_t)step->operand - 1;
            else
                top--;
        } else if (code == OP_BEGIN_COMPARE) {
            stack[top] = stack[top - 1];
            stack[top - 1] = true;
            top++;
        } else if (code == OP_COMPARE) {
            stack[top - 3] &= compare((op)step->operand, stack[top - 2], stack[top - 1]);
            stack[top - 2] = stack[top - 1];
            top--;
        } else if (code == OP_END_COMPARE) {
            top--;
        } else if ((code == OP_DIVIDE || code == OP_REMAINDER) && stack[top - 1] == 0) {
            return ob_err_set(err, OB_ERR_INVALID,
                              "constraint '%.200s' divides by 0; check the divisor first, as in 'b "
                              "!= 0 and a / b > 2'",
                              e->text);
        } else {
            fits = calculate(code, stack[top - 2], stack[top - 1], &stack[top - 2]);
            top--;
        }
        if (!fits)
            return ob_err_set(err, OB_ERR_OVERFLOW,
                              "a number in constraint '%.200s' does not fit 64 bits", e->text);
    }
    *out = stack[0];
    return OB_OK;
}
