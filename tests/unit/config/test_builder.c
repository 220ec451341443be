/* SPDX-License-Identifier: Apache-2.0
 *
 * Configs built in memory: the document that each call makes, to the letter; that the config check takes
 * it; and every error with the call that it names.
 */
#include "config_testing.h"

#include "opbench/builder.h"

static ob_builder *new_builder(void)
{
    ob_builder *b = NULL;
    ob_err err;
    CHECK_INT(ob_builder_create(&b, &err), OB_OK);
    return b;
}

/* The builder's document as text, "" after a failure; the builder stays. */
static const char *document(ob_builder *b)
{
    static char out[16384];
    ob_json_doc *doc;
    char *text;
    ob_err err;
    out[0] = '\0';
    const ob_status status = ob_builder_finish(b, &doc, &err);
    CHECK_INT(status, OB_OK);
    if (status != OB_OK) {
        fprintf(stderr, "%s\n", err.message);
        return out;
    }
    if (ob_json_print(ob_json_doc_root(doc), &text, NULL, &err) == OB_OK) {
        snprintf(out, sizeof out, "%s", text);
        free(text);
    }
    ob_json_doc_destroy(doc);
    return out;
}

/* The argument list that the calls made, without what stands around it. */
static const char *arguments(ob_builder *b)
{
    static char out[16384];
    static const char HEAD[] =
        "{\"op\": {\"input_data_generator\": \"PyTorch:DefaultDataGenerator\", "
        "\"config\": [{\"input\": [{\"args\": ";
    static const char TAIL[] = "}]}]}}";
    const char *text = document(b);
    const size_t length = strlen(text);
    if (length < sizeof HEAD + sizeof TAIL || strncmp(text, HEAD, sizeof HEAD - 1) != 0)
        return text;
    snprintf(out, sizeof out, "%.*s", (int)(length - (sizeof HEAD - 1) - (sizeof TAIL - 1)),
             text + sizeof HEAD - 1);
    return out;
}

static void begin(ob_builder *b)
{
    ob_builder_op(b, "op", NULL);
    ob_builder_input(b);
}

static void one_call_per_type(void)
{
    ob_builder *b = new_builder();
#define ARGUMENT(want, ...)                                                                        \
    begin(b);                                                                                      \
    __VA_ARGS__;                                                                                   \
    CHECK_STR(arguments(b), "[" want "]")
    ARGUMENT("{\"type\": \"none\"}", ob_builder_none(b));
    ARGUMENT("{\"type\": \"int\", \"value\": -3}", ob_builder_int(b, -3));
    ARGUMENT("{\"type\": \"int\", \"value_range\": [1, 9]}", ob_builder_int_range(b, 1, 9));
    ARGUMENT("{\"type\": \"int\", \"value_range\": [4, 4]}", ob_builder_int_range(b, 4, 4));
    ARGUMENT("{\"type\": \"long\", \"value\": 9223372036854775807}", ob_builder_long(b, INT64_MAX));
    ARGUMENT("{\"type\": \"long\", \"value_range\": [-9223372036854775808, 0]}",
             ob_builder_long_range(b, INT64_MIN, 0));
    ARGUMENT("{\"type\": \"float\", \"value\": 0.1}", ob_builder_float(b, 0.1));
    ARGUMENT("{\"type\": \"float\", \"value\": 2.0}", ob_builder_float(b, 2));
    ARGUMENT("{\"type\": \"float\", \"value_range\": [-0.5, 1.5]}",
             ob_builder_float_range(b, -0.5, 1.5));
    ARGUMENT("{\"type\": \"double\", \"value\": 1e-300}", ob_builder_double(b, 1e-300));
    ARGUMENT("{\"type\": \"double\", \"value_range\": [0.0, 1.0]}",
             ob_builder_double_range(b, 0, 1));
    ARGUMENT("{\"type\": \"bool\", \"value\": true}", ob_builder_bool(b, true));
    ARGUMENT("{\"type\": \"bool\", \"value\": false}", ob_builder_bool(b, false));
    ARGUMENT("{\"type\": \"str\", \"value\": \"a\\\"b\xc3\xa9\"}",
             ob_builder_str(b, "a\"b\xc3\xa9"));
    ARGUMENT("{\"type\": \"str\", \"value\": \"\"}", ob_builder_str(b, ""));
    ARGUMENT("{\"type\": \"device\", \"value\": \"cuda:0\"}", ob_builder_device(b, "cuda:0"));
    ARGUMENT("{\"type\": \"ScalarType\", \"value\": \"long\"}",
             ob_builder_scalar_type(b, OB_DTYPE_I64));
    ARGUMENT("{\"type\": \"Layout\", \"value\": \"strided\"}", ob_builder_layout(b, "strided"));
    ARGUMENT("{\"type\": \"MemoryFormat\", \"value\": \"channels_last\"}",
             ob_builder_memory_format(b, "channels_last"));
    ARGUMENT("{\"type\": \"int\", \"value\": [1, 3, 0.5], \"x\": null, \"__range__\": [\"value\"]}",
             ob_builder_json(b, "{\"type\": \"int\", \"value\": [1, 3, 0.5], \"x\": null, "
                                "\"__range__\": [\"value\"]}"));
    ob_builder_destroy(b);
}

