/* SPDX-License-Identifier: Apache-2.0
 *
 * opbench count --lang: the instructions of one statement.
 */
#include "count_command.h"
#include "interrupts.h"
#include "thread_list.h"

#include <stdlib.h>

ob_status ob__count_print(ob_cli *cli, const ob_count_options *options, const ob_count_stats *stats,
                          ob_err *err)
{
    ob_text text = {0};
    ob_json_doc *doc = NULL;
    ob_json *node;
    ob_status status;
    if (options->json) {
        status = ob_json_doc_create(&doc, err);
        if (status == OB_OK)
            status = ob_count_stats_to_json(stats, doc, &node, err);
        if (status == OB_OK)
            status = ob__cli_print_json(cli, node, err);
    } else {
        status = ob_count_stats_print(stats, &text, err);
        if (status == OB_OK)
            ob__cli_printf(cli, "%.*s\n", (int)text.size, text.data);
    }
    ob_json_doc_destroy(doc);
    ob_text_fini(&text);
    return status;
}

static ob_status count_and_print(ob_cli *cli, const ob_count_options *o, const ob_timer_args *args,
                                 ob_err *err)
{
    const ob_task_spec task = {.stmt = args->stmt,
                               .setup = args->setup,
                               .global_setup = args->global_setup,
                               .label = o->label,
                               .num_threads = args->num_threads};
    const int64_t repeats = o->repeats > 0 ? o->repeats : 1;
    const ob_snippet_count_params params = {
        .number = o->number, .repeats = repeats, .no_baseline = o->no_baseline};
    const ob_snippet_options options =
        ob__snippet_line_options(cli, &o->snippet, o->case_timeout_s);
    ob_count_stats **stats = calloc((size_t)repeats, sizeof *stats);
    if (stats == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for counts");
    ob_status status = ob_snippet_count(args, &task, &params, &options, stats, err);
    for (int64_t i = 0; status == OB_OK && i < repeats; i++)
        status = ob__count_print(cli, o, stats[i], err);
    for (int64_t i = 0; i < repeats; i++)
        ob_count_stats_destroy(stats[i]);
    free(stats);
    return status;
}

int ob__count_statement(ob_cli *cli, const ob_count_options *options, const char *const *words,
                        size_t count)
{
    ob_snippet_code code;
    ob_err err;
    int exit_code = ob__snippet_code_read(cli, &options->snippet, words, count, &code);
    if (exit_code != OB_EXIT_OK)
        return exit_code;
    ob_thread_list threads;
    exit_code = ob__thread_list_read(cli, options->threads, &threads);
    ob__cli_catch_interrupts(cli);
    for (size_t i = 0; exit_code == OB_EXIT_OK && i < threads.size; i++) {
        code.args.num_threads = threads.counts[i];
        if (count_and_print(cli, options, &code.args, &err) != OB_OK)
            exit_code = ob__snippet_fail(cli, &err);
    }
    ob__snippet_code_fini(&code);
    return exit_code;
}
