/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"
#include "gen/gen.h"
#include "tensor/half.h"

enum { SLOTS = 40 };

static ob_value args[SLOTS], kwargs[SLOTS];
static const char *names[SLOTS];
static ob_generated got;
static ob_json_doc *doc;
static ob_err err;

static void finish(void)
{
    for (int i = 0; i < SLOTS; i++) {
        ob_value_fini(&args[i]);
        ob_value_fini(&kwargs[i]);
    }
    ob_json_doc_destroy(doc);
    doc = NULL;
}

static ob_status generate_node(const ob_json *entry, uint64_t seed)
{
    ob_rng rng;
    const ob_device cpu = {.type = "cpu", .index = -1};
    ob_rng_init(&rng, seed, 0);
    got = (ob_generated){.args = args,
                         .arg_count = SLOTS,
                         .kwargs = kwargs,
                         .kwarg_names = names,
                         .kwarg_count = SLOTS};
    ob_err_clear(&err);
    return ob__gen_builtin.generators[0]->generate(
        &(ob_generate_args){.entry = entry, .op_name = "torch.add", .device = &cpu, .rng = &rng},
        &got, &err);
}

static ob_status generate(const char *text)
{
    finish();
    const ob_status status = ob_json_parse("test", text, strlen(text), NULL, &doc, &err);
    return status != OB_OK ? status : generate_node(ob_json_doc_root(doc), 1);
}

static ob_status one(const char *arg)
{
    char text[4096];
    snprintf(text, sizeof text, "{\"args\": [%s]}", arg);
    return generate(text);
}

static ob_status tensor(const char *attributes)
{
    char text[2048];
    snprintf(text, sizeof text, "{\"type\": \"tensor\", %s}", attributes);
    return one(text);
}

static double element(const ob_tensor *t, size_t i)
{
    const void *data = ob_tensor_data(t);
    switch (t->dtype) {
    case OB_DTYPE_BOOL:
    case OB_DTYPE_U8:
        return ((const uint8_t *)data)[i];
    case OB_DTYPE_I8:
        return ((const int8_t *)data)[i];
    case OB_DTYPE_I16:
        return ((const int16_t *)data)[i];
    case OB_DTYPE_I32:
        return ((const int32_t *)data)[i];
    case OB_DTYPE_I64:
        return (double)((const int64_t *)data)[i];
    case OB_DTYPE_F16:
        return (double)ob__f16_to_float(((const uint16_t *)data)[i]);
    case OB_DTYPE_BF16:
        return (double)ob__bf16_to_float(((const uint16_t *)data)[i]);
    case OB_DTYPE_F32:
    case OB_DTYPE_C64:
        return (double)((const float *)data)[i];
    default:
        return ((const double *)data)[i];
    }
}

static void the_plugin(void)
{
    CHECK_INT(ob__gen_builtin.magic, OB_PLUGIN_MAGIC);
    CHECK_INT(ob__gen_builtin.abi, OB_PLUGIN_ABI);
    CHECK_INT(ob__gen_builtin.size, sizeof(ob_plugin));
    CHECK_STR(ob__gen_builtin.name, "builtin-generators");
    CHECK_STR(ob__gen_builtin.generators[0]->name, "PyTorch:DefaultDataGenerator");
    CHECK_STR(ob__gen_builtin.generators[1]->name,
              "SplitTableBatchedEmbeddingBagsCodegenInputDataGenerator");
    CHECK(ob__gen_builtin.generators[2] == NULL);
}

/* Every argument type that a config may name is one that the generator makes. */
static void all_types(void)
{
    size_t count;
    const ob_arg_type *types = ob_arg_types(&count);
    CHECK(count >= 14);
    for (size_t i = 0; i < count; i++) {
        char text[128];
        snprintf(text, sizeof text, "{\"type\": \"%s\"}", types[i].name);
        one(text);
        CHECK(strstr(err.message, "unknown argument type") == NULL);
    }
}

static void empty_entries(void)
{
    static const char *const EMPTY[] = {"{}",
                                        "null",
                                        "[]",
                                        "{\"args\": []}",
                                        "{\"args\": null, \"kwargs\": null}",
                                        "{\"kwargs\": {}}"};
    for (size_t i = 0; i < sizeof EMPTY / sizeof EMPTY[0]; i++) {
        CHECK_INT(generate(EMPTY[i]), OB_OK);
        CHECK_INT(got.arg_count, 0);
        CHECK_INT(got.kwarg_count, 0);
    }
    CHECK_INT(generate_node(NULL, 0), OB_OK);
    CHECK_INT(got.arg_count, 0);
}

