/* SPDX-License-Identifier: Apache-2.0
 *
 * A shared object without the entry function.
 */
#include "fixture.h"

OB_PLUGIN_EXPORT int fixture_other_symbol(void);
int fixture_other_symbol(void)
{
    return 1;
}
