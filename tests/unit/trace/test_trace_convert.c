/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls of a trace as entries of a config: every kind of value, what follows from the schema, ranges of indices, what is
 * left out and why. To the letter.
 */
#include "trace_test.h"

static char messages[2048];

static void note_message(void *ctx, ob_log_level level, const ob_err *what)
{
    (void)ctx, (void)level;
    snprintf(messages + strlen(messages), sizeof messages - strlen(messages), "%s\n",
             what->message);
}

/* Malloc'ed. */
static char *converted(const char *text, const ob_trace_convert_options *options,
                       ob_trace_convert_summary *summary)
{
    const ob_log log = {.fn = note_message, .max_level = OB_LOG_WARNING};
    ob_trace *trace = trace_of(text);
    ob_op_table *table;
    ob_text config = {0};
    ob_err err;
    messages[0] = '\0';
    CHECK_INT(ob_op_table_create(&table, &err), OB_OK);
    const ob_status status = ob_trace_convert(trace, options, table, &log, &config, summary, &err);
    CHECK_INT(status, summary->distinct > 0 ? OB_OK : OB_ERR_NOT_FOUND);
    if (status != OB_OK)
        CHECK_STR(
            err.message,
            "there are no calls that can be repeated, so there is no config; the warnings say why");
    char *out = status == OB_OK ? strndup(config.data, config.size) : strdup("");
    ob_text_fini(&config);
    ob_op_table_destroy(table);
    ob_trace_close(trace);
    return out;
}

static const ob_trace_convert_options PLAIN = {.size = sizeof PLAIN};

/* The entry, from its brace to its count, that one call with these values becomes; "" and messages when it is left out. */
static const char *entry_with(const ob_trace_convert_options *options, const char *schema,
                              const char *values, const char *shapes, const char *types)
{
    static char out[4096];
    char text[4096];
    ob_trace_convert_summary summary = {.size = sizeof summary};
    snprintf(text, sizeof text,
             "{\"schema\": \"1.0.2-chakra.0.0.4\", \"nodes\": [{\"id\": 1, \"ctrl_deps\": 1, "
             "\"name\": \"n\", \"inputs\": {\"values\": %s, \"shapes\": %s, \"types\": %s}, "
             "\"attrs\": [{\"name\": \"op_schema\", \"value\": \"%s\"}]}]}",
             values, shapes, types, schema);
    char *config = converted(text, options, &summary);
    const char *first = strstr(config, "{\"args\""), *last = strstr(config, ", \"count\": 1}\n");
    out[0] = '\0';
    if (first != NULL && last != NULL)
        snprintf(out, sizeof out, "%.*s", (int)(last - first), first);
    CHECK_INT(summary.calls, 1);
    CHECK_INT(summary.distinct + summary.left_out, 1);
    free(config);
    return out;
}

static const char *entry(const char *schema, const char *values, const char *shapes,
                         const char *types)
{
    return entry_with(&PLAIN, schema, values, shapes, types);
}

#define T(dtype, shape) "{\"type\": \"tensor\", \"dtype\": \"" dtype "\", \"shape\": " shape
#define FLOAT(shape) T("float", shape) ", \"requires_grad\": false}"
#define ARGS(args) "{\"args\": [" args "]"

