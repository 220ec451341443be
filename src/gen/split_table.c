/* SPDX-License-Identifier: Apache-2.0
 *
 * SplitTableBatchedEmbeddingBagsCodegenInputDataGenerator: indices, offsets and weights for
 * embedding tables that are looked up in one call. The entry has seven arguments: num_tables,
 * rows, dim, batch_size, pooling_factor, weighted, weights_precision; rows, dim and pooling_factor
 * are one number for all tables or a list of one for each. Every bag of table t holds
 * pooling_factor[t] indices; offsets run on from table to table, so there are
 * num_tables * batch_size + 1 of them.
 *
 * "distribution" of the pooling_factor argument (1 without it) says how indices are drawn: 0
 * counts up to the pooling factor again and again, up to 0.5 to the number of rows, up to 1 is
 * uniform, above 1 is Zipf's law with that exponent.
 */
#include "gen/split_table.h"

#include "gen/arg_error.h"

#include <stdlib.h>
#include <string.h>

enum { TABLES, ROWS, DIM, BATCH, POOLING, WEIGHTED, PRECISION, ARG_COUNT };

typedef struct request {
    const ob_json *args;
    int64_t tables, batch;
    int64_t *rows, *pooling; /* one per table, malloc'ed */
    int64_t count;           /* indices of all tables */
    double distribution;
    bool weighted;
    ob_arg_path place;
} request;

static const ob_json *arg_at(const request *r, size_t i)
{
    return ob_json_item(r->args, i);
}

static ob_status fail(request *r, size_t i, const char *what)
{
    const size_t mark = ob__arg_path_enter_key(&r->place, "args");
    const size_t here = ob__arg_path_enter_index(&r->place, i);
    const ob_status status =
        ob__attr_error(&r->place, arg_at(r, i), "value", OB_ERR_CONFIG, "%s", what);
    ob__arg_path_leave(&r->place, here);
    ob__arg_path_leave(&r->place, mark);
    return status;
}

static ob_status read_int(request *r, size_t i, int64_t lowest, const char *what, int64_t *out)
{
    const ob_json *value = ob_json_get(arg_at(r, i), "value");
    *out = ob_json_int(value, -1);
    if (ob_json_get_kind(value) != OB_JSON_INT || *out < lowest)
        return fail(r, i, what);
    return OB_OK;
}

/* One number for all tables, or a list of as many numbers or int arguments as there are tables. */
static ob_status read_list(request *r, size_t i, int64_t lowest, const char *what, int64_t *out)
{
    const ob_json *value = ob_json_get(arg_at(r, i), "value");
    if (ob_json_get_kind(value) == OB_JSON_INT) {
        OB_TRY(read_int(r, i, lowest, what, out));
        for (int64_t t = 1; t < r->tables; t++)
            out[t] = out[0];
        return OB_OK;
    }
    if (ob_json_get_kind(value) != OB_JSON_ARRAY || ob_json_count(value) != (size_t)r->tables)
        return fail(r, i, what);
    for (size_t t = 0; t < (size_t)r->tables; t++) {
        const ob_json *item = ob_json_item(value, t);
        if (ob_json_get_kind(item) == OB_JSON_OBJECT)
            item = ob_json_get(item, "value");
        out[t] = ob_json_int(item, -1);
        if (ob_json_get_kind(item) != OB_JSON_INT || out[t] < lowest)
            return fail(r, i, what);
    }
    return OB_OK;
}

static ob_status read_distribution(request *r)
{
    const ob_json *arg = arg_at(r, POOLING), *node = ob_json_get(arg, "distribution");
    if (ob_json_get(arg, "indices_tensor") != NULL || ob_json_get(arg, "offsets_tensor") != NULL)
        return fail(r, POOLING,
                    "opbench does not read files written by torch.save; leave out indices_tensor "
                    "and offsets_tensor");
    const ob_json_kind kind = ob_json_get_kind(node);
    r->distribution = ob_json_real(node, 1);
    if (node != NULL && ((kind != OB_JSON_INT && kind != OB_JSON_REAL) || r->distribution < 0 ||
                         r->distribution > 100))
        return fail(r, POOLING, "distribution must be a number from 0 to 100");
    return OB_OK;
}

