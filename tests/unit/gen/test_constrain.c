/* SPDX-License-Identifier: Apache-2.0
 *
 * Inputs that obey their operator's row, parameters of modules by their kind, and the places of sparse tensors.
 */
#include "gen/constrain.h"

#include "../graph/graph_test.h"
#include "gen/fill.h"
#include "gen/sparse.h"

/* What fills an input before it is constrained: no index, no probability. */
static void fill_wrong(const ob_tensor *t)
{
    memset(ob_tensor_data(t), 0xC5, (size_t)ob_tensor_numel(t) * ob_dtype_size(t->dtype));
}

typedef struct inputs {
    ob_graph *graph;
    ob_value values[4];
    size_t count;
} inputs;

/* A graph over tensors with memory, in the order of their names. */
static inputs inputs_of(const char *tensors, const char *text)
{
    inputs in = {.graph = graph_with(tensors)};
    add_text(in.graph, text);
    for (size_t i = 0; i < in.graph->edge_count; i++) {
        const ob_graph_edge *edge = &in.graph->edges[i];
        ob_tensor made;
        if (edge->role != OB_EDGE_INPUT)
            continue;
        const ob_tensor *meta = edge->meta.as.tensor;
        CHECK_INT(ob_tensor_init(&made, meta->dtype, meta->sizes, meta->ndim, NULL, NULL), OB_OK);
        fill_wrong(&made);
        CHECK_INT(ob_value_init_tensor(&in.values[in.count++], &made, NULL), OB_OK);
        ob_tensor_fini(&made);
    }
    return in;
}

static void close_inputs(inputs *in)
{
    for (size_t i = 0; i < in->count; i++)
        ob_value_fini(&in->values[i]);
    ob_graph_destroy(in->graph);
}

#define TENSOR "{\"type\": \"tensor\"}"

static ob_err constrain_err;

static ob_status constrain_by(inputs *in, const char *entry)
{
    ob_json_doc *doc = NULL;
    ob_rng rng;
    ob_rng_init(&rng, 7, 0);
    CHECK_INT(ob_json_parse("t", entry, strlen(entry), NULL, &doc, NULL), OB_OK);
    const ob_status status = ob__constrain_inputs(in->graph, ob_json_doc_root(doc), in->values,
                                                  in->count, &rng, &constrain_err);
    ob_json_doc_destroy(doc);
    return status;
}

static double element(const ob_value *value, int64_t i)
{
    const ob_tensor *t = value->as.tensor;
    const char *data = ob_tensor_data(t);
    switch (t->dtype) {
    case OB_DTYPE_I64:
        return (double)((const int64_t *)data)[i];
    case OB_DTYPE_I32:
        return ((const int32_t *)data)[i];
    case OB_DTYPE_F32:
        return (double)((const float *)data)[i];
    default:
        return ((const uint8_t *)data)[i];
    }
}

/* "lowest highest": with so many elements every value of a small range occurs. "" for what was left as it was. */
static const char *range_of(const ob_value *value)
{
    static char out[64];
    const ob_tensor *t = value->as.tensor;
    double low = element(value, 0), high = low;
    char *before = malloc((size_t)ob_tensor_numel(t) * ob_dtype_size(t->dtype));
    memset(before, 0xC5, (size_t)ob_tensor_numel(t) * ob_dtype_size(t->dtype));
    const bool same = memcmp(before, ob_tensor_data(t),
                             (size_t)ob_tensor_numel(t) * ob_dtype_size(t->dtype)) == 0;
    free(before);
    for (int64_t i = 0; i < ob_tensor_numel(t); i++) {
        low = fmin(low, element(value, i));
        high = fmax(high, element(value, i));
    }
    snprintf(out, sizeof out, "%g %g", low, high);
    return same ? "" : out;
}

/* What input `which` holds then. */
static const char *constrained(const char *tensors, const char *text, size_t which)
{
    static char out[64];
    inputs in = inputs_of(tensors, text);
    const ob_status status =
        constrain_by(&in, in.count == 1   ? "{\"args\": [" TENSOR "]}"
                          : in.count == 2 ? "{\"args\": [" TENSOR ", " TENSOR "]}"
                                          : "{\"args\": [" TENSOR ", " TENSOR ", " TENSOR "]}");
    CHECK_INT(status, OB_OK);
    snprintf(out, sizeof out, "%s", range_of(&in.values[which]));
    close_inputs(&in);
    return out;
}

