/* SPDX-License-Identifier: Apache-2.0
 *
 * The parent's side of a batch: the queue, the profiler's command line, the names of its files, the
 * record. Inputs are queued as text, because the record that brings them is gone by the time they run.
 */
#include "run/profiler_batch.h"

#include "base/json_node.h"
#include "base/text_append.h"
#include "process/process.h"
#include "process/programs.h"
#include "run/command_line.h"
#include "run/identity.h"
#include "run/nvtx.h"
#include "run/profiler_batch_text.h"
#include "run/segment.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* ---- profilers ---- */

typedef struct profiler_row {
    const char *name;
    const char *place; /* where NVIDIA's installer puts it, as PARAM has it */
    const char *product;
    const char *suffix; /* of its file */
} profiler_row;

static const profiler_row PROFILERS[OB_PROFILER_COUNT] = {
    [OB_PROFILER_NCU] = {.name = "ncu",
                         .place = "/usr/local/NVIDIA-Nsight-Compute-2021.2/ncu",
                         .product = "NVIDIA Nsight Compute",
                         .suffix = "_ncu.log"},
    [OB_PROFILER_NSYS] = {.name = "nsys",
                          .place = "/opt/nvidia/nsight-systems/2021.4.1/bin/nsys",
                          .product = "NVIDIA Nsight Systems",
                          .suffix = "_nsys.nsys-rep"},
};

ob_status ob__profiler_find(ob_profiler_kind kind, const char *program, char **path, ob_err *err)
{
    const profiler_row *row = &PROFILERS[kind];
    const bool in_path = program == NULL || strchr(program, '/') == NULL;
    *path = NULL;
    if (in_path && !ob__program_find(program ? program : row->name, path))
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the path of %s", row->name);
    const char *place = program != NULL ? program : row->place;
    if (*path == NULL && strchr(place, '/') != NULL && access(place, X_OK) == 0)
        *path = strdup(place);
    if (*path != NULL)
        return OB_OK;
    if (program != NULL)
        return ob_err_set(err, OB_ERR_NOT_FOUND, "--%s-bin: %s is not a program that can be run",
                          row->name, program);
    return ob_err_set(err, OB_ERR_NOT_FOUND,
                      "--%s: there is no %s on this machine, neither in PATH nor at %s; install "
                      "%s, or name the program with --%s-bin",
                      row->name, row->name, row->place, row->product, row->name);
}

ob_status ob__profiler_check(const ob_profiler *profiler, ob_err *err)
{
    ob_command_words words = {0};
    ob_status status = OB_OK;
    char what[64];
    snprintf(what, sizeof what, "the file of --%s-args-file", PROFILERS[profiler->kind].name);
    if (profiler->args != NULL)
        status = ob__command_words_split(&words, profiler->args, what, err);
    ob__command_words_fini(&words);
    return status;
}

/* ---- the queue ---- */

struct ob_batch {
    const ob_batch_params *params;
    ob_command_words command;
    ob_text op_name, config_build_id, first_id, last_id; /* each ended by a NUL */
    ob_text build, inputs;                               /* JSON */
    size_t count;
    uint64_t files; /* how many names were given, so that no two are the same */
    int64_t last_second;
    /* What the last record points to. */
    ob_json_doc *doc;
    ob_text line, file;
    char error[256];
};

static ob_status out_of_memory(ob_err *err)
{
    return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the profiler's batch");
}

ob_status ob__batch_create(const ob_batch_params *params, ob_batch **out, ob_err *err)
{
    ob_batch *batch = calloc(1, sizeof *batch);
    if (batch == NULL)
        return out_of_memory(err);
    batch->params = params;
    ob_status status =
        ob__command_words_split(&batch->command, params->command, "--batch-cmd", err);
    if (status == OB_OK && batch->command.count == 0)
        status = ob_err_set(err, OB_ERR_INVALID, "--batch-cmd has no words");
    if (status != OB_OK) {
        ob__batch_destroy(batch);
        return status;
    }
    *out = batch;
    return OB_OK;
}

void ob__batch_destroy(ob_batch *batch)
{
    if (batch == NULL)
        return;
    ob_text *const texts[] = {
        &batch->op_name, &batch->config_build_id, &batch->first_id, &batch->last_id,
        &batch->build,   &batch->inputs,          &batch->line,     &batch->file};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        ob_text_fini(texts[i]);
    ob__command_words_fini(&batch->command);
    ob_json_doc_destroy(batch->doc);
    free(batch);
}

size_t ob__batch_count(const ob_batch *batch)
{
    return batch->count;
}

void ob__batch_clear(ob_batch *batch)
{
    batch->count = 0;
    batch->inputs.size = 0;
}

