/* SPDX-License-Identifier: Apache-2.0
 *
 * The part of a result record that is known without running the case.
 */
#include "run/identity.h"

#include "base/text_append.h"
#include "result/own_command.h"
#include "result/run_conditions.h"
#include "run/case_maker.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

const char *ob__backend_name(const ob_run_options *options)
{
    return options->backend != NULL ? options->backend : OB_REFERENCE_BACKEND;
}

bool ob__options_cold(const ob_run_options *options)
{
    return options->l2_cache != NULL
               ? strcmp(options->l2_cache, "off") == 0
               : options->cache != NULL && strcmp(options->cache, "cold") == 0;
}

uint64_t ob__memory_limit(const ob_run_options *options, const ob_system *system)
{
    const uint64_t group = system->memory_limit_bytes, all = system->memory_bytes;
    if (options->max_memory_mib > 0)
        return (uint64_t)options->max_memory_mib << 20;
    return (group > 0 && group < all ? group : all) / 4 * 3;
}

void ob__identity_fini(ob_identity *identity)
{
    ob_text_fini(&identity->repro);
    ob_text_fini(&identity->stmt);
    ob_text_fini(&identity->place);
    ob_text_fini(&identity->repro_begin);
    ob_text_fini(&identity->repro_end);
}

const ob_case_maker *ob__maker_of(const ob_run_options *options, const ob_case *c)
{
    const ob_case_maker *maker = options->maker;
    return maker != NULL && strcmp(maker->op_name, ob_case_op_name(c)) == 0 ? maker : NULL;
}

/* -c FILE --case */
static bool append_source(const ob_run_options *options, ob_text *out)
{
    const char *config = options->config_command != NULL ? "-"
                         : options->config_name != NULL  ? options->config_name
                                                         : "CONFIG";
    return ob_text_append_str(out, " -c ") && ob__text_append_word(out, config) &&
           ob_text_append_str(out, " --case ");
}

/* 'torch.add|0|0|3' */
static bool append_name(const ob_case *c, ob_text *out)
{
    ob_text name = {0};
    const bool ok = ob_text_append_str(&name, ob_case_op_name(c)) &&
                    ob_text_append(&name, "|", 1) && ob_text_append_str(&name, ob_case_id(c)) &&
                    ob_text_append(&name, "", 1) && ob__text_append_word(out, name.data);
    ob_text_fini(&name);
    return ok;
}

/* OPBENCH_TORCH=/opt/libtorch: the library was chosen there, by the user or by an option of the command. */
static bool append_variable(ob_text *out, const char *name)
{
    const char *value = name != NULL ? getenv(name) : NULL;
    return value == NULL || value[0] == '\0' ||
           (ob_text_append_str(out, name) && ob_text_append(out, "=", 1) &&
            ob__text_append_word(out, value) && ob_text_append(out, " ", 1));
}

/* Variables that choose the libraries of backends among "a,b". */
static bool append_environment(ob_text *out, const ob_manifests *manifests, const char *backends)
{
    bool ok = true;
    for (const char *at = backends, *end; ok && manifests != NULL; at = end + 1) {
        char name[72];
        end = at + strcspn(at, ",");
        snprintf(name, sizeof name, "%.*s", (int)(end - at), at);
        const ob_manifest *m = ob_manifests_find(manifests, name);
        ok = m == NULL || append_variable(out, m->variable);
        for (size_t i = 0; ok && m != NULL && i < m->option_count; i++)
            ok = (m->options[i].variable != NULL && m->variable != NULL &&
                  strcmp(m->options[i].variable, m->variable) == 0) ||
                 append_variable(out, m->options[i].variable);
        if (*end == '\0')
            break;
    }
    return ok;
}

/* As `opbench count` calls it: it counts alone, so it needs fewer words. */
static ob_run_options say_count(const ob_run_options *options)
{
    ob_run_options usual, said = *options;
    ob_run_options_init(&usual);
    ob__options_no_count(&said);
    if (options->count_number != usual.count_number)
        said.timer.number = options->count_number; /* --number */
    if (options->case_timeout_s == usual.count_timeout_s)
        said.case_timeout_s = usual.case_timeout_s;
    return said;
}

