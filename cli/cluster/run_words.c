/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads words by the rows of `opbench run`, as main does for the command itself.
 */
#include "cluster/run_words.h"

#include "backend_options.h"
#include "help/help.h"
#include "run/run_options.h"

#include "opbench/vec.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- the words anew ---- */

typedef struct writer {
    ob_run_words *out;
    bool ok;
    const char *refused; /* an option that the layout has taken */
    const char *why;
} writer;

/* What says where records go, and which. */
static const struct {
    const char *name, *why;
} TAKEN[] = {
    {"output", "the records go to the folder of submit's --output"},
    {"output-prefix", "the records go to the folder of submit's --output"},
    {"shard", "each chunk is a shard; --array says how many there are"},
    {"resume", "each chunk continues from its own files anyway"},
    {"append", "each chunk continues from its own files anyway"},
    {"force", "each chunk has its own files, and none is replaced"},
    {"wait", "each chunk has its own files, so there is nothing to wait for"},
    {"version", "it measures nothing"},
};

static bool add(ob_run_words *out, char *word)
{
    if (word == NULL || !OB_RESERVE(out->items, out->capacity, out->count + 2)) {
        free(word);
        return false;
    }
    out->items[out->count++] = word;
    out->items[out->count] = NULL;
    return true;
}

static void write_option(void *ctx, const ob_option *row, const char *value)
{
    writer *w = ctx;
    char *word = NULL;
    if (row == NULL || strcmp(row->name, "config") == 0)
        return;
    for (size_t i = 0; i < sizeof TAKEN / sizeof *TAKEN; i++)
        if (strcmp(row->name, TAKEN[i].name) == 0) {
            w->refused = TAKEN[i].name;
            w->why = TAKEN[i].why;
        }
    const int size = value != NULL ? asprintf(&word, "--%s=%s", row->name, value)
                                   : asprintf(&word, "--%s", row->name);
    w->ok = w->ok && size >= 0 && add(w->out, word);
}

/* ---- the line ---- */

typedef struct run_line {
    const ob_cli_command *command;
    ob_option *rows;
    char *options; /* the command's struct, then the common one */
    char **argv;
    int argc;
    const char **words;
    size_t word_count;
} run_line;

static bool open_line(run_line *l, ob_cli *cli, const char *const *words, size_t count)
{
    static char name[] = "run";
    l->command = ob__cli_find_command(name);
    l->rows = ob__cli_command_options(cli, l->command, false);
    l->options = calloc(1, ob__cli_common_offset(l->command) + sizeof(ob_cli_common));
    l->argv = calloc(count + 2, sizeof *l->argv);
    l->words = calloc(count + 1, sizeof *l->words);
    if (l->rows == NULL || l->options == NULL || l->argv == NULL || l->words == NULL)
        return false;
    l->argv[0] = name;
    for (size_t i = 0; i < count; i++)
        l->argv[i + 1] = (char *)(uintptr_t)words[i]; /* main's own, which are not const */
    l->argc = (int)count + 1;
    return true;
}

static void close_line(run_line *l)
{
    free(l->rows);
    free(l->options);
    free(l->argv);
    free((void *)l->words);
}

/* The config of the option, or the one word that is none. */
static int find_config(ob_cli *cli, run_line *l, const char *config, ob_run_words *out)
{
    ob_run_line *line = (ob_run_line *)(void *)l->options;
    const char *word = l->word_count > 0 ? l->words[0] : NULL;
    const char *found = config != NULL ? config : line->config != NULL ? line->config : word;
    if (l->word_count > 1 || (word != NULL && found != word))
        return ob__cli_usage_error(
            cli, "unexpected word '%s'; give a config, and options of `opbench run` after --",
            l->word_count > 1 ? l->words[1] : word);
    if (config != NULL && line->config != NULL)
        return ob__cli_usage_error(cli, "-c %s and -c %s: give only one config", config,
                                   line->config);
    if (found == NULL)
        return ob__cli_usage_error(cli, "nothing to measure; name a config file with -c FILE");
    if (strcmp(found, "-") == 0)
        return ob__cli_usage_error(cli,
                                   "nodes cannot read a config from standard input; name a file");
    if (realpath(found, out->config) == NULL || access(out->config, R_OK) != 0)
        return ob__cli_usage_error(cli, "%s cannot be read; name a config file", found);
    line->config = out->config;
    return OB_EXIT_OK;
}