static bool set(ob_text *text, const char *str, size_t length)
{
    text->size = 0;
    return ob_text_append(text, str, length) && ob_text_append(text, "", 1);
}

/* {"args": [...], "id": "0_3"} */
static bool append_input(ob_text *out, const ob_json *input, const char *id)
{
    const size_t mark = out->size;
    const char *comma = ob_json_count(input) > 0 ? ", " : "";
    if ((mark > 0 && !ob_text_append_str(out, ", ")) || !ob__json_write(out, input))
        return false;
    out->size--; /* its closing brace */
    return ob_text_append_str(out, comma) && ob_text_append_str(out, "\"id\": ") &&
           ob__json_write_string(out, id, strlen(id)) && ob_text_append(out, "}", 1);
}

ob_status ob__batch_add(ob_batch *batch, const ob_record_result *r, ob_err *err)
{
    const char *bar = r->id != NULL ? strrchr(r->id, '|') : NULL;
    if (r->op_name == NULL || bar == NULL || ob_json_get_kind(r->input) != OB_JSON_OBJECT)
        return ob_err_set(err, OB_ERR_INVALID,
                          "a result without name, id or input cannot be "
                          "queued for a profiler");
    const size_t stem = (size_t)(bar - r->id);
    if (batch->count > 0 && (strcmp(batch->op_name.data, r->op_name) != 0 ||
                             strlen(batch->config_build_id.data) != stem ||
                             memcmp(batch->config_build_id.data, r->id, stem) != 0))
        return ob_err_set(err, OB_ERR_INVALID, "%s|%s does not belong to the batch of %s|%s",
                          r->op_name, r->id, batch->op_name.data, batch->config_build_id.data);
    bool ok = true;
    if (batch->count == 0) {
        batch->build.size = 0;
        ok = set(&batch->op_name, r->op_name, strlen(r->op_name)) &&
             set(&batch->config_build_id, r->id, stem) &&
             set(&batch->first_id, r->id, strlen(r->id)) &&
             (r->build != NULL ? ob__json_write(&batch->build, r->build)
                               : ob_text_append_str(&batch->build, "null"));
    }
    const size_t mark = batch->inputs.size;
    ok = ok && append_input(&batch->inputs, r->input, bar + 1) &&
         set(&batch->last_id, r->id, strlen(r->id));
    if (!ok) {
        batch->inputs.size = mark;
        return out_of_memory(err);
    }
    batch->count++;
    return OB_OK;
}

/* ---- one launch ---- */

/* "<prefix>_<pid>_<seconds>_ncu.log"; when that is taken, by this run or a file, a number follows the
 * seconds. Profilers refuse or overwrite files that are there, so the name is not reserved by making it. */
static ob_status make_name(ob_batch *batch, const profiler_row *row, ob_err *err)
{
    const int64_t now = (int64_t)time(NULL);
    if (now != batch->last_second)
        batch->files = 0;
    batch->last_second = now;
    for (;;) {
        char number[32] = "";
        batch->file.size = 0;
        if (batch->files > 0)
            snprintf(number, sizeof number, "_%" PRIu64, batch->files + 1);
        batch->files++;
        if (!ob_text_printf(&batch->file, "%s_%ld_%" PRId64 "%s%s", batch->params->prefix,
                            (long)getpid(), now, number, row->suffix) ||
            !ob_text_append(&batch->file, "", 1))
            return out_of_memory(err);
        if (access(batch->file.data, F_OK) != 0)
            return OB_OK;
    }
}

static bool add_all(ob_command_words *words, const char *const *list)
{
    bool ok = true;
    for (; ok && *list != NULL; list++)
        ok = ob__command_words_add(words, *list);
    return ok;
}

/* The whole command line, as PARAM has it but for the filter, which names the range that the child makes. A
 * slash behind the name means a range that is pushed and popped. */
static ob_status make_command(const ob_batch *batch, const ob_profiler *profiler,
                              const char *segment, ob_command_words *words, ob_err *err)
{
    static const char filter[] = OB_NVTX_MEASURE "/";
    const char *const ncu[] = {profiler->program,
                               "--log-file",
                               batch->file.data,
                               "--csv",
                               "--app-replay-buffer",
                               "file",
                               "--nvtx",
                               "--nvtx-include",
                               filter,
                               "--target-processes",
                               "all",
                               NULL};
    const char *const nsys[] = {profiler->program, "profile", "-t", "cuda,nvtx", "-o",
                                batch->file.data,  NULL};
    if (!add_all(words, profiler->kind == OB_PROFILER_NCU ? ncu : nsys))
        return out_of_memory(err);
    if (profiler->args != NULL)
        OB_TRY(ob__command_words_split(words, profiler->args, "the file of extra arguments", err));
    const char *at = batch->command.text.data;
    bool ok = true;
    for (size_t i = 0; ok && i < batch->command.count; i++, at += strlen(at) + 1)
        ok = ob__command_words_add(words, at);
    ok = ok && ob__command_words_add(words, "-s") && ob__command_words_add(words, segment) &&
         (!batch->params->verbose || ob__command_words_add(words, "-v"));
    return ok ? OB_OK : out_of_memory(err);
}