/* Words of a command line are what `opbench time` takes, which measures in its own way. */
static ob_run_options say_time(const ob_run_options *options)
{
    ob_run_options usual, said = *options;
    ob_run_options_init(&usual);
    said.warmup = usual.warmup;
    said.exec_mode = usual.exec_mode;
    said.min_time_s = usual.min_time_s;
    said.warmup_time_s = said.block_time_s = 0;
    said.min_samples = 0;
    said.cache = usual.cache;
    ob__options_no_count(&said);
    return said;
}

/* `opbench run` measures words in blocks unless something keeps it from that, so the mode that is usual elsewhere is named. */
static bool must_say_discrete(const ob_run_options *o)
{
    return o->by_words && o->command != NULL && strcmp(o->command, "run") == 0 &&
           (o->min_time_s > 0 || o->precision > 0) && !ob__options_cold(o) &&
           strcmp(o->exec_mode, "discrete") == 0;
}

static bool append_options(const ob_run_options *options, ob_text *out)
{
    const size_t before = out->size;
    const bool times =
        options->by_words && options->timer.method == NULL && options->command == NULL;
    ob_run_options said = options->count_repeats > 0 ? say_count(options)
                          : times                    ? say_time(options)
                                                     : *options;
    said.turn_time_s = 0; /* alone it takes no turns */
    bool ok = ob_text_append(out, " ", 1) && ob_run_options_print(&said, out, NULL) == OB_OK;
    if (ok && out->size == before + 1)
        out->size = before;
    if (ok && must_say_discrete(options))
        ok = ob_text_append_str(out, " --exec-mode=discrete");
    return ok && (options->count_repeats <= 1 ||
                  ob_text_printf(out, " --repeats=%lld", (long long)options->count_repeats));
}

/* What stands around the case, behind the command that prints the config and a pipe where there is no FILE, and behind
 * variables that chose a library. */
static bool make_repro_parts(ob_identity *identity, const ob_run_options *options)
{
    ob_text *begin = &identity->repro_begin, *end = &identity->repro_end;
    const bool times = options->timer.method != NULL || options->by_words;
    const char *command = options->command != NULL ? options->command : times ? "time" : "run";
    const char *source = options->config_command;
    const bool is_piped = !options->by_words && source == NULL && options->config_name != NULL &&
                          strcmp(options->config_name, "-") == 0;
    begin->size = end->size = 0;
    return (source == NULL ||
            (ob_text_append_str(begin, source) && ob_text_append(begin, " | ", 3))) &&
           append_environment(begin, identity->manifests, ob__backend_name(options)) &&
           (options->repro_before == NULL || ob_text_append_str(begin, options->repro_before)) &&
           ob__text_append_word(begin, options->program ? options->program : "opbench") &&
           ob_text_append(begin, " ", 1) && ob_text_append_str(begin, command) &&
           (options->by_words || append_source(options, begin)) && append_options(options, end) &&
           (!is_piped || ob_text_append_str(end, OB_PIPED_REMARK));
}

/* opbench run -c FILE --case 'torch.add|0|0|3' --exec-mode=continuous. The words of a case come last: a "--" in them ends
 * the options. */
static bool make_repro(ob_identity *identity, const ob_run_options *options, const ob_case *c)
{
    ob_text *out = &identity->repro;
    const ob_text *begin = &identity->repro_begin, *end = &identity->repro_end;
    out->size = 0;
    const ob_case_maker *maker = ob__maker_of(options, c);
    if (maker != NULL)
        return maker->print_repro(options, c, out) && ob_text_append(out, "", 1);
    if (begin->size == 0 && !make_repro_parts(identity, options)) {
        identity->repro_begin.size = 0;
        return false;
    }
    return ob_text_append(out, begin->data, begin->size) &&
           (options->by_words || append_name(c, out)) &&
           ob_text_append(out, end->data, end->size) &&
           (!options->by_words ||
            (ob_text_append(out, " ", 1) && ob_case_print_words(c, out, NULL) == OB_OK)) &&
           ob_text_append(out, "", 1);
}

