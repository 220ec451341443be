/* SPDX-License-Identifier: Apache-2.0
 *
 * The plug-in of a backend that could not be built (ob_add_absent_plugin): it says why, and what helps. Help and the
 * rest of what is listed of the backend are in <name>.backend.json of its folder.
 */
#include "opbench/plugin.h"

#include "absent_because.h"

#include <stdio.h>

OB_PLUGIN_EXPORT const ob_plugin *ob_plugin_entry(const ob_host *host, ob_reason *why_not);

const ob_plugin *ob_plugin_entry(const ob_host *host, ob_reason *why_not)
{
    (void)host;
    snprintf(why_not->text, sizeof why_not->text, "%s", OB_ABSENT_BECAUSE);
    return NULL;
}
