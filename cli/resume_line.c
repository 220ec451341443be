/* SPDX-License-Identifier: Apache-2.0
 *
 * The command that goes on is the one that was typed, with what it says of files put right.
 */
#include "resume_line.h"

#include <inttypes.h>
#include <string.h>

/* What --resume contradicts, or stands for. */
static const char DROPPED[] = "|append|force|resume|wait|output-prefix|";

typedef struct writer {
    const ob_resume_line *line;
    ob_text *out;
    bool ok;
    bool has_words; /* behind "--" */
} writer;

static bool is_dropped(const writer *w, const char *name)
{
    char sought[64];
    if (w->line->names_records && strcmp(name, "output") == 0)
        return true;
    snprintf(sought, sizeof sought, "|%s|", name);
    return strstr(DROPPED, sought) != NULL;
}

/* As a shell takes it. */
static bool append_word(ob_text *out, const char *word)
{
    const bool plain =
        word[0] != '\0' &&
        word[strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                          "_-./,:=+@%")] == '\0';
    if (plain)
        return ob_text_append_str(out, word);
    bool ok = ob_text_append_str(out, "'");
    for (const char *c = word; ok && *c != '\0'; c++)
        ok = *c == '\'' ? ob_text_append_str(out, "'\\''") : ob_text_append(out, c, 1);
    return ok && ob_text_append_str(out, "'");
}

static void write_item(void *ctx, const ob_option *row, const char *value)
{
    writer *w = ctx;
    if (!w->ok || (row != NULL && is_dropped(w, row->name)))
        return;
    if (row != NULL) {
        w->ok = ob_text_printf(w->out, " --%s", row->name);
        if (w->ok && value != NULL)
            w->ok = ob_text_append_str(w->out, value[0] == '-' ? "=" : " ") &&
                    append_word(w->out, value);
        return;
    }
    /* A word that an option would look like stood behind "--", and so must all behind it. */
    const bool is_like_option =
        value[0] == '-' && value[1] != '\0' && value[strspn(value, "-+.0123456789eE")] != '\0';
    if (is_like_option && !w->has_words) {
        w->has_words = true;
        w->ok = ob_text_append_str(w->out, " --");
    }
    w->ok = w->ok && ob_text_append_str(w->out, " ") && append_word(w->out, value);
}

bool ob__append_resume_command(const ob_cli *cli, const ob_resume_line *line, ob_text *out)
{
    writer w = {.line = line, .out = out};
    w.ok = append_word(out, line->program) && ob_text_printf(out, " %s", cli->command->name);
    if (w.ok && line->names_records)
        w.ok = ob_text_append_str(out, " --output ") && append_word(out, line->records);
    w.ok = w.ok && ob_text_append_str(out, " --resume");
    ob_options_walk(cli->line_rows, cli->line_count, cli->line, write_item, &w, NULL);
    return w.ok;
}

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
                    " results, which are in no file; with --%s FILE %s\n",
                    cli->command->name, all, total, has_records ? "records" : "output",
                    can_go_on ? "it could go on" : "they would be kept");
        return;
    }
    ob__cli_say("opbench %s: interrupted; %" PRIu64 " of %" PRIu64 " results are kept in %s\n",
                cli->command->name, all, total, line->records);
    if (ob_options_find(cli->line_rows, "resume") != NULL &&
        ob__append_resume_command(cli, line, &command))
        ob__cli_say("%s: %.*s\n", line->by_stdin ? "go on, with the same input, by" : "go on by",
                    (int)command.size, command.data);
    ob_text_fini(&command);
}
