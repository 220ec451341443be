/* SPDX-License-Identifier: Apache-2.0
 *
 * Arguments in short notation: what each word makes, to the letter; that a case prints as what it was
 * written as; what is said of words that cannot be read.
 */
#include "config_testing.h"

#include "opbench/builder.h"

/* The "args" and "kwargs" of torch.add with these words, as JSON. */
static const char *made(const char *const *words, size_t count)
{
    static char out[4096];
    ob_builder *b;
    ob_json_doc *doc;
    ob_err err;
    char *text = NULL;
    size_t length = 0;
    snprintf(out, sizeof out, "no builder");
    if (ob_builder_create(&b, &err) != OB_OK)
        return out;
    ob_builder_op(b, "torch.add", NULL);
    ob_builder_input(b);
    for (size_t i = 0; i < count; i++)
        ob_builder_word(b, words[i]);
    if (ob_builder_finish(b, &doc, &err) != OB_OK) {
        snprintf(out, sizeof out, "%s", err.message);
    } else {
        const ob_json *group =
            ob_json_item(ob_json_get(ob_json_item(ob_json_doc_root(doc), 0), "config"), 0);
        CHECK_INT(ob_json_print(ob_json_item(ob_json_get(group, "input"), 0), &text, &length, NULL),
                  OB_OK);
        snprintf(out, sizeof out, "%.*s", (int)length, text);
        free(text);
        ob_json_doc_destroy(doc);
    }
    ob_builder_destroy(b);
    return out;
}

static const char *made_one(const char *word)
{
    return made(&word, 1);
}

/* What a single argument is, without what stands around it. */
static const char *arg(const char *word)
{
    static const char HEAD[] = "{\"args\": [";
    static char out[4096];
    const char *text = made_one(word);
    const size_t length = strlen(text);
    if (strncmp(text, HEAD, sizeof HEAD - 1) != 0)
        return text;
    snprintf(out, sizeof out, "%.*s", (int)(length - (sizeof HEAD - 1) - 2),
             text + sizeof HEAD - 1);
    return out;
}

static void scalars(void)
{
    CHECK_STR(arg("3"), "{\"type\": \"int\", \"value\": 3}");
    CHECK_STR(arg("-3"), "{\"type\": \"int\", \"value\": -3}");
    CHECK_STR(arg("+3"), "{\"type\": \"int\", \"value\": 3}");
    CHECK_STR(arg("9223372036854775807"), "{\"type\": \"int\", \"value\": 9223372036854775807}");
    CHECK_STR(arg("1.5"), "{\"type\": \"double\", \"value\": 1.5}");
    CHECK_STR(arg(".5"), "{\"type\": \"double\", \"value\": 0.5}");
    CHECK_STR(arg("2."), "{\"type\": \"double\", \"value\": 2.0}");
    CHECK_STR(arg("-1e-3"), "{\"type\": \"double\", \"value\": -0.001}");
    CHECK_STR(arg("1e20"), "{\"type\": \"double\", \"value\": 1e+20}");
    CHECK_STR(arg("1..5"), "{\"type\": \"int\", \"value_range\": [1, 5]}");
    CHECK_STR(arg("-1..0.5"), "{\"type\": \"double\", \"value_range\": [-1.0, 0.5]}");
    CHECK_STR(arg("true"), "{\"type\": \"bool\", \"value\": true}");
    CHECK_STR(arg("False"), "{\"type\": \"bool\", \"value\": false}");
    CHECK_STR(arg("none"), "{\"type\": \"none\"}");
    CHECK_STR(arg("mean"), "{\"type\": \"str\", \"value\": \"mean\"}");
    CHECK_STR(arg("\"a,b] 1\""), "{\"type\": \"str\", \"value\": \"a,b] 1\"}");
    CHECK_STR(arg("''"), "{\"type\": \"str\", \"value\": \"\"}");
    CHECK_STR(arg("str:1.5"), "{\"type\": \"str\", \"value\": \"1.5\"}");
    CHECK_STR(arg("str:ij,jk->ik"), "{\"type\": \"str\", \"value\": \"ij,jk->ik\"}");
    CHECK_STR(arg("str:f(x)[0],'a'"), "{\"type\": \"str\", \"value\": \"f(x)[0],'a'\"}");
    CHECK_STR(arg("[str:1,str:2]"),
              "{\"type\": \"genericlist\", \"value\": [{\"type\": \"str\", \"value\": \"1\"}, "
              "{\"type\": \"str\", \"value\": \"2\"}]}");
    CHECK_STR(arg("device:cuda:0"), "{\"type\": \"device\", \"value\": \"cuda:0\"}");
    CHECK_STR(arg("f16"), "{\"type\": \"ScalarType\", \"value\": \"float16\"}");
    CHECK_STR(arg("torch.int64"), "{\"type\": \"ScalarType\", \"value\": \"long\"}");
    CHECK_STR(arg("layout:strided"), "{\"type\": \"Layout\", \"value\": \"strided\"}");
    CHECK_STR(arg("memory_format:channels_last"),
              "{\"type\": \"MemoryFormat\", \"value\": \"channels_last\"}");
    CHECK_STR(arg("{\"type\": \"int\", \"value\": 7}"), "{\"type\": \"int\", \"value\": 7}");
}

