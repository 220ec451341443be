/* SPDX-License-Identifier: Apache-2.0
 *
 * Batches under ncu and nsys, as `opbench run` drives them. What the profilers print goes to standard error,
 * because standard output belongs to the results.
 */
#include "run_batches.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ARGS_BYTES = 1 << 20 };

struct ob_run_batches {
    ob_cli *cli;
    const ob_run_batches_params *params;
    ob_batch_params batch_params;
    ob_profiler profilers[OB_PROFILER_COUNT]; /* program NULL = not wanted */
    char *paths[OB_PROFILER_COUNT], *args[OB_PROFILER_COUNT];
    char *command, *prefix;
    ob_batch *batch;
    uint64_t failed;
};

static ob_status out_of_memory(ob_err *err)
{
    return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the profilers' batches");
}

/* ---- before the run ---- */

/* The whole file, without blanks at its end. */
static ob_status read_args(const char *path, char **out, ob_err *err)
{
    FILE *file = fopen(path, "re");
    char *text = file != NULL ? malloc(MOST_ARGS_BYTES + 1) : NULL;
    ob_status status = OB_OK;
    size_t size = 0;
    if (file == NULL)
        status = ob_err_set(err, OB_ERR_NOT_FOUND, "%s cannot be read: %s", path, strerror(errno));
    else if (text == NULL)
        status = out_of_memory(err);
    else
        size = fread(text, 1, MOST_ARGS_BYTES + 1, file);
    if (status == OB_OK && ferror(file))
        status = ob_err_set(err, OB_ERR_NOT_FOUND, "%s cannot be read: %s", path, strerror(errno));
    if (status == OB_OK && (size > MOST_ARGS_BYTES || memchr(text, '\0', size) != NULL))
        status = ob_err_set(err, OB_ERR_INVALID,
                            "%s holds no arguments: it is longer than 1 MiB, or no text", path);
    if (file != NULL)
        fclose(file);
    if (status != OB_OK) {
        free(text);
        return status;
    }
    while (size > 0 && strchr(" \t\r\n", text[size - 1]) != NULL)
        size--;
    text[size] = '\0';
    *out = text;
    return OB_OK;
}

static ob_status find_profilers(ob_run_batches *b, ob_err *err)
{
    for (int i = 0; i < OB_PROFILER_COUNT; i++) {
        const ob_run_profiler_line *line = &b->params->line->profilers[i];
        if (!line->wanted)
            continue;
        OB_TRY(ob_profiler_find((ob_profiler_kind)i, line->program, &b->paths[i], err));
        if (line->args_file != NULL)
            OB_TRY(read_args(line->args_file, &b->args[i], err));
        b->profilers[i] = (ob_profiler){.kind = (ob_profiler_kind)i,
                                        .program = b->paths[i],
                                        .args = b->args[i],
                                        .warmup = line->warmup,
                                        .iteration = line->iteration};
        OB_TRY(ob_profiler_check(&b->profilers[i], err));
    }
    return OB_OK;
}

/* A program's path as a word of a command line: in single quotes. */
static char *quote(const char *path, const char *rest)
{
    char *out = malloc(4 * strlen(path) + strlen(rest) + 4);
    char *to = out;
    if (out == NULL)
        return NULL;
    *to++ = '\'';
    for (; *path != '\0'; path++) {
        if (*path == '\'') {
            memcpy(to, "'\\'", 3);
            to += 3;
        }
        *to++ = *path;
    }
    *to++ = '\'';
    memcpy(to, rest, strlen(rest) + 1);
    return out;
}

/* "x.json" has files that begin with "x". */
static char *make_prefix(const ob_run_line *line)
{
    char *prefix = strdup(line->output != NULL ? line->output : line->prefix);
    const size_t length = prefix != NULL ? strlen(prefix) : 0;
    if (line->output != NULL && length > 5 && strcmp(prefix + length - 5, ".json") == 0)
        prefix[length - 5] = '\0';
    return prefix;
}

static void echo(void *ctx, const char *line, size_t length)
{
    (void)ctx;
    fwrite(line, 1, length, stderr);
    fputc('\n', stderr);
}

static ob_status open_batch(ob_run_batches *b, ob_err *err)
{
    const ob_run_line *line = b->params->line;
    if (line->batch_command == NULL && b->params->own_path == NULL)
        return ob_err_set(err, OB_ERR_INVALID,
                          "the program does not know its own path; name the "
                          "command for the profilers with --batch-cmd");
    b->command = line->batch_command != NULL ? strdup(line->batch_command)
                                             : quote(b->params->own_path, " worker");
    b->prefix = make_prefix(line);
    if (b->command == NULL || b->prefix == NULL)
        return out_of_memory(err);
    b->batch_params = (ob_batch_params){.config = b->params->config,
                                        .options = b->params->options,
                                        .command = b->command,
                                        .prefix = b->prefix,
                                        .cuda_device = line->batch_cuda_device,
                                        .verbose = b->params->verbose,
                                        .on_output = echo,
                                        .stop = b->params->stop};
    return ob_batch_create(&b->batch_params, &b->batch, err);
}

