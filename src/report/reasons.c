/* SPDX-License-Identifier: Apache-2.0 */
#include "report/reasons.h"

#include "opbench/text.h"
#include "opbench/vec.h"
#include "result/run_conditions.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void ob__reasons_fini(ob_reasons *reasons)
{
    ob__arena_fini(&reasons->arena);
    free(reasons->items);
    ob__text_index_fini(&reasons->index);
    *reasons = (ob_reasons){.items = NULL};
}

static const char *keep(ob_reasons *reasons, const char *text)
{
    const char *kept = ob__arena_strdup(&reasons->arena, text, strlen(text));
    reasons->no_memory = reasons->no_memory || kept == NULL;
    return kept != NULL ? kept : "";
}

static ob_folded_reason *add_new(ob_reasons *reasons, const ob_record_result *result,
                                 size_t side_length, const char *key)
{
    char room[OB_CALL_ROOM];
    if (reasons->count == 0)
        ob__arena_init(&reasons->arena, 0);
    const char *kept = keep(reasons, key);
    if (reasons->no_memory || !OB_RESERVE(reasons->items, reasons->room, reasons->count + 1) ||
        !ob__text_index_add(&reasons->index, kept)) {
        reasons->no_memory = true;
        return NULL;
    }
    ob_folded_reason *r = &reasons->items[reasons->count];
    *r = (ob_folded_reason){.number = reasons->count++,
                            .status = ob_record_status_get_info(result->status)->word,
                            .side = ob__arena_strdup(&reasons->arena, key, side_length),
                            .text = kept + side_length + 1,
                            .first_call = keep(reasons, ob__record_call(result, room)),
                            .first_repro =
                                keep(reasons, result->repro != NULL ? result->repro : "")};
    reasons->no_memory = reasons->no_memory || r->side == NULL;
    return r->side != NULL ? r : NULL;
}

void ob__reasons_add(ob_reasons *reasons, const ob_record_result *result, uint64_t calls)
{
    const ob_record_status_info *info = ob_record_status_get_info(result->status);
    const char *name = result->side != NULL ? result->side : result->backend;
    const char *side = name != NULL ? name : "";
    const bool said = result->reason != NULL && result->reason[0] != '\0';
    ob_text key = {.data = NULL};
    if (info->ran)
        return;
    if (!ob_text_append_str(&key, side) || !ob_text_append(&key, "\037", 1) ||
        !ob_text_append_str(&key, said ? result->reason : info->word) ||
        !ob_text_append(&key, "", 1)) {
        reasons->no_memory = true;
    } else {
        const size_t number = ob__text_index_find(&reasons->index, key.data);
        ob_folded_reason *r = number != OB_NO_TEXT
                                  ? &reasons->items[number]
                                  : add_new(reasons, result, strlen(side), key.data);
        if (r != NULL) {
            reasons->last = r->number;
            r->cases++;
            r->calls += calls;
        }
    }
    ob_text_fini(&key);
}

static int by_cases(const void *left, const void *right)
{
    const ob_folded_reason *a = left, *b = right;
    if (a->cases != b->cases)
        return a->cases > b->cases ? -1 : 1;
    const int sides = strcmp(a->side, b->side);
    return sides != 0 ? sides : strcmp(a->text, b->text);
}

void ob__reasons_sort(ob_reasons *reasons)
{
    if (reasons->count > 0)
        qsort(reasons->items, reasons->count, sizeof *reasons->items, by_cases);
}

bool ob__reason_append(ob_text *out, const ob_folded_reason *reason, bool sides)
{
    const bool named =
        sides && reason->side[0] != '\0' && strcasestr(reason->text, reason->side) == NULL;
    return ob_text_printf(out, "%" PRIu64 " case%s%s%s: ", reason->cases,
                          reason->cases == 1 ? "" : "s", named ? " on " : "",
                          named ? reason->side : "") &&
           ob_text_append_str(out, reason->text);
}
