/* SPDX-License-Identifier: Apache-2.0
 *
 * A statement as a case. The code of all sides stands in the case's input, so that a case is the same case, with one key,
 * on each of them; the worker takes that of its own side. What the executor sees is a backend that runs blocks in another
 * process, and whose clock goes while one runs.
 */
#include "base/sized.h"
#include "base/text_append.h"
#include "base/utf8.h"
#include "opbench/builder.h"
#include "run/session_int.h"
#include "snippet/snippet_process.h"
#include "snippet/snippet_record.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char OP_NAME[] = "opbench::statement";
static const char COMPILE_LIMIT[] = "compile_timeout_s"; /* of all sides, where it is given */

/* ---- code in a case's input ---- */

/* A text of each side: its name in the input, in ob_timer_args or ob_snippet_options, and as an option of a command. */
typedef struct text_row {
    const char *name;
    bool is_option;
    size_t offset;
    const char *option; /* NULL = the words of the code have it */
    bool only_if_given; /* so that cases without it keep their keys */
} text_row;

#define CODE(field)                                                                                \
    {                                                                                              \
        .name = #field, .offset = offsetof(ob_timer_args, field)                                   \
    }
#define OPTION(field, word)                                                                        \
    {                                                                                              \
        .name = #field, .is_option = true, .offset = offsetof(ob_snippet_options, field),          \
        .option = (word)                                                                           \
    }
#define LATER_OPTION(field, word)                                                                  \
    {                                                                                              \
        .name = #field, .is_option = true, .offset = offsetof(ob_snippet_options, field),          \
        .option = (word), .only_if_given = true                                                    \
    }

static const text_row TEXTS[] = {CODE(stmt),
                                 CODE(setup),
                                 CODE(global_setup),
                                 OPTION(cc, " --cc="),
                                 OPTION(cxx, " --cxx="),
                                 OPTION(python, " --python="),
                                 OPTION(cflags, " --cflags="),
                                 OPTION(ldflags, " --ldflags="),
                                 OPTION(cache_dir, " --cache-dir="),
                                 LATER_OPTION(std, " --std="),
                                 LATER_OPTION(libs, " --libs=")};
enum { TEXT_COUNT = sizeof TEXTS / sizeof *TEXTS };

/* The code of one side. */
typedef struct code {
    ob_timer_args args;
    ob_snippet_options options;
} code;

static const char **text_of(code *c, const text_row *row)
{
    char *base = row->is_option ? (char *)&c->options : (char *)&c->args;
    return (const char **)(void *)(base + row->offset);
}

/* {"type": ..., "value": ...} of an argument by name. */
static const ob_json *value_of(const ob_case *c, const char *name)
{
    return ob_json_get(ob_json_get(ob_json_get(ob_case_input(c), "kwargs"), name), "value");
}

/* Of the side's item in a list; NULL = it is empty. */
static const char *item_of(const ob_case *c, const char *name, size_t side)
{
    const char *text =
        ob_json_string(ob_json_get(ob_json_item(value_of(c, name), side), "value"), NULL);
    return text != NULL && text[0] != '\0' ? text : NULL;
}

/* The number of the side; 0 for one that is not named. */
static size_t find_side(const ob_run_options *options, const ob_case *c)
{
    const size_t count = ob_json_count(value_of(c, "sides"));
    for (size_t i = 0; options->side != NULL && i < count; i++) {
        const char *name = item_of(c, "sides", i);
        if (name != NULL && strcmp(name, options->side) == 0)
            return i;
    }
    return 0;
}

static code read_code(const ob_run_options *options, const ob_case *c)
{
    const size_t side = find_side(options, c);
    const char *language = ob_json_string(value_of(c, "language"), NULL);
    const int64_t threads = ob_json_int(value_of(c, "threads"), 0);
    code out = {
        .args = {.size = sizeof out.args, .num_threads = threads > 0 ? threads : options->threads},
        .options = {.size = sizeof out.options,
                    .compile_timeout_s = ob_json_real(value_of(c, COMPILE_LIMIT), 0)}};
    ob_language_parse(language != NULL ? language : "c", &out.args.language, NULL);
    for (size_t i = 0; i < TEXT_COUNT; i++)
        *text_of(&out, &TEXTS[i]) = item_of(c, TEXTS[i].name, side);
    if (out.args.stmt == NULL)
        out.args.stmt = "";
    return out;
}

/* ---- the config ---- */

static ob_status check_text(const char *name, const char *text, ob_err *err)
{
    return text == NULL || ob__utf8_valid(text, strlen(text)) == strlen(text)
               ? OB_OK
               : ob_err_set(err, OB_ERR_INVALID, "the text of %s is not UTF-8", name);
}