static void scalars(void)
{
    CHECK_INT(one("{\"type\": \"int\", \"value\": -7}, {\"type\": \"long\", \"value\": 8},"
                  "{\"type\": \"float\", \"value\": 2.5}, {\"type\": \"double\", \"value\": 3},"
                  "{\"type\": \"bool\", \"value\": true}, {\"type\": \"str\", \"value\": \"sum\"},"
                  "{\"type\": \"str\"}, {\"type\": \"none\", \"value\": 5},"
                  "{\"type\": \"device\", \"value\": \"cuda:1\"},"
                  "{\"type\": \"ScalarType\", \"value\": \"torch.float64\"},"
                  "{\"type\": \"Layout\", \"value\": \"torch.strided\"},"
                  "{\"type\": \"MemoryFormat\", \"value\": \"channels_last\"}"),
              OB_OK);
    CHECK_INT(got.arg_count, 12);
    CHECK_INT(args[0].kind, OB_VALUE_INT);
    CHECK_INT(args[0].as.integer, -7);
    CHECK_INT(args[1].as.integer, 8);
    CHECK_INT(args[2].kind, OB_VALUE_DOUBLE);
    CHECK_REAL(args[2].as.real, 2.5);
    CHECK_INT(args[3].kind, OB_VALUE_INT); /* a whole number stays one */
    CHECK_INT(args[3].as.integer, 3);
    CHECK_INT(args[4].kind, OB_VALUE_BOOL);
    CHECK(args[4].as.boolean);
    CHECK_STR(args[5].as.str.text, "sum");
    CHECK_INT(args[6].kind, OB_VALUE_STR);
    CHECK_STR(args[6].as.str.text, "");
    CHECK_INT(args[7].kind, OB_VALUE_NONE);
    CHECK_INT(args[8].kind, OB_VALUE_DEVICE);
    CHECK_STR(args[8].as.device.type, "cuda");
    CHECK_INT(args[9].kind, OB_VALUE_DTYPE);
    CHECK_INT(args[9].as.dtype, OB_DTYPE_F64);
    CHECK_INT(args[10].kind, OB_VALUE_LAYOUT);
    CHECK_INT(args[10].as.layout, OB_LAYOUT_STRIDED);
    CHECK_INT(args[11].kind, OB_VALUE_MEMORY_FORMAT);
    CHECK_INT(args[11].as.memory_format, OB_MEMORY_FORMAT_CHANNELS_LAST);
}

static void scalar_ranges(void)
{
    CHECK_INT(
        one("{\"type\": \"int\", \"value_range\": [5, 5]},"
            "{\"type\": \"long\", \"value_range\": [-9223372036854775808, -9223372036854775807]},"
            "{\"type\": \"float\", \"value_range\": [1, 2]},"
            "{\"type\": \"double\", \"value_range\": [2, 1]},"
            "{\"type\": \"int\", \"value\": 1, \"value_range\": [5, 6]}"),
        OB_OK);
    CHECK_INT(args[0].as.integer, 5);
    CHECK(args[1].as.integer <= INT64_MIN + 1);
    CHECK_INT(args[2].kind, OB_VALUE_DOUBLE);
    CHECK(args[2].as.real >= 1 && args[2].as.real < 2);
    CHECK(args[3].as.real > 1 && args[3].as.real <= 2);
    CHECK_INT(args[4].as.integer, 1);
}