static void values_of_every_kind(void)
{
    CHECK_STR(entry("a::f(X x) -> ()",
                    "[\"<None>\", \"<Generator>\", true, false, -7, 0.5, \"-inf\", \"nan\", "
                    "\"a\\\"b\", \"cuda:3\", [1, [true]], [2], [0,0,0,0,0]]",
                    "[[],[],[],[],[],[],[],[],[],[],[[],[[]]],[[]],[]]",
                    "[\"None\", \"None\", \"Bool\", \"Bool\", \"Int\", \"Double\", \"Double\", "
                    "\"Double\", \"String\", \"Device\", \"GenericList[Int,GenericList[Bool]]\", "
                    "\"Tuple[Int]\", \"Tensor(nullptr (uninitialized))\"]"),
              ARGS("{\"type\": \"none\"}, {\"type\": \"none\"}, {\"type\": \"bool\", \"value\": "
                   "true}, {\"type\": \"bool\", \"value\": false}, {\"type\": \"int\", \"value\": "
                   "-7}, {\"type\": \"double\", \"value\": 0.5}, {\"type\": \"double\", \"value\": "
                   "\"-inf\"}, {\"type\": \"double\", \"value\": \"nan\"}, {\"type\": \"str\", "
                   "\"value\": \"a\\\"b\"}, {\"type\": \"device\", \"value\": \"cpu\"}, {\"type\": "
                   "\"genericlist\", \"value\": [{\"type\": \"int\", \"value\": 1}, {\"type\": "
                   "\"genericlist\", \"value\": [{\"type\": \"bool\", \"value\": true}]}]}, "
                   "{\"type\": \"tuple\", \"value\": [{\"type\": \"int\", \"value\": 2}]}, "
                   "{\"type\": \"none\"}"));
    const ob_trace_convert_options elsewhere = {.size = sizeof elsewhere, .device = "cuda:1"};
    CHECK_STR(entry_with(&elsewhere, "a::f(Device d) -> ()", "[\"cpu\"]", "[[]]", "[\"Device\"]"),
              ARGS("{\"type\": \"device\", \"value\": \"cuda:1\"}"));
}

/* What is behind the star goes by name, and pages are not pinned. */
static void names_from_the_schema(void)
{
    CHECK_STR(entry("a::f(int a, *, bool pin_memory=True, int? b=None, bool c=False) -> ()",
                    "[1, true, 2, true]", "[[],[],[],[]]",
                    "[\"Int\", \"Bool\", \"Int\", \"Bool\"]"),
              ARGS("{\"type\": \"int\", \"value\": 1}") ", \"kwargs\": {\"pin_memory\": {\"type\": "
                                                        "\"bool\", \"value\": false}, \"b\": "
                                                        "{\"type\": \"int\", \"value\": 2}, "
                                                        "\"c\": {\"type\": \"bool\", \"value\": "
                                                        "true}}");
    /* Values beyond the schema have no name; before its star they need none. */
    CHECK_STR(entry("a::f(int a) -> ()", "[1, 2]", "[[],[]]", "[\"Int\", \"Int\"]"),
              ARGS("{\"type\": \"int\", \"value\": 1}, {\"type\": \"int\", \"value\": 2}"));
    CHECK_STR(entry("a::f(*, int a) -> ()", "[1, 2]", "[[],[]]", "[\"Int\", \"Int\"]"),
              ARGS("") ", \"kwargs\": {\"a\": {\"type\": \"int\", \"value\": 1}}");
    /* A number where a tensor is wanted. */
    CHECK_STR(entry("a::f(Tensor a, Tensor b, Tensor c, Tensor d, Scalar e) -> ()",
                    "[2, true, 0.25, \"inf\", 3]", "[[],[],[],[],[]]",
                    "[\"Int\", \"Bool\", \"Double\", \"Double\", \"Int\"]"),
              ARGS(T("long", "[]") ", \"value\": 2}, " T("bool", "[]") ", \"value\": true}, " //
                   T("double", "[]") ", \"value\": 0.25}, " T(
                       "double", "[]") ", \"value\": " //
                                       "\"inf\"}, {\"type\": \"int\", \"value\": 3}"));
}