static void indices(void)
{
    CHECK_STR(constrained("w f32[10, 4]; i i64[900]", "r = embedding(w, i)", 1), "0 9");
    CHECK_STR(constrained("w f32[10, 4]; i i64[900]", "r = embedding(w, i)", 0), "");
    CHECK_STR(constrained("w f32[1, 4]; i i64[900]", "r = embedding(w, i)", 1), "0 0");
    CHECK_STR(constrained("w f32[10, 4]; i i32[30, 30]", "r = embedding(w, i)", 1), "0 9");
    /* Through views, but not through what computes. */
    CHECK_STR(constrained("w f32[10, 4]; i i64[30, 30]", "r = embedding(w, view(i, [900]))", 1),
              "0 9");
    CHECK_STR(constrained("w f32[10, 4]; i i64[30, 30]",
                          "r = embedding(w, reshape(flatten(i), [9, 100]))", 1),
              "0 9");
    CHECK_STR(constrained("w f32[10, 4]; i i64[900]", "r = embedding(w, neg(i))", 1), "");
    /* The dimension is an argument, or the place in a list. */
    CHECK_STR(constrained("x f32[900, 6]; i i64[900, 5]", "r = gather(x, 1, i)", 1), "0 5");
    CHECK_STR(constrained("x f32[900, 6]; i i64[900, 5]", "r = gather(x, -1, i)", 1), "0 5");
    CHECK_STR(constrained("x f32[6, 900]; i i64[5, 900]", "r = gather(x, -2, i)", 1), "0 5");
    CHECK_STR(constrained("x f32[7, 5]; i i64[900]; j i64[900]", "r = index(x, [i, j])", 1), "0 6");
    CHECK_STR(constrained("x f32[7, 5]; i i64[900]; j i64[900]", "r = index(x, [i, j])", 2), "0 4");
    CHECK_STR(constrained("x f32[7, 5]; i i64[900]", "r = index(x, [None, i])", 1), "0 4");
    /* A tensor without dimensions counts as [1]. */
    CHECK_STR(constrained("x f32[]; i i64[900]", "r = gather(x, -1, i)", 1), "0 0");
    /* The bound is a number. */
    CHECK_STR(constrained("i i64[900]", "r = one_hot(i, 4)", 0), "0 3");
}

static void other_constraints(void)
{
    CHECK_STR(constrained("x i64[900]; y i64[900]", "r = remainder(x, y)", 1), "1 9");
    CHECK_STR(constrained("x i64[900]; y i64[900]", "r = remainder(x, y)", 0), "");
    CHECK_STR(constrained("x f32[900]; y f32[900]", "r = remainder(x, y)", 1), "");
    inputs in = inputs_of("x f32[900]; y f32[900]", "r = binary_cross_entropy(x, y)");
    CHECK_INT(constrain_by(&in, "{\"args\": [" TENSOR ", " TENSOR "]}"), OB_OK);
    for (size_t which = 0; which < 2; which++)
        for (int64_t i = 0; i < 900; i++)
            if (!(element(&in.values[which], i) >= 0 && element(&in.values[which], i) < 1))
                OB_TEST_FAIL("%zu: %g is no probability", which, element(&in.values[which], i));
    close_inputs(&in);
    in = inputs_of("x f32[900]; y f32[900]", "r = pow(x, y)");
    CHECK_INT(constrain_by(&in, "{\"args\": [" TENSOR ", " TENSOR "]}"), OB_OK);
    for (int64_t i = 0; i < 900; i++)
        if (!(element(&in.values[0], i) >= 0.125 && element(&in.values[0], i) < 1))
            OB_TEST_FAIL("%g is not positive", element(&in.values[0], i));
    CHECK_STR(range_of(&in.values[1]), "");
    close_inputs(&in);
}