static void containers(void)
{
    CHECK_INT(generate("{\"args\": [{\"type\": \"genericlist\", \"value\": ["
                       "{\"type\": \"int\", \"value\": 1}, {\"type\": \"tuple\", \"value\": ["
                       "{\"type\": \"none\"}, {\"type\": \"genericlist\", \"value\": []},"
                       "{\"type\": \"tensor\", \"dtype\": \"float\", \"shape\": [2]}]}]}],"
                       "\"kwargs\": {\"dim\": {\"type\": \"int\", \"value\": 3},"
                       "\"out\": {\"type\": \"none\"}}}"),
              OB_OK);
    CHECK_INT(got.arg_count, 1);
    CHECK_INT(args[0].kind, OB_VALUE_LIST);
    CHECK_INT(args[0].as.list.count, 2);
    const ob_value *tuple = &args[0].as.list.items[1];
    CHECK_INT(tuple->kind, OB_VALUE_TUPLE);
    CHECK_INT(tuple->as.list.count, 3);
    CHECK_INT(tuple->as.list.items[0].kind, OB_VALUE_NONE);
    CHECK_INT(tuple->as.list.items[1].kind, OB_VALUE_LIST);
    CHECK_INT(tuple->as.list.items[1].as.list.count, 0);
    CHECK_INT(tuple->as.list.items[2].kind, OB_VALUE_TENSOR);
    CHECK_INT(got.kwarg_count, 2);
    CHECK_STR(names[0], "dim");
    CHECK_STR(names[1], "out");
    CHECK_INT(kwargs[0].as.integer, 3);
    CHECK_INT(kwargs[1].kind, OB_VALUE_NONE);
}

static void tensor_defaults(void)
{
    for (int d = 0; d < OB_DTYPE_COUNT; d++) {
        const ob_dtype_info *info = ob_dtype_get_info((ob_dtype)d);
        char text[128];
        snprintf(text, sizeof text, "\"dtype\": \"%s\", \"shape\": [20, 50]", info->param_name);
        CHECK_INT(tensor(text), OB_OK);
        const ob_tensor *t = args[0].as.tensor;
        CHECK_INT(t->dtype, d);
        CHECK_INT(t->ndim, 2);
        CHECK_INT(ob_tensor_numel(t), 1000);
        CHECK(ob_tensor_is_contiguous(t));
        CHECK_INT(t->requires_grad, ob_dtype_is_floating((ob_dtype)d));
        CHECK_STR(t->device.type, "cpu");
        CHECK_INT(ob_storage_use_count(t->storage), 1);
        double lo = INFINITY, hi = -INFINITY;
        const size_t parts = info->cls == OB_DTYPE_CLASS_COMPLEX ? 2000 : 1000;
        for (size_t i = 0; i < parts; i++) {
            const double x = element(t, i);
            lo = x < lo ? x : lo;
            hi = x > hi ? x : hi;
        }
        if (ob_dtype_is_floating((ob_dtype)d)) {
            CHECK(lo >= 0 && lo < 0.02);
            CHECK(hi > 0.98 && hi < 1);
        } else {
            CHECK_REAL(lo, info->cls == OB_DTYPE_CLASS_INT ? -10 : 0);
            CHECK_REAL(hi, d == OB_DTYPE_BOOL ? 1 : 9);
        }
    }
}

static void scalar_tensors(void)
{
    for (int d = 0; d < OB_DTYPE_COUNT; d++) {
        const ob_dtype_info *info = ob_dtype_get_info((ob_dtype)d);
        char text[128];
        double lo = INFINITY, hi = -INFINITY;
        snprintf(text, sizeof text,
                 "{\"args\": [{\"type\": \"tensor\", \"dtype\": \"%s\", \"shape\": []}]}",
                 info->name);
        CHECK_INT(generate(text), OB_OK);
        for (uint64_t seed = 0; seed < 300; seed++) {
            ob_value_fini(&args[0]);
            CHECK_INT(generate_node(ob_json_doc_root(doc), seed), OB_OK);
            CHECK_INT(args[0].as.tensor->ndim, 0);
            const bool complex = info->cls == OB_DTYPE_CLASS_COMPLEX;
            const double x = element(args[0].as.tensor, complex ? seed % 2 : 0);
            lo = x < lo ? x : lo;
            hi = x > hi ? x : hi;
        }
        if (d == OB_DTYPE_BOOL) {
            CHECK_REAL(lo, 1);
        } else if (ob_dtype_is_floating((ob_dtype)d)) {
            CHECK(lo >= -10 && lo < -9.5);
            CHECK(hi <= 10 && hi > 9.5);
        } else {
            CHECK_REAL(lo, d == OB_DTYPE_U8 ? 0 : -9);
            CHECK_REAL(hi, 9);
        }
    }
}

