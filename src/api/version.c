/* SPDX-License-Identifier: Apache-2.0
 *
 * The version of the library at run time, so that a program can tell it from its header's.
 */
#include "opbench/version.h"

const char *ob_version(void)
{
    return OB_VERSION;
}
