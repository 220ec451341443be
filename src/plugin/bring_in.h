/* SPDX-License-Identifier: Apache-2.0
 *
 * Loading the code of plug-ins that are known by a report alone.
 */
#ifndef OB_PLUGIN_BRING_IN_H
#define OB_PLUGIN_BRING_IN_H

#include "plugin/registry.h"

/* Runs the file's code in this process; nothing happens where that was done. OB_ERR_PLUGIN when it is not what it said. */
ob_status ob__plugin_bring_in(ob_context *context, ob__plugin_record *record, ob_err *err);
/* The plug-in of that backend (NULL = none), and all that bring operators, generators and iterators: what of the latter
 * cannot be loaded is logged, and their entries have no code. */
ob_status ob__plugins_bring_in(ob_context *context, const char *backend, ob_err *err);

#endif
