/* SPDX-License-Identifier: Apache-2.0
 *
 * Answers in a small text file of the user's cache: what was asked, of which file, and the answer, divided by tabs; the
 * last line is a hash of all before. Whoever could write to it could only slow libraries down, but a file that is not the
 * user's alone is not read all the same.
 */
#include "base/cache_folder.h"
#include "base/private_file.h"
#include "base/read_file.h"
#include "base/text_append.h"
#include "machine/machine_trial.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <xxhash.h>

enum { MOST_BYTES = 1 << 18 };
static const char OURS[] = "opbench machine ";

/* ---- the file ---- */

static bool name_file(ob_trial_memo *memo, const char *dir, const char *cpu_key)
{
    char place[PATH_MAX];
    if (dir == NULL && !ob__cache_folder("machine", place, sizeof place))
        return false;
    const int n =
        snprintf(memo->path, sizeof memo->path, "%s/%s.txt", dir != NULL ? dir : place, cpu_key);
    return n > 0 && (size_t)n < sizeof memo->path;
}

static void format_end(const ob_text *text, char end[32])
{
    snprintf(end, 32, "end %016llx\n", (unsigned long long)XXH3_64bits(text->data, text->size));
}

/* Leaves in text what stands between the first line and the last; false when it is not our file. */
static bool unwrap(ob_text *text, const char *head)
{
    enum { END_BYTES = 21 }; /* "end ", 16 digits, a newline */
    char end[32];
    const size_t head_size = strlen(head);
    if (text->size < head_size + END_BYTES || memcmp(text->data, head, head_size) != 0 ||
        memchr(text->data, '\0', text->size) != NULL)
        return false;
    text->size -= END_BYTES;
    format_end(text, end);
    if (memcmp(text->data + text->size, end, END_BYTES) != 0)
        return false;
    memmove(text->data, text->data + head_size, text->size - head_size);
    text->size -= head_size;
    return true;
}

void ob__memo_open(ob_trial_memo *memo, const char *dir, const char *cpu_key, const char *kernel)
{
    *memo = (ob_trial_memo){.changed = false};
    snprintf(memo->head, sizeof memo->head, "%s1 %s %.200s\n", OURS, cpu_key, kernel);
    if (!name_file(memo, dir, cpu_key)) {
        memo->path[0] = '\0';
        return;
    }
    if (!ob__file_is_private(memo->path) ||
        ob__read_file(memo->path, MOST_BYTES, &memo->lines, NULL) != OB_OK ||
        !unwrap(&memo->lines, memo->head))
        memo->lines.size = 0;
}

void ob__memo_close(ob_trial_memo *memo)
{
    ob_text text = {0};
    char end[32];
    if (memo->changed && memo->path[0] != '\0' && ob_text_append_str(&text, memo->head) &&
        ob_text_append(&text, memo->lines.data, memo->lines.size)) {
        format_end(&text, end);
        if (ob_text_append_str(&text, end))
            ob__file_replace(memo->path, OURS, text.data, text.size);
    }
    ob_text_fini(&text);
    ob_text_fini(&memo->lines);
}

/* ---- questions ---- */

static void replace_controls(char *text)
{
    for (; *text != '\0'; text++)
        if ((unsigned char)*text < ' ')
            *text = ' ';
}

/* "what <tab> variable <tab> identity of the library <tab>". False when there is none that could be kept. */
static bool format_question(const ob_trial *trial, char *out, size_t size)
{
    char identity[PATH_MAX + 128] = "-", real[PATH_MAX];
    struct stat st;
    if (trial->library != NULL) {
        if (realpath(trial->library, real) == NULL || stat(real, &st) != 0)
            return false;
        snprintf(identity, sizeof identity, "%s:%llx:%llx:%lld:%lld.%09ld", real,
                 (unsigned long long)st.st_dev, (unsigned long long)st.st_ino,
                 (long long)st.st_size, (long long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
        replace_controls(identity);
    }
    const int n = snprintf(out, size, "%s\t%s\t%s\t", trial->what,
                           trial->variable != NULL ? trial->variable : "-", identity);
    return n > 0 && (size_t)n < size;
}

static bool find_answer(const ob_trial_memo *memo, const char *question, ob_trial_outcome *out)
{
    const size_t length = strlen(question);
    const char *at = memo->lines.data, *end = at + memo->lines.size;
    while (at < end) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        if (newline == NULL)
            return false;
        if ((size_t)(newline - at) > length && memcmp(at, question, length) == 0 &&
            (at[length] == '+' || at[length] == '-')) {
            out->state = at[length] == '+' ? OB_TRIAL_OK : OB_TRIAL_FAILED;
            snprintf(out->text, sizeof out->text, "%.*s", (int)(newline - at - (long)length - 1),
                     at + length + 1);
            return true;
        }
        at = newline + 1;
    }
    return false;
}

void ob__trial_ask(const ob_trial_runner *place, const ob_trial *trial, ob_trial_outcome *out)
{
    char question[PATH_MAX + 512];
    ob_trial_memo *memo = place->memo;
    *out = (ob_trial_outcome){.state = OB_TRIAL_UNKNOWN};
    const bool can_keep = memo != NULL && format_question(trial, question, sizeof question);
    if (can_keep && find_answer(memo, question, out))
        return;
    if (place->fn == NULL)
        return;
    place->fn(place->ctx, trial, out);
    replace_controls(out->text);
    if (!can_keep || out->state == OB_TRIAL_UNKNOWN)
        return;
    const size_t before = memo->lines.size;
    if (ob_text_printf(&memo->lines, "%s%c%s\n", question, out->state == OB_TRIAL_OK ? '+' : '-',
                       out->text))
        memo->changed = true;
    else
        memo->lines.size = before;
}