static ob_status count_indices(request *r)
{
    for (int64_t t = 0; t < r->tables; t++) {
        int64_t here;
        if (__builtin_mul_overflow(r->batch, r->pooling[t], &here) ||
            __builtin_add_overflow(r->count, here, &r->count) || r->count > INT64_MAX / 16)
            return fail(r, POOLING, "there would be more indices than fit in memory");
    }
    return OB_OK;
}

/* Reads and checks the entry; request_fini in any case. */
static ob_status read_request(const ob_json *entry, request *r)
{
    enum { MAX_TABLES = 1 << 20 };
    r->args = ob_json_get(entry, "args");
    if (ob_json_get_kind(r->args) != OB_JSON_ARRAY || ob_json_count(r->args) != ARG_COUNT)
        return ob__arg_path_error(&r->place, entry, OB_ERR_CONFIG,
                                  "the generator needs seven arguments: num_tables, rows, dim, "
                                  "batch_size, pooling_factor, weighted, weights_precision; use "
                                  "SplitTableBatchedEmbeddingBagsCodegenInputIterator");
    OB_TRY(read_int(r, TABLES, 1, "num_tables must be at least 1", &r->tables));
    if (r->tables > MAX_TABLES)
        return fail(r, TABLES, "num_tables must be at most 1048576");
    OB_TRY(read_int(r, BATCH, 0, "batch_size must be a whole number of at least 0", &r->batch));
    r->rows = calloc((size_t)r->tables, sizeof *r->rows);
    r->pooling = calloc((size_t)r->tables, sizeof *r->pooling);
    if (r->rows == NULL || r->pooling == NULL)
        return ob_err_set(r->place.err, OB_ERR_NOMEM, "out of memory for %lld tables",
                          (long long)r->tables);
    OB_TRY(read_list(r, ROWS, 1,
                     "rows must be one number of at least 1, or a list of one per table", r->rows));
    OB_TRY(read_list(r, POOLING, 0,
                     "pooling_factor must be one number of at least 0, or a list of one per table",
                     r->pooling));
    const ob_json *weighted = ob_json_get(arg_at(r, WEIGHTED), "value");
    if (ob_json_get_kind(weighted) != OB_JSON_BOOL)
        return fail(r, WEIGHTED, "weighted must be true or false");
    r->weighted = ob_json_bool(weighted, false);
    OB_TRY(read_distribution(r));
    return count_indices(r);
}

static void request_fini(request *r)
{
    free(r->rows);
    free(r->pooling);
    ob_text_fini(&r->place.path);
}

static ob_status validate(const ob_host *host, const ob_json *entry, ob_err *err)
{
    (void)host;
    request r = {.place = {.err = err}};
    const ob_status status = read_request(entry, &r);
    request_fini(&r);
    return status;
}

/* ---- drawing ---- */

static ob_status fill_table(const request *r, int64_t t, ob_rng *rng, int64_t *out)
{
    const int64_t count = r->batch * r->pooling[t], rows = r->rows[t];
    const double alpha = r->distribution;
    if (alpha > 1) {
        /* The law has no largest number; this is as good as none for 64-bit draws. */
        ob_zipf zipf;
        OB_TRY(ob_zipf_init(&zipf, UINT64_C(1) << 40, alpha, r->place.err));
        for (int64_t i = 0; i < count; i++)
            out[i] = (int64_t)(ob_zipf_draw(&zipf, rng) % (uint64_t)rows);
        return OB_OK;
    }
    for (int64_t i = 0; i < count; i++) {
        if (alpha > 0.5)
            out[i] = ob_rng_int(rng, 0, rows - 1);
        else
            out[i] = i % (alpha > 0 ? rows : r->pooling[t]) % rows;
    }
    return OB_OK;
}

