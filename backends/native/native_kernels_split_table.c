/* SPDX-License-Identifier: Apache-2.0
 *
 * Look-ups in split embedding tables and the update that their backward makes: row-wise Adagrad,
 *     g = sum of the gradients of all places where the row occurs
 *     momentum[row] += mean(g * g); row -= lr / (sqrt(momentum[row]) + eps) * g
 * To meet each row once, the places are sorted by row (radix sort, in the scratch); the order of
 * places within a row is kept, so results do not depend on threads.
 */
#include "dense.h"
#include "indices.h"

#include <math.h>
#include <string.h>

enum { MEAN = 1 };                                 /* pooling */
enum { RADIX_BITS = 11, RADIX = 1 << RADIX_BITS }; /* of the sort */
enum { PIECE = 1024, BAG_GRAIN = 16 };             /* columns, and bags per thread */

/* One table's place in the arrays. */
typedef struct table {
    int64_t rows, dim;
    int64_t weight, momentum, column; /* first element, row and output column */
} table;

typedef struct split_table {
    int64_t table_count, batch, width, count;
    int64_t pooling;
    double lr, eps;
    native_dense indices, offsets, factors, grad;
    size_t sorted, places, spare_sorted, spare_places; /* in the scratch, for the update */
    size_t bags, sum; /* the bag of each index, and one row in f32 */
    table tables[];
} split_table;

static void fill_tables(const ob_kit_call *call, split_table *s)
{
    const ob_value *rows = ob_kit_arg(call, "rows"), *dims = ob_kit_arg(call, "dims");
    int64_t weight = 0, momentum = 0, column = 0;
    for (int64_t t = 0; t < s->table_count; t++) {
        table *to = &s->tables[t];
        to->rows = rows->as.list.items[t].as.integer;
        to->dim = dims->as.list.items[t].as.integer;
        to->weight = weight;
        to->momentum = momentum;
        to->column = column;
        weight += to->rows * to->dim;
        momentum += to->rows;
        column += to->dim;
    }
    s->width = column;
}

static ob_status check(ob_kit_call *call, ob_err *err)
{
    const ob_tensor *weights = ob_kit_arg_tensor(call, "weights");
    const ob_tensor *momentum = ob_kit_arg_tensor(call, "momentum");
    if ((weights->dtype == OB_DTYPE_F32 || weights->dtype == OB_DTYPE_F16) &&
        momentum->dtype == OB_DTYPE_F32)
        return OB_OK;
    return call->env->host->err_set(err, OB_ERR_UNSUPPORTED,
                                    "%s takes tables in f32 or f16 and momentum in f32",
                                    call->kernel->name);
}

static ob_status start(ob_kit_call *call, split_table **out, ob_err *err)
{
    const size_t tables = ob_kit_arg(call, "rows")->as.list.count;
    void *state;
    OB_TRY(ob_kit_state(call, sizeof(split_table) + tables * sizeof(table), &state, err));
    split_table *s = *out = state;
    const ob_tensor *indices = ob_kit_arg_tensor(call, "indices");
    const ob_tensor *offsets = ob_kit_arg_tensor(call, "offsets");
    s->table_count = (int64_t)tables;
    fill_tables(call, s);
    s->count = ob_kit_numel(indices);
    s->batch = (ob_kit_numel(offsets) - 1) / s->table_count;
    s->pooling = ob_kit_arg_int(call, "pooling", 0);
    s->lr = ob_kit_arg_double(call, "lr", 0.01);
    s->eps = ob_kit_arg_double(call, "eps", 1e-8);
    OB_TRY(native_dense_plan(call, indices, NATIVE_I64, &s->indices, err));
    OB_TRY(native_dense_plan(call, offsets, NATIVE_I64, &s->offsets, err));
    return native_dense_plan(call, ob_kit_arg_tensor(call, "per_sample_weights"), NATIVE_F32,
                             &s->factors, err);
}

static ob_status setup_forward(ob_kit_call *call, ob_err *err)
{
    split_table *s;
    return start(call, &s, err);
}

static ob_status setup_update(ob_kit_call *call, ob_err *err)
{
    split_table *s;
    OB_TRY(start(call, &s, err));
    OB_TRY(native_dense_plan(call, ob_kit_arg_tensor(call, "grad"), NATIVE_F32, &s->grad, err));
    size_t *const arrays[] = {&s->sorted, &s->places, &s->spare_sorted, &s->spare_places, &s->bags};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        OB_TRY(native_scratch_reserve(call, s->count, sizeof(int64_t), arrays[i], err));
    return native_scratch_reserve(call, s->width, sizeof(float), &s->sum, err);
}