/* Offsets of bags that are nearly equal; the last one is the end where that is asked for. */
static void offsets(void)
{
#define BAG(last) "r, a, b, c = _embedding_bag(w, i, o, False, 0, False, None, " last ")"
    static const struct {
        const char *tensors, *text;
        double want[4];
    } ROWS[] = {
        {"w f32[10, 4]; i i64[10]; o i64[4]", BAG("False"), {0, 2, 5, 7}},
        {"w f32[10, 4]; i i64[10]; o i64[4]", BAG("True"), {0, 3, 6, 10}},
        {"w f32[10, 4]; i i32[10]; o i32[4]", BAG("False"), {0, 2, 5, 7}},
        {"w f32[10, 4]; i i64[3]; o i64[4]", BAG("False"), {0, 0, 1, 2}},
    };
    for (size_t k = 0; k < sizeof ROWS / sizeof *ROWS; k++) {
        inputs in = inputs_of(ROWS[k].tensors, ROWS[k].text);
        CHECK_INT(constrain_by(&in, "{\"args\": [" TENSOR ", " TENSOR ", " TENSOR "]}"), OB_OK);
        for (int64_t i = 0; i < 4; i++)
            CHECK_REAL(element(&in.values[2], i), ROWS[k].want[i]);
        close_inputs(&in);
    }
}

/* What the user gave stays. */
static void given_inputs(void)
{
    static const struct {
        const char *entry;
        bool stays;
    } ROWS[] = {
        {"{\"args\": [" TENSOR ", " TENSOR "]}", false},
        {"{\"args\": [" TENSOR "], \"kwargs\": {\"i\": " TENSOR "}}", false},
        {"{\"args\": [" TENSOR ", {\"type\": \"tensor\", \"value\": null}]}", false},
        {"{\"args\": [{\"type\": \"tensor\", \"value\": 3}, " TENSOR "]}", false},
        {"{\"args\": [" TENSOR ", {\"type\": \"tensor\", \"value\": 3}]}", true},
        {"{\"args\": [" TENSOR ", {\"type\": \"tensor\", \"value\": [3, 4]}]}", true},
        {"{\"args\": [" TENSOR ", {\"type\": \"tensor\", \"value_range\": [0, 1]}]}", true},
        {"{\"args\": [" TENSOR "], \"kwargs\": {\"i\": {\"type\": \"tensor\", \"value\": 1}}}",
         true},
        /* Lists are as many inputs as they have items with tensors. */
        {"{\"args\": [{\"type\": \"genericlist\", \"value\": [" TENSOR
         ", {\"type\": \"none\"}, " TENSOR "]}]}",
         false},
        {"{\"args\": [{\"type\": \"genericlist\", \"value\": [" TENSOR ", {\"type\": \"tensor\", "
         "\"value\": 1}]}]}",
         true},
        {"{\"args\": [" TENSOR ", {\"type\": \"genericlist\", \"value\": [{\"type\": \"int\", "
         "\"value\": 1}]}]}",
         true},
        /* A generator made something else of the entry. */
        {"{\"args\": [" TENSOR "]}", true},
        {"{\"args\": [" TENSOR ", " TENSOR ", " TENSOR "]}", true},
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        inputs in = inputs_of("w f32[10, 4]; i i64[900]", "r = embedding(w, i)");
        /* What stays is checked, and is no index here. */
        const ob_status status = constrain_by(&in, ROWS[i].entry);
        CHECK_INT(status, ROWS[i].stays ? OB_ERR_INVALID : OB_OK);
        CHECK_STR(range_of(&in.values[1]), ROWS[i].stays ? "" : "0 9");
        close_inputs(&in);
    }
    for (int given = 0; given < 2; given++) {
        inputs in = inputs_of("w f32[10, 4]; i i64[900]", "r = embedding(w, i)");
        const bool marks[2] = {given == 0, given == 1};
        ob_rng rng;
        ob_rng_init(&rng, 7, 0);
        CHECK_INT(ob__constrain_marked(in.graph, marks, in.values, in.count, &rng, NULL),
                  given == 1 ? OB_ERR_INVALID : OB_OK);
        CHECK_STR(range_of(&in.values[1]), given == 1 ? "" : "0 9");
        close_inputs(&in);
    }
}

