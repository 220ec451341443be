/* SPDX-License-Identifier: Apache-2.0
 *
 * What recorded calls are: the generic operator for a vendor's, calls that compute nothing, sparse tensors,
 * and which overload a call without a schema was.
 */
#include "trace/alias.h"

#include "trace_test.h"

enum { INPUTS = 12 };

/* A call with the numbers 100, 101, ... as its values, so that a place can be told from another. The first one is a
 * tensor of `ndim` dimensions where that is not 0. */
typedef struct recorded {
    ob_trace_node node;
    ob_trace_tensor tensor;
    ob_trace_value values[INPUTS];
} recorded;

static const ob_trace_node *record(recorded *r, const char *schema, uint32_t count, int ndim)
{
    *r = (recorded){.node = {.name = "n",
                             .schema = schema,
                             .kind = OB_TRACE_OPERATOR,
                             .input_count = count,
                             .duration_us = -1}};
    for (uint32_t i = 0; i < INPUTS; i++)
        r->values[i] = (ob_trace_value){.kind = OB_TRACE_INT, .as = {.integer = 100 + i}};
    r->tensor.ndim = ndim;
    if (ndim > 0)
        r->values[0] = (ob_trace_value){.kind = OB_TRACE_TENSOR, .as = {.tensor = &r->tensor}};
    r->node.inputs = r->values;
    return &r->node;
}

/* "100 101 - yes no [0 0] T": the values of a call. */
static const char *values_text(const ob_trace_value *values, size_t count, char *out, size_t size)
{
    size_t at = 0;
    out[0] = '\0';
    for (size_t i = 0; i < count && at < size; i++) {
        const ob_trace_value *v = &values[i];
        char item[64] = "?";
        if (v->kind == OB_TRACE_NONE)
            snprintf(item, sizeof item, "-");
        else if (v->kind == OB_TRACE_INT)
            snprintf(item, sizeof item, "%d", (int)v->as.integer);
        else if (v->kind == OB_TRACE_BOOL)
            snprintf(item, sizeof item, "%s", v->as.integer ? "yes" : "no");
        else if (v->kind == OB_TRACE_TENSOR)
            snprintf(item, sizeof item, "T");
        else if (v->kind == OB_TRACE_DEVICE)
            snprintf(item, sizeof item, "D%s", v->as.text);
        else if (v->kind == OB_TRACE_UNRECORDED)
            snprintf(item, sizeof item, "U");
        else if (v->kind == OB_TRACE_LIST) {
            char within[32];
            values_text(v->as.items, v->count, within, sizeof within);
            snprintf(item, sizeof item, "[%s]", within);
        }
        at += (size_t)snprintf(out + at, size - at, "%s%s", i > 0 ? " " : "", item);
    }
    return out;
}

static void vendors_operators(void)
{
    static const struct {
        const char *from;
        uint32_t count;
        int ndim;
        const char *to, *values;
    } ROWS[] = {
        {"aten::cudnn_convolution", 6, 4, "aten::convolution", "T 101 - 103 102 104 no [0 0] 105"},
        {"aten::cudnn_convolution_transpose", 7, 4, "aten::convolution",
         "T 101 - 104 102 105 yes 103 106"},
        {"aten::miopen_convolution", 7, 4, "aten::convolution",
         "T 101 102 104 103 105 no [0 0] 106"},
        {"aten::miopen_convolution_transpose", 8, 4, "aten::convolution",
         "T 101 102 105 103 106 yes 104 107"},
        {"aten::_lazy_clone", 1, 0, "aten::clone", "100"},
        {"aten::cudnn_batch_norm", 8, 0, "aten::native_batch_norm",
         "100 101 102 103 104 105 106 107"},
        {"aten::miopen_batch_norm", 8, 0, "aten::native_batch_norm",
         "100 101 102 103 104 105 106 107"},
        {"aten::_batch_norm_with_update", 7, 0, "aten::native_batch_norm",
         "100 101 102 103 104 yes 105 106"},
        {"aten::batch_norm_backward", 11, 0, "aten::native_batch_norm_backward",
         "100 101 102 103 104 105 106 107 108 109"},
        {"aten::cudnn_batch_norm_backward", 9, 0, "aten::native_batch_norm_backward",
         "101 100 102 103 104 105 106 yes 107 [yes yes yes]"},
        {"aten::miopen_batch_norm_backward", 8, 0, "aten::native_batch_norm_backward",
         "101 100 102 103 104 105 106 yes 107 [yes yes yes]"},
        /* Too few arguments, and convolutions that are not of images: as recorded. */
        {"aten::cudnn_convolution", 5, 4, NULL, "T 101 102 103 104"},
        {"aten::cudnn_convolution", 6, 3, NULL, "T 101 102 103 104 105"},
        {"aten::cudnn_convolution", 6, 0, NULL, "100 101 102 103 104 105"},
        {"aten::cudnn_convolution", 0, 0, NULL, ""},
        {"aten::relu", 1, 4, NULL, "T"},
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        recorded r;
        ob_trace_alias alias;
        char text[256];
        const ob_trace_node *node = record(&r, "of the trace", ROWS[i].count, ROWS[i].ndim);
        ob__trace_alias_apply(node, ROWS[i].from, &alias);
        const bool changed = ROWS[i].to != NULL;
        CHECK_STR(alias.name, changed ? ROWS[i].to : ROWS[i].from);
        CHECK_STR(values_text(alias.args, alias.count, text, sizeof text), ROWS[i].values);
        CHECK_INT(alias.changed, changed);
        if (changed) {
            CHECK_HAS(alias.schema, ROWS[i].to);
            ob_schema *schema = NULL;
            CHECK_INT(ob_schema_parse(alias.schema, strlen(alias.schema), &schema, NULL), OB_OK);
            CHECK(alias.count <= schema->arg_count);
            ob_schema_destroy(schema);
        } else {
            CHECK_STR(alias.schema, "of the trace");
        }
    }
}