static void tensors(void)
{
    CHECK_STR(arg("f32[2,3]"), "{\"type\": \"tensor\", \"dtype\": \"float\", \"shape\": [2, 3]}");
    CHECK_STR(arg("torch.float64[]"),
              "{\"type\": \"tensor\", \"dtype\": \"double\", \"shape\": []}");
    CHECK_STR(arg("f32[2,3]:[1,2]"), "{\"type\": \"tensor\", \"dtype\": \"float\", \"shape\": [2, "
                                     "3], \"strides\": [1, 2]}");
    CHECK_STR(arg("i64[10]<100"), "{\"type\": \"tensor\", \"dtype\": \"long\", \"shape\": [10], "
                                  "\"value_range\": [0, 99]}");
    CHECK_STR(arg("f32[4]=-1..1"), "{\"type\": \"tensor\", \"dtype\": \"float\", \"shape\": [4], "
                                   "\"value_range\": [-1.0, 1.0]}");
    CHECK_STR(arg("i32[4]=7"),
              "{\"type\": \"tensor\", \"dtype\": \"int\", \"shape\": [4], \"value\": 7}");
    CHECK_STR(arg("f32[4]=0.5+grad@cuda:1"),
              "{\"type\": \"tensor\", \"dtype\": \"float\", \"shape\": [4], \"requires_grad\": "
              "true, \"device\": \"cuda:1\", \"value\": 0.5}");
}

static void containers_and_names(void)
{
    CHECK_STR(arg("[1,2]"), "{\"type\": \"genericlist\", \"value\": [{\"type\": \"int\", "
                            "\"value\": 1}, {\"type\": \"int\", \"value\": 2}]}");
    CHECK_STR(arg("[]"), "{\"type\": \"genericlist\", \"value\": []}");
    CHECK_STR(arg("([],true)"),
              "{\"type\": \"tuple\", \"value\": [{\"type\": \"genericlist\", \"value\": []}, "
              "{\"type\": \"bool\", \"value\": true}]}");
    CHECK_STR(arg("[f32[2],f32[3]=1]"),
              "{\"type\": \"genericlist\", \"value\": [{\"type\": \"tensor\", \"dtype\": "
              "\"float\", \"shape\": [2]}, {\"type\": \"tensor\", \"dtype\": \"float\", "
              "\"shape\": [3], \"value\": 1.0}]}");
    CHECK_STR(made((const char *const[]){"f32[2]", "alpha=2", "out=[1]"}, 3),
              "{\"args\": [{\"type\": \"tensor\", \"dtype\": \"float\", \"shape\": [2]}], "
              "\"kwargs\": {\"alpha\": {\"type\": \"int\", \"value\": 2}, \"out\": {\"type\": "
              "\"genericlist\", \"value\": [{\"type\": \"int\", \"value\": 1}]}}}");
}

