/* SPDX-License-Identifier: Apache-2.0
 *
 * A plug-in with one data generator, BlockSparseDataGenerator, and an argument type of its own:
 *
 *   {"type": "blocksparse_tensor", "dtype": "float", "shape": [64, 64], "block": 8, "density": 0.5}
 *
 * gives a matrix in which whole blocks are zero; a block is filled with numbers in [0, 1) with the
 * probability `density`. The attributes are rows, so "__range__" works on them; what rows cannot
 * say is said by check (one argument) and by validate (the whole entry).
 */
#include <opbench/plugin.h>

#include <string.h>

/* The check of an argument type is not given the host's table; the entry function keeps it. */
static const ob_host *host;

/* The error, at the place of the node in the user's file. */
static ob_status error_at(const ob_json *node, const char *what, ob_err *err)
{
    return host->err_set_at(err, OB_ERR_CONFIG, NULL, host->json_line(node),
                            host->json_column(node), NULL, "%s", what);
}

static ob_status blocksparse_check(const ob_json *arg, ob_err *err)
{
    const ob_json *shape = host->json_get(arg, "shape");
    const ob_json *block = host->json_get(arg, "block");
    const ob_json *density = host->json_get(arg, "density");
    const ob_json *dtype = host->json_get(arg, "dtype");
    size_t length = 0;
    const char *name = host->json_string(dtype, &length);
    const ob_dtype id = name != NULL ? host->dtype_from_name(name, length) : OB_DTYPE_INVALID;
    if (id != OB_DTYPE_F32 && id != OB_DTYPE_F64)
        return error_at(dtype, "a blocksparse_tensor is float32 or float64; change \"dtype\"", err);
    if (host->json_count(shape) != 2)
        return error_at(shape, "a blocksparse_tensor is a matrix; give two sizes", err);
    const int64_t edge = host->json_int(block, 0);
    if (edge < 1)
        return error_at(block, "\"block\" must be at least 1", err);
    for (size_t i = 0; i < 2; i++) {
        if (host->json_int(host->json_item(shape, i), 0) % edge != 0)
            return error_at(host->json_item(shape, i), "\"block\" must divide both sizes", err);
    }
    const double share = host->json_real(density, 1.0);
    if (!(share >= 0.0 && share <= 1.0))
        return error_at(density, "\"density\" must lie between 0 and 1", err);
    return OB_OK;
}

static const ob_arg_attr BLOCKSPARSE_ATTRS[] = {
    {.name = "dtype", .kind = OB_ATTR_DTYPE, .required = true},
    {.name = "shape", .kind = OB_ATTR_SHAPE, .required = true},
    {.name = "block", .kind = OB_ATTR_INT, .required = true},
    {.name = "density", .kind = OB_ATTR_REAL, .required = false}, /* 1: a full matrix */
    {.name = NULL},
};

static const ob_arg_type TYPES[] = {
    {.name = "blocksparse_tensor",
     .attrs = BLOCKSPARSE_ATTRS,
     .help = "matrix of zero and filled blocks",
     .check = blocksparse_check},
    {.name = NULL},
};

static ob_status validate(const ob_host *table, const ob_json *entry, ob_err *err)
{
    if (table->json_count(table->json_get(entry, "kwargs")) > 0)
        return error_at(table->json_get(entry, "kwargs"),
                        "BlockSparseDataGenerator takes no kwargs; move them to \"args\"", err);
    if (table->json_count(table->json_get(entry, "args")) == 0)
        return error_at(entry, "BlockSparseDataGenerator needs at least one argument", err);
    return OB_OK;
}

static void store(const ob_tensor *tensor, int64_t element, double x)
{
    if (tensor->dtype == OB_DTYPE_F64)
        ((double *)host->tensor_data(tensor))[element] = x;
    else
        ((float *)host->tensor_data(tensor))[element] = (float)x;
}

/* Numbers below 1 that float32 holds exactly, so that both dtypes get the same matrix. */
static double draw(ob_rng *rng)
{
    return (double)host->rng_int(rng, 0, (1 << 24) - 1) / (double)(1 << 24);
}

static ob_status make_matrix(const ob_json *arg, ob_rng *rng, ob_tensor *out, ob_err *err)
{
    const ob_json *shape = host->json_get(arg, "shape");
    const int64_t sizes[2] = {host->json_int(host->json_item(shape, 0), 0),
                              host->json_int(host->json_item(shape, 1), 0)};
    const int64_t edge = host->json_int(host->json_get(arg, "block"), 1);
    const double density = host->json_real(host->json_get(arg, "density"), 1.0);
    size_t length = 0;
    const char *dtype = host->json_string(host->json_get(arg, "dtype"), &length);
    OB_TRY(host->tensor_init(out, host->dtype_from_name(dtype, length), sizes, 2, NULL, err));
    const size_t bytes = host->storage_size(out->storage);
    if (bytes > 0)
        memset(host->storage_data(out->storage), 0, bytes);
    for (int64_t row = 0; row < sizes[0]; row += edge) {
        for (int64_t column = 0; column < sizes[1]; column += edge) {
            if (host->rng_double(rng) >= density)
                continue;
            for (int64_t i = 0; i < edge * edge; i++)
                store(out, (row + i / edge) * sizes[1] + column + i % edge, draw(rng));
        }
    }
    return OB_OK;
}

/* The core has checked the entry by the rows above before it calls this. */
static ob_status generate(const ob_generate_args *args, ob_generated *out, ob_err *err)
{
    const ob_json *list = host->json_get(args->entry, "args");
    out->kwarg_count = 0;
    out->arg_count = host->json_count(list);
    for (size_t i = 0; i < out->arg_count; i++) {
        ob_tensor matrix;
        OB_TRY(make_matrix(host->json_item(list, i), args->rng, &matrix, err));
        const ob_status status = host->value_init_tensor(&out->args[i], &matrix, err);
        host->tensor_fini(&matrix);
        OB_TRY(status);
    }
    return OB_OK;
}

static const ob_generator_desc GENERATOR = {
    .name = "BlockSparseDataGenerator",
    .help = "matrices whose blocks are zero or filled",
    .types = TYPES,
    .own_types_only = true,
    .validate = validate,
    .generate = generate,
};

static const ob_generator_desc *const GENERATORS[] = {&GENERATOR, NULL};

static const ob_plugin PLUGIN = {
    OB_PLUGIN_HEAD,
    .name = "example-generator",
    .version = "1.0",
    .generators = GENERATORS,
};

OB_PLUGIN_EXPORT const ob_plugin *ob_plugin_entry(const ob_host *table, ob_reason *why_not);

const ob_plugin *ob_plugin_entry(const ob_host *table, ob_reason *why_not)
{
    (void)why_not;
    host = table;
    return &PLUGIN;
}
