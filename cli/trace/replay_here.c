/* SPDX-License-Identifier: Apache-2.0
 *
 * Replaying in this process: options to the library's terms, the result to whoever started it, twice when half
 * turns out to have no kernels.
 */
#include "output_file.h"
#include "replay_command.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

typedef struct replaying {
    ob_cli *cli;
    const ob_replay_line *line;
    ob_replay_options options;
    ob_json_doc *skip_doc;
    char *skip_text;
    const char **names, **reasons;
    int64_t *crashed;
    ob_replay_child child;
} replaying;

static volatile sig_atomic_t interrupted;

static void interrupt(int signal)
{
    (void)signal;
    interrupted = 1;
}

static int asked_to_stop(void *ctx)
{
    (void)ctx;
    return interrupted;
}

const char *ob__replay_default_backend(const ob_context *context)
{
    for (size_t i = 0; i < ob_context_count(context, OB_ENTRY_BACKEND); i++) {
        const ob_entry_info info = ob_context_entry(context, OB_ENTRY_BACKEND, i);
        ob_reason why;
        const ob_backend_desc *desc = ob_context_find_backend(context, info.name);
        const ob_manifest *manifest = ob_manifests_find(ob_context_manifests(context), info.name);
        if (manifest != NULL && manifest->replays && info.available && desc != NULL &&
            (desc->probe == NULL || desc->probe(ob_host_get(), &why) == OB_OK))
            return info.name;
    }
    return NULL;
}

/* ---- lists of the command line ---- */

static size_t count_words(const char *list)
{
    size_t count = list != NULL && list[0] != '\0';
    for (; list != NULL && *list != '\0'; list++)
        count += *list == ',';
    return count;
}

/* PARAM's form: modules to import mean nothing here, and are accepted with a word. */
static ob_status read_skip_file(replaying *r, const ob_json **nodes, ob_err *err)
{
    static const char *const KEYS[] = {"skip nodes", "import modules"};
    const size_t key_count = sizeof KEYS / sizeof *KEYS;
    const char *file = r->line->skip_file;
    OB_TRY(ob_json_parse_file(file, NULL, &r->skip_doc, err));
    const ob_json *root = ob_json_doc_root(r->skip_doc);
    if (ob_json_get_kind(root) != OB_JSON_OBJECT)
        return ob_err_set_at(err, OB_ERR_CONFIG, file, 1, 1, NULL,
                             "must be an object like {\"skip nodes\": {\"aten::mm\": \"why\"}}");
    for (size_t i = 0; i < ob_json_count(root); i++) {
        const char *key = ob_json_key(root, i);
        const ob_json *value = ob_json_item(root, i);
        bool known = false;
        for (size_t k = 0; k < key_count; k++)
            known |= strcmp(key, KEYS[k]) == 0;
        const char *nearest = ob_nearest_name(key, KEYS, key_count);
        if (!known)
            return ob_err_set_at(
                err, OB_ERR_CONFIG, file, ob_json_line(value), ob_json_column(value), NULL,
                "unknown key \"%.60s\"; %s\"%s\"", key,
                nearest != NULL ? "did you mean " : "known are \"skip nodes\" and ",
                nearest != NULL ? nearest : KEYS[1]);
    }
    if (ob_json_count(ob_json_get(root, "import modules")) > 0)
        ob__cli_warn(r->cli,
                     "%s: \"import modules\" names Python modules, which are not imported here",
                     file);
    *nodes = ob_json_get(root, "skip nodes");
    if (*nodes != NULL && ob_json_get_kind(*nodes) != OB_JSON_OBJECT)
        return ob_err_set_at(err, OB_ERR_CONFIG, file, ob_json_line(*nodes), ob_json_column(*nodes),
                             NULL, "\"skip nodes\" must be an object of names and reasons");
    for (size_t i = 0; i < ob_json_count(*nodes); i++) {
        const ob_json *why = ob_json_item(*nodes, i);
        if (ob_json_string(why, NULL) == NULL)
            return ob_err_set_at(err, OB_ERR_CONFIG, file, ob_json_line(why), ob_json_column(why),
                                 NULL, "the reason of \"%.60s\" must be a text",
                                 ob_json_key(*nodes, i));
    }
    return OB_OK;
}

static ob_status read_ids(const char *at, int64_t *ids, size_t count, ob_err *err)
{
    for (size_t i = 0; i < count; i++) {
        char *end;
        ids[i] = strtoll(at, &end, 10);
        if (end == at || (*end != ',' && *end != '\0'))
            return ob_err_set(err, OB_ERR_INVALID,
                              "--crashed wants numbers of nodes, not \"%.40s\"", at);
        at = *end == ',' ? end + 1 : end;
    }
    return OB_OK;
}