static void tensors(void)
{
    static const char SCHEMA[] = "a::f(Tensor a) -> ()";
    /* Strides where they are not the plain ones; integers without a word on gradients. */
    CHECK_STR(
        entry(SCHEMA, "[[1,2,0,6,4]]", "[[2,3]]", "[\"Tensor(float)\"], \"strides\": [[1,2]]"),
        ARGS(T("float", "[2, 3]") ", \"strides\": [1, 2], \"requires_grad\": false}"));
    CHECK_STR(
        entry(SCHEMA, "[[1,2,0,6,4]]", "[[2,3]]", "[\"Tensor(float)\"], \"strides\": [[3,1]]"),
        ARGS(FLOAT("[2, 3]")));
    CHECK_STR(entry(SCHEMA, "[[1,2,0,6,4]]", "[[2]]", "[\"Tensor(int)\"]"),
              ARGS(T("int", "[2]") "}"));
    /* Half as bfloat16, also in arguments called dtype: 5 and 15 are PyTorch's numbers for them. */
    const ob_trace_convert_options narrow = {.size = sizeof narrow, .half_to_bfloat16 = true};
    static const char CAST[] = "a::f(Tensor a, int out_dtype, int n, Tensor b) -> ()";
    static const char VALUES[] = "[[1,2,0,2,2], 5, 5, [3,4,0,2,4]]";
    static const char TYPES[] = "[\"Tensor(c10::Half)\", \"Int\", \"Int\", \"Tensor(float)\"]";
    CHECK_STR(entry_with(&narrow, CAST, VALUES, "[[2],[],[],[2]]", TYPES),
              ARGS(T("bfloat16", "[2]") ", \"requires_grad\": false}, {\"type\": \"int\", "
                                        "\"value\": 15}, {\"type\": \"int\", \"value\": 5}, " //
                   FLOAT("[2]")));
    CHECK_STR(entry(CAST, VALUES, "[[2],[],[],[2]]", TYPES),
              ARGS(T("float16", "[2]") ", \"requires_grad\": false}, {\"type\": \"int\", "
                                       "\"value\": 5}, {\"type\": \"int\", \"value\": 5}, " //
                   FLOAT("[2]")));
    CHECK_STR(entry_with(&narrow, "a::f(int dtype) -> ()", "[6]", "[[]]", "[\"Int\"]"),
              ARGS("{\"type\": \"int\", \"value\": 6}"));
}

/* as_strided looks at its tensor's storage: a row that is as long as the last element needs. */
static void storages(void)
{
#define STRIDED                                                                                    \
    "aten::as_strided(Tensor(a) self, int[] size, int[] stride, int? storage_offset=None)"         \
    " -> Tensor(a)"
#define INTS "\"GenericList[Int,Int]\""
    static const struct {
        const char *values, *shape;
    } ROWS[] = {
        {"[2,3], [4,1], 5", "[12]"},
        {"[2,3], [4,1], \"<None>\"", "[7]"},
        {"[1,1], [9,9], 0", "[1]"},
        {"[2,0], [4,1], 5", "[9]"},                   /* nothing is looked at */
        {"[2,3], [4,-1], 5", "[9]"},                  /* no such stride */
        {"[3,3], [4611686018427387904,1], 5", "[9]"}, /* beyond all storage */
        {"[2,2], [9223372036854775806,1], 0", "[9]"},
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        char values[200], want[400];
        snprintf(values, sizeof values, "[[1,2,0,9,4], %s]", ROWS[i].values);
        snprintf(want, sizeof want, "{\"args\": [" T("float", "%s") ", \"requires_grad\": false}, ",
                 ROWS[i].shape);
        CHECK_HAS(entry(STRIDED, values, "[[9],[[],[]],[[],[]],[]]",
                        "[\"Tensor(float)\", " INTS ", " INTS ", \"Int\"]"),
                  want);
    }
    CHECK_HAS(entry(STRIDED, "[[1,2,0,9,4], [2], [1,1]]", "[[9],[[]],[[],[]]]",
                    "[\"Tensor(float)\", \"GenericList[Int]\", " INTS "]"),
              FLOAT("[9]"));
    /* Lists of what are no numbers. */
    CHECK_HAS(entry(STRIDED, "[[1,2,0,9,4], [0.5, 0.5], [1,1]]", "[[9],[[],[]],[[],[]]]",
                    "[\"Tensor(float)\", \"GenericList[Double,Double]\", " INTS "]"),
              FLOAT("[9]"));
    CHECK_HAS(entry("a::f(Tensor a, int[] b, int[] c) -> ()", "[[1,2,0,9,4], [2,3], [4,1]]",
                    "[[9],[[],[]],[[],[]]]", "[\"Tensor(float)\", " INTS ", " INTS "]"),
              FLOAT("[9]"));
}

