/* SPDX-License-Identifier: Apache-2.0
 *
 * opbench history add, ack and prune: what changes the history.
 */
#include "history/history.h"
#include "show/measurement_files.h"

#include <inttypes.h>

static ob_status add_record(void *ctx, const ob_record *record, ob_err *err)
{
    return ob_store_writer_add(ctx, record, err);
}

/* A file is added whole or not at all. */
static ob_status add_file(ob_history *h, const char *path, ob_store_added *added, ob_err *err)
{
    ob_store_writer *writer = NULL;
    ob_cli_input input;
    OB_TRY(ob__cli_input_open(path, &input, err));
    ob_status status = ob_store_writer_open(h->store, h->options->samples, &writer, err);
    if (status == OB_OK)
        status = ob__cli_input_each(h->cli, &input, add_record, writer, err);
    if (status == OB_OK)
        status = ob_store_writer_commit(writer, err);
    if (status == OB_OK)
        *added = *ob_store_writer_added(writer);
    ob_store_writer_close(writer);
    ob__cli_input_close(&input);
    return status;
}

ob_status ob__history_add(ob_history *h, int *code, ob_err *err)
{
    for (size_t i = 0; i < h->word_count; i++) {
        ob_store_added a = {.size = sizeof a};
        OB_TRY(add_file(h, h->words[i], &a, err));
        ob__cli_printf(h->cli, "%s: %" PRIu64 " result%s of %" PRIu64 " run%s", h->words[i],
                       a.results, a.results == 1 ? "" : "s", a.runs + a.known_runs,
                       a.runs + a.known_runs == 1 ? "" : "s");
        if (a.known_results > 0)
            ob__cli_printf(h->cli, ", %" PRIu64 " known", a.known_results);
        if (a.left_out > 0)
            ob__cli_printf(h->cli, ", %" PRIu64 " without a key or a time", a.left_out);
        ob__cli_printf(h->cli, "\n");
        if (a.left_out > 0 && a.results + a.known_results == 0) {
            ob__cli_say("%s: nothing was added: its results have no key to follow them by, like "
                        "those of PARAM's own program; measure the config with `opbench run -c "
                        "CONFIG`\n",
                        h->words[i]);
            *code = OB_EXIT_FAILED;
        }
    }
    return OB_OK;
}

ob_status ob__history_ack(ob_history *h, int *code, ob_err *err)
{
    (void)code;
    return ob_store_accept(h->store, h->words[0], h->words[1], h->words[2], err);
}

ob_status ob__history_prune(ob_history *h, int *code, ob_err *err)
{
    const ob_history_options *o = h->options;
    const ob_store_prune_params params = {.size = sizeof params,
                                          .before = h->filter.since,
                                          .samples_only = o->samples_only,
                                          .dry = o->dry_run};
    uint64_t runs, results;
    if (o->before == NULL) {
        *code = ob__cli_usage_error(
            h->cli, "--before is missing; say which runs to delete, such as --before 90d");
        return OB_OK;
    }
    OB_TRY(ob_store_prune(h->store, &params, &runs, &results, err));
    ob__cli_printf(h->cli, "%s%" PRIu64 " run%s with %" PRIu64 " %s\n",
                   o->dry_run ? "would go: " : "gone: ", runs, runs == 1 ? "" : "s", results,
                   o->samples_only ? "results' samples" : "results");
    return OB_OK;
}