static void plain_operators(void)
{
    static const struct {
        const char *from;
        uint32_t count;
        const char *to, *values;
    } ROWS[] = {
        {"aten::lift_fresh", 1, "aten::detach", "100"},
        {"aten::detach_", 1, "aten::detach", "100"},
        {"aten::_index_put_impl_", 5, "aten::index_put_", "100 101 102 103"},
        {"aten::_unsafe_index.Tensor", 2, "aten::index.Tensor", "100 101"},
        {"aten::_unsafe_index_put", 4, "aten::index_put", "100 101 102 103"},
        {"aten::_native_batch_norm_legit", 8, "aten::native_batch_norm",
         "100 101 102 103 104 105 106 107"},
        {"aten::_native_batch_norm_legit.no_stats", 6, "aten::native_batch_norm",
         "100 101 102 - - 103 104 105"},
        {"aten::_unsafe_index_put", 3, NULL, NULL},
        {"aten::detach", 1, NULL, NULL},
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        recorded r;
        ob_trace_alias alias = {.name = "before"};
        char text[256];
        const ob_trace_node *node = record(&r, "", ROWS[i].count, 0);
        const bool replaced = ob__trace_alias_replace(node, ROWS[i].from, &alias);
        CHECK_INT(replaced, ROWS[i].to != NULL);
        CHECK_STR(alias.name, replaced ? ROWS[i].to : "before");
        if (replaced)
            CHECK_STR(values_text(alias.args, alias.count, text, sizeof text), ROWS[i].values);
    }
}

static void names(void)
{
    recorded r;
    char name[9];
    record(&r, "aten::add.Tensor(Tensor self) -> Tensor", 0, 0);
    ob__trace_call_name(&r.node, name, sizeof name);
    CHECK_STR(name, "aten::ad");
    record(&r, "aten::ad(", 0, 0);
    ob__trace_call_name(&r.node, name, sizeof name);
    CHECK_STR(name, "aten::ad");
    record(&r, "", 0, 0);
    ob__trace_call_name(&r.node, name, sizeof name);
    CHECK_STR(name, "n");
}

static void nothing_to_compute(void)
{
    static const char *const HOST[] = {"aten::item",
                                       "aten::_local_scalar_dense",
                                       "aten::is_nonzero",
                                       "aten::result_type.Tensor",
                                       "aten::can_cast",
                                       "aten::_assert_async.msg",
                                       "aten::_functional_assert_async",
                                       "profiler::_record_function_enter_new"};
    static const char *const OTHER[] = {"aten::items", "aten::ite", "aten::add.item",
                                        "aten::assert", ""};
    for (size_t i = 0; i < sizeof HOST / sizeof *HOST; i++)
        CHECK(ob__trace_is_host_call(HOST[i]));
    for (size_t i = 0; i < sizeof OTHER / sizeof *OTHER; i++)
        CHECK(!ob__trace_is_host_call(OTHER[i]));
    recorded r;
    record(&r, "", 2, 0);
    CHECK(ob__trace_is_stream_call(&r.node, "aten::record_stream"));
    CHECK(ob__trace_is_stream_call(&r.node, "aten::_pin_memory"));
    CHECK(ob__trace_is_stream_call(&r.node, "cuda::synchronize"));
    CHECK(!ob__trace_is_stream_call(&r.node, "aten::add"));
    r.values[1] = (ob_trace_value){.kind = OB_TRACE_OTHER, .as = {.text = "Storage"}};
    CHECK(!ob__trace_is_stream_call(&r.node, "aten::add"));
    r.values[1].as.text = "Stream";
    CHECK(ob__trace_is_stream_call(&r.node, "aten::add"));
    r.node.input_count = 1;
    CHECK(!ob__trace_is_stream_call(&r.node, "aten::add"));
}