typedef struct job {
    const split_table *s;
    const native_env *env;
    const int64_t *indices, *offsets;
    const float *factors, *grad;
    ob_dtype dtype; /* of the tables */
    size_t size;    /* of their elements */
    char *weights;
    float *momentum, *out;
    native_bad_index bad;
} job;

static job start_job(const ob_kit_call *call)
{
    const split_table *s = call->state;
    const ob_tensor *weights = ob_kit_arg_tensor(call, "weights");
    return (job){
        .s = s,
        .env = call->env,
        .indices = native_dense_read(call, &s->indices),
        .offsets = native_dense_read(call, &s->offsets),
        .factors = native_dense_read(call, &s->factors),
        .dtype = weights->dtype,
        .size = call->env->host->dtype_get_info(weights->dtype)->size_bytes,
        .weights = native_data(weights),
        .momentum = native_data(ob_kit_arg_tensor(call, "momentum")),
    };
}

/* Offsets rise from 0 to at most the number of indices; each index is below its table's rows. */
static ob_status check_bags(const ob_kit_call *call, job *j, ob_err *err)
{
    const split_table *s = j->s;
    const int64_t bags = s->table_count * s->batch;
    for (int64_t i = 0; i <= bags; i++)
        if (j->offsets[i] < (i == 0 ? 0 : j->offsets[i - 1]) || j->offsets[i] > s->count)
            return call->env->host->err_set(
                err, OB_ERR_INVALID,
                "%s: offset %lld is %lld; offsets must rise to at most %lld, "
                "the number of indices",
                call->kernel->name, (long long)i, (long long)j->offsets[i], (long long)s->count);
    for (int64_t t = 0; t < s->table_count; t++)
        for (int64_t i = j->offsets[t * s->batch]; i < j->offsets[(t + 1) * s->batch]; i++)
            if (!native_index_ok(&j->bad, j->indices[i], s->tables[t].rows))
                return native_index_status(call, &j->bad, "indices", err);
    return OB_OK;
}

static char *row_of(const job *j, const table *t, int64_t row)
{
    return j->weights + (size_t)(t->weight + row * t->dim) * j->size;
}

/* What a bag's rows are multiplied with, besides their own factors. */
static float bag_share(const job *j, int64_t bag)
{
    const int64_t length = j->offsets[bag + 1] - j->offsets[bag];
    return j->s->pooling == MEAN && length > 1 ? 1 / (float)length : 1;
}

/* ---- forward ---- */

/* out += row * factor for columns [from, from + count) of the row. */
static void add_piece(const job *j, const table *t, int64_t row, int64_t from, int64_t count,
                      float factor, float *out)
{
    float buffer[PIECE];
    const char *at = row_of(j, t, row) + (size_t)from * j->size;
    const float *values = (const float *)(const void *)at;
    if (j->dtype != OB_DTYPE_F32) {
        native_load(j->env, j->dtype, at, 1, NATIVE_F32, buffer, count);
        values = buffer;
    }
    for (int64_t k = 0; k < count; k++)
        out[k] += values[k] * factor;
}

static void sum_bags(void *ctx, int64_t begin, int64_t end)
{
    const job *j = ctx;
    const split_table *s = j->s;
    for (int64_t bag = begin; bag < end; bag++) {
        const table *t = &s->tables[bag / s->batch];
        float *out = j->out + bag % s->batch * s->width + t->column;
        const float share = bag_share(j, bag);
        memset(out, 0, (size_t)t->dim * sizeof *out);
        for (int64_t i = j->offsets[bag]; i < j->offsets[bag + 1]; i++)
            for (int64_t from = 0; from < t->dim; from += PIECE)
                add_piece(j, t, j->indices[i], from, t->dim - from < PIECE ? t->dim - from : PIECE,
                          j->factors == NULL ? share : share * j->factors[i], out + from);
    }
}

static ob_status run_forward(const ob_kit_call *call, ob_err *err)
{
    const split_table *s = call->state;
    job j = start_job(call);
    OB_TRY(check_bags(call, &j, err));
    j.out = native_data(ob_kit_output(call, 0));
    native_parallel(call->env, s->table_count * s->batch, BAG_GRAIN, sum_bags, &j);
    return OB_OK;
}

/* ---- update ---- */

typedef struct pairs {
    int64_t *keys, *values;
} pairs;

