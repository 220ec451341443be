/* SPDX-License-Identifier: Apache-2.0
 *
 * Libraries are corrected by whoever starts processes, for all of them (opbench/machine.h). A session that nobody did it
 * for does it itself.
 */
#ifndef OB_RUN_LIBRARY_CAPS_H
#define OB_RUN_LIBRARY_CAPS_H

#include "opbench/run.h"

/* Before the backend is opened. Does nothing where it is off, or was done by who started this process. */
ob_status ob__cap_for_session(const ob_context *context, const ob_run_options *options,
                              const char *backend, ob_err *err);

#endif
