/* SPDX-License-Identifier: Apache-2.0
 *
 * Gradients of the derived backward against those of PyTorch's autograd, in every dtype that a
 * line of tests/golden/native_nn.jsonl names (tools/make_nn_goldens.py says what is in one). The
 * references are float64 and the inputs exact in every dtype, so what differs is rounding: each
 * operator on the way rounds once to the dtype, and sums grow with the logarithm of their length.
 */
#include "golden_values.h"
#include "native_test.h"

enum { MAX_ARGS = 32, MAX_LINE = 1 << 20 };

static native_subject subject;

/* ---- one line in one dtype ---- */

static double epsilon_of(ob_dtype dtype)
{
    return dtype == OB_DTYPE_F64   ? 0x1p-52
           : dtype == OB_DTYPE_F32 ? 0x1p-23
           : dtype == OB_DTYPE_F16 ? 0x1p-10
                                   : 0x1p-7;
}

typedef struct replay {
    const ob_json *line;
    const char *op;
    int number;
    ob_dtype dtype;
    double growth; /* of rounding, by the size of the largest input */
} replay;

static void fail(const replay *r, const char *what)
{
    OB_TEST_FAIL("line %d, %s in %s: %s", r->number, r->op, ob_dtype_get_info(r->dtype)->name,
                 what);
}

static void compare(const replay *r, size_t input, const ob_tensor *got, const ob_json *want)
{
    const ob_json *data = ob_json_get(want, "data");
    char what[160];
    double largest = 1;
    CHECK_INT(got->dtype, r->dtype);
    CHECK_INT(ob_tensor_numel(got), ob_json_count(data));
    for (size_t i = 0; i < ob_json_count(data); i++)
        largest = fmax(largest, fabs(golden_number(ob_json_item(data, i))));
    const double bound = 16 * epsilon_of(r->dtype) * r->growth * largest;
    for (int64_t i = 0; i < ob_tensor_numel(got); i++) {
        const double x = element_get(got, i), y = golden_number(ob_json_item(data, (size_t)i));
        ob_test_checks++;
        if (fabs(x - y) <= bound || (isnan(x) && isnan(y)))
            continue;
        snprintf(what, sizeof what, "gradient %lld of input %zu is %.17g, want %.17g +- %g",
                 (long long)i, input, x, y, bound);
        fail(r, what);
        return;
    }
}

/* The number of the input that backward target i is. */
static size_t input_of(const native_case *c, size_t i)
{
    size_t count = 0;
    for (ob_edge_id e = 0; e < c->backward.targets[i]; e++)
        count += c->graph->edges[e].role == OB_EDGE_INPUT;
    return count;
}

static void compare_all(const replay *r, native_case *c)
{
    static ob_value gradients[MAX_VALUES];
    const ob_json *want = ob_json_get(r->line, "grads");
    size_t count = 0, found = 0;
    ob_err err;
    if (subject.desc->outputs(c->prepared, OB_PASS_BACKWARD, gradients, MAX_VALUES, &count, &err) !=
        OB_OK)
        fail(r, err.message);
    for (size_t i = 0; i < count; i++) {
        char key[24];
        snprintf(key, sizeof key, "%zu", input_of(c, i));
        const ob_json *tensor = ob_json_get(want, key);
        if (tensor != NULL) {
            compare(r, input_of(c, i), gradients[i].as.tensor, tensor);
            found++;
        }
        ob_value_fini(&gradients[i]);
    }
    CHECK_INT(found, ob_json_count(want));
}

static ob_status run_phases(native_case *c, ob_err *err)
{
    OB_TRY(case_run(c, OB_PHASE_FORWARD, err));
    OB_TRY(case_run(c, OB_PHASE_MAKE_GRAD, err));
    return case_run(c, OB_PHASE_BACKWARD, err);
}

static void run_dtype(const replay *r)
{
    const ob_json *args = ob_json_get(r->line, "args"), *kwargs = ob_json_get(r->line, "kwargs");
    const size_t count = ob_json_count(args), named = ob_json_count(kwargs);
    ob_value values[MAX_ARGS] = {{.kind = OB_VALUE_NONE}};
    const char *names[MAX_ARGS];
    native_case c = {0};
    ob_err err;
    ob_status status = OB_OK;
    ob_err_clear(&err);
    CHECK(count + named <= MAX_ARGS);
    for (size_t i = 0; i < count && status == OB_OK; i++)
        status = golden_read(ob_json_item(args, i), r->dtype, &values[i], &err);
    for (size_t i = 0; i < named && status == OB_OK; i++) {
        names[i] = ob_json_key(kwargs, i);
        status = golden_read(ob_json_item(kwargs, i), r->dtype, &values[count + i], &err);
    }
    const ob_call call = {.args = values,
                          .arg_count = count,
                          .kwarg_names = names,
                          .kwargs = values + count,
                          .kwarg_count = named};
    if (status == OB_OK)
        status = case_build(&c, &subject, r->op, NULL, &call, true, &err);
    if (status == OB_OK)
        status = case_prepare(&c, &err);
    if (status == OB_OK)
        status = run_phases(&c, &err);
    if (status == OB_OK)
        compare_all(r, &c);
    else
        fail(r, err.message);
    case_close(&c);
    for (size_t i = 0; i < count + named; i++)
        ob_value_fini(&values[i]);
}

static double largest_input(const ob_json *node)
{
    double largest = (double)ob_json_count(ob_json_get(node, "data"));
    for (size_t i = 0; ob_json_get_kind(node) == OB_JSON_ARRAY && i < ob_json_count(node); i++)
        largest = fmax(largest, largest_input(ob_json_item(node, i)));
    return largest;
}

static bool run_line(const ob_json *line, int number_)
{
    const ob_json *dtypes = ob_json_get(line, "dtypes");
    replay r = {.line = line, .number = number_, .dtype = OB_DTYPE_F64};
    if (ob_json_get(line, "grads") == NULL)
        return false;
    r.op = ob_json_string(ob_json_get(line, "op"), NULL);
    r.growth = 1 + log2(1 + largest_input(ob_json_get(line, "args")));
    run_dtype(&r);
    for (size_t i = 0; i < ob_json_count(dtypes); i++) {
        r.dtype = golden_dtype(ob_json_item(dtypes, i), OB_DTYPE_F64);
        run_dtype(&r);
    }
    return true;
}

static void gradients_are_pytorchs(void)
{
    static char text[MAX_LINE];
    FILE *file = fopen(OB_SOURCE_DIR "/tests/golden/native_nn.jsonl", "r");
    int lines = 0, run = 0;
    CHECK(file != NULL);
    while (file != NULL && fgets(text, sizeof text, file) != NULL) {
        ob_json_doc *doc = NULL;
        ob_err err;
        lines++;
        if (ob_json_parse("native_nn.jsonl", text, strlen(text), NULL, &doc, &err) != OB_OK)
            OB_TEST_FAIL("line %d: %s", lines, err.message);
        else
            run += run_line(ob_json_doc_root(doc), lines);
        ob_json_doc_destroy(doc);
    }
    CHECK(run > 250);
    if (file != NULL)
        fclose(file);
}

int main(void)
{
    subject_open(&subject, 1);
    RUN(gradients_are_pytorchs);
    subject_close(&subject);
    subject_open(&subject, 2);
    RUN(gradients_are_pytorchs);
    subject_close(&subject);
    return ob_test_end();
}
