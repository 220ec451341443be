/* SPDX-License-Identifier: Apache-2.0
 *
 * Who takes part in a run of several: the sides that the caller gave, or one for each name of --backend.
 */
#ifndef OB_RUN_SIDES_H
#define OB_RUN_SIDES_H

#include "run/backend_list.h"
#include "run/device_match.h"
#include "run/ring.h"

#include <limits.h>

typedef struct ob_run_side {
    ob_side given;          /* zeros but for the name if it came from --backend */
    ob_run_options options; /* of the run, with what the side changes */
    ob_device_word device;
    ob_text before;    /* what repro lines have in front of the program */
    char *own_options; /* its part of the run's backend options; owned, NULL = none was taken */
    char program[PATH_MAX];
} ob_run_side;

typedef struct ob_run_sides {
    ob_run_side items[OB_MOST_MEMBERS];
    size_t count;
    bool named; /* the caller gave them: records say so */
    ob_backend_list list;
    char cpu[16]; /* that all are pinned to, if the user names none */
} ob_run_sides;

/* Whether the run is one of several. */
bool ob__sides_are_several(const ob_run_params *params);
/* OB_ERR_INVALID: a side has no name, or another one's; OB_ERR_NOT_FOUND: there is no such backend. The params must outlive
 * it. *out is to be freed also after a failure. */
ob_status ob__sides_make(const ob_context *context, const ob_run_params *params, ob_run_sides *out,
                         ob_err *err);
void ob__sides_fini(ob_run_sides *sides);

#endif