static void ranges_of_indices(void)
{
    /* A recorded range counts more than the operator's. */
    static const char GATHER[] = "aten::gather(Tensor self, int dim, Tensor index) -> Tensor";
    static const char TYPES[] = "[\"Tensor(float)\", \"Int\", \"Tensor(long int)\"]";
    CHECK_HAS(entry(GATHER, "[[1,2,0,6,4], 1, [3,4,0,4,8]]", "[[2,3],[],[2,2]]", TYPES),
              "\"shape\": [2, 2], \"value_range\": [0, 2]}");
    CHECK_HAS(entry(GATHER, "[[1,2,0,6,4], -2, [3,4,0,4,8]]", "[[2,3],[],[2,2]]", TYPES),
              "\"shape\": [2, 2], \"value_range\": [0, 1]}");
    /* A dimension that is not there, or has no element: nothing is said. */
    CHECK_HAS(entry(GATHER, "[[1,2,0,6,4], 2, [3,4,0,4,8]]", "[[2,3],[],[2,2]]", TYPES),
              "\"shape\": [2, 2]}");
    CHECK_HAS(entry(GATHER, "[[1,2,0,6,4], -3, [3,4,0,4,8]]", "[[2,3],[],[2,2]]", TYPES),
              "\"shape\": [2, 2]}");
    CHECK_HAS(entry(GATHER, "[[1,2,0,0,4], 1, [3,4,0,4,8]]", "[[2,0],[],[2,2]]", TYPES),
              "\"shape\": [2, 2]}");
    CHECK_HAS(entry(GATHER, "[\"<None>\", 1, [3,4,0,4,8]]", "[[],[],[2,2]]",
                    "[\"None\", \"Int\", \"Tensor(long int)\"]"),
              "\"shape\": [2, 2]}");
    ob_trace_convert_summary summary = {.size = sizeof summary};
    char *config = converted(
        TRACE_OF("{\"id\": 1, \"ctrl_deps\": 1, \"name\": \"n\"" TRACE_INPUTS(
            "[[1,2,0,6,4], 1, [3,4,0,4,8]]", "[[2,3],[],[2,2]]",
            "[\"Tensor(float)\", \"Int\", \"Tensor(long int)\"]") ", \"attrs\": [{\"name\": "
                                                                  "\"op_schema\", \"value\": "
                                                                  "\"aten::gather(Tensor self, int "
                                                                  "dim, Tensor index) -> "
                                                                  "Tensor\"}, {\"name\": "
                                                                  "\"tensor_range\", \"value\": "
                                                                  "\"{\\\"0\\\": [1, 2], "
                                                                  "\\\"1\\\": [1, 1.75]}\"}]}"),
        &PLAIN, &summary);
    CHECK_HAS(config, FLOAT("[2, 3]"));
    CHECK_HAS(config, "\"shape\": [2, 2], \"value_range\": [1, 1]}");
    free(config);
}

static void left_out(void)
{
    static const struct {
        const char *schema, *values, *shapes, *types, *why;
    } ROWS[] = {
        {"aten::item(Tensor self) -> Scalar", "[[1,2,0,1,4]]", "[[]]", "[\"Tensor(float)\"]",
         "it only reads, checks or marks something for the program"},
        {"aten::pin_memory(Tensor self) -> Tensor", "[[1,2,0,1,4]]", "[[]]", "[\"Tensor(float)\"]",
         "it orders streams or pins memory"},
        {"a::f(X x) -> ()", "[\"x\"]", "[[]]", "[\"Storage\"]",
         "it takes a value that cannot be recreated: Storage"},
        {"a::f(Tensor x) -> ()", "[[1,2,0,1,4]]", "[[1]]", "[\"Tensor(int3)\"]",
         "it takes a tensor of int3, a type that opbench does not have"},
        {"a::f(Tensor x) -> ()", "[[1,0,0,1,0]]", "[[1]]", "[\"Tensor(float)\"]",
         "it takes a sparse tensor, which traces do not describe"},
        {"aten::index_put_(Tensor(a!) self, Tensor?[] indices, Tensor values) -> Tensor(a!)",
         "[[1,2,0,4,4],[[3,4,0,4,1]],[5,6,0,2,4]]", "[[4],[[4]],[2]]",
         "[\"Tensor(float)\", \"GenericList[Tensor(bool)]\", \"Tensor(float)\"]",
         "its mask must have as many true elements as there are values, but traces do not record "
         "the mask"},
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        CHECK_STR(entry(ROWS[i].schema, ROWS[i].values, ROWS[i].shapes, ROWS[i].types), "");
        CHECK_HAS(messages, "t.json: left out: 1 call of 1 operator (");
        CHECK_HAS(messages, ROWS[i].why);
    }
    /* One value fits any mask. */
    CHECK_HAS(entry(ROWS[5].schema, "[[1,2,0,4,4],[[3,4,0,4,1]],[5,6,0,1,4]]", "[[4],[[4]],[1]]",
                    ROWS[5].types),
              T("bool", "[4]") "}");
    CHECK_STR(messages, "");
}