/* Only a profiler leaves arguments away, and only of operators is that a pity. */
static void unrecorded(void)
{
    recorded r;
    record(&r, "", 0, 0);
    CHECK(ob__trace_unrecorded(&r.node) == NULL);
    r.node.duration_us = 0;
    CHECK_HAS(ob__trace_unrecorded(&r.node), "profile with record_shapes=True");
    r.node.input_count = 1;
    CHECK(ob__trace_unrecorded(&r.node) == NULL);
    r.node.input_count = 0;
    r.node.kind = OB_TRACE_COMM;
    CHECK(ob__trace_unrecorded(&r.node) == NULL);
    CHECK(ob__trace_is_call(&r.node));
    r.node.kind = OB_TRACE_LABEL;
    CHECK(!ob__trace_is_call(&r.node));
    r.node.kind = OB_TRACE_COMPILED;
    CHECK(!ob__trace_is_call(&r.node));
}

static void sparse(void)
{
    const ob_trace_tensor none = {.id = 1, .storage = 0, .item_bytes = 0, .ndim = 1};
    ob_trace_tensor t = none;
    CHECK(ob__trace_is_sparse(&t));
    t.id = 0;
    CHECK(!ob__trace_is_sparse(&t));
    t = none;
    t.storage = 1;
    CHECK(!ob__trace_is_sparse(&t));
    t = none;
    t.item_bytes = 4;
    CHECK(!ob__trace_is_sparse(&t));
    t = none;
    t.ndim = 0;
    CHECK(!ob__trace_is_sparse(&t));
}

static void texts(void)
{
    char out[64];
    CHECK_STR(ob__trace_alias_text("aten::_masked_scale"), "result = mul(mul(self, mask), scale)");
    CHECK(ob__trace_alias_text("aten::_masked_scal") == NULL);
    CHECK(ob__trace_alias_text("aten::_masked_scale_") == NULL);
    CHECK(ob__trace_alias_text("aten::rms_norm") == NULL);
    CHECK_HAS(ob__trace_alias_later_text("aten::rms_norm"), "rsqrt");
    CHECK(ob__trace_alias_later_text("aten::_masked_scale") == NULL);
    CHECK_STR(ob__trace_alias_each_text("aten::_foreach_minimum.Scalar"),
              "result = clamp_max(self, scalar)");
    CHECK(ob__trace_alias_each_text("aten::_fused_adam_") != NULL);
    CHECK(ob__trace_alias_each_text("aten::_fused_adam_.tensor_lr") ==
          ob__trace_alias_each_text("aten::_fused_adam_"));
    CHECK(ob__trace_alias_each_text("aten::_fused_adam_.other") == NULL);
    CHECK(ob__trace_alias_each_text("aten::_fused_ada.tensor_lr") == NULL);
    CHECK(ob__trace_alias_each("aten::_foreach_lerp_.Scalar", out, sizeof out));
    CHECK_STR(out, "aten::lerp_");
    CHECK(ob__trace_alias_each("aten::_foreach_abs", out, sizeof out));
    CHECK_STR(out, "aten::abs");
    CHECK(!ob__trace_alias_each("aten::abs", out, sizeof out));
}

#define V(kind_) ((ob_trace_value){.kind = OB_TRACE_##kind_})

/* The name of the overload that fits, its values behind a colon; "none". */
static const char *fitted(const char *name, bool without_out, const ob_trace_value *values,
                          size_t count)
{
    static char out[256];
    ob_op_table *table;
    char text[128];
    CHECK_INT(ob_op_table_create(&table, NULL), OB_OK);
    ob_trace_alias alias = {.name = name, .schema = "", .args = values, .count = count};
    snprintf(out, sizeof out, "none");
    if (ob__trace_alias_fit(table, without_out, &alias)) {
        CHECK_HAS(alias.schema, alias.name);
        snprintf(out, sizeof out, "%s: %s", alias.name,
                 values_text(alias.args, alias.count, text, sizeof text));
    }
    ob_op_table_destroy(table);
    return out;
}
#define FITTED(name, without_out, ...)                                                             \
    fitted(name, without_out, (const ob_trace_value[]){__VA_ARGS__},                               \
           sizeof((const ob_trace_value[]){__VA_ARGS__}) / sizeof(ob_trace_value))