/* Its backends need not work here, but they must be known. */
static int check_backends(ob_cli *cli, const char *names)
{
    static const ob_entry_kind KINDS[] = {OB_ENTRY_BACKEND, OB_ENTRY_PLUGIN};
    for (size_t length; names != NULL && *names != '\0'; names += length + (names[length] == ',')) {
        bool is_known = false;
        const size_t own = strcspn(names, ",:"); /* without its variant */
        length = strcspn(names, ",");
        for (size_t k = 0; k < sizeof KINDS / sizeof *KINDS; k++)
            for (size_t i = 0; i < ob_context_count(cli->context, KINDS[k]); i++) {
                const char *name = ob_context_entry(cli->context, KINDS[k], i).name;
                is_known = is_known || (strlen(name) == own && memcmp(name, names, own) == 0);
            }
        if (!is_known)
            return ob__cli_usage_error(
                cli, "--backend: there is no backend '%.*s'; `opbench list backends` lists them",
                (int)length, names);
    }
    return OB_EXIT_OK;
}

static void write_variable(void *ctx, char *word)
{
    writer *w = ctx;
    w->ok = add(w->out, word) && w->ok;
}

/* What the environment says here is said to the nodes by the script: theirs may be another. */
static bool add_variables(const ob_cli *cli, const ob_run_line *line, ob_run_words *out)
{
    writer w = {.out = out, .ok = true};
    const char *backends = line->run.backend;
    if (backends == NULL)
        ob__backend_option_given(cli, NULL, &backends); /* which means its own */
    if (backends != NULL)
        ob__backend_variables_walk(cli, backends, write_variable, &w);
    return w.ok;
}

/* As the command `run` would see it. */
static int check_line(ob_cli *cli, run_line *l, ob_run_words *out)
{
    const ob_cli own = *cli;
    const ob_run_line *line = (const ob_run_line *)(const void *)l->options;
    ob_cli_common common;
    memcpy(&common, l->options + ob__cli_common_offset(l->command), sizeof common);
    cli->command = l->command;
    cli->backend_values = common.backend;
    cli->line = l->argv;
    cli->line_count = l->argc;
    cli->line_rows = l->rows;
    int code = add_variables(cli, line, out) ? ob__backend_variables_set(cli, l->options)
                                             : ob__cli_out_of_memory(cli);
    if (code == OB_EXIT_OK)
        code = ob__run_count_results(cli, line, &out->results);
    if (code == OB_EXIT_OK)
        code = check_backends(cli, line->run.backend);
    cli->command = own.command;
    cli->backend_values = own.backend_values;
    cli->line = own.line;
    cli->line_count = own.line_count;
    cli->line_rows = own.line_rows;
    return code;
}

static int read_line(ob_cli *cli, run_line *l, const char *config, ob_run_words *out)
{
    ob_err err;
    writer w = {.out = out, .ok = true};
    l->command->options_init(l->options);
    if (ob_options_init(l->rows, l->options, &err) != OB_OK ||
        ob_options_parse(l->rows, l->argc, l->argv, l->options, l->words, &l->word_count, &err) !=
            OB_OK)
        return ob__cli_usage_error(cli, "after --: %s", err.message);
    int code = find_config(cli, l, config, out);
    if (code != OB_EXIT_OK)
        return code;
    w.ok = add(out, strdup("-c")) && add(out, strdup(out->config));
    ob_options_walk(l->rows, l->argc, l->argv, write_option, &w, NULL);
    if (!w.ok)
        return ob__cli_out_of_memory(cli);
    if (w.refused != NULL)
        return ob__cli_usage_error(cli, "leave out --%s: %s", w.refused, w.why);
    return check_line(cli, l, out);
}

int ob__run_words_read(ob_cli *cli, const char *config, const char *const *words, size_t count,
                       ob_run_words *out)
{
    run_line l = {0};
    *out = (ob_run_words){0};
    const int code = open_line(&l, cli, words, count) ? read_line(cli, &l, config, out)
                                                      : ob__cli_out_of_memory(cli);
    close_line(&l);
    return code;
}

void ob__run_words_fini(ob_run_words *words)
{
    for (size_t i = 0; i < words->count; i++)
        free(words->items[i]);
    free(words->items);
}
