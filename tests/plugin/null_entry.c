/* SPDX-License-Identifier: Apache-2.0
 *
 * Says that it cannot work here.
 */
#include "fixture.h"

#include <string.h>

OB_PLUGIN_EXPORT const ob_plugin *ob_plugin_entry(const ob_host *host, ob_reason *why_not);
const ob_plugin *ob_plugin_entry(const ob_host *host, ob_reason *why_not)
{
    (void)host;
    strcpy(why_not->text, "libfixture.so.3 is missing; install libfixture3");
    return NULL;
}