/* What is said of values that the user gave for the last input; "" where they are taken. */
static const char *refused(const char *tensors, const char *text, const int64_t *values)
{
    inputs in = inputs_of(tensors, text);
    bool given[4] = {false};
    ob_rng rng;
    ob_rng_init(&rng, 7, 0);
    given[in.count - 1] = true;
    const ob_tensor *t = in.values[in.count - 1].as.tensor;
    const size_t size = ob_dtype_size(t->dtype);
    for (int64_t i = 0; i < ob_tensor_numel(t); i++) /* the low bytes come first */
        memcpy((char *)ob_tensor_data(t) + (size_t)i * size, &values[i], size);
    const ob_status status =
        ob__constrain_marked(in.graph, given, in.values, in.count, &rng, &constrain_err);
    close_inputs(&in);
    return status == OB_OK ? "" : constrain_err.message;
}

static void given_values(void)
{
    static const char EMBEDDING[] = "r = embedding(w, i)", INDEXED[] = "w f32[10, 4]; i i64[3]";
    CHECK_STR(refused(INDEXED, EMBEDDING, (const int64_t[]){0, 9, 4}), "");
    CHECK_STR(refused(INDEXED, EMBEDDING, (const int64_t[]){0, -10, 4}), "");
    CHECK_STR(refused(INDEXED, EMBEDDING, (const int64_t[]){0, 9, 10}),
              "aten::embedding: indices has the index 10 as element 2; it must be from 0 to 9");
    CHECK_STR(refused(INDEXED, EMBEDDING, (const int64_t[]){-11, 9, 1}),
              "aten::embedding: indices has the index -11 as element 0; it must be from 0 to 9");
    CHECK_STR(refused("w f32[10, 4]; i i32[2, 2]", EMBEDDING, (const int64_t[]){0, 9, 1, 10}),
              "aten::embedding: indices has the index 10 as element 3; it must be from 0 to 9");
    CHECK_STR(refused("w f32[0, 4]; i i64[2]", EMBEDDING, (const int64_t[]){0, 0}),
              "aten::embedding: indices has indices, but weight has no elements to index");
    CHECK_STR(refused("w f32[0, 4]; i i64[0]", EMBEDDING, (const int64_t[]){0}), "");
    CHECK_STR(refused("x f32[]; i i64[2]", "r = gather(x, 0, i)", (const int64_t[]){0, 1}),
              "aten::gather: index has the index 1 as element 1; it must be from 0 to 0");
    static const char REMAINDER[] = "r = remainder(x, y)";
    CHECK_STR(refused("x i64[3]; y i64[3]", REMAINDER, (const int64_t[]){1, -1, 9}), "");
    CHECK_STR(refused("x i64[3]; y i64[3]", REMAINDER, (const int64_t[]){1, 0, 9}),
              "aten::remainder: element 1 of other is 0; integers cannot be divided by it");
    CHECK_STR(refused("x i16[3]; y i16[3]", REMAINDER, (const int64_t[]){1, 2, 0}),
              "aten::remainder: element 2 of other is 0; integers cannot be divided by it");
    CHECK_STR(refused("x i8[3]; y i8[3]", REMAINDER, (const int64_t[]){1, -2, 3}), "");
    CHECK_STR(refused("x u8[3]; y u8[3]", REMAINDER, (const int64_t[]){1, 2, 0}),
              "aten::remainder: element 2 of other is 0; integers cannot be divided by it");
    /* What a loss ignores may be anything. */
    static const char LOSS[] = "r, total = nll_loss_forward(x, t, None, 1, -100)";
    CHECK_STR(refused("x f32[3, 5]; t i64[3]", LOSS, (const int64_t[]){0, -100, 4}), "");
    CHECK_STR(refused("x f32[3, 5]; t i64[3]", LOSS, (const int64_t[]){0, -99, 4}),
              "aten::nll_loss_forward: target has the index -99 as element 1; it must be from 0 to "
              "4");
}

/* Element 2 of a parameter of three, and all of them in `all`. */
static double parameter(const char *tensor, ob_init_kind init, double a, float all[3])
{
    ob_graph_edge edge = {
        .meta = tensor_value(tensor), .init = init, .init_a = a, .requires_grad = true};
    ob_value made = ob_value_none();
    ob_rng rng;
    ob_rng_init(&rng, 9, 0);
    CHECK_INT(ob__make_parameter(&edge, &rng, &made, NULL), OB_OK);
    CHECK(made.as.tensor->requires_grad);
    CHECK_INT(ob_tensor_numel(made.as.tensor), 3);
    const double last = element(&made, 2);
    if (all != NULL)
        memcpy(all, ob_tensor_data(made.as.tensor), 3 * sizeof *all);
    ob_value_fini(&made);
    ob_value_fini(&edge.meta);
    return last;
}

