/* SPDX-License-Identifier: Apache-2.0
 *
 * @einsum: an equation in Einstein's notation and its operands, taken apart into sums, permutations and
 * one batched matrix product, as PyTorch does it for each pair. An index is in the batch (both operands and
 * the result), contracted (both, not the result), of the left or of the right operand, or summed away
 * beforehand. "..." stands for the dimensions that have no letter, matched from the right. A dimension
 * of size 1 that has another size in the other operand is summed away too, which broadcasts it.
 */
#include "graph/notation_functions.h"

#include <string.h>

enum {
    LETTERS = 52,
    INDICES = LETTERS + OB_MAX_DIMS, /* behind the letters: those of "...", the last first */
    OPERANDS = 2,
};

typedef struct term {
    const ob_tensor *tensor;
    int index[OB_MAX_DIMS]; /* of each dimension */
    int place[INDICES];     /* dimension of each index; -1 = none */
    int count, ellipsis;    /* dimensions; those that "..." stands for */
} term;

typedef struct equation {
    const char *text, *end;
    ob_err *err;
    term in[OPERANDS], out;
    int operands;
} equation;

static ob_status fail(const equation *e, const char *what)
{
    return ob_err_set(e->err, OB_ERR_INVALID, "einsum '%.80s': %s", e->text, what);
}

/* Upper case first: that is the order of an implicit result. */
static int letter_index(char c)
{
    return c >= 'A' && c <= 'Z' ? c - 'A' : c >= 'a' && c <= 'z' ? c - 'a' + 26 : -1;
}

static ob_status add_index(const equation *e, term *t, int index)
{
    if (t->count == OB_MAX_DIMS)
        return fail(e, "a term has more than 16 dimensions");
    if (t->place[index] >= 0)
        return fail(e, t == &e->out ? "an index occurs twice in the result"
                                    : "an index occurs twice in one operand (a diagonal), which is "
                                      "not supported; a backend built on PyTorch has it");
    t->place[index] = t->count;
    t->index[t->count++] = index;
    return OB_OK;
}

static ob_status add_ellipsis(const equation *e, term *t)
{
    for (int i = t->ellipsis - 1; i >= 0; i--)
        OB_TRY(add_index(e, t, LETTERS + i));
    return OB_OK;
}

/* The letters of a term, up to "," or "->". t->ellipsis says what "..." stands for. */
static ob_status read_term(const equation *e, const char **at, term *t)
{
    bool dots = false;
    memset(t->place, -1, sizeof t->place);
    for (; *at < e->end && **at != ',' && **at != '-'; (*at)++) {
        const int letter = letter_index(**at);
        if (**at == ' ')
            continue;
        if (letter >= 0) {
            OB_TRY(add_index(e, t, letter));
        } else if (!dots && e->end - *at >= 3 && strncmp(*at, "...", 3) == 0) {
            dots = true;
            *at += 2;
            OB_TRY(add_ellipsis(e, t));
        } else {
            return fail(e, "a term may hold letters and at most one \"...\"");
        }
    }
    if (!dots && t->tensor != NULL && t->count != t->tensor->ndim)
        return fail(e, "an operand's number of dimensions differs from its term's letters");
    return OB_OK;
}

/* How many dimensions of the operand have no letter. */
static ob_status count_ellipsis(const equation *e, const char *at, term *t)
{
    int letters = 0;
    bool dots = false;
    for (; at < e->end && *at != ',' && *at != '-'; at++) {
        letters += letter_index(*at) >= 0;
        dots = dots || *at == '.';
    }
    t->ellipsis = dots ? t->tensor->ndim - letters : 0;
    if (t->ellipsis < 0)
        return fail(e, "an operand has fewer dimensions than its term has letters");
    return OB_OK;
}