/* Sorts by key, keeping the order of equal keys. The result is in *in. */
static void radix_sort(pairs *in, pairs *spare, int64_t count, int64_t limit)
{
    for (int shift = 0; shift < 63 && (limit - 1) >> shift > 0; shift += RADIX_BITS) {
        int64_t places[RADIX] = {0}, start = 0;
        for (int64_t i = 0; i < count; i++)
            places[in->keys[i] >> shift & (RADIX - 1)]++;
        for (int d = 0; d < RADIX; d++) {
            const int64_t here = places[d];
            places[d] = start;
            start += here;
        }
        for (int64_t i = 0; i < count; i++) {
            const int64_t to = places[in->keys[i] >> shift & (RADIX - 1)]++;
            spare->keys[to] = in->keys[i];
            spare->values[to] = in->values[i];
        }
        const pairs swap = *in;
        *in = *spare;
        *spare = swap;
    }
}

/* The gradient of a row: places[0 .. count) are where it occurs; bags holds the bag of each. */
static void sum_gradient(const job *j, const table *t, const int64_t *places, const int64_t *bags,
                         int64_t count, float *sum)
{
    memset(sum, 0, (size_t)t->dim * sizeof *sum);
    for (int64_t p = 0; p < count; p++) {
        const int64_t bag = bags[places[p]];
        const float factor = bag_share(j, bag) * (j->factors == NULL ? 1 : j->factors[places[p]]);
        const float *grad = j->grad + bag % j->s->batch * j->s->width + t->column;
        for (int64_t k = 0; k < t->dim; k++)
            sum[k] += grad[k] * factor;
    }
}

static void update_row(const job *j, const table *t, int64_t row, const float *sum)
{
    double squares = 0;
    for (int64_t k = 0; k < t->dim; k++)
        squares += (double)sum[k] * (double)sum[k];
    float *momentum = &j->momentum[t->momentum + row];
    *momentum += (float)(squares / (double)t->dim);
    const float step = (float)(j->s->lr / (sqrt((double)*momentum) + j->s->eps));
    char *at = row_of(j, t, row);
    for (int64_t from = 0; from < t->dim; from += PIECE) {
        const int64_t count = t->dim - from < PIECE ? t->dim - from : PIECE;
        float values[PIECE];
        native_load(j->env, j->dtype, at + (size_t)from * j->size, 1, NATIVE_F32, values, count);
        for (int64_t k = 0; k < count; k++)
            values[k] -= step * sum[from + k];
        native_store(j->env, j->dtype, at + (size_t)from * j->size, 1, NATIVE_F32, values, count);
    }
}

/* Fills the pairs (row, place) of table t, and the bag of each place; returns how many. */
static int64_t list_places(const job *j, int64_t t, pairs *out, int64_t *bags)
{
    const int64_t batch = j->s->batch;
    int64_t count = 0;
    for (int64_t bag = t * batch; bag < (t + 1) * batch; bag++)
        for (int64_t i = j->offsets[bag]; i < j->offsets[bag + 1]; i++) {
            out->keys[count] = j->indices[i];
            out->values[count++] = i;
            bags[i] = bag;
        }
    return count;
}

static ob_status run_update(const ob_kit_call *call, ob_err *err)
{
    const split_table *s = call->state;
    job j = start_job(call);
    OB_TRY(check_bags(call, &j, err));
    j.grad = native_dense_read(call, &s->grad);
    float *sum = native_scratch_at(call, s->sum);
    for (int64_t t = 0; t < s->table_count; t++) {
        pairs in = {native_scratch_at(call, s->sorted), native_scratch_at(call, s->places)};
        pairs spare = {native_scratch_at(call, s->spare_sorted),
                       native_scratch_at(call, s->spare_places)};
        const int64_t count = list_places(&j, t, &in, native_scratch_at(call, s->bags));
        radix_sort(&in, &spare, count, s->tables[t].rows);
        for (int64_t at = 0, next; at < count; at = next) {
            for (next = at + 1; next < count && in.keys[next] == in.keys[at]; next++)
                ;
            sum_gradient(&j, &s->tables[t], in.values + at, native_scratch_at(call, s->bags),
                         next - at, sum);
            update_row(&j, &s->tables[t], in.keys[at], sum);
        }
    }
    return OB_OK;
}

const ob_kit_kernel native_kernels_split_table[] = {
    {.name = "opbench::split_table_embedding_bags",
     .dtypes = OB_KIT_BIT(F32),
     .check = check,
     .setup = setup_forward,
     .run = run_forward},
    {.name = "opbench::split_table_embedding_bags_update",
     .dtypes = OB_KIT_FLOATS,
     .check = check,
     .setup = setup_update,
     .run = run_update},
    {.name = NULL},
};
