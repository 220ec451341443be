/* SPDX-License-Identifier: Apache-2.0
 *
 * Warnings, and why there is no interval, differ from result to result in their figures only; a screen needs each
 * once, with the number of results that have it.
 */
#include "report/views.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

static const char *skip_figures(const char *text)
{
    while (isdigit((unsigned char)*text) || *text == '.' || *text == '-')
        text++;
    return text;
}

/* Equal but for their figures. */
static bool same_kind(const char *a, const char *b)
{
    for (;; a++, b++) {
        a = skip_figures(a);
        b = skip_figures(b);
        if (*a != *b || *a == '\0')
            return *a == *b;
    }
}

static void add(ob_run_notes *notes, char mark, const char *text, const ob_record_result *r)
{
    for (size_t i = 0; i < notes->count; i++)
        if (same_kind(notes->items[i].text, text)) {
            notes->items[i].count++;
            return;
        }
    if (notes->count == OB_MOST_NOTES) {
        notes->others++;
        return;
    }
    ob_run_note *note = &notes->items[notes->count++];
    note->count = 1;
    note->mark = mark;
    snprintf(note->text, sizeof note->text, "%s", text);
    char call[OB_CALL_ROOM];
    snprintf(note->first, sizeof note->first, "%.191s", ob__record_call(r, call));
}

static void add_check(ob_run_notes *notes, const ob_record_result *r)
{
    if (r->check_verdict == NULL)
        return;
    const bool same = strcmp(r->check_verdict, "same") == 0;
    const bool differs = strcmp(r->check_verdict, "differs") == 0;
    notes->checks.same += same;
    notes->checks.differs += differs;
    notes->checks.unchecked += !same && !differs;
    if (same && r->check_worst > notes->checks.worst)
        notes->checks.worst = r->check_worst;
}

void ob__run_notes_add(ob_run_notes *notes, const ob_record_result *result)
{
    add_check(notes, result);
    for (size_t i = 0; i < result->warnings.count; i++)
        add(notes, '*', result->warnings.items[i], result);
    char text[sizeof notes->items[0].text];
    if (result->instructions.reason != NULL) {
        snprintf(text, sizeof text, "no instructions counted: %s", result->instructions.reason);
        add(notes, '*', text, result);
    }
    const ob_record_status_info *info = ob_record_status_get_info(result->status);
    const char *reason = result->forward.no_interval != NULL ? result->forward.no_interval
                                                             : result->backward.no_interval;
    if (reason != NULL && info != NULL && info->ran)
        add(notes, '-', reason, result);
}

static bool append_note(const ob_run_note *note, ob_text *out)
{
    return (note->count == 1 ? ob_text_printf(out, "%c ", note->mark)
                             : ob_text_printf(out, "%c %" PRIu64 " results, the first is ",
                                              note->mark, note->count)) &&
           ob__append_harmless(out, note->first, false) && ob_text_append_str(out, ": ") &&
           ob__append_harmless(out, note->text, true) && ob_text_append(out, "\n", 1);
}

static const char *results(uint64_t count)
{
    return count == 1 ? "result" : "results";
}

/* 12 results checked, worst at 0.31 of the bound; 1 result differs */
static bool append_checks(const ob_run_notes *notes, ob_text *out)
{
    const uint64_t same = notes->checks.same, differs = notes->checks.differs,
                   unchecked = notes->checks.unchecked;
    if (!ob__run_notes_have_checks(notes))
        return true;
    bool ok =
        ob_text_printf(out, "%" PRIu64 " %s checked", same + differs, results(same + differs));
    if (same > 0)
        ok = ok && ob_text_printf(out, ", worst error %.2g of the bound", notes->checks.worst);
    if (differs > 0)
        ok = ok &&
             ob_text_printf(out, "; %" PRIu64 " %s", differs, differs == 1 ? "differs" : "differ");
    if (unchecked > 0)
        ok = ok && ob_text_printf(out, "; %" PRIu64 " %s no reference", unchecked,
                                  unchecked == 1 ? "has" : "have");
    return ok && ob_text_append(out, "\n", 1);
}

bool ob__run_notes_print(const ob_run_notes *notes, ob_text *out)
{
    bool ok = append_checks(notes, out);
    for (size_t i = 0; ok && i < notes->count; i++)
        ok = append_note(&notes->items[i], out);
    return ok &&
           (notes->others == 0 ||
            ob_text_printf(out, "* %" PRIu64 " more warnings are in the records\n", notes->others));
}