static void tensors(void)
{
    ob_builder *b = new_builder();
    const double three = 3, half = 0.5, from_minus_1_to_1[2] = {-1, 1};
    const int64_t strides[2] = {1, 128};
    ARGUMENT("{\"type\": \"tensor\", \"dtype\": \"float\", \"shape\": [128, 64]}",
             ob_builder_tensor(b, &(ob_tensor_arg){.dtype = OB_DTYPE_F32, OB_SHAPE(128, 64)}));
    ARGUMENT("{\"type\": \"tensor\", \"dtype\": \"bfloat16\", \"shape\": []}",
             ob_builder_tensor(
                 b, &(ob_tensor_arg){.size = sizeof(ob_tensor_arg), .dtype = OB_DTYPE_BF16}));
    ARGUMENT("{\"type\": \"tensor\", \"dtype\": \"float\", \"shape\": [128, 64], "
             "\"strides\": [1, 128], \"requires_grad\": true, \"device\": \"cpu\", "
             "\"value_range\": [-1.0, 1.0]}",
             ob_builder_tensor(b, &(ob_tensor_arg){.dtype = OB_DTYPE_F32,
                                                   OB_SHAPE(128, 64),
                                                   .strides = strides,
                                                   .requires_grad = true,
                                                   .device = "cpu",
                                                   .value_range = from_minus_1_to_1}));
    ARGUMENT("{\"type\": \"tensor\", \"dtype\": \"long\", \"shape\": [2], \"value\": 3}",
             ob_builder_tensor(
                 b, &(ob_tensor_arg){.dtype = OB_DTYPE_I64, OB_SHAPE(2), .value = &three}));
    ARGUMENT(
        "{\"type\": \"tensor\", \"dtype\": \"double\", \"shape\": [2], \"value\": 0.5}",
        ob_builder_tensor(b, &(ob_tensor_arg){.dtype = OB_DTYPE_F64, OB_SHAPE(2), .value = &half}));
    ARGUMENT("{\"type\": \"tensor\", \"dtype\": \"int8\", \"shape\": [2], "
             "\"value_range\": [-1, 1]}",
             ob_builder_tensor(b, &(ob_tensor_arg){.dtype = OB_DTYPE_I8,
                                                   OB_SHAPE(2),
                                                   .value_range = from_minus_1_to_1}));
    ob_builder_destroy(b);
}

static void containers_and_names(void)
{
    ob_builder *b = new_builder();
    begin(b);
    ob_builder_list(b);
    ob_builder_int(b, 1);
    ob_builder_tuple(b);
    ob_builder_bool(b, true);
    ob_builder_end(b);
    ob_builder_end(b);
    ob_builder_name(b, "dims");
    ob_builder_tuple(b);
    ob_builder_end(b);
    ob_builder_name(b, "alpha");
    ob_builder_float(b, 0.5);
    CHECK_STR(arguments(b),
              "[{\"type\": \"genericlist\", \"value\": [{\"type\": \"int\", \"value\": 1}, "
              "{\"type\": \"tuple\", \"value\": [{\"type\": \"bool\", \"value\": true}]}]}], "
              "\"kwargs\": {\"dims\": {\"type\": \"tuple\", \"value\": []}, "
              "\"alpha\": {\"type\": \"float\", \"value\": 0.5}}");
    ob_builder_destroy(b);
}