/* Names of the command line must be those of calls; a file may serve several traces. */
static ob_status take_lists(replaying *r, ob_err *err)
{
    const ob_json *nodes = NULL;
    if (r->line->skip_file != NULL)
        OB_TRY(read_skip_file(r, &nodes, err));
    const size_t words = count_words(r->line->skip), more = ob_json_count(nodes);
    const size_t ids = count_words(r->line->crashed);
    r->names = calloc(words + more + 1, sizeof *r->names);
    r->reasons = calloc(words + more + 1, sizeof *r->reasons);
    r->crashed = calloc(ids + 1, sizeof *r->crashed);
    r->skip_text = strdup(r->line->skip != NULL ? r->line->skip : "");
    if (r->names == NULL || r->reasons == NULL || r->crashed == NULL || r->skip_text == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory");
    size_t count = 0;
    char *rest = r->skip_text;
    for (char *word; words > 0 && (word = strsep(&rest, ",")) != NULL;)
        if (word[0] != '\0')
            r->names[count++] = word;
    r->options.skip_strict_count = count;
    for (size_t i = 0; i < more; i++) {
        const char *why = ob_json_string(ob_json_item(nodes, i), NULL);
        r->reasons[count] = why[0] != '\0' ? why : NULL;
        r->names[count++] = ob_json_key(nodes, i);
    }
    OB_TRY(read_ids(r->line->crashed, r->crashed, ids, err));
    r->options.skip_names = r->names;
    r->options.skip_reasons = r->reasons;
    r->options.skip_count = count;
    r->options.crashed = r->crashed;
    r->options.crashed_count = ids;
    return OB_OK;
}

static bool is_child(const replaying *r)
{
    return r->line->socket_fd > 0 && r->line->state_fd > 0;
}

static ob_status open_child(replaying *r, ob_err *err)
{
    if (!is_child(r))
        return OB_OK;
    r->options.on_call = ob_replay_child_on_call;
    r->options.ctx = &r->child;
    return ob_replay_child_open((int)r->line->socket_fd, (int)r->line->state_fd, &r->child, err);
}

/* ---- */

static ob_status replay(replaying *r, const ob_trace *trace, ob_replay **out, ob_err *err)
{
    ob_session *session;
    const char *half = r->line->half != NULL ? r->line->half : "auto";
    r->options.half_to_bfloat16 = strcmp(half, "bfloat16") == 0;
    r->options.stop_at_half = strcmp(half, "auto") == 0;
    r->options.keep_narrow = strcmp(half, "keep") == 0;
    OB_TRY(ob_session_open(r->cli->context, &r->line->run, &session, err));
    ob_status status = ob_replay_run(session, trace, &r->options, out, err);
    if (status == OB_OK && strcmp(half, "auto") == 0 && ob_replay_wants_bfloat16(*out)) {
        ob__cli_warn(r->cli,
                     "too many calls with half (float16) fail on this backend: bfloat16 is taken "
                     "in its place; --half keep leaves it");
        ob_replay_destroy(*out);
        r->options.half_to_bfloat16 = true;
        r->options.stop_at_half = false;
        status = ob_replay_run(session, trace, &r->options, out, err);
    }
    ob_session_close(session);
    return status;
}

static ob_status replay_file(replaying *r, ob_err *err, int *code)
{
    ob_trace *trace = NULL;
    ob_replay *done = NULL;
    ob_json_doc *doc = NULL;
    const ob_json *result = NULL;
    ob_status status =
        ob_trace_open(r->line->file, NULL, ob_context_log(r->cli->context), &trace, err);
    /* The first step if steps are marked: the last ones are often cut off. */
    if (status == OB_OK && r->options.selection.iteration == -2)
        r->options.selection.iteration = ob_trace_iteration_count(trace) >= 2 ? 0 : -1;
    if (status == OB_OK)
        status = replay(r, trace, &done, err);
    if (status == OB_OK)
        status = ob_json_doc_create(&doc, err);
    if (status == OB_OK)
        status = ob_replay_describe(done, doc, &result, err);
    if (status == OB_OK && !is_child(r))
        *code = ob__replay_print(r->cli, r->line, result);
    if (status == OB_OK && r->line->profile != NULL) {
        ob_text text = {0};
        status = ob_replay_profile(done, &text, err);
        const int written = status == OB_OK
                                ? ob__cli_write_file(r->cli, r->line->profile, text.data, text.size)
                                : OB_EXIT_OK;
        *code = written != OB_EXIT_OK ? written : *code;
        ob_text_fini(&text);
    }
    if (status == OB_OK && is_child(r))
        status = ob_replay_child_finish(&r->child, result, err);
    ob_json_doc_destroy(doc);
    ob_replay_destroy(done);
    ob_trace_close(trace);
    return status;
}

int ob__replay_here(ob_cli *cli, const ob_replay_line *line)
{
    replaying r = {.cli = cli, .line = line, .options = line->replay};
    int code = OB_EXIT_OK;
    ob_err err;
    r.options.warmup = (uint64_t)line->warmup;
    r.options.iterations = (uint64_t)line->iterations;
    r.options.seed = (uint64_t)line->run.seed;
    r.options.stop = asked_to_stop;
    signal(SIGINT, interrupt);
    signal(SIGTERM, interrupt);
    ob_status status = take_lists(&r, &err);
    if (status == OB_OK)
        status = open_child(&r, &err);
    if (status == OB_OK)
        status = replay_file(&r, &err, &code);
    free((void *)r.names);
    free((void *)r.reasons);
    free(r.crashed);
    free(r.skip_text);
    ob_json_doc_destroy(r.skip_doc);
    ob_replay_child_close(&r.child);
    return status == OB_OK ? code : ob__cli_fail(cli, &err);
}