static ob_status launch(ob_batch *batch, const ob_profiler *profiler, const ob_command_words *words,
                        ob_record_batch *r, ob_err *err)
{
    char variable[64];
    int status = 0;
    ob_err failure;
    const char *name = PROFILERS[profiler->kind].name;
    char **list = ob__command_words_list(words);
    if (list == NULL)
        return out_of_memory(err);
    snprintf(variable, sizeof variable, "CUDA_VISIBLE_DEVICES=%" PRId64,
             batch->params->cuda_device);
    const ob_process_params params = {
        .words = (const char *const *)list,
        .variables = (const char *const[]){variable, NULL},
        .stop = {.fn = batch->params->stop, .ctx = batch->params->ctx}};
    const ob_status launched =
        ob__process_lines(&params, batch->params->on_output, batch->params->ctx, &status, &failure);
    free(list);
    if (launched == OB_END)
        return OB_END;
    batch->error[0] = '\0';
    if (launched != OB_OK) {
        snprintf(batch->error, sizeof batch->error, "%.255s", failure.message);
    } else if (WIFSIGNALED(status)) {
        const char *abbreviation = sigabbrev_np(WTERMSIG(status));
        snprintf(batch->error, sizeof batch->error, "%s died of SIG%s", name,
                 abbreviation ? abbreviation : "?");
    } else {
        r->exit_code = WEXITSTATUS(status);
        if (r->exit_code != 0)
            snprintf(batch->error, sizeof batch->error, "%s ended with exit code %d", name,
                     WEXITSTATUS(status));
    }
    if (batch->error[0] != '\0')
        r->error = batch->error;
    return OB_OK;
}

/* The text that the child gets, and as a tree for the record. */
static ob_status make_text(ob_batch *batch, const ob_profiler *profiler, ob_text *text, ob_err *err)
{
    const ob_json *config = ob_config_json(batch->params->config);
    const ob_batch_queue queue = {.op_name = batch->op_name.data,
                                  .config_build_id = batch->config_build_id.data,
                                  .op_info = ob_json_get(config, batch->op_name.data),
                                  .build = &batch->build,
                                  .inputs = &batch->inputs};
    ob_run_options options = *batch->params->options;
    options.warmup = profiler->warmup;
    options.iteration = profiler->iteration; /* a fixed number, however the run decides */
    options.min_time_s = options.precision = 0;
    ob__options_no_count(&options);
    OB_TRY(ob__batch_print(&queue, &options, text, err));
    ob_json_doc_destroy(batch->doc);
    batch->doc = NULL;
    return ob_json_parse("batch", text->data, text->size, NULL, &batch->doc, err);
}

ob_status ob__batch_run(ob_batch *batch, const ob_profiler *profiler, ob_record *record,
                        ob_err *err)
{
    ob_command_words words = {0};
    ob_text text = {0};
    ob_segment segment = {.name = ""};
    ob_record_init(record, OB_RECORD_BATCH_LINE);
    ob_record_batch *r = &record->batch;
    ob_status status = batch->count > 0 ? make_text(batch, profiler, &text, err)
                                        : ob_err_set(err, OB_ERR_STATE, "the batch is empty");
    if (status == OB_OK)
        status = make_name(batch, &PROFILERS[profiler->kind], err);
    if (status == OB_OK)
        status = ob__segment_make(text.data, text.size, &segment, err);
    if (status == OB_OK)
        status = make_command(batch, profiler, segment.name, &words, err);
    batch->line.size = 0;
    if (status == OB_OK &&
        (!ob__command_words_print(&words, &batch->line) || !ob_text_append(&batch->line, "", 1)))
        status = out_of_memory(err);
    if (status == OB_OK)
        status = launch(batch, profiler, &words, r, err);
    ob__segment_remove(&segment);
    ob__command_words_fini(&words);
    ob_text_fini(&text);
    const bool ncu = profiler->kind == OB_PROFILER_NCU;
    *(ncu ? &r->ncu_file : &r->nsys_file) = batch->file.data;
    *(ncu ? &r->ncu_cmd_str : &r->nsys_cmd_str) = batch->line.data;
    r->config = batch->doc != NULL ? ob_json_doc_root(batch->doc) : NULL;
    r->start_run_id = batch->first_id.data;
    r->end_run_id = batch->last_id.data;
    return status;
}
