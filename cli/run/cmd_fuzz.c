/* SPDX-License-Identifier: Apache-2.0
 *
 * opbench fuzz: the draws of a fuzzer, described line by line, or measured. To measure them it makes
 * a config whose inputs are the fuzzer's draws and hands it to the runner of `opbench run`.
 */
#include "own_path.h"
#include "run_options.h"

#include "opbench/fuzz.h"
#include "opbench/old_option.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct fuzz_line {
    ob_run_line run;
    int64_t count;
    bool describe, config;
    const char *op, *args, *dtype;
} fuzz_line;

static const int64_t NO_SEED = INT64_MIN; /* the spec's own */
#define NO_SEED_TEXT "-9223372036854775808"

#define ROW(kind, name, field, ...) OB_OPTION(kind, name, fuzz_line, field, __VA_ARGS__)

static const ob_option OPTIONS[] = {
    ROW(INT, "draws", count, .value = "N", .max = 1e15, .initial = "10",
        .help = "How many draws to take."),
    ROW(FLAG, "describe", describe,
        .help = "Print a JSON line per draw: its parameters, and the size, strides, steps, order, "
                "... of each tensor. This is the default."),
    ROW(STRING, "run", op, .value = "OP",
        .help = "Measure this operator on the tensors of the draws."),
    ROW(STRING, "args", args, .value = "LIST", .otherwise = "all tensors in order",
        .help = "The operator's arguments: names of tensors and parameters, and literals, "
                "separated by commas."),
    ROW(FLAG, "print-config", config,
        .help = "With --run: print the benchmark config instead, for opbench run, time or expand."),
    OB_OPTION_OLD_NAME("config", "print-config"),
    ROW(STRING, "dtype", dtype, .value = "NAME", .otherwise = "the preset's own",
        .help = "Dtype of the preset's tensors."),
    OB_OPTION_ROWS_OF(ob_run_option_rows, "*", offsetof(fuzz_line, run.run)),
    OB_OPTION_ROWS_OF(ob_run_option_rows, "seed", offsetof(fuzz_line, run.run),
                      .initial = NO_SEED_TEXT, .otherwise = "the spec's own",
                      .help = "Seed for the draws and the generated data."),
    OB_OPTION_ROWS_OF(ob__job_rows, "*", offsetof(fuzz_line, run.job)),
    OB_OPTION_ROWS_OF(ob__job_rows, "output", offsetof(fuzz_line, run.job), .letter = 'o'),
    OB_OPTION_ROWS_OF(ob__text_rows, "log-level", offsetof(fuzz_line, run.log_level)),
    {.name = NULL},
};

static void init(void *line)
{
    ob__run_line_init(&((fuzz_line *)line)->run);
}

/* ---- draws as lines ---- */

typedef struct printer {
    ob_cli *cli;
    ob_fuzzer *fuzzer;
    ob_text text;
} printer;

static ob_status print_draw(void *ctx, const ob_fuzz_draw *draw, ob_err *err)
{
    printer *p = ctx;
    p->text.size = 0;
    OB_TRY(ob_fuzz_draw_print(p->fuzzer, draw, &p->text, err));
    if (!ob__cli_write(p->cli, p->text.data, p->text.size) || !ob__cli_write(p->cli, "\n", 1))
        return OB_END;
    return OB_OK;
}

static ob_status open_fuzzer(const fuzz_line *o, const char *spec, ob_fuzzer **out, ob_err *err)
{
    const bool given = o->run.run.seed != NO_SEED;
    const uint64_t seed = given ? (uint64_t)o->run.run.seed : 0;
    const ob_fuzz_preset_params preset = {.size = sizeof preset, .name = spec, .dtype = o->dtype};
    return ob_fuzz_preset_find(spec) != NULL
               ? ob_fuzzer_open_preset(&preset, seed, out, err)
               : ob_fuzzer_open_file(spec, given ? &seed : NULL, out, err);
}

