/* SPDX-License-Identifier: Apache-2.0
 *
 * Machine, clock and versions: what a reader of results needs to know where they come from.
 */
#include "header.h"

#include "set_caps.h"

#include "opbench/version.h"

#include <time.h>
#include <unistd.h>

ob_status ob__header_init(const ob_cli *cli, ob_record *record, const ob_json *properties,
                          ob_header_room *room, ob_err *err)
{
    const ob_clock clock = ob_clock_monotonic();
    ob_record_init(record, OB_RECORD_HEADER_LINE);
    ob_record_header *h = &record->header;
    OB_TRY(ob_system_read(NULL, NULL, &h->system, err));
    OB_TRY(ob_clock_measure(&clock, &h->clock, err));
    h->pid = getpid();
    h->cwd = getcwd(room->cwd, sizeof room->cwd);
    h->opbench_version = OB_VERSION;
    h->backends = properties;
    h->library_caps = ob__cli_library_caps(cli);
    h->perf_event =
        ob_hardware_counters_check(&room->counters) == OB_OK ? "available" : room->counters.message;
    h->start_time = ob_record_format_time((int64_t)time(NULL), room->now);
    h->format = OB_RECORD_FORMAT;
    return OB_OK;
}
