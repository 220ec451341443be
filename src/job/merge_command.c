/* SPDX-License-Identifier: Apache-2.0
 *
 * The command that measures what a shard lacks. It is made from checked parts of the header, as words that a shell takes as they are:
 * what a file says is never run unseen.
 */
#include "job/merge_files.h"

#include "job/job_int.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { MOST_WORDS = 256, MOST_REPEATED = 200, VALUE_ROOM = 192 };

typedef struct words {
    const char *items[MOST_WORDS];
    size_t count;
    char room[MOST_WORDS][VALUE_ROOM];
} words;

static void add(words *w, const char *word)
{
    if (w->count < MOST_WORDS)
        w->items[w->count++] = word;
}

/* --name, and its value but of a flag. */
static void add_option(words *w, const ob_option *row, const ob_run_options *options)
{
    if (w->count + 2 > MOST_WORDS)
        return;
    char *name = w->room[w->count], *value = w->room[w->count + 1];
    snprintf(name, VALUE_ROOM, "--%s", row->name);
    add(w, name);
    if (row->type == OB_OPTION_FLAG)
        return;
    ob_option_format_value(row, options, value, VALUE_ROOM);
    add(w, value);
}

static void add_options(words *w, const ob_option *rows, const ob_json *arguments)
{
    ob_run_options options;
    ob_run_options_init(&options);
    ob_options_from_json(rows, arguments, &options);
    for (; rows->name != NULL; rows++)
        if (rows->affects_measurement && rows->type != OB_OPTION_LIST &&
            !ob_option_is_default(rows, &options))
            add_option(w, rows, &options);
}

/* How it was divided does not matter to a command for all of it. */
static bool is_of_parts(const char *word)
{
    return strcmp(word, "--shard-by") == 0 || strcmp(word, "--shard-costs") == 0;
}

/* Whether a header may name it: what else there is does not measure. */
static bool measures(const char *command)
{
    static const char *const COMMANDS[] = {"run",    "sweep", "time", "count",
                                           "replay", "diff",  "fuzz"};
    for (size_t i = 0; command != NULL && i < sizeof COMMANDS / sizeof *COMMANDS; i++)
        if (strcmp(command, COMMANDS[i]) == 0)
            return true;
    return false;
}

/* Where results go is said here; a header that says it too would have a file of its choice replaced. */
static bool is_of_target(const char *word)
{
    static const char *const OPTIONS[] = {"--output", "--records", "--force", "--append"};
    for (size_t i = 0; i < sizeof OPTIONS / sizeof *OPTIONS; i++) {
        const size_t length = strlen(OPTIONS[i]);
        if (strncmp(word, OPTIONS[i], length) == 0 && (word[length] == '\0' || word[length] == '='))
            return true;
    }
    return strncmp(word, "-o", 2) == 0;
}

/* The command as the header has it. False: it has none. */
static bool add_repeat(words *w, const ob_json *repeat, bool is_part)
{
    const ob_json *list = ob_json_get(repeat, "words");
    const char *command = ob_json_string(ob_json_get(repeat, "command"), NULL);
    const size_t count = ob_json_get_kind(list) == OB_JSON_ARRAY ? ob_json_count(list) : 0;
    if (!measures(command) || ob_json_get_kind(list) != OB_JSON_ARRAY || count > MOST_REPEATED)
        return false;
    for (size_t i = 0; i < count; i++) {
        const char *word = ob_json_string(ob_json_item(list, i), NULL);
        if (word == NULL || is_of_target(word))
            return false;
    }
    w->items[1] = command;
    for (size_t i = 0; i < count; i++) {
        const char *word = ob_json_string(ob_json_item(list, i), NULL);
        if (!is_part && is_of_parts(word))
            i++; /* its value too */
        else
            add(w, word);
    }
    return true;
}

/* A header without it is of an older version, or another program's: then it is a run of a config. */
static bool add_run(words *w, const ob_record_header *header, bool is_part)
{
    const ob_json *arguments = header->options.cmd_args;
    if (header->config == NULL || header->source != NULL || header->sweep != NULL)
        return false; /* of another command */
    add(w, "-c");
    add(w, header->config);
    if (ob_json_get_kind(arguments) == OB_JSON_OBJECT)
        add_options(w, ob_run_option_rows(), arguments);
    if (header->shard_by != NULL && is_part) {
        add(w, "--shard-by");
        add(w, "cost");
    }
    return true;
}

/* Of a path without its ending. */
static size_t stem_length(const char *path)
{
    const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');
    return dot != NULL && dot > (slash != NULL ? slash : path) ? (size_t)(dot - path)
                                                               : strlen(path);
}

bool ob__merge_append_command(ob_text *out, const ob_record_header *header, const ob_merge_gap *gap,
                              const ob_merge_target *target)
{
    char shard[48], rows[4096], again[80];
    words w = {.count = 0};
    const ob_json *repeat = header->repeat;
    const char *option = ob_json_string(ob_json_get(repeat, "file"), NULL), *path = target->path;
    const bool is_of_records = option != NULL && strcmp(option, "--records") == 0;
    const bool can_resume = repeat == NULL || ob_json_bool(ob_json_get(repeat, "resumes"), false);
    add(&w, "opbench");
    add(&w, "run");
    if (target->shard) {
        snprintf(shard, sizeof shard, "%" PRIu64 "/%" PRIu64, gap->shard, gap->of);
        add(&w, "--shard");
        add(&w, shard);
    }
    if (target->resumes && can_resume) {
        add(&w, "--resume");
    } else if (target->resumes) { /* all of it once more, beside what is there */
        snprintf(again, sizeof again, "shard-%" PRIu64 "-of-%" PRIu64 "-again.json", gap->shard,
                 gap->of);
        path = again;
    }
    add(&w, is_of_records ? "--records" : "--output");
    add(&w, path);
    if (is_of_records && can_resume) { /* such a command has a file of rows beside its records */
        snprintf(rows, sizeof rows, "%.*s.csv", (int)stem_length(path), path);
        add(&w, "--output");
        add(&w, rows);
    }
    if (!(repeat != NULL ? add_repeat(&w, repeat, target->shard)
                         : add_run(&w, header, target->shard)))
        return true;
    return ob_text_append_command(out, w.items, w.count);
}