/* Groups, builds, several operators, names of one's own; and the whole in the order of the calls. */
static void structure(void)
{
    ob_builder *b = new_builder();
    const ob_builder_op_params own = {.size = sizeof own,
                                      .build_iterator = "BI",
                                      .input_iterator = "II",
                                      .build_generator = "BG",
                                      .input_generator = "IG"};
    ob_builder_op(b, "a", &own);
    ob_builder_group(b); /* the first, which is open already */
    ob_builder_build(b);
    ob_builder_int(b, 1);
    ob_builder_build(b);
    ob_builder_int(b, 2);
    ob_builder_input(b);
    ob_builder_group(b);
    ob_builder_input(b);
    ob_builder_op(b, "b", NULL);
    ob_builder_input(b);
    ob_builder_input(b);
    ob_builder_none(b);
    CHECK_STR(document(b),
              "{\"a\": {\"build_iterator\": \"BI\", \"input_iterator\": \"II\", "
              "\"input_data_generator\": \"IG\", \"build_data_generator\": \"BG\", \"config\": ["
              "{\"build\": [{\"args\": [{\"type\": \"int\", \"value\": 1}]}, "
              "{\"args\": [{\"type\": \"int\", \"value\": 2}]}], \"input\": [{\"args\": []}]}, "
              "{\"input\": [{\"args\": []}]}]}, "
              "\"b\": {\"input_data_generator\": \"PyTorch:DefaultDataGenerator\", "
              "\"config\": [{\"input\": [{\"args\": []}, {\"args\": [{\"type\": \"none\"}]}]}]}}");
    ob_builder_destroy(b);
}

/* What was built is a config like one from a file: cases, ids, keys. */
static void becomes_a_config(void)
{
    static const char TEXT[] =
        "{\"torch.nn.Linear\": {\"build_data_generator\": \"PyTorch:DefaultDataGenerator\", "
        "\"input_data_generator\": \"PyTorch:DefaultDataGenerator\", \"config\": [{\"build\": "
        "[{\"args\": [{\"type\": \"int\", \"value\": 4}, {\"type\": \"int\", \"value\": 2}]}], "
        "\"input\": [{\"args\": [{\"type\": \"tensor\", \"dtype\": \"float\", \"shape\": [8, 4]}]},"
        " {\"args\": [{\"type\": \"tensor\", \"dtype\": \"float\", \"shape\": [16, 4]}]}]}]}}";
    ob_config *built, *read = open_config(TEXT);
    ob_cases *x, *y;
    const ob_case *c, *d;
    ob_err err;
    ob_builder *b = new_builder();
    ob_builder_op(b, "torch.nn.Linear", NULL);
    ob_builder_build(b);
    ob_builder_int(b, 4);
    ob_builder_int(b, 2);
    for (int64_t rows = 8; rows <= 16; rows *= 2) {
        ob_builder_input(b);
        ob_builder_tensor(b, &(ob_tensor_arg){.dtype = OB_DTYPE_F32, OB_SHAPE(rows, 4)});
    }
    CHECK_INT(ob_builder_open_config(b, test_context(), NULL, &built, &err), OB_OK);
    CHECK_STR(messages, "");
    CHECK_INT(ob_config_case_count(built), 2);
    CHECK_INT(ob_config_case_count(read), 2);
    CHECK_INT(ob_cases_open(built, NULL, &x, &err), OB_OK);
    CHECK_INT(ob_cases_open(read, NULL, &y, &err), OB_OK);
    while (ob_cases_next(x, &c, &err) == OB_OK && ob_cases_next(y, &d, &err) == OB_OK) {
        CHECK_STR(ob_case_id(c), ob_case_id(d));
        CHECK_STR(ob_case_key(c), ob_case_key(d));
    }
    ob_cases_close(x);
    ob_cases_close(y);
    ob_config_destroy(built);
    ob_config_destroy(read);
    ob_builder_destroy(b);
}