static void overloads(void)
{
    const ob_trace_value numbers[] = {V(INT), V(INT)}, odd[] = {V(INT), V(BOOL)};
    const ob_trace_value list = {.kind = OB_TRACE_LIST, .count = 2, .as = {.items = numbers}};
    const ob_trace_value odd_list = {.kind = OB_TRACE_LIST, .count = 2, .as = {.items = odd}};
    CHECK_STR(FITTED("aten::mul", false, V(TENSOR), V(TENSOR)), "aten::mul.Tensor: T T");
    CHECK_STR(FITTED("aten::mul", false, V(TENSOR), V(INT)), "aten::mul.Scalar: T 0");
    CHECK_STR(FITTED("aten::mul", false, V(TENSOR), V(BOOL)), "aten::mul.Scalar: T no");
    CHECK_STR(FITTED("aten::mul", false, V(TENSOR), V(STR)), "none");
    CHECK_STR(FITTED("aten::mul", false, V(TENSOR)), "none");
    CHECK_STR(FITTED("aten::mul", false, V(TENSOR), V(NO_TENSOR)), "aten::mul.Tensor: T ?");
    /* The last one is what out= writes to. */
    CHECK_STR(FITTED("aten::mul", true, V(TENSOR), V(TENSOR), V(TENSOR)), "aten::mul.Tensor: T T");
    CHECK_STR(FITTED("aten::mul", true, V(TENSOR), V(TENSOR), V(INT)), "none");
    /* Lists are of what their elements are; a float may be written as an int, not as a bool. */
    CHECK_STR(FITTED("aten::sum", false, V(TENSOR), list, V(BOOL), V(UNRECORDED)),
              "aten::sum.dim_IntList: T [0 0] no U");
    CHECK_STR(FITTED("aten::sum", false, V(TENSOR), odd_list, V(BOOL), V(UNRECORDED)), "none");
    CHECK_STR(FITTED("aten::dropout", false, V(TENSOR), V(INT), V(BOOL)), "aten::dropout: T 0 no");
    CHECK_STR(FITTED("aten::dropout", false, V(TENSOR), V(BOOL), V(BOOL)), "none");
    CHECK_STR(FITTED("aten::dropout", false, V(TENSOR), V(DOUBLE), V(INT)), "none");
    /* What is not recorded has a default, may be none, or is a device: then it is the run's. */
    CHECK_STR(FITTED("aten::gelu", false, V(TENSOR), V(UNRECORDED)), "aten::gelu: T U");
    CHECK_STR(FITTED("aten::mul", false, V(TENSOR), V(UNRECORDED)), "none");
    CHECK_STR(FITTED("aten::to", false, V(TENSOR), V(UNRECORDED), V(INT), V(BOOL), V(BOOL),
                     V(UNRECORDED)),
              "aten::to.device: T D 0 no no U");
    CHECK_STR(FITTED("aten::unheard_of", false, V(TENSOR)), "none");
    CHECK_STR(FITTED("aten::mul.Tensor", false, V(TENSOR), V(TENSOR)), "none");
    CHECK_STR(fitted("aten::mul", false, NULL, 0), "none");
}

/* A schema that was recorded counts. */
static void schemas_stay(void)
{
    ob_op_table *table;
    const ob_trace_value pair[] = {V(TENSOR), V(TENSOR)};
    ob_trace_alias alias = {.name = "aten::mul", .schema = "aten::mul()", .args = pair, .count = 2};
    CHECK_INT(ob_op_table_create(&table, NULL), OB_OK);
    CHECK(!ob__trace_alias_fit(table, false, &alias));
    CHECK_STR(alias.name, "aten::mul");
    ob_op_table_destroy(table);
    ob_schema *schema = NULL;
    static const char TEXT[] = "a::f(Tensor self, int dim=0) -> Tensor";
    const ob_trace_value unknown = V(UNRECORDED), known = V(INT);
    CHECK_INT(ob_schema_parse(TEXT, sizeof TEXT - 1, &schema, NULL), OB_OK);
    CHECK(ob__trace_left_away(&schema->args[1], &unknown));
    CHECK(!ob__trace_left_away(&schema->args[1], &known));
    CHECK(!ob__trace_left_away(&schema->args[0], &unknown));
    CHECK(!ob__trace_left_away(NULL, &unknown));
    ob_schema_destroy(schema);
}

int main(void)
{
    RUN(vendors_operators);
    RUN(plain_operators);
    RUN(names);
    RUN(nothing_to_compute);
    RUN(unrecorded);
    RUN(sparse);
    RUN(texts);
    RUN(overloads);
    RUN(schemas_stay);
    return ob_test_end();
}