static bool any_has(code *sides, size_t count, const text_row *row)
{
    for (size_t s = 0; s < count; s++)
        if (*text_of(&sides[s], row) != NULL)
            return true;
    return false;
}

static ob_status add_texts(ob_builder *b, code *sides, size_t count, ob_err *err)
{
    for (size_t i = 0; i < TEXT_COUNT; i++) {
        if (TEXTS[i].only_if_given && !any_has(sides, count, &TEXTS[i]))
            continue;
        ob_builder_name(b, TEXTS[i].name);
        ob_builder_list(b);
        for (size_t s = 0; s < count; s++) {
            const char *text = *text_of(&sides[s], &TEXTS[i]);
            OB_TRY(check_text(TEXTS[i].name, text, err));
            ob_builder_str(b, text != NULL ? text : "");
        }
        ob_builder_end(b);
    }
    return OB_OK;
}

static ob_status add_case(ob_builder *b, const ob_code_case *from, ob_err *err)
{
    ob_code_case own;
    ob_code_side side;
    code sides[OB_MOST_MEMBERS];
    OB_TRY(OB__TAKE(ob_code_case, &own, from, err));
    if (own.side_count == 0 || own.side_count > OB_MOST_MEMBERS)
        return ob_err_set(err, OB_ERR_INVALID, "code can have 1 to %d sides", OB_MOST_MEMBERS);
    OB_TRY(check_text("the name", own.name, err));
    ob_builder_input(b);
    ob_builder_name(b, "name");
    ob_builder_str(b, own.name);
    ob_builder_name(b, "sides");
    ob_builder_list(b);
    for (size_t i = 0; i < own.side_count; i++) {
        OB_TRY(OB__TAKE(ob_code_side, &side, own.sides[i], err));
        OB_TRY(OB__TAKE_OPTIONAL(ob_snippet_options, &sides[i].options, side.options, err));
        OB_TRY(check_text("a side's name", side.name, err));
        OB_TRY(OB__TAKE(ob_timer_args, &sides[i].args, side.args, err));
        ob_builder_str(b, side.name != NULL ? side.name : "");
    }
    ob_builder_end(b);
    ob_builder_name(b, "language");
    ob_builder_str(b, ob_language_word(sides[0].args.language));
    ob_builder_name(b, "threads");
    ob_builder_long(b, sides[0].args.num_threads);
    if (sides[0].options.compile_timeout_s != 0) {
        ob_builder_name(b, COMPILE_LIMIT);
        ob_builder_double(b, sides[0].options.compile_timeout_s);
    }
    return add_texts(b, sides, own.side_count, err);
}

ob_status ob_snippet_open_config(ob_context *context, const ob_code_case *const *cases,
                                 size_t count, ob_config **out, ob_err *err)
{
    static const ob_config_options NAMES_ARE_FINE = {.size = sizeof NAMES_ARE_FINE,
                                                     .foreign_operators = true};
    ob_builder *builder;
    *out = NULL;
    OB_TRY(ob_builder_create(&builder, err));
    ob_builder_op(builder, OP_NAME, NULL);
    ob_status status = OB_OK;
    for (size_t i = 0; status == OB_OK && i < count; i++)
        status = add_case(builder, cases[i], err);
    if (status == OB_OK)
        status = ob_builder_open_config(builder, context, &NAMES_ARE_FINE, out, err);
    ob_builder_destroy(builder);
    return status;
}

/* ---- a made case ---- */

struct ob_made_case {
    ob_snippet_process *process;
    double start_s;    /* of compiling, starting and setting it up */
    double elapsed_ns; /* of all blocks, as the next two */
    ob_usage usage;
    uint64_t peak_kib;
};

static void release(ob_made_case *m)
{
    ob_snippet_close(m->process);
    free(m);
}