static void tensor_ranges(void)
{
    CHECK_INT(tensor("\"dtype\": \"uint8\", \"shape\": [500], \"value_range\": [250, 255]"), OB_OK);
    int seen[6] = {0};
    for (size_t i = 0; i < 500; i++)
        seen[(int)element(args[0].as.tensor, i) - 250]++;
    for (int i = 0; i < 6; i++)
        CHECK(seen[i] > 0);
    CHECK_INT(tensor("\"dtype\": \"float16\", \"shape\": [500], \"value_range\": [3, 2]"), OB_OK);
    int inside = 0;
    for (size_t i = 0; i < 500; i++)
        inside += element(args[0].as.tensor, i) >= 2 && element(args[0].as.tensor, i) < 3;
    CHECK_INT(inside, 500);
    CHECK_INT(tensor("\"dtype\": \"complex64\", \"shape\": [], \"value_range\": [-1, -0.5]"),
              OB_OK);
    CHECK(element(args[0].as.tensor, 1) >= -1 && element(args[0].as.tensor, 1) < -0.5);
    CHECK_INT(tensor("\"dtype\": \"bool\", \"shape\": [9], \"value_range\": [1, 1]"), OB_OK);
    CHECK_REAL(element(args[0].as.tensor, 8), 1);
    CHECK_INT(tensor("\"dtype\": \"long\", \"shape\": [0, 3], \"value_range\": [0, 1]"), OB_OK);
    CHECK_INT(ob_tensor_numel(args[0].as.tensor), 0);
}

static void tensor_values(void)
{
    CHECK_INT(tensor("\"dtype\": \"float\", \"shape\": [3, 5], \"value\": 1.5"), OB_OK);
    CHECK_REAL(element(args[0].as.tensor, 0), 1.5);
    CHECK_REAL(element(args[0].as.tensor, 14), 1.5);
    CHECK_INT(tensor("\"dtype\": \"long\", \"shape\": [2, 3], \"value\": [[0, 1, 2], [-3, 4, 5]]"),
              OB_OK);
    CHECK_REAL(element(args[0].as.tensor, 2), 2);
    CHECK_REAL(element(args[0].as.tensor, 3), -3);
    CHECK_INT(tensor("\"dtype\": \"bool\", \"shape\": [3], \"value\": [true, 0, 1]"), OB_OK);
    CHECK_REAL(element(args[0].as.tensor, 0), 1);
    CHECK_REAL(element(args[0].as.tensor, 1), 0);
    CHECK_INT(tensor("\"dtype\": \"complex128\", \"shape\": [2], \"value\": [[1, 2], 3]"), OB_OK);
    CHECK_REAL(element(args[0].as.tensor, 1), 2);
    CHECK_REAL(element(args[0].as.tensor, 2), 3);
    CHECK_REAL(element(args[0].as.tensor, 3), 0);
    CHECK_INT(
        tensor("\"dtype\": \"bfloat16\", \"shape\": [3], \"value\": [\"inf\", \"-inf\", \"nan\"]"),
        OB_OK);
    CHECK_REAL(element(args[0].as.tensor, 0), INFINITY);
    CHECK_REAL(element(args[0].as.tensor, 1), -INFINITY);
    CHECK(isnan(element(args[0].as.tensor, 2)));
    CHECK_INT(tensor("\"dtype\": \"int8\", \"shape\": [], \"value\": -128"), OB_OK);
    CHECK_REAL(element(args[0].as.tensor, 0), -128);
    /* null is as good as not given. */
    CHECK_INT(tensor("\"dtype\": \"int8\", \"shape\": [4], \"value\": null, \"strides\": null, "
                     "\"value_range\": null, \"requires_grad\": null"),
              OB_OK);
}

static void strides(void)
{
    CHECK_INT(tensor("\"dtype\": \"int\", \"shape\": [2, 3], \"strides\": [1, 4], "
                     "\"value\": [[0, 1, 2], [3, 4, 5]], \"requires_grad\": true"),
              OB_OK);
    const ob_tensor *t = args[0].as.tensor;
    CHECK_INT(t->strides[0], 1);
    CHECK_INT(t->strides[1], 4);
    CHECK(!t->requires_grad);
    CHECK_INT(ob_storage_size(t->storage), 4 * 10);
    static const double WANT[] = {0, 3, 0, 0, 1, 4, 0, 0, 2, 5};
    for (size_t i = 0; i < 10; i++)
        CHECK_REAL(element(t, i), WANT[i]);
    /* Expanded, and with gaps: all memory is written. */
    CHECK_INT(tensor("\"dtype\": \"float\", \"shape\": [1000, 3], \"strides\": [0, 7], "
                     "\"requires_grad\": false"),
              OB_OK);
    t = args[0].as.tensor;
    CHECK(!t->requires_grad);
    CHECK_INT(ob_storage_size(t->storage), 4 * 15);
    for (size_t i = 0; i < 15; i++)
        CHECK(element(t, i) >= 0 && element(t, i) < 1);
}