static void parameters(void)
{
    float all[3], want[3];
    ob_rng rng;
    CHECK_REAL(parameter("f32[3]", OB_INIT_ZEROS, 5, NULL), 0);
    CHECK_REAL(parameter("f32[3]", OB_INIT_ONES, 5, NULL), 1);
    CHECK_REAL(parameter("f32[3]", OB_INIT_CONSTANT, 5, NULL), 5);
    CHECK_REAL(parameter("i64[3]", OB_INIT_NONE, 5, NULL), 1);
    CHECK_REAL(parameter("f32[3]", OB_INIT_UNIFORM, 0, NULL), 0);
    parameter("f32[3]", OB_INIT_UNIFORM, 0.5, all);
    ob_rng_init(&rng, 9, 0);
    ob__fill_reals(&rng, OB_DTYPE_F32, -0.5, 0.5, want, 3);
    CHECK_INT(memcmp(all, want, sizeof all), 0);
    parameter("f32[3]", OB_INIT_NONE, 0.5, all);
    ob_rng_init(&rng, 9, 0);
    ob__fill_unit(&rng, OB_DTYPE_F32, want, 3);
    CHECK_INT(memcmp(all, want, sizeof all), 0);
    parameter("f32[3]", OB_INIT_NORMAL, 2, all);
    ob_rng_init(&rng, 9, 0);
    for (int i = 0; i < 3; i++)
        CHECK_REAL((double)all[i], (double)(float)(2 * ob_rng_normal(&rng)));
}

static ob_status fill_none(void *ctx, const ob_tensor *values, ob_err *err)
{
    (void)ctx, (void)values, (void)err;
    return OB_OK;
}

/* Every set of places occurs, and about as often as any other. */
static void sets_of_places(int64_t taken)
{
    enum { PLACES = 4, DRAWS = 6000 };
    int64_t seen[1 << PLACES] = {0};
    int sets = 0;
    ob_rng rng;
    ob_rng_init(&rng, 1, 0);
    for (int draw = 0; draw < DRAWS; draw++) {
        const ob__sparse_spec spec = {.dtype = OB_DTYPE_F32,
                                      .ndim = 1,
                                      .sparse_dim = 1,
                                      .sizes = {PLACES},
                                      .taken = taken,
                                      .coalesced = true};
        ob_tensor made;
        CHECK_INT(ob__sparse_make(&spec, &rng, fill_none, NULL, &made, NULL), OB_OK);
        const int64_t *index = ob_tensor_data(made.indices);
        unsigned set = 0;
        for (int64_t i = 0; i < taken; i++)
            set |= 1u << index[i];
        seen[set]++;
        ob_tensor_fini(&made);
    }
    for (unsigned set = 0; set < 1 << PLACES; set++) {
        if (__builtin_popcount(set) != taken)
            CHECK_INT(seen[set], 0);
        sets += seen[set] > 0;
    }
    for (unsigned set = 0; set < 1 << PLACES; set++)
        if (seen[set] > 0)
            CHECK_NEAR((double)seen[set] * sets / DRAWS, 1, 0.15);
    CHECK_INT(sets, taken == 1 || taken == 3 ? 4 : taken == 2 ? 6 : 1);
}

static void places(void)
{
    for (int64_t taken = 0; taken <= 4; taken++)
        sets_of_places(taken);
    CHECK_INT(ob__sparse_share(10, 0), 0);
    CHECK_INT(ob__sparse_share(10, 0.01), 1);
    CHECK_INT(ob__sparse_share(10, 0.5), 5);
    CHECK_INT(ob__sparse_share(10, 0.51), 6);
    CHECK_INT(ob__sparse_share(10, 1), 10);
    CHECK_INT(ob__sparse_share(INT64_MAX, 1), INT64_MAX);
}

int main(void)
{
    open_table();
    RUN(indices);
    RUN(other_constraints);
    RUN(offsets);
    RUN(given_inputs);
    RUN(given_values);
    RUN(parameters);
    RUN(places);
    ob_op_table_destroy(test_table);
    return ob_test_end();
}
