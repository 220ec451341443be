/* SPDX-License-Identifier: Apache-2.0
 *
 * Why cases were not measured, each reason once: a backend that lacks an operator says so for every shape of it.
 */
#ifndef OB_REPORT_REASONS_H
#define OB_REPORT_REASONS_H

#include "base/arena.h"
#include "opbench/record.h"
#include "report/text_index.h"

typedef struct ob_folded_reason {
    const char *status, *side, *text;
    const char *first_call, *first_repro; /* of the first case that has it; "" = not known */
    uint64_t cases, calls;
    size_t number; /* in the order in which they came */
} ob_folded_reason;

/* Zero is empty. */
typedef struct ob_reasons {
    ob_arena arena;
    ob_folded_reason *items;
    size_t count, room;
    ob_text_index index; /* of items, as they came: before they are sorted */
    size_t last;         /* number of the one that was added to last */
    bool no_memory;
} ob_reasons;

void ob__reasons_fini(ob_reasons *reasons);
/* A result that was not measured; others are passed over. calls: that it stands for. */
void ob__reasons_add(ob_reasons *reasons, const ob_record_result *result, uint64_t calls);
/* The most cases first. Nothing is added behind it. */
void ob__reasons_sort(ob_reasons *reasons);
/* "48 cases on onednn: oneDNN has nothing for aten::addcdiv_"; the side is named where `sides` says that there are
 * several, and the reason does not name it. */
bool ob__reason_append(ob_text *out, const ob_folded_reason *reason, bool sides);

#endif
