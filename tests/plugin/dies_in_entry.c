/* SPDX-License-Identifier: Apache-2.0
 *
 * Ends whatever asks it what it has.
 */
#include "fixture.h"

#include <unistd.h>

OB_PLUGIN_EXPORT const ob_plugin *ob_plugin_entry(const ob_host *host, ob_reason *why_not);
const ob_plugin *ob_plugin_entry(const ob_host *host, ob_reason *why_not)
{
    (void)host, (void)why_not;
    _exit(3);
}