#define CALL(id, name, values)                                                                     \
    TRACE_NODE(id, 0, "n", name "(X x) -> ()", TRACE_INPUTS("[" values "]", "[[]]", "[\"Object\"]"))
#define NUMBER(id, name, values)                                                                   \
    TRACE_NODE(id, 0, "n", name "(int x) -> ()", TRACE_INPUTS("[" values "]", "[[]]", "[\"Int\"]"))

/* One line per reason, with the names of three operators. */
static void says_why(void)
{
    ob_trace_convert_summary summary = {.size = sizeof summary};
    char *config =
        converted(TRACE_OF(TRACE_NODE(1, 1, "process", "", "") ", " CALL(2, "a::one", "1") ", " //
                           CALL(3, "a::two", "1") ", " CALL(4, "a::one", "1") ", "              //
                           CALL(5, "a::three", "1") ", " CALL(6, "a::four", "1") ", "           //
                           CALL(7, "a::five", "1") ", " TRACE_NODE(8, 1, "c10d::send", "", "")  //
                           ", " TRACE_NODE(9, 1, "triton_1", "", "") ", "                       //
                           TRACE_NODE(10, 1, "CompiledFunction", "", "")),
                  &PLAIN, &summary);
    CHECK_STR(config, "");
    CHECK_INT(summary.calls, 9);
    CHECK_INT(summary.left_out, 9);
    CHECK_INT(summary.distinct, 0);
    CHECK_STR(
        messages,
        "t.json: left out: 6 calls of 5 operators (a::one, a::two, a::three, ...): it takes a "
        "value that cannot be recreated: Object\n"
        "t.json: left out: 1 call of 1 operator (c10d::send): it is communication\n"
        "t.json: left out: 1 call of 1 operator (triton_1): it is " OB_TRACE_FUSED_HELP "\n"
        "t.json: left out: 1 call of 1 operator (CompiledFunction): it is " OB_TRACE_COMPILED_HELP
        "\n");
    free(config);
}

/* Equal calls of an operator are one entry; the same arguments of another one are not. */
static void counts_calls(void)
{
#define INT_ENTRY(value, count)                                                                    \
    "      {\"args\": [{\"type\": \"int\", \"value\": " value "}], \"count\": " count "}"
#define HEAD(name)                                                                                 \
    "  \"" name "\": {\n    \"input_data_generator\": \"PyTorch:DefaultDataGenerator\",\n"         \
    "    \"config\": [{\"input\": [\n"
    ob_trace_convert_summary summary = {.size = sizeof summary};
    char *config =
        converted(TRACE_OF(TRACE_NODE(1, 1, "process", "", "") ", " NUMBER(2, "a::f", "1") ", " //
                           NUMBER(3, "a::g", "1") ", " NUMBER(4, "a::f", "2") ", "              //
                           NUMBER(5, "a::f", "1") ", " NUMBER(6, "a::f", "3") ", "              //
                           NUMBER(7, "a::f", "1")),
                  &PLAIN, &summary);
    CHECK_STR(config, "{\n" HEAD("a::f") INT_ENTRY("1", "3") ",\n" INT_ENTRY("2", "1") ",\n" //
              INT_ENTRY("3", "1") "\n    ]}]\n  },\n" HEAD("a::g") INT_ENTRY("1", "1")       //
              "\n    ]}]\n  }\n}\n");
    CHECK_INT(summary.calls, 6);
    CHECK_INT(summary.distinct, 4);
    CHECK_INT(summary.left_out, 0);
    free(config);
}

int main(void)
{
    RUN(values_of_every_kind);
    RUN(names_from_the_schema);
    RUN(tensors);
    RUN(storages);
    RUN(ranges_of_indices);
    RUN(left_out);
    RUN(says_why);
    RUN(counts_calls);
    return ob_test_end();
}