static void refused(void)
{
    static const struct {
        const char *word, *message;
    } rows[] = {
        {"", "argument \"\", character 1: expected an argument such as f32[2,3], 1.5, [1,2], true "
             "or \"text\""},
        {"f33[2]",
         "argument \"f33[2]\", character 1: this is not a dtype; `opbench list dtypes` lists them"},
        {"f32[2", "argument \"f32[2\", character 6: expected \",\" or \"]\""},
        {"f32[2.5]", "argument \"f32[2.5]\", character 8: a size is a whole number"},
        {"f32[-2]", "argument \"f32[-2]\", character 5: expected a size or \"]\""},
        {"f32[2,x]", "argument \"f32[2,x]\", character 7: expected a size or \"]\""},
        {"f32[2]:[1,2]", "argument \"f32[2]:[1,2]\", character 13: give as many strides as sizes"},
        {"f32[2]+g", "argument \"f32[2]+g\", character 8: expected \"grad\" after the \"+\""},
        {"f32[2]<3", "argument \"f32[2]<3\", character 9: \"<\" bounds whole numbers from above: "
                     "i64[10]<100; for others write f32[10]=0..1"},
        {"f32[2]?",
         "argument \"f32[2]?\", character 7: there is more text after the end of the argument"},
        {"[1,2", "argument \"[1,2\", character 5: expected \",\" or \"]\""},
        {"(1]", "argument \"(1]\", character 3: expected \",\" or \")\""},
        {"1e", "argument \"1e\", character 1: the number's exponent has no digits"},
        {"1..", "argument \"1..\", character 4: expected a number"},
        {"99999999999999999999", "argument \"99999999999999999999\", character 1: the number does "
                                 "not fit 64 bits; write a fraction as 1e20"},
        {"'a", "argument \"'a\", character 1: the closing quote is missing"},
        {"i32[2]=1.5", "argument \"i32[2]=1.5\": 1.5 cannot be an element of an integer tensor"},
        {"5..1", "argument \"5..1\": the range from 5 to 1 is empty; put the lowest first"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        CHECK_STR(made_one(rows[i].word), rows[i].message);
    char deep[200];
    memset(deep, '[', sizeof deep);
    deep[sizeof deep - 1] = '\0';
    CHECK_HAS(made_one(deep), "lists are nested too deeply");
    CHECK_STR(
        made((const char *const[]){"dim=1", "2"}, 2),
        "argument \"2\", character 1: an argument without a name cannot follow one with a name");
}

typedef ob_status (*print_fn)(const ob_case *c, ob_text *text, ob_err *err);

/* The only case of an operator with these words, printed. */
static const char *printed(print_fn print, const char *op, const char *const *words, size_t builds,
                           size_t count)
{
    static char out[1024];
    ob_builder *b;
    ob_config *config;
    ob_cases *cases;
    const ob_case *c;
    ob_text text = {0};
    ob_err err;
    CHECK_INT(ob_builder_create(&b, &err), OB_OK);
    ob_builder_op(b, op, NULL);
    if (builds > 0)
        ob_builder_build(b);
    for (size_t i = 0; i < count; i++) {
        if (i == builds)
            ob_builder_input(b);
        ob_builder_word(b, words[i]);
    }
    snprintf(out, sizeof out, "refused");
    if (ob_builder_open_config(b, test_context(), NULL, &config, &err) == OB_OK) {
        CHECK_INT(ob_cases_open(config, NULL, &cases, &err), OB_OK);
        CHECK_INT(ob_cases_next(cases, &c, &err), OB_OK);
        CHECK_INT(print(c, &text, &err), OB_OK);
        snprintf(out, sizeof out, "%.*s", (int)text.size, text.data);
        ob_text_fini(&text);
        ob_cases_close(cases);
        ob_config_destroy(config);
    }
    ob_builder_destroy(b);
    return out;
}

static const char *call(const char *op, const char *const *words, size_t builds, size_t count)
{
    return printed(ob_case_print_call, op, words, builds, count);
}

static void prints_as_words(void)
{
    CHECK_STR(printed(ob_case_print_words, "torch.add",
                      (const char *const[]){"f32[2,3]", "f32[2,3]", "alpha=2"}, 0, 3),
              "--op torch.add 'f32[2,3]' 'f32[2,3]' alpha=2");
    CHECK_STR(printed(ob_case_print_words, "torch.nn.Linear",
                      (const char *const[]){"64", "16", "f32[8,64]"}, 2, 3),
              "--op torch.nn.Linear 64 16 / 'f32[8,64]'");
    CHECK_STR(
        printed(ob_case_print_words, "torch.sum", (const char *const[]){"f32[2]", "-1"}, 0, 2),
        "--op torch.sum -- 'f32[2]' -1");
}

/* A case prints as the words it was made of. */
static void prints_as_written(void)
{
    CHECK_STR(
        call("torch.add", (const char *const[]){"f32[2,3]", "f32[2,3]:[1,2]", "alpha=2"}, 0, 3),
        "torch.add(f32[2,3], f32[2,3]:[1,2], alpha=2)");
    CHECK_STR(
        call("torch.nn.Linear", (const char *const[]){"64", "16", "f32[8,64]+grad@cpu"}, 2, 3),
        "torch.nn.Linear(64, 16)(f32[8,64]+grad@cpu)");
    CHECK_STR(
        call("torch.cat",
             (const char *const[]){"[f32[2],f32[3]=0.5,i64[4]=0..9,[]]", "dim=0", "a=none", "b=f16",
                                   "c=(1.5,\"x\")", "d=true", "e=device:cpu", "f=layout:strided",
                                   "g=memory_format:channels_last", "h='\"'", "i=1..2"},
             0, 11),
        "torch.cat([f32[2],f32[3]=0.5,i64[4]=0..9,[]], dim=0, a=none, b=f16, "
        "c=(1.5,\"x\"), d=true, e=device:cpu, f=layout:strided, "
        "g=memory_format:channels_last, h='\"', i=1..2)");
}

int main(void)
{
    RUN(scalars);
    RUN(tensors);
    RUN(containers_and_names);
    RUN(refused);
    RUN(prints_as_words);
    RUN(prints_as_written);
    return ob_test_end();
}