/* What is measured is a call. The Timer's is called what the caller says; one of `run` stands under its
 * operator, in the column of where and how it ran. */
static ob_status name_task(ob_identity *identity, const ob_run_options *options, const ob_case *c,
                           ob_record_result *r, ob_err *err)
{
    const ob_timer_options *timer = &options->timer;
    const ob_run_conditions place = {
        .backend = r->backend, .device = r->device, .mode = r->mode, .cache_state = r->cache_state};
    ob_task_spec *task = &r->task;
    identity->stmt.size = identity->place.size = 0;
    OB_TRY(ob_case_print_call(c, &identity->stmt, err));
    if (timer->method != NULL && options->backward &&
        !ob_text_append_str(&identity->stmt, ".backward()"))
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the text of a case");
    if (!ob_text_append(&identity->stmt, "", 1) ||
        !ob__run_conditions_append(&identity->place, &place) ||
        !ob_text_append(&identity->place, "", 1))
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the text of a case");
    task->stmt = identity->stmt.data;
    task->label = r->op_name;
    task->description = identity->place.data;
    if (timer->method != NULL) {
        task->label = timer->label;
        task->description = timer->description;
        task->env = timer->env;
    }
    /* A heading that has a label does without the statement: the call is its second part. */
    task->sub_label = timer->sub_label;
    if (task->sub_label == NULL && task->label != NULL)
        task->sub_label = task->stmt;
    return OB_OK;
}

/* Notes of whoever recorded the call; anything but a number of calls is no such note. */
static int64_t read_count(const ob_json *input, const char *key)
{
    const int64_t count = ob_json_int(ob_json_get(input, key), OB_NO_INT);
    return count >= 0 ? count : OB_NO_INT;
}

static void fill_places(const ob_run_options *options, ob_record_result *r)
{
    char *end;
    const int64_t cpu = options->pin != NULL ? strtoll(options->pin, &end, 10) : OB_NO_INT;
    if (options->pin != NULL && *end == '\0')
        r->cpu = cpu;
    else
        r->cpus = options->pin;
    r->membind = options->membind;
}

ob_status ob__identity_fill(ob_identity *identity, const ob_run_options *options,
                            const char *backend, const ob_case *c, ob_record *record, ob_err *err)
{
    ob_record_result *r = &record->result;
    ob_record_init(record, OB_RECORD_RESULT_LINE);
    if (!make_repro(identity, options, c))
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the repro line");
    ob_record_format_time((int64_t)time(NULL), identity->start_time);
    r->op_name = ob_case_op_name(c);
    r->id = ob_case_id(c);
    r->key = ob_case_key(c);
    r->build = ob_case_build(c);
    r->input = ob_case_input(c);
    r->index = (int64_t)ob_case_index(c);
    r->count = read_count(r->input, "count");
    r->outermost = read_count(r->input, "outermost");
    r->backend = backend;
    r->device = options->device != NULL ? options->device : "cpu";
    r->mode = options->count_repeats > 0      ? "count"
              : options->timer.method != NULL ? options->timer.method
                                              : options->exec_mode;
    r->threads = options->threads;
    fill_places(options, r);
    r->seed = options->seed;
    r->cache_state = ob__options_cold(options) ? "cold" : "hot";
    r->start_time = identity->start_time;
    r->repro = identity->repro.data;
    r->task.num_threads = options->threads;
    OB_TRY(name_task(identity, options, c, r, err));
    const ob_case_maker *maker = ob__maker_of(options, c);
    if (maker != NULL && maker->identify != NULL)
        maker->identify(options, c, r);
    r->call = r->task.stmt != NULL ? ob__short_call(r->task.stmt) : NULL;
    return OB_OK;
}
