/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls a function that nobody has: it cannot be opened.
 */
#include "fixture.h"

int fixture_nobody_has_this(void);

OB_PLUGIN_EXPORT const ob_plugin *ob_plugin_entry(const ob_host *host, ob_reason *why_not);
const ob_plugin *ob_plugin_entry(const ob_host *host, ob_reason *why_not)
{
    (void)host, (void)why_not;
    return fixture_nobody_has_this() ? (const ob_plugin *)host : NULL;
}