static void reproducible(void)
{
    static const char TEXT[] =
        "{\"args\": [{\"type\": \"tensor\", \"dtype\": \"float\", \"shape\": [4]},"
        "{\"type\": \"int\", \"value_range\": [0, 1000000]},"
        "{\"type\": \"tensor\", \"dtype\": \"long\", \"shape\": [4]}]}";
    CHECK_INT(generate(TEXT), OB_OK);
    static const float FLOATS[] = {0x1.c7d00cp-1f, 0x1.ca141cp-1f, 0x1.2be444p-1f, 0x1.6c2b54p-1f};
    static const int64_t LONGS[] = {7, -1, 3, -6};
    for (size_t i = 0; i < 4; i++) {
        CHECK_REAL(element(args[0].as.tensor, i), (double)FLOATS[i]);
        CHECK_REAL(element(args[2].as.tensor, i), (double)LONGS[i]);
    }
    CHECK_INT(args[1].as.integer, 671998);
}

static void errors(void)
{
    static const struct {
        const char *arg, *path, *message;
    } CASES[] = {
        {"1", ".args[0]", "an argument must be an object with a type"},
        {"{\"value\": 1}", ".args[0]", "an argument must be an object with a type"},
        {"{\"type\": 3}", ".args[0]", "an argument must be an object with a type"},
        {"{\"type\": \"tensr\"}", ".args[0].type",
         "unknown argument type 'tensr'; did you mean tensor?"},
        {"{\"type\": \"quaternion\"}", ".args[0].type", "unknown argument type 'quaternion'"},
        {"{\"type\": \"int\"}", ".args[0]", "give a value, or a value_range [lowest, highest]"},
        {"{\"type\": \"int\", \"value\": 1e30}", ".args[0].value", "not a 64-bit whole number"},
        {"{\"type\": \"int\", \"value\": 9223372036854775808}", ".args[0].value",
         "not a 64-bit whole number"},
        {"{\"type\": \"int\", \"value\": null}", ".args[0].value", "not a 64-bit whole number"},
        {"{\"type\": \"int\", \"value_range\": [2, 1]}", ".args[0].value_range",
         "[lowest, highest]"},
        {"{\"type\": \"int\", \"value_range\": [1]}", ".args[0].value_range", "[lowest, highest]"},
        {"{\"type\": \"int\", \"value_range\": [0.5, 2]}", ".args[0].value_range", "whole numbers"},
        {"{\"type\": \"float\", \"value\": \"1\"}", ".args[0].value", "this is not a number"},
        {"{\"type\": \"float\", \"value_range\": [1, 2, 3]}", ".args[0].value_range",
         "two finite numbers"},
        {"{\"type\": \"bool\", \"value\": 3}", ".args[0].value", "true or false"},
        {"{\"type\": \"bool\"}", ".args[0]", "true or false"},
        {"{\"type\": \"str\", \"value\": 3}", ".args[0].value",
         "the value of a str must be a string"},
        {"{\"type\": \"device\"}", ".args[0]", "a device needs a value"},
        {"{\"type\": \"device\", \"value\": \"cpu:x\"}", ".args[0].value",
         "'cpu:x' has no valid device index"},
        {"{\"type\": \"ScalarType\", \"value\": \"f7\"}", ".args[0].value", "the name of a dtype"},
        {"{\"type\": \"Layout\", \"value\": \"csr\"}", ".args[0].value", "unknown layout"},
        {"{\"type\": \"MemoryFormat\"}", ".args[0]", "channels_last or channels_last_3d"},
        {"{\"type\": \"tuple\", \"value\": 1}", ".args[0].value", "must be a list of arguments"},
        {"{\"type\": \"genericlist\", \"value\": [{\"type\": \"none\"}, {\"type\": \"bool\"}]}",
         ".args[0].value[1]", "a bool needs the value"},
        {"{\"type\": \"tensor\", \"shape\": [1]}", ".args[0]", "a tensor needs a dtype"},
        {"{\"type\": \"tensor\", \"dtype\": \"float8\", \"shape\": [1]}", ".args[0].dtype",
         "unknown dtype 'float8'; `opbench list dtypes`"},
        {"{\"type\": \"tensor\", \"dtype\": \"float\"}", ".args[0]",
         "shape must be a list of whole numbers"},
        {"{\"type\": \"tensor\", \"dtype\": \"float\", \"shape\": [2, 1.5]}", ".args[0].shape",
         "element 1 of the shape is not a whole number"},
        {"{\"type\": \"tensor\", \"dtype\": \"float\", \"shape\": [2, -1]}", ".args[0].shape",
         "size -1 of dimension 1 is negative"},
        {"{\"type\": \"tensor\", \"dtype\": \"float\", \"shape\": "
         "[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]}",
         ".args[0].shape", "the shape has 17 dimensions, but tensors have at most 16"},
        {"{\"type\": \"tensor\", \"dtype\": \"float\", \"shape\": [4294967296, 4294967296]}",
         ".args[0].shape", "does not fit 64 bits"},
        {"{\"type\": \"tensor\", \"dtype\": \"float\", \"shape\": [1000000000000000]}",
         ".args[0].shape", "more than this machine's memory; use a smaller shape"},
        {"{\"type\": \"tensor\", \"dtype\": \"float\", \"shape\": [2], \"strides\": [1, 1]}",
         ".args[0].strides", "2 strides for a shape of 1 dimensions"},
        {"{\"type\": \"tensor\", \"dtype\": \"float\", \"shape\": [2], \"strides\": [-1]}",
         ".args[0].shape", "stride -1 of dimension 0 is negative"},
        {"{\"type\": \"tensor\", \"dtype\": \"float\", \"shape\": [2], \"requires_grad\": 1}",
         ".args[0].requires_grad", "true or false"},
        {"{\"type\": \"tensor\", \"dtype\": \"uint8\", \"shape\": [2], \"value_range\": [0, 256]}",
         ".args[0].value_range", "uint8 cannot hold [0, 256]; stay within [0, 255]"},
        {"{\"type\": \"tensor\", \"dtype\": \"int\", \"shape\": [2], \"value_range\": [0.5, 2]}",
         ".args[0].value_range", "whole numbers"},
        {"{\"type\": \"tensor\", \"dtype\": \"int\", \"shape\": [2], \"value_range\": [2, 0]}",
         ".args[0].value_range", "[lowest, highest]"},
        {"{\"type\": \"tensor\", \"dtype\": \"float16\", \"shape\": [2], \"value_range\": [0, "
         "65505]}",
         ".args[0].value_range", "float16 cannot hold this value_range; stay within 65504"},
        {"{\"type\": \"tensor\", \"dtype\": \"float\", \"shape\": [2], \"value_range\": 3}",
         ".args[0].value_range", "a list of two numbers"},
        {"{\"type\": \"tensor\", \"dtype\": \"uint8\", \"shape\": [2], \"value\": 256}",
         ".args[0].value",
         "this is not a valid uint8; give a whole number in the range of the dtype"},
        {"{\"type\": \"tensor\", \"dtype\": \"int\", \"shape\": [2], \"value\": 1.5}",
         ".args[0].value", "this is not a valid int32"},
        {"{\"type\": \"tensor\", \"dtype\": \"bool\", \"shape\": [2], \"value\": 2}",
         ".args[0].value", "true, false, 0 or 1"},
        {"{\"type\": \"tensor\", \"dtype\": \"float16\", \"shape\": [], \"value\": 70000}",
         ".args[0].value", "this is not a valid float16"},
        {"{\"type\": \"tensor\", \"dtype\": \"complex64\", \"shape\": [], \"value\": [1, 2, 3]}",
         ".args[0].value", "[real, imaginary]"},
        {"{\"type\": \"tensor\", \"dtype\": \"int\", \"shape\": [2, 2], \"value\": [[1, 2], [3]]}",
         ".args[0].value[1]", "the shape needs a list of 2 here (dimension 1)"},
        {"{\"type\": \"tensor\", \"dtype\": \"int\", \"shape\": [2, 2], \"value\": [[1, 2], [3, "
         "\"x\"]]}",
         ".args[0].value[1][1]", "this is not a valid int32"},
        {"{\"type\": \"tensor\", \"dtype\": \"int\", \"shape\": [], \"value\": [1]}",
         ".args[0].value", "this is not a valid int32"},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        ob_test_name = CASES[i].arg;
        CHECK(one(CASES[i].arg) < 0);
        CHECK_STR(err.path, CASES[i].path);
        CHECK_HAS(err.message, CASES[i].message);
        CHECK_INT(err.line, 1);
        CHECK(err.column >= 11);
        CHECK_INT(got.arg_count, 0);
        CHECK_INT(args[0].kind, OB_VALUE_NONE);
    }
}