static ob_status make(ob_session *session, const ob_case *c, ob_made_case **out, ob_err *err)
{
    const code own = read_code(&session->options, c);
    ob_made_case *m = calloc(1, sizeof *m);
    if (m == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for a statement");
    const double began_s = ob__now_s();
    ob_status status = ob_snippet_open(&own.args, &own.options, &m->process, err);
    if (status == OB_OK)
        status = ob__snippet_begin_blocks(m->process, err);
    m->start_s = ob__now_s() - began_s;
    if (status != OB_OK)
        release(m);
    else
        *out = m;
    return status;
}

static ob_status run_block(ob_prepared *prepared, ob_phase phase, uint64_t n, ob_err *err)
{
    ob_made_case *m = (ob_made_case *)prepared;
    ob_snippet_block block;
    if (phase != OB_PHASE_FORWARD)
        return OB_OK;
    OB_TRY(ob__snippet_run_block(m->process, n, &block, err));
    m->elapsed_ns += block.seconds * 1e9;
    m->usage.voluntary += block.voluntary;
    m->usage.involuntary += block.involuntary;
    m->usage.faults += block.faults;
    m->peak_kib = block.peak_kib;
    return OB_OK;
}

static uint64_t clock_ns(ob_backend *backend)
{
    return (uint64_t)((const ob_made_case *)backend)->elapsed_ns;
}

static const ob_backend_desc BLOCKS = {.name = "statement", .run = run_block, .clock_ns = clock_ns};

static ob_exec_target target(ob_made_case *m)
{
    return (ob_exec_target){
        .desc = &BLOCKS, .backend = (ob_backend *)m, .prepared = (ob_prepared *)m, .is_far = true};
}

static void tell_usage(void *ctx, bool all_threads, ob_usage *out)
{
    (void)all_threads; /* the process knows how many it has */
    *out = ((const ob_made_case *)ctx)->usage;
}

static ob_disturbance_calls calls(ob_made_case *m)
{
    return (ob_disturbance_calls){.usage = tell_usage, .ctx = m};
}

static void mark(ob_made_case *m, int which, bool begins)
{
    (void)m;
    (void)which;
    (void)begins;
}

static ob_status check(ob_made_case *m, const ob_reference_desc *reference, bool again,
                       ob_check_result *out, ob_err *err)
{
    (void)m;
    (void)reference;
    (void)again;
    (void)out;
    return ob_err_set(err, OB_ERR_UNSUPPORTED,
                      "there is no reference for a statement; leave out --check");
}

/* ---- counts ---- */

static ob_status count(const ob_run_options *options, const ob_side *side, const ob_case *c,
                       ob_case_count *out, ob_err *err)
{
    code own = read_code(options, c);
    const ob_task_spec task = {.stmt = own.args.stmt,
                               .setup = own.args.setup,
                               .global_setup = own.args.global_setup,
                               .num_threads = own.args.num_threads};
    const ob_snippet_count_params params = {
        .size = sizeof params, .number = options->count_number, .no_baseline = true};
    ob_err why;
    own.options.variables = side->variables;
    own.options.program = side->program;
    own.options.timeout_s = options->count_timeout_s;
    *out = (ob_case_count){.status = OB_RECORD_OK, .repeats = 1};
    out->forward = calloc(1, sizeof *out->forward);
    if (out->forward == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for counts");
    if (ob_snippet_count(&own.args, &task, &params, &own.options, out->forward, &why) == OB_OK)
        return OB_OK;
    ob__case_count_fini(out);
    ob__case_count_give_up(out, OB_RECORD_FAILED, why.message);
    return OB_OK;
}

/* ---- records ---- */

static void identify(const ob_run_options *options, const ob_case *c, ob_record_result *r)
{
    const code own = read_code(options, c);
    r->op_name = ob_language_label(own.args.language);
    r->id = ob_json_string(value_of(c, "name"), NULL);
    r->input = NULL; /* it has the code of the others too */
    r->backend = r->device = NULL;
    r->threads = own.args.num_threads;
    r->task = (ob_task_spec){.stmt = own.args.stmt,
                             .setup = own.args.setup,
                             .global_setup = own.args.global_setup,
                             .num_threads = own.args.num_threads};
}

static ob_status report(ob_made_case *m, ob_record *record, ob_text *parts, ob_err *err)
{
    (void)parts;
    (void)err;
    record->result.process_peak_bytes = m->peak_kib * 1024;
    record->result.start_seconds = m->start_s;
    return OB_OK;
}

static bool print_repro(const ob_run_options *options, const ob_case *c, ob_text *out)
{
    code own = read_code(options, c);
    bool ok = (options->repro_before == NULL || ob_text_append_str(out, options->repro_before)) &&
              ob__text_append_word(out, options->program ? options->program : "opbench") &&
              ob_text_append_str(out, " time");
    for (size_t i = 0; ok && i < TEXT_COUNT; i++) {
        const char *text = *text_of(&own, &TEXTS[i]);
        if (TEXTS[i].option != NULL && text != NULL)
            ok = ob_text_append_str(out, TEXTS[i].option) && ob__text_append_word(out, text);
    }
    return ok && ob__snippet_append_words(out, &own.args);
}

const ob_case_maker *ob_snippet_maker(void)
{
    static const ob_case_maker MAKER = {.op_name = OP_NAME,
                                        .make = make,
                                        .release = release,
                                        .target = target,
                                        .mark = mark,
                                        .check = check,
                                        .report = report,
                                        .print_repro = print_repro,
                                        .identify = identify,
                                        .calls = calls,
                                        .count = count};
    return &MAKER;
}