/* Without "->" the result has the indices that occur once, in the order of the alphabet. */
static ob_status imply_result(equation *e)
{
    memset(e->out.place, -1, sizeof e->out.place);
    OB_TRY(add_ellipsis(e, &e->out));
    for (int i = 0; i < LETTERS; i++)
        if ((e->in[0].place[i] >= 0) + (e->operands == 2 && e->in[1].place[i] >= 0) == 1)
            OB_TRY(add_index(e, &e->out, i));
    return OB_OK;
}

static ob_status read_equation(equation *e)
{
    const char *at = e->text;
    for (int i = 0; i < e->operands; i++) {
        if (i > 0 && (at == e->end || *at++ != ','))
            return fail(e, "there are fewer terms than operands");
        OB_TRY(count_ellipsis(e, at, &e->in[i]));
        OB_TRY(read_term(e, &at, &e->in[i]));
        if (e->in[i].ellipsis > e->out.ellipsis)
            e->out.ellipsis = e->in[i].ellipsis;
    }
    if (at < e->end && *at == ',')
        return fail(e, "there are more terms than operands");
    if (at == e->end)
        return imply_result(e);
    if (e->end - at < 2 || strncmp(at, "->", 2) != 0)
        return fail(e, "a term may hold letters and at most one \"...\"");
    at += 2;
    OB_TRY(read_term(e, &at, &e->out));
    if (at != e->end)
        return fail(e, "there is more than one result");
    for (int i = 0; i < e->out.count; i++)
        if (e->in[0].place[e->out.index[i]] < 0 &&
            (e->operands == 1 || e->in[1].place[e->out.index[i]] < 0))
            return fail(e, "the result has an index that no operand has");
    return OB_OK;
}

/* ---- the plan ---- */

typedef struct int_list {
    int64_t items[2 * OB_MAX_DIMS];
    size_t count;
} int_list;

static void push(int_list *list, int64_t item)
{
    list->items[list->count++] = item;
}

/* A dimension of size 1 where the other operand's is larger. */
static ob_status drop_broadcast(const equation *e, const term *t, const term *other,
                                bool dropped[OB_MAX_DIMS])
{
    for (int d = 0; d < t->count; d++) {
        const int place = other->place[t->index[d]];
        const int64_t size = t->tensor->sizes[d];
        const int64_t other_size = place >= 0 ? other->tensor->sizes[place] : size;
        if (size != other_size && size != 1 && other_size != 1)
            return fail(e, "an index has two sizes");
        dropped[d] = size == 1 && other_size != 1;
    }
    return OB_OK;
}

/* Forgets dimensions: those already dropped, and those that neither the result nor the other operand
 * (NULL = none) has. sizes become those of the rest. */
static void close_up(const equation *e, term *t, const term *other, const bool *dropped,
                     int_list *sum, int_list *sizes)
{
    int kept = 0;
    for (int d = 0; d < t->count; d++) {
        const int index = t->index[d];
        const bool wanted = e->out.place[index] >= 0 || (other != NULL && other->place[index] >= 0);
        t->place[index] = dropped[d] || !wanted ? -1 : kept;
        if (t->place[index] < 0) {
            push(sum, d);
            continue;
        }
        push(sizes, t->tensor->sizes[d]);
        t->index[kept++] = index;
    }
    t->count = kept;
}

/* Takes the dropped ones out of what the other operand sees. */
static void hide(term *t, const bool *dropped)
{
    for (int d = 0; d < t->count; d++)
        if (dropped[d])
            t->place[t->index[d]] = -1;
}

enum {
    SUM_LEFT,
    PERMUTE_LEFT,
    MATRIX_LEFT,
    SUM_RIGHT,
    PERMUTE_RIGHT,
    MATRIX_RIGHT,
    RESULT_SIZES,
    PERMUTE_RESULT,
    PLAN_COUNT
};
typedef enum part { BATCH, CONTRACTED, OWN } part;

/* Appends the dimensions of t that are such a part to its permutation and, unless that is NULL, to the
 * sizes of the product, where an index is found by where[]; their size is appended to the matrix. */