static void entry_errors(void)
{
    CHECK_INT(generate("{\"args\": {\"type\": \"int\"}}"), OB_ERR_CONFIG);
    CHECK_STR(err.path, ".args");
    CHECK_HAS(err.message, "args must be a list, not an object");
    CHECK_INT(generate("{\"kwargs\": [1]}"), OB_ERR_CONFIG);
    CHECK_HAS(err.message, "kwargs must be an object, not a list");
    /* What was made before the failure is given back. */
    CHECK_INT(generate("{\"args\": [{\"type\": \"str\", \"value\": \"x\"}],"
                       "\"kwargs\": {\"a b\": {\"type\": \"bool\"}}}"),
              OB_ERR_CONFIG);
    CHECK_STR(err.path, ".kwargs.\"a b\"");
    CHECK_INT(args[0].kind, OB_VALUE_NONE);

    /* A path that is too long is cut, visibly. */
    char text[700] = "{\"kwargs\": {\"";
    memset(text + strlen(text), 'k', 500);
    strcat(text, "\": {\"type\": \"bool\"}}}");
    CHECK_INT(generate(text), OB_ERR_CONFIG);
    CHECK_INT(strlen(err.path), sizeof err.path - 1);
    CHECK_STR(err.path + sizeof err.path - 5, "k...");
    char many[SLOTS * 20 + 64] = "{\"args\": [{\"type\": \"none\"}";
    for (int i = 0; i < SLOTS; i++)
        strcat(many, ",{\"type\": \"none\"}");
    strcat(many, "]}");
    CHECK_INT(generate(many), OB_ERR_CONFIG);
    CHECK_HAS(err.message, "41 members of args, but room for only 40");
}