static ob_status make_indices(const request *r, ob_rng *rng, ob_value *out)
{
    ob_tensor tensor;
    OB_TRY(ob_tensor_init(&tensor, OB_DTYPE_I64, &r->count, 1, NULL, r->place.err));
    int64_t *at = ob_tensor_data(&tensor);
    ob_status status = OB_OK;
    for (int64_t t = 0; status == OB_OK && t < r->tables; t++) {
        status = fill_table(r, t, rng, at);
        at += r->batch * r->pooling[t];
    }
    if (status == OB_OK)
        status = ob_value_init_tensor(out, &tensor, r->place.err);
    ob_tensor_fini(&tensor);
    return status;
}

static ob_status make_offsets(const request *r, ob_value *out)
{
    ob_tensor tensor;
    int64_t count, at = 0;
    if (__builtin_mul_overflow(r->tables, r->batch, &count) || count == INT64_MAX)
        return ob_err_set(r->place.err, OB_ERR_OVERFLOW, "there would be more than 2^63 bags");
    count++;
    OB_TRY(ob_tensor_init(&tensor, OB_DTYPE_I64, &count, 1, NULL, r->place.err));
    int64_t *offsets = ob_tensor_data(&tensor);
    *offsets++ = 0;
    for (int64_t t = 0; t < r->tables; t++)
        for (int64_t b = 0; b < r->batch; b++)
            *offsets++ = at += r->pooling[t];
    const ob_status status = ob_value_init_tensor(out, &tensor, r->place.err);
    ob_tensor_fini(&tensor);
    return status;
}

static ob_status make_weights(const request *r, ob_rng *rng, ob_value *out)
{
    ob_tensor tensor;
    if (!r->weighted)
        return OB_OK;
    OB_TRY(ob_tensor_init(&tensor, OB_DTYPE_F32, &r->count, 1, NULL, r->place.err));
    float *at = ob_tensor_data(&tensor);
    for (int64_t i = 0; i < r->count; i++)
        at[i] = (float)ob_rng_normal(rng);
    const ob_status status = ob_value_init_tensor(out, &tensor, r->place.err);
    ob_tensor_fini(&tensor);
    return status;
}

static ob_status generate(const ob_generate_args *args, ob_generated *out, ob_err *err)
{
    enum { RESULTS = 3 };
    request r = {.place = {.err = err}};
    const size_t slots = out->arg_count;
    out->arg_count = out->kwarg_count = 0;
    ob_status status = read_request(args->entry, &r);
    if (status == OB_OK && slots < RESULTS)
        status = ob_err_set(err, OB_ERR_INVALID, "three argument slots are needed, not %zu", slots);
    if (status == OB_OK)
        status = make_indices(&r, args->rng, &out->args[0]);
    if (status == OB_OK)
        status = make_offsets(&r, &out->args[1]);
    if (status == OB_OK)
        status = make_weights(&r, args->rng, &out->args[2]);
    request_fini(&r);
    for (size_t i = 0; i < slots && i < RESULTS && status != OB_OK; i++)
        ob_value_fini(&out->args[i]);
    if (status == OB_OK)
        out->arg_count = RESULTS;
    return status;
}

/* Numbers and lists as the core has them, with a distribution besides, so that it counts in a
 * case's key. */
static const ob_arg_attr INT_ATTRS[] = {
    {.name = "value", .kind = OB_ATTR_INT, .required = true},
    {.name = "distribution", .kind = OB_ATTR_REAL},
    {.name = NULL},
};
static const ob_arg_attr LIST_ATTRS[] = {
    {.name = "value", .kind = OB_ATTR_ARGS, .required = true},
    {.name = "distribution", .kind = OB_ATTR_REAL},
    {.name = NULL},
};
static const ob_arg_type TYPES[] = {
    {.name = "int", .attrs = INT_ATTRS, .help = "whole number"},
    {.name = "genericlist", .attrs = LIST_ATTRS, .help = "one whole number per table"},
    {.name = NULL},
};

const ob_generator_desc ob__split_table_generator = {
    .name = "SplitTableBatchedEmbeddingBagsCodegenInputDataGenerator",
    .help = "indices, offsets and weights for the bags of split embedding tables",
    .types = TYPES,
    .min_capacity = 3,
    .validate = validate,
    .generate = generate,
};
