/* SPDX-License-Identifier: Apache-2.0
 *
 * A step of a trace as a case. What is replayed stands in the case's input, so that its key, a resumed file and the
 * process that runs it know no other; what it is run on and how often are options of the run, as for every case.
 */
#include "opbench/builder.h"
#include "trace/replay_int.h"

#include "base/sized.h"
#include "base/utf8.h"
#include "opbench/vec.h"
#include "trace/trace_model.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

static const char OP_NAME[] = "opbench::replay";

/* ---- fates ---- */

static const ob_replay_fate_info FATES[] = {
#define FATE(id, word_text, status_id, is_missing, help_text)                                      \
    [OB_REPLAY_##id] = {.word = (word_text),                                                       \
                        .help = (help_text),                                                       \
                        .status = OB_RECORD_##status_id,                                           \
                        .missing = (is_missing)},
    OB_REPLAY_FATE_MAP(FATE)
#undef FATE
};

const ob_replay_fate_info *ob_replay_fate_get_info(ob_replay_fate fate)
{
    return fate >= 0 && fate < OB_REPLAY_FATE_COUNT ? &FATES[fate] : NULL;
}

ob_replay_fate ob_replay_fate_from_word(const char *word)
{
    for (int i = 0; word != NULL && i < OB_REPLAY_FATE_COUNT; i++)
        if (strcmp(FATES[i].word, word) == 0)
            return (ob_replay_fate)i;
    return OB_REPLAY_RAN;
}

/* ---- settings in a case's input ---- */

static void add_text(ob_builder *b, const char *name, const char *value)
{
    if (value == NULL)
        return;
    ob_builder_name(b, name);
    ob_builder_str(b, value);
}

static void add_flag(ob_builder *b, const char *name, bool value)
{
    if (!value)
        return;
    ob_builder_name(b, name);
    ob_builder_bool(b, value);
}

static void add_list(ob_builder *b, const char *name, const char *const *items, size_t count)
{
    if (count == 0 || items == NULL)
        return;
    ob_builder_name(b, name);
    ob_builder_list(b);
    for (size_t i = 0; i < count; i++)
        ob_builder_str(b, items[i] != NULL ? items[i] : "");
    ob_builder_end(b);
}

static void add_step(ob_builder *b, const char *path, const char *content,
                     const ob_replay_options *o)
{
    ob_builder_input(b);
    add_text(b, "trace", path);
    add_text(b, "content", content);
    ob_builder_name(b, "iteration");
    ob_builder_long(b, o->selection->iteration);
    add_text(b, "subgraph", o->selection->label);
    add_flag(b, "leaves", o->selection->leaves);
    add_flag(b, "keep_loader", o->selection->keep_loader);
    add_list(b, "skip", o->skip_names, o->skip_count);
    add_list(b, "skip_reasons", o->skip_reasons, o->skip_count);
    add_text(b, "half", o->half);
    add_flag(b, "compute_only", o->compute_only);
}

/* {"type": ..., "value": ...} of an argument by name; NULL = it is not given. */
static const ob_json *value_of(const ob_case *c, const char *name)
{
    return ob_json_get(ob_json_get(ob_json_get(ob_case_input(c), "kwargs"), name), "value");
}

static const char **read_list(const ob_case *c, const char *name, ob_arena *arena, size_t *count)
{
    const ob_json *list = value_of(c, name);
    *count = ob_json_count(list);
    const char **items = ob__arena_alloc_array(arena, *count + 1, sizeof *items);
    for (size_t i = 0; items != NULL && i < *count; i++) {
        const char *text = ob_json_string(ob_json_get(ob_json_item(list, i), "value"), NULL);
        items[i] = text != NULL && text[0] != '\0' ? text : NULL;
    }
    return items;
}

