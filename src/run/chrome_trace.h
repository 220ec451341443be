/* SPDX-License-Identifier: Apache-2.0
 *
 * A trace file for Chrome (chrome://tracing) and Perfetto, made from the records of a run with
 * ob_run_options.profile: phases and iterations of every case, one process row per worker.
 */
#ifndef OB_RUN_CHROME_TRACE_H
#define OB_RUN_CHROME_TRACE_H

#include "opbench/record.h"

typedef struct ob_profile ob_profile;

/* The file stands beside the records: "<x>.json" has "<x>_trace.json", or "<x>_trace_2.json" and so on when
 * that is taken; no old file is overwritten. */
ob_status ob__profile_open(const char *record_path, ob_profile **out, ob_err *err);
/* The same with a name of its own; a file that is there is overwritten. */
ob_status ob__profile_open_at(const char *path, ob_profile **out, ob_err *err);
/* Writes the events of a result; other records, and results without phases, give none. Memory does
 * not grow. A file that was never closed can still be shown. */
ob_status ob__profile_add(ob_profile *profile, const ob_record *record, ob_err *err);
/* Calls fn with a record of kind `kernel` for each operator that ran inside the case of a result, by pass in the
 * order of first calls; none for other records. */
ob_status ob__profile_sum_kernels(const ob_record *record,
                                  ob_status (*fn)(void *ctx, const ob_record *kernel, ob_err *err),
                                  void *ctx, ob_err *err);
const char *ob__profile_path(const ob_profile *profile);
/* NULL is allowed. The file is closed in any case; an error says that it is not complete. */
ob_status ob__profile_close(ob_profile *profile, ob_err *err);

#endif
