/* SPDX-License-Identifier: Apache-2.0
 *
 * The command that measures what a shard lacks. It is made from checked parts of the header, as words that a shell takes as they are:
 * what a file says is never run unseen.
 */
#include "job/merge_files.h"

#include "job/job_int.h"

#include <inttypes.h>
#include <stdio.h>

enum { MOST_WORDS = 128, VALUE_ROOM = 192 };

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

bool ob__merge_append_command(ob_text *out, const ob_record_header *header, const ob_merge_gap *gap)
{
    char shard[48], file[80];
    words w = {.count = 0};
    if (header->config == NULL || header->source != NULL || header->sweep != NULL)
        return true; /* of another command */
    const ob_json *arguments = header->options.cmd_args;
    add(&w, "opbench");
    add(&w, "run");
    add(&w, "-c");
    add(&w, header->config);
    if (ob_json_get_kind(arguments) == OB_JSON_OBJECT)
        add_options(&w, ob_run_option_rows(), arguments);
    if (gap->of > 0) {
        snprintf(shard, sizeof shard, "%" PRIu64 "/%" PRIu64, gap->shard, gap->of);
        add(&w, "--shard");
        add(&w, shard);
    }
    snprintf(file, sizeof file, "shard-%" PRIu64 "-of-%" PRIu64 ".json", gap->shard, gap->of);
    if (gap->file != NULL)
        add(&w, "--resume");
    add(&w, "--output");
    add(&w, gap->file != NULL ? gap->file : file);
    return ob_text_append_command(out, w.items, w.count);
}