/* The config check is the judge of what a config may say. */
static void refused_by_the_check(void)
{
    ob_builder *b = new_builder();
    ob_config *config;
    ob_err err;
    messages[0] = '\0';
    ob_builder_op(b, "torch.relu", NULL);
    ob_builder_input(b);
    ob_builder_tensor(b, &(ob_tensor_arg){.dtype = OB_DTYPE_F32, OB_SHAPE(2, -4)});
    CHECK_INT(ob_builder_open_config(b, test_context(), NULL, &config, &err), OB_ERR_CONFIG);
    CHECK(config == NULL);
    CHECK_HAS(messages, "<builder>:1:");
    CHECK_HAS(messages, ".\"torch.relu\".config[0].input[0].args[0].shape[1]: ");
    ob_builder_destroy(b);
}

/* Ends the building, which must fail with exactly this; the builder is as new then. */
static void check_error(ob_builder *b, ob_status code, const char *message)
{
    ob_json_doc *doc = NULL;
    ob_err now = {.message = ""}, err;
    CHECK_INT(ob_builder_finish(b, &doc, &err), code);
    CHECK(doc == NULL);
    CHECK_STR(err.message, message);
    CHECK_INT(ob_builder_check(b, &now), OB_OK);
    CHECK_STR(now.message, "");
}

static void errors_of_order(void)
{
    ob_builder *b = new_builder();
    check_error(b, OB_ERR_STATE,
                "ob_builder_finish: there is no operator; call ob_builder_op first");
    ob_builder_input(b);
    check_error(b, OB_ERR_STATE, "ob_builder_input: no operator is open; call ob_builder_op first");
    ob_builder_group(b);
    check_error(b, OB_ERR_STATE, "ob_builder_group: no operator is open; call ob_builder_op first");
    ob_builder_op(b, "torch.mm", NULL);
    ob_builder_int(b, 1);
    check_error(b, OB_ERR_STATE,
                "ob_builder_int: no list of arguments is open; call ob_builder_input or "
                "ob_builder_build first");
    ob_builder_op(b, "torch.mm", NULL);
    ob_builder_build(b);
    check_error(b, OB_ERR_STATE,
                "ob_builder_finish: a group of torch.mm has no input; call ob_builder_input first, "
                "without arguments if it takes none");
    begin(b);
    ob_builder_op(b, "op", NULL);
    check_error(
        b, OB_ERR_DUPLICATE,
        "ob_builder_op: op was already built; all its groups and inputs follow one ob_builder_op");
    begin(b);
    ob_builder_list(b);
    ob_builder_input(b);
    check_error(b, OB_ERR_STATE,
                "ob_builder_input: a genericlist is still open; call ob_builder_end first");
    begin(b);
    ob_builder_end(b);
    check_error(b, OB_ERR_STATE, "ob_builder_end: no list or tuple is open");
    ob_builder_destroy(b);
    ob_builder_destroy(NULL);
}

static void errors_of_names(void)
{
    ob_builder *b = new_builder();
    begin(b);
    ob_builder_name(b, "alpha");
    check_error(b, OB_ERR_STATE,
                "ob_builder_finish: the name \"alpha\" has no argument; give one first");
    begin(b);
    ob_builder_name(b, "alpha");
    ob_builder_name(b, "beta");
    check_error(b, OB_ERR_STATE,
                "ob_builder_name: the name \"alpha\" has no argument; give one first");
    begin(b);
    ob_builder_name(b, "alpha");
    ob_builder_int(b, 1);
    ob_builder_name(b, "alpha");
    check_error(b, OB_ERR_DUPLICATE, "ob_builder_name: the argument \"alpha\" was already given");
    begin(b);
    ob_builder_name(b, "alpha");
    ob_builder_int(b, 1);
    ob_builder_int(b, 2);
    check_error(b, OB_ERR_STATE,
                "ob_builder_int: an argument without a name cannot follow one with a name; call "
                "ob_builder_name first, or change the order");
    begin(b);
    ob_builder_tuple(b);
    ob_builder_name(b, "alpha");
    check_error(b, OB_ERR_STATE, "ob_builder_name: elements of a tuple have no names");
    ob_builder_destroy(b);
}