/* Nested beyond what values may be, built in memory past the reader's own limit. */
static void deep_nesting(void)
{
    finish();
    CHECK_INT(ob_json_doc_create(&doc, NULL), OB_OK);
    ob_json *inner = ob_json_new_object(doc);
    CHECK_INT(ob_json_set(doc, inner, "type", ob_json_new_string(doc, "none", 4), NULL), OB_OK);
    for (int i = 0; i < 100000; i++) {
        ob_json *list = ob_json_new_array(doc), *arg = ob_json_new_object(doc);
        ob_json_append(doc, list, inner, NULL);
        ob_json_set(doc, arg, "type", ob_json_new_string(doc, "tuple", 5), NULL);
        ob_json_set(doc, arg, "value", list, NULL);
        inner = arg;
    }
    ob_json *list = ob_json_new_array(doc), *entry = ob_json_new_object(doc);
    CHECK_INT(ob_json_append(doc, list, inner, NULL), OB_OK);
    CHECK_INT(ob_json_set(doc, entry, "args", list, NULL), OB_OK);
    CHECK_INT(generate_node(entry, 0), OB_ERR_LIMIT);
    CHECK_HAS(err.message, "nested deeper than 512 levels");
    CHECK_INT(args[0].kind, OB_VALUE_NONE);
}

int main(void)
{
    RUN(the_plugin);
    RUN(all_types);
    RUN(empty_entries);
    RUN(scalars);
    RUN(scalar_ranges);
    RUN(containers);
    RUN(tensor_defaults);
    RUN(scalar_tensors);
    RUN(tensor_ranges);
    RUN(tensor_values);
    RUN(strides);
    RUN(reproducible);
    RUN(errors);
    RUN(entry_errors);
    RUN(deep_nesting);
    finish();
    return ob_test_end();
}
