/* SPDX-License-Identifier: Apache-2.0
 *
 * The header of a result file, as far as it is the same for all commands that measure.
 */
#ifndef OB_CLI_HEADER_H
#define OB_CLI_HEADER_H

#include "command.h"

#include "opbench/record.h"

/* What a header points to. */
typedef struct ob_header_room {
    char now[32], cwd[4096];
    ob_err counters;
} ob_header_room;

/* Begins a header record: machine, clock, versions, how libraries were corrected, the time that it is. properties are
 * those of the backend. */
ob_status ob__header_init(const ob_cli *cli, ob_record *record, const ob_json *properties,
                          ob_header_room *room, ob_err *err);

#endif