static void errors_of_values(void)
{
    ob_builder *b = new_builder();
    const double half = 0.5;
    begin(b);
    ob_builder_float(b, (double)NAN);
    check_error(b, OB_ERR_INVALID,
                "ob_builder_float: nan is not allowed in a config; give a finite number");
    begin(b);
    ob_builder_double_range(b, 0, (double)INFINITY);
    check_error(b, OB_ERR_INVALID,
                "ob_builder_double_range: inf is not allowed in a config; give a finite number");
    begin(b);
    ob_builder_int_range(b, 2, 1);
    check_error(b, OB_ERR_INVALID,
                "ob_builder_int_range: the range from 2 to 1 is empty; put the lowest first");
    begin(b);
    ob_builder_float_range(b, 2, 1);
    check_error(b, OB_ERR_INVALID,
                "ob_builder_float_range: the range from 2 to 1 is empty; put the lowest first");
    begin(b);
    ob_builder_str(b, "\xff");
    check_error(b, OB_ERR_INVALID, "ob_builder_str: the value is not valid UTF-8");
    begin(b);
    ob_builder_device(b, NULL);
    check_error(b, OB_ERR_INVALID, "ob_builder_device: the value is NULL");
    ob_builder_op(b, NULL, NULL);
    check_error(b, OB_ERR_INVALID, "ob_builder_op: the operator's name is NULL");
    begin(b);
    ob_builder_scalar_type(b, OB_DTYPE_COUNT);
    check_error(b, OB_ERR_INVALID, "ob_builder_scalar_type: there is no dtype with the number 12");
    begin(b);
    ob_builder_tensor(b, &(ob_tensor_arg){.dtype = OB_DTYPE_I32, OB_SHAPE(2), .value = &half});
    check_error(b, OB_ERR_INVALID,
                "ob_builder_tensor: 0.5 cannot be an element of an integer tensor");
    begin(b);
    ob_builder_tensor(
        b, &(ob_tensor_arg){.size = sizeof(ob_tensor_arg), .dtype = OB_DTYPE_F32, .rank = 2});
    check_error(b, OB_ERR_INVALID, "ob_builder_tensor: rank is 2 but shape is NULL; see OB_SHAPE");
    ob_builder_destroy(b);
}

static void errors_of_json(void)
{
    ob_builder *b = new_builder();
    ob_err err;
    begin(b);
    ob_builder_json(b, "[1]");
    check_error(b, OB_ERR_INVALID,
                "ob_builder_json: an argument must be an object such as {\"type\": \"int\", "
                "\"value\": 2}, not a list");
    begin(b);
    ob_builder_json(b, "{\"type\": }");
    CHECK_INT(ob_builder_check(b, &err), OB_ERR_SYNTAX);
    CHECK_HAS(err.message, "ob_builder_json: the text is not an argument: column 10: ");
    ob_builder_json(b, NULL); /* nothing happens: the first error stays */
    CHECK_HAS((ob_builder_check(b, &err), err.message), "column 10");
    ob_json_doc *doc;
    CHECK_INT(ob_builder_finish(b, &doc, NULL), OB_ERR_SYNTAX);
    begin(b);
    ob_builder_json(b, NULL);
    CHECK_INT(ob_builder_finish(b, &doc, &err), OB_ERR_SYNTAX);
    CHECK_HAS(err.message, "ob_builder_json: the text is not an argument");
    ob_builder_destroy(b);
}

static void nesting_has_a_limit(void)
{
    ob_builder *b = new_builder();
    char *deep = calloc(1, 400);
    begin(b);
    for (int i = 0; i < 64; i++)
        ob_builder_list(b);
    CHECK_INT(ob_builder_check(b, NULL), OB_OK);
    ob_builder_tuple(b);
    check_error(b, OB_ERR_LIMIT, "ob_builder_tuple: lists are nested deeper than 64 levels");
    begin(b);
    memset(deep, '[', 200);
    ob_builder_json(b, deep);
    CHECK_INT(ob_builder_check(b, NULL), OB_ERR_LIMIT);
    free(deep);
    ob_builder_destroy(b); /* also with things open */
}

int main(void)
{
    RUN(one_call_per_type);
    RUN(tensors);
    RUN(containers_and_names);
    RUN(structure);
    RUN(becomes_a_config);
    RUN(refused_by_the_check);
    RUN(errors_of_order);
    RUN(errors_of_names);
    RUN(errors_of_values);
    RUN(errors_of_json);
    RUN(nesting_has_a_limit);
    ob_context_destroy(test_context());
    return ob_test_end();
}
