/* SPDX-License-Identifier: Apache-2.0
 *
 * The command that goes on is the one that was typed, with what it says of files put right.
 */
#include "resume_line.h"

#include "opbench/json.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* What --resume contradicts, or stands for. */
static const char DROPPED[] = "|append|force|resume|wait|output-prefix|";

/* What another machine that measures another part says in its own way, and how it shows what came of it. */
static const char NOT_REPEATED[] = "|output|records|shard|quiet|format|sort|top|wide|";

typedef struct writer {
    const ob_resume_line *line; /* NULL = for another machine */
    bool (*word)(void *to, const char *word);
    void *to;
    bool ok;
    bool has_words; /* behind "--" */
} writer;

static bool is_dropped(const writer *w, const char *name)
{
    char sought[64];
    if (w->line != NULL && w->line->names_records && strcmp(name, "output") == 0)
        return true;
    snprintf(sought, sizeof sought, "|%s|", name);
    return strstr(DROPPED, sought) != NULL ||
           (w->line == NULL && strstr(NOT_REPEATED, sought) != NULL);
}

static void write_option(writer *w, const char *name, const char *value)
{
    const bool is_joined = value != NULL && value[0] == '-';
    ob_text word = {.data = NULL};
    w->ok = ob_text_printf(&word, "--%s%s%s", name, is_joined ? "=" : "", is_joined ? value : "") &&
            ob_text_append(&word, "", 1) && w->word(w->to, word.data);
    ob_text_fini(&word);
    if (w->ok && value != NULL && !is_joined)
        w->ok = w->word(w->to, value);
}

static void write_item(void *ctx, const ob_option *row, const char *value)
{
    writer *w = ctx;
    if (!w->ok || (row != NULL && is_dropped(w, row->name)))
        return;
    if (row != NULL) {
        write_option(w, row->name, value);
        return;
    }
    /* A word that an option would look like stood behind "--", and so must all behind it. */
    const bool is_like_option =
        value[0] == '-' && value[1] != '\0' && value[strspn(value, "-+.0123456789eE")] != '\0';
    if (is_like_option && !w->has_words) {
        w->has_words = true;
        w->ok = w->word(w->to, "--");
    }
    w->ok = w->ok && w->word(w->to, value);
}

static bool append_next(void *to, const char *word)
{
    return ob_text_append(to, " ", 1) && ob_text_append_command(to, &word, 1);
}

/* Appends the command line of cli with options that go on with that file; false when memory is out. */
static bool append_resume_command(const ob_cli *cli, const ob_resume_line *line, ob_text *out)
{
    writer w = {.line = line, .word = append_next, .to = out};
    w.ok = ob_text_append_command(out, &line->program, 1) && append_next(out, cli->command->name);
    if (w.ok && line->names_records)
        w.ok = append_next(out, "--output") && append_next(out, line->records);
    w.ok = w.ok && append_next(out, "--resume");
    ob_options_walk(cli->line_rows, cli->line_count, cli->line, write_item, &w, NULL);
    return w.ok;
}

/* ---- for other machines ---- */

typedef struct word_list {
    ob_json_doc *doc;
    ob_json *list;
} word_list;

static bool add_word(void *to, const char *word)
{
    const word_list *l = to;
    return ob_json_append(l->doc, l->list, ob_json_new_string(l->doc, word, strlen(word)), NULL) ==
           OB_OK;
}

const ob_json *ob__list_repeat(const ob_cli *cli, ob_json_doc *doc)
{
    word_list list = {.doc = doc, .list = ob_json_new_array(doc)};
    writer w = {.word = add_word, .to = &list, .ok = list.list != NULL};
    ob_json *object = ob_json_new_object(doc);
    const char *command = cli->command->name,
               *file =
                   ob_options_find(cli->line_rows, "records") != NULL ? "--records" : "--output";
    ob_options_walk(cli->line_rows, cli->line_count, cli->line, write_item, &w, NULL);
    const bool ok =
        w.ok && object != NULL &&
        ob_json_set(doc, object, "command", ob_json_new_string(doc, command, strlen(command)),
                    NULL) == OB_OK &&
        ob_json_set(doc, object, "file", ob_json_new_string(doc, file, strlen(file)), NULL) ==
            OB_OK &&
        ob_json_set(doc, object, "resumes",
                    ob_json_new_bool(doc, ob_options_find(cli->line_rows, "resume") != NULL),
                    NULL) == OB_OK &&
        ob_json_set(doc, object, "words", list.list, NULL) == OB_OK;
    return ok ? object : NULL;
}

/* ---- at the end ---- */

void ob__tell_interrupted(ob_cli *cli, const ob_resume_line *line, const ob_job_summary *summary,
                          uint64_t total)
{
    /* What was interrupted in the middle is measured again. */
    const uint64_t kept =
        summary->measured + summary->failed - summary->cases[OB_RECORD_INTERRUPTED];
    const uint64_t all = kept + summary->left_out;
    ob_text command = {.data = NULL};
    if (line->records == NULL && total <= 1)
        return; /* nobody would go on with it */
    if (line->records == NULL) {
        const bool has_records = ob_options_find(cli->line_rows, "records") != NULL;
        const bool can_go_on = ob_options_find(cli->line_rows, "resume") != NULL;
        ob__cli_say("opbench %s: interrupted after %" PRIu64 " of %" PRIu64
                    " results, which were not saved; with --%s FILE %s\n",
                    cli->command->name, all, total, has_records ? "records" : "output",
                    can_go_on ? "it could continue" : "they would be kept");
        return;
    }
    ob__cli_say("opbench %s: interrupted; %" PRIu64 " of %" PRIu64 " results are in %s\n",
                cli->command->name, all, total, line->records);
    if (ob_options_find(cli->line_rows, "resume") != NULL &&
        append_resume_command(cli, line, &command))
        ob__cli_say("%s: %.*s\n",
                    line->by_stdin ? "to continue, with the same input" : "to continue",
                    (int)command.size, command.data);
    ob_text_fini(&command);
}