static int describe(ob_cli *cli, const fuzz_line *o, const char *spec)
{
    printer p = {.cli = cli};
    ob_err err;
    if (open_fuzzer(o, spec, &p.fuzzer, &err) != OB_OK)
        return ob__cli_fail(cli, &err);
    const ob_status status = ob_fuzzer_take(p.fuzzer, (uint64_t)o->count, print_draw, &p, &err);
    ob_text_fini(&p.text);
    ob_fuzzer_destroy(p.fuzzer);
    if (status == OB_END)
        return ob__cli_finish(cli);
    return status == OB_OK ? OB_EXIT_OK : ob__cli_fail(cli, &err);
}

/* ---- draws as a config ---- */

/* The spec inside of the config, so that the config is whole by itself. */
static ob_status add_spec(ob_json_doc *doc, ob_json *entry, const fuzz_line *o, const char *spec,
                          ob_json_doc **file, ob_err *err)
{
    if (ob_fuzz_preset_find(spec) == NULL) {
        OB_TRY(ob_json_parse_file(spec, NULL, file, err));
        return ob_json_set(doc, entry, "fuzz", ob_json_doc_root(*file), err);
    }
    ob_json *preset = ob_json_new_object(doc);
    const ob_json *name = ob_json_new_string(doc, spec, strlen(spec));
    const ob_json *dtype =
        o->dtype != NULL ? ob_json_new_string(doc, o->dtype, strlen(o->dtype)) : NULL;
    if (preset == NULL || name == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the config");
    OB_TRY(ob_json_set(doc, preset, "preset", name, err));
    if (dtype != NULL)
        OB_TRY(ob_json_set(doc, preset, "dtype", dtype, err));
    return ob_json_set(doc, entry, "fuzz", preset, err);
}

/* The type of a literal argument; NULL for a name. */
static const char *literal_type(const ob_json *value)
{
    switch (ob_json_get_kind(value)) {
    case OB_JSON_INT:
        return "int";
    case OB_JSON_REAL:
        return "float";
    case OB_JSON_BOOL:
        return "bool";
    case OB_JSON_STRING:
        return "str";
    default:
        return NULL;
    }
}

/* One word of --args as an argument: JSON's 1, 0.5, true or "text", else a name. */
static ob_status add_word(ob_json_doc *doc, ob_json *args, const char *word, size_t length,
                          ob_err *err)
{
    ob_json_doc *literal = NULL;
    ob_json_parse("--args", word, length, NULL, &literal, NULL);
    const ob_json *root = literal != NULL ? ob_json_doc_root(literal) : NULL;
    const char *type = root != NULL ? literal_type(root) : NULL;
    ob_json *arg = ob_json_new_object(doc);
    const ob_json *name =
        ob_json_new_string(doc, type != NULL ? type : "fuzz", strlen(type != NULL ? type : "fuzz"));
    const ob_json *value = NULL;
    size_t text_length = 0;
    const char *text = ob_json_string(root, &text_length);
    if (type == NULL)
        value = ob_json_new_string(doc, word, length);
    else if (text != NULL)
        value = ob_json_new_string(doc, text, text_length);
    else if (ob_json_get_kind(root) == OB_JSON_BOOL)
        value = ob_json_new_bool(doc, ob_json_bool(root, false));
    else if (ob_json_get_kind(root) == OB_JSON_INT)
        value = ob_json_new_int(doc, ob_json_int(root, 0));
    else
        value = ob_json_new_real(doc, ob_json_real(root, 0));
    const char *key = type != NULL ? "value" : "name";
    ob_json_doc_destroy(literal);
    if (arg == NULL || name == NULL || value == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the config");
    OB_TRY(ob_json_set(doc, arg, "type", name, err));
    OB_TRY(ob_json_set(doc, arg, key, value, err));
    return ob_json_append(doc, args, arg, err);
}

static ob_status add_args(ob_json_doc *doc, ob_json *entry, const char *list, ob_err *err)
{
    ob_json *args = ob_json_new_array(doc);
    if (args == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the config");
    while (list[0] != '\0') {
        const size_t length = strcspn(list, ",");
        OB_TRY(add_word(doc, args, list, length, err));
        list += length + (list[length] == ',');
    }
    return ob_json_set(doc, entry, "args", args, err);
}

/* {OP: {"config": [{"input": [entry]}], ...}} */
static ob_status wrap_entry(ob_json_doc *doc, const ob_json *entry, const char *op, ob_err *err)
{
    static const char ITERATOR[] = "FuzzConfigIterator",
                      GENERATOR[] = "PyTorch:DefaultDataGenerator";
    ob_json *root = ob_json_new_object(doc), *row = ob_json_new_object(doc);
    ob_json *configs = ob_json_new_array(doc), *inputs = ob_json_new_array(doc);
    ob_json *spec = ob_json_new_object(doc);
    const ob_json *iterator = ob_json_new_string(doc, ITERATOR, sizeof ITERATOR - 1);
    const ob_json *generator = ob_json_new_string(doc, GENERATOR, sizeof GENERATOR - 1);
    if (!root || !row || !configs || !inputs || !spec || !iterator || !generator)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the config");
    OB_TRY(ob_json_append(doc, inputs, entry, err));
    OB_TRY(ob_json_set(doc, spec, "input", inputs, err));
    OB_TRY(ob_json_append(doc, configs, spec, err));
    OB_TRY(ob_json_set(doc, row, "input_iterator", iterator, err));
    OB_TRY(ob_json_set(doc, row, "input_data_generator", generator, err));
    OB_TRY(ob_json_set(doc, row, "config", configs, err));
    OB_TRY(ob_json_set(doc, root, op, row, err));
    ob_json_doc_set_root(doc, root);
    return OB_OK;
}

static ob_status make_config(ob_json_doc *doc, const fuzz_line *o, const char *spec, char **text,
                             size_t *length, ob_err *err)
{
    ob_json_doc *file = NULL;
    ob_json *entry = ob_json_new_object(doc);
    const ob_json *count = ob_json_new_int(doc, o->count);
    const ob_json *seed = ob_json_new_int(doc, o->run.run.seed);
    if (entry == NULL || count == NULL || seed == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the config");
    ob_status status = add_spec(doc, entry, o, spec, &file, err);
    if (status == OB_OK)
        status = ob_json_set(doc, entry, "count", count, err);
    if (status == OB_OK && o->run.run.seed != NO_SEED)
        status = ob_json_set(doc, entry, "seed", seed, err);
    if (status == OB_OK && o->args != NULL)
        status = add_args(doc, entry, o->args, err);
    if (status == OB_OK)
        status = wrap_entry(doc, entry, o->op, err);
    if (status == OB_OK)
        status = ob_json_print(ob_json_doc_root(doc), text, length, err);
    ob_json_doc_destroy(file);
    return status;
}

/* The command that prints the config, from any folder: cases are repeated from what it prints. */
static bool make_command(const fuzz_line *o, const char *spec, ob_text *out)
{
    enum { MOST = 16 };
    const char *words[MOST];
    char path[PATH_MAX], count[32], seed[32];
    ob_own_path own;
    size_t used = 0;
    const bool is_file = ob_fuzz_preset_find(spec) == NULL && realpath(spec, path) != NULL;
    ob__cli_own_path(&own);
    snprintf(count, sizeof count, "%" PRId64, o->count);
    snprintf(seed, sizeof seed, "%" PRId64, o->run.run.seed);
    const struct {
        bool asked;
        const char *option, *value;
    } rows[] = {
        {true, "--draws", count},
        {o->run.run.seed != NO_SEED, "--seed", seed},
        {o->dtype != NULL, "--dtype", o->dtype},
        {true, "--run", o->op},
        {o->args != NULL, "--args", o->args},
    };
    words[used++] = own.word;
    words[used++] = "fuzz";
    words[used++] = is_file ? path : spec;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (!rows[i].asked)
            continue;
        words[used++] = rows[i].option;
        words[used++] = rows[i].value;
    }
    words[used++] = "--print-config";
    return ob_text_append_command(out, words, used);
}

static int run_draws(ob_cli *cli, const fuzz_line *o, const char *spec, const char *config,
                     size_t length)
{
    ob_run_line line = o->run;
    ob_text command = {.data = NULL};
    if (!make_command(o, spec, &command))
        return ob__cli_out_of_memory(cli);
    line.config = "<fuzz>";
    line.run.config_command = command.data;
    line.run.seed = line.run.seed == NO_SEED ? 0 : line.run.seed;
    ob__job_line_take_prefix(cli, &line.job);
    const int code = ob__run_measure(cli, &line, config, length);
    ob_text_fini(&command);
    return code;
}

static int measure(ob_cli *cli, const fuzz_line *o, const char *spec)
{
    ob_json_doc *doc;
    ob_fuzzer *fuzzer;
    char *text = NULL;
    size_t length = 0;
    ob_err err;
    /* Opened once by itself: an error has its place in the spec then, not in the config around. */
    if (strcmp(spec, "-") != 0) {
        if (open_fuzzer(o, spec, &fuzzer, &err) != OB_OK)
            return ob__cli_fail(cli, &err);
        ob_fuzzer_destroy(fuzzer);
    }
    ob_status status = ob_json_doc_create(&doc, &err);
    if (status != OB_OK)
        return ob__cli_fail(cli, &err);
    status = make_config(doc, o, spec, &text, &length, &err);
    ob_json_doc_destroy(doc);
    if (status != OB_OK)
        return ob__cli_fail(cli, &err);
    int code = OB_EXIT_OK;
    if (o->config) {
        ob__cli_write(cli, text, length);
        ob__cli_write(cli, "\n", 1);
    } else {
        code = run_draws(cli, o, spec, text, length);
    }
    free(text);
    return code;
}

static int run(ob_cli *cli, const ob_cli_call *call)
{
    const fuzz_line *o = call->options;
    const char *spec = call->words[0];
    if (o->op == NULL && (o->args != NULL || o->config))
        return ob__cli_usage_error(cli, "--%s goes with --run OP; add that, or leave this out",
                                   o->config ? "print-config" : "args");
    if (o->op != NULL && o->describe)
        return ob__cli_usage_error(cli, "--describe and --run conflict; give only one");
    if (o->dtype != NULL && ob_fuzz_preset_find(spec) == NULL)
        return ob__cli_usage_error(cli, "--dtype is for presets; a spec file names its dtypes");
    if (ob_fuzz_preset_find(spec) == NULL && strchr(spec, '.') == NULL && strcmp(spec, "-") != 0 &&
        strchr(spec, '/') == NULL && access(spec, F_OK) != 0)
        return ob__cli_usage_error(
            cli,
            "'%.100s' is neither a file nor a preset; the presets are unary, "
            "binary, spectral, sparse_unary and sparse_binary",
            spec);
    return o->op != NULL ? measure(cli, o, spec) : describe(cli, o, spec);
}

static const ob_cli_word WORDS[] = {
    {.name = "SPEC",
     .required = true,
     .help = "A spec file in JSON (- reads standard input), or a preset: unary, binary, spectral, "
             "sparse_unary, sparse_binary."},
    {.name = NULL},
};

const ob_cli_command ob__command_fuzz = {
    .name = "fuzz",
    .help = "measure an operator on random tensors and sizes",
    .text = "Takes draws from a fuzzer: random parameters, and tensors whose sizes, steps and "
            "memory layout follow from them. Draw number i depends only on the spec, the seed and "
            "i, on every machine. docs/fuzz.md explains how to write a spec.\n\n"
            "Without --run, prints each draw as a JSON line: index, params, tensors, attempts (how "
            "many sets of parameters it took) and rejection_rate (the share of sets refused so "
            "far). With --run, the draws are the inputs of an operator, measured as opbench run "
            "measures a config. The options below apply; for the others (choosing cases, "
            "profilers, operator libraries), print the config with --print-config and pass it to "
            "opbench run. --seed sets the seed for both the draws and the elements.",
    .usage = "SPEC [--draws N] [--seed S] [--describe | --run OP [--args LIST] [--print-config] "
             "[OPTIONS]]",
    .words = WORDS,
    .options = OPTIONS,
    .options_size = sizeof(fuzz_line),
    .options_init = init,
    .example =
        "opbench fuzz binary --draws 3 --seed 1\n"
        "opbench fuzz spec.json --draws 20 --run torch.add -w 1 -i 5\n"
        "opbench fuzz spec.json --draws 20 --run torch.sub --args y,x --print-config > sub.json",
    .run = run,
};