ob_status ob__run_batches_open(ob_cli *cli, const ob_run_batches_params *params,
                               ob_run_batches **out, ob_err *err)
{
    bool wanted = false;
    *out = NULL;
    for (int i = 0; i < OB_PROFILER_COUNT; i++)
        wanted = wanted || params->line->profilers[i].wanted;
    if (!wanted)
        return OB_OK;
    ob_run_batches *b = calloc(1, sizeof *b);
    if (b == NULL)
        return out_of_memory(err);
    b->cli = cli;
    b->params = params;
    ob_status status = find_profilers(b, err);
    if (status == OB_OK)
        status = open_batch(b, err);
    if (status != OB_OK) {
        ob__run_batches_close(b);
        return status;
    }
    *out = b;
    return OB_OK;
}

void ob__run_batches_close(ob_run_batches *b)
{
    if (b == NULL)
        return;
    ob_batch_destroy(b->batch);
    for (int i = 0; i < OB_PROFILER_COUNT; i++) {
        free(b->paths[i]);
        free(b->args[i]);
    }
    free(b->command);
    free(b->prefix);
    free(b);
}

void ob__run_batches_describe(const ob_run_batches *b, ob_record_options *out)
{
    if (b == NULL)
        return;
    out->ncu_bin = b->paths[OB_PROFILER_NCU];
    out->ncu_args = b->args[OB_PROFILER_NCU];
    out->nsys_bin = b->paths[OB_PROFILER_NSYS];
    out->nsys_args = b->args[OB_PROFILER_NSYS];
    out->batch_cmd = b->command;
}

/* ---- during the run ---- */

/* "0|1" of "0|1|5" */
static size_t stem(const char *id)
{
    const char *bar = strrchr(id, '|');
    return bar != NULL ? (size_t)(bar - id) : strlen(id);
}

static bool same_group(const ob_case *c, const char *op_name, const char *id)
{
    const size_t length = stem(id);
    return strcmp(ob_case_op_name(c), op_name) == 0 && stem(ob_case_id(c)) == length &&
           memcmp(ob_case_id(c), id, length) == 0;
}

ob_status ob__run_batches_measure(const ob_run_batches *b, uint64_t first, uint64_t end,
                                  uint64_t *count, ob_err *err)
{
    const uint64_t most = (uint64_t)b->params->line->batch_size;
    ob_cases *cases;
    const ob_case *c;
    char *op_name = NULL, *id = NULL;
    *count = 0;
    OB_TRY(ob_cases_open(b->params->config, NULL, &cases, err));
    ob_status status = ob_cases_seek(cases, first, err);
    while (status == OB_OK && first + *count < end && *count < most) {
        status = ob_cases_next(cases, &c, err);
        if (status == OB_OK && *count == 0) {
            op_name = strdup(ob_case_op_name(c));
            id = strdup(ob_case_id(c));
            if (op_name == NULL || id == NULL)
                status = out_of_memory(err);
        }
        if (status != OB_OK || !same_group(c, op_name, id))
            break;
        ++*count;
    }
    free(op_name);
    free(id);
    ob_cases_close(cases);
    return status;
}

ob_status ob__run_batches_add(ob_run_batches *b, const ob_record_result *result, ob_err *err)
{
    const ob_record_status_info *info = ob_record_status_get_info(result->status);
    if (b == NULL || info == NULL || !info->ran)
        return OB_OK;
    return ob_batch_add(b->batch, result, err);
}

ob_status ob__run_batches_run(ob_run_batches *b, ob_result_file *file, ob_err *err)
{
    for (int i = 0; i < OB_PROFILER_COUNT && ob_batch_count(b->batch) > 0; i++) {
        ob_record record;
        if (b->profilers[i].program == NULL)
            continue;
        OB_TRY(ob_batch_run(b->batch, &b->profilers[i], &record, err));
        if (record.batch.error != NULL) {
            b->failed++;
            ob__cli_warn(b->cli, "cases %s to %s: %s", record.batch.start_run_id,
                         record.batch.end_run_id, record.batch.error);
        }
        OB_TRY(ob_result_file_append(file, &record, err));
    }
    ob_batch_clear(b->batch);
    return OB_OK;
}

uint64_t ob__run_batches_failed(const ob_run_batches *b)
{
    return b != NULL ? b->failed : 0;
}