/* Texts are those of the case; lists are in the arena. *out cannot be moved: it points into itself. */
static ob_status read_settings(const ob_case *c, ob_arena *arena, ob_replay_settings *out,
                               ob_err *err)
{
    size_t names, reasons;
    *out = (ob_replay_settings){.path = ob_json_string(value_of(c, "trace"), NULL),
                                .names = read_list(c, "skip", arena, &names),
                                .reasons = read_list(c, "skip_reasons", arena, &reasons)};
    if (out->path == NULL)
        return ob_err_set(err, OB_ERR_INVALID, "the case of a replay names no trace");
    if (out->names == NULL || out->reasons == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for a replay");
    for (size_t i = 0; i < names; i++)
        if (out->names[i] == NULL)
            out->names[i] = "";
    out->selection =
        (ob_trace_selection){.size = sizeof out->selection,
                             .leaves = ob_json_bool(value_of(c, "leaves"), false),
                             .iteration = ob_json_int(value_of(c, "iteration"), -1),
                             .label = ob_json_string(value_of(c, "subgraph"), NULL),
                             .keep_loader = ob_json_bool(value_of(c, "keep_loader"), false)};
    out->options =
        (ob_replay_options){.size = sizeof out->options,
                            .selection = &out->selection,
                            .skip_names = out->names,
                            .skip_reasons = reasons == names ? out->reasons : NULL,
                            .skip_count = names,
                            .half = ob_json_string(value_of(c, "half"), NULL),
                            .compute_only = ob_json_bool(value_of(c, "compute_only"), false)};
    return OB_OK;
}

/* ---- the config ---- */

/* Of the file as it is, packed or not. */
static ob_status hash_file(const char *path, char out[17], ob_err *err)
{
    char buffer[1 << 16];
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    XXH3_state_t *state = XXH3_createState();
    ssize_t got = state != NULL && XXH3_64bits_reset(state) == XXH_OK ? 1 : -1;
    while (fd >= 0 && got > 0 && (got = read(fd, buffer, sizeof buffer)) > 0)
        XXH3_64bits_update(state, buffer, (size_t)got);
    if (fd >= 0)
        close(fd);
    if (fd >= 0 && got == 0)
        snprintf(out, 17, "%016llx", (unsigned long long)XXH3_64bits_digest(state));
    XXH3_freeState(state);
    return fd >= 0 && got == 0
               ? OB_OK
               : ob_err_set_at(err, OB_ERR_IO, path, 0, 0, NULL, "could not be read a second time");
}

/* Reads the trace, and looks whether the choice is one. */
static ob_status add_trace(ob_builder *b, const char *path, const ob_replay_options *options,
                           const ob_log *log, ob_err *err)
{
    ob_trace *trace;
    ob_replay_schedule plan;
    ob_trace_selection selection = *options->selection;
    ob_replay_options chosen = *options;
    const ob_replay_choice choice = {.options = &chosen};
    char content[17];
    if (ob__utf8_valid(path, strlen(path)) != strlen(path))
        return ob_err_set_at(err, OB_ERR_INVALID, path, 0, 0, NULL,
                             "its name is not UTF-8, but records identify a step by it; give a "
                             "link to it under another name");
    OB_TRY(ob_trace_open(path, options->limits, log, &trace, err));
    if (selection.iteration == OB_REPLAY_FIRST_STEP)
        selection.iteration = ob_trace_iteration_count(trace) >= 2 ? 0 : -1;
    chosen.selection = &selection;
    ob_status status = ob__replay_schedule_make(trace, &choice, &plan, err);
    ob__replay_schedule_fini(&plan);
    ob_trace_close(trace);
    OB_TRY(status);
    OB_TRY(hash_file(path, content, err));
    add_step(b, path, content, &chosen);
    return OB_OK;
}

ob_status ob_replay_open_config(ob_context *context, const char *const *paths, size_t path_count,
                                const ob_replay_options *options, ob_config **out, ob_err *err)
{
    static const ob_config_options NAMES_ARE_FINE = {.size = sizeof NAMES_ARE_FINE,
                                                     .foreign_operators = true};
    ob_builder *builder;
    ob_replay_options own;
    ob_trace_selection selection = {.size = sizeof selection, .iteration = OB_REPLAY_FIRST_STEP};
    *out = NULL;
    OB_TRY(OB__TAKE(ob_replay_options, &own, options, err));
    if (own.selection != NULL)
        OB_TRY(OB__TAKE(ob_trace_selection, &selection, own.selection, err));
    own.selection = &selection;
    OB_TRY(ob_builder_create(&builder, err));
    ob_builder_op(builder, OP_NAME, NULL);
    ob_status status = OB_OK;
    for (size_t i = 0; status == OB_OK && i < path_count; i++)
        status = add_trace(builder, paths[i], &own, ob_context_log(context), err);
    if (status == OB_OK)
        status = ob_builder_open_config(builder, context, &NAMES_ARE_FINE, out, err);
    ob_builder_destroy(builder);
    return status;
}

/* ---- the maker ---- */

static void release(ob_made_case *m)
{
    ob__replay_plan_fini(m);
    ob_trace_close(m->trace);
    ob__arena_fini(&m->arena);
    ob_json_doc_destroy(m->kernels);
    free(m->lost_nodes);
    free((void *)m->replaced);
    free(m->rows_ns);
    free(m);
}

static ob_status open_step(ob_made_case *m, const ob_case *c, ob_err *err)
{
    const ob_session *s = m->session;
    OB_TRY(read_settings(c, &m->arena, &m->settings, err));
    const char *half = m->settings.options.half;
    m->seed = (uint64_t)s->options.seed;
    m->bfloat16_for_half = half != NULL && strcmp(half, "bfloat16") == 0;
    m->can_narrow = half == NULL || strcmp(half, "keep") != 0;
    OB_TRY(ob_trace_open(m->settings.path, NULL, ob_context_log(s->context), &m->trace, err));
    m->replaced = calloc(ob_trace_node_count(m->trace) + 1, sizeof *m->replaced);
    m->lost_nodes = calloc(s->lost_count + 1, sizeof *m->lost_nodes);
    if (m->replaced == NULL || m->lost_nodes == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for a replay");
    for (size_t i = 0; i < s->lost_count; i++)
        m->lost_nodes[i] = s->lost[i].part;
    return ob__replay_plan(m, err);
}

static ob_status make(ob_session *session, const ob_case *c, ob_made_case **out, ob_err *err)
{
    ob_made_case *m = calloc(1, sizeof *m);
    if (m == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for a replay");
    m->session = session;
    ob__arena_init(&m->arena, 0);
    const ob_status status = open_step(m, c, err);
    if (status != OB_OK)
        release(m);
    else
        *out = m;
    return status;
}

/* What the executor sees is a backend on which a step is one run, and whose clock goes while a call does. */

static ob_status run_passes(ob_prepared *prepared, ob_phase phase, uint64_t n, ob_err *err)
{
    for (uint64_t i = 0; phase == OB_PHASE_FORWARD && i < n; i++)
        OB_TRY(ob__replay_pass((ob_made_case *)prepared, err));
    return OB_OK;
}

static uint64_t clock_ns(ob_backend *backend)
{
    return (uint64_t)((const ob_made_case *)backend)->clock_ns;
}

static ob_status memory_peak(ob_backend *backend, bool reset, uint64_t *peak_bytes, ob_err *err)
{
    ob_made_case *m = (ob_made_case *)backend;
    (void)err;
    *peak_bytes = m->peak_bytes;
    if (reset)
        m->peak_bytes = 0;
    return OB_OK;
}

static const ob_backend_desc STEP = {
    .name = "replay", .run = run_passes, .clock_ns = clock_ns, .memory_peak = memory_peak};

static ob_exec_target target(ob_made_case *m)
{
    return (ob_exec_target){
        .desc = &STEP, .backend = (ob_backend *)m, .prepared = (ob_prepared *)m};
}

/* A measured interval is over: its pass counts for the operators too. */
static void mark(ob_made_case *m, int which, bool begins)
{
    const size_t width = 2 * (size_t)m->plan.names.count;
    if (which == OB_CASE_PHASE_MEASURE)
        m->is_measuring = begins;
    if (which != OB_MARK_FORWARD || begins || !m->is_measuring || m->is_stopped || !m->has_row ||
        !OB_RESERVE(m->rows_ns, m->row_capacity, (m->row_count + 1) * width + 1))
        return;
    memcpy(m->rows_ns + m->row_count * width, m->row_ns, width * sizeof *m->row_ns);
    m->row_count++;
}

static bool print_names(ob_text *out, const ob_replay_settings *settings)
{
    const ob_replay_options *o = &settings->options;
    ob_text names = {0};
    bool ok = true;
    for (size_t i = 0; ok && i < o->skip_count; i++)
        ok = ob_text_printf(&names, "%s%s", i > 0 ? "," : "", o->skip_names[i]);
    ok = ok && ob_text_append(&names, "", 1) &&
         (o->skip_count == 0 ||
          (ob_text_append_str(out, " --skip ") && ob__text_append_word(out, names.data)));
    ob_text_fini(&names);
    return ok;
}

static bool print_option(ob_text *out, const char *option, const char *value)
{
    return value == NULL || (ob_text_append_str(out, option) && ob__text_append_word(out, value));
}

/* Options of the run that the command calls by other names are its own. */
static bool print_repro(const ob_run_options *options, const ob_case *c, ob_text *out)
{
    ob_arena arena;
    ob_replay_settings settings;
    ob_run_options others = *options, defaults;
    ob_text words = {0};
    ob_run_options_init(&defaults);
    others.warmup = defaults.warmup;
    others.iteration = defaults.iteration;
    ob__arena_init(&arena, 0);
    const ob_trace_selection *s = &settings.selection;
    bool ok = read_settings(c, &arena, &settings, NULL) == OB_OK &&
              ob__text_append_word(out, options->program ? options->program : "opbench") &&
              print_option(out, " replay ", settings.path) &&
              ob_text_printf(out, " --trace-step %lld", (long long)s->iteration) &&
              print_option(out, " --subgraph ", s->label) &&
              ob_text_append_str(out, s->leaves ? " --leaves" : "") &&
              ob_text_append_str(out, s->keep_loader ? " --keep-loader" : "") &&
              ob_text_append_str(out, settings.options.compute_only ? " --compute-only" : "") &&
              print_names(out, &settings) && print_option(out, " --half ", settings.options.half) &&
              ob_text_printf(out, " -w %lld -i %lld", (long long)options->warmup,
                             (long long)options->iteration) &&
              ob_run_options_print(&others, &words, NULL) == OB_OK &&
              (words.size == 0 ||
               (ob_text_append(out, " ", 1) && ob_text_append(out, words.data, words.size)));
    ob_text_fini(&words);
    ob__arena_fini(&arena);
    return ok;
}

const ob_case_maker *ob_replay_maker(void)
{
    static const ob_case_maker MAKER = {.op_name = OP_NAME,
                                        .make = make,
                                        .release = release,
                                        .target = target,
                                        .mark = mark,
                                        .check = ob__replay_check,
                                        .report = ob__replay_report,
                                        .print_repro = print_repro};
    return &MAKER;
}