static ob_status take(const equation *e, part wanted, const term *order, int which,
                      const int_list *sizes, int_list *plan, int64_t *where)
{
    const term *t = &e->in[which], *other = &e->in[1 - which];
    int64_t product = 1;
    for (int d = 0; d < order->count; d++) {
        const int index = order->index[d];
        if (t->place[index] < 0)
            continue;
        const part is = other->place[index] < 0    ? OWN
                        : e->out.place[index] >= 0 ? BATCH
                                                   : CONTRACTED;
        if (is != wanted)
            continue;
        const int64_t size = sizes->items[t->place[index]];
        push(&plan[which == 0 ? PERMUTE_LEFT : PERMUTE_RIGHT], t->place[index]);
        if (where != NULL) {
            where[index] = (int64_t)plan[RESULT_SIZES].count;
            push(&plan[RESULT_SIZES], size);
        }
        if (__builtin_mul_overflow(product, size, &product))
            return fail(e, "the product of the sizes overflows");
    }
    push(&plan[which == 0 ? MATRIX_LEFT : MATRIX_RIGHT], product);
    return OB_OK;
}

static ob_status make_plan(equation *e, int_list plan[PLAN_COUNT])
{
    term *left = &e->in[0], *right = &e->in[1];
    bool dropped[OPERANDS][OB_MAX_DIMS] = {{false}};
    int_list sizes[OPERANDS] = {{.count = 0}};
    int64_t where[INDICES] = {0};
    if (e->operands == 1) {
        close_up(e, left, NULL, dropped[0], &plan[SUM_LEFT], &sizes[0]);
        for (int d = 0; d < e->out.count; d++)
            push(&plan[PERMUTE_LEFT], left->place[e->out.index[d]]);
        return OB_OK;
    }
    OB_TRY(drop_broadcast(e, left, right, dropped[0]));
    OB_TRY(drop_broadcast(e, right, left, dropped[1]));
    hide(left, dropped[0]);
    hide(right, dropped[1]);
    close_up(e, left, right, dropped[0], &plan[SUM_LEFT], &sizes[0]);
    close_up(e, right, left, dropped[1], &plan[SUM_RIGHT], &sizes[1]);
    OB_TRY(take(e, BATCH, left, 0, &sizes[0], plan, where));
    OB_TRY(take(e, OWN, left, 0, &sizes[0], plan, where));
    OB_TRY(take(e, CONTRACTED, left, 0, &sizes[0], plan, NULL));
    OB_TRY(take(e, BATCH, left, 1, &sizes[1], plan, NULL));
    OB_TRY(take(e, CONTRACTED, left, 1, &sizes[1], plan, NULL));
    OB_TRY(take(e, OWN, right, 1, &sizes[1], plan, where));
    for (int d = 0; d < e->out.count; d++)
        push(&plan[PERMUTE_RESULT], where[e->out.index[d]]);
    return OB_OK;
}

ob_status ob__fn_einsum(const ob__function_args *args, ob_operand *out, ob_err *err)
{
    const ob_operand *text = &args->args[0];
    equation e = {.err = err, .operands = (int)args->count - 1};
    int_list plan[PLAN_COUNT] = {{.count = 0}};
    if (text->kind != OB_OPERAND_VALUE || text->value.kind != OB_VALUE_STR)
        return ob_err_set(err, OB_ERR_INVALID, "the equation of einsum must be a string");
    e.text = text->value.as.str.text;
    e.end = e.text + text->value.as.str.length;
    for (int i = 0; i < e.operands; i++)
        OB_TRY(ob__take_tensor(args, (size_t)i + 1, &e.in[i].tensor, err));
    OB_TRY(read_equation(&e));
    OB_TRY(make_plan(&e, plan));
    OB_TRY(ob_value_init_list(&out->value, OB_VALUE_LIST, PLAN_COUNT, err));
    for (size_t i = 0; i < PLAN_COUNT; i++) {
        ob_operand list = ob__operand_none();
        OB_TRY(ob__give_ints(plan[i].items, plan[i].count, &list, err));
        out->value.as.list.items[i] = list.value;
    }
    return OB_OK;
}
