/* SPDX-License-Identifier: Apache-2.0
 *
 * Stands in for libnvToolsExt: prints the ranges as they are pushed and popped. A push without a pop, or
 * the other way round, shows in the indentation.
 */
#include <stdio.h>

static int depth;

int nvtxRangePushA(const char *label);
int nvtxRangePop(void);

int nvtxRangePushA(const char *label)
{
    printf("%d push %s\n", depth, label);
    return depth++;
}

int nvtxRangePop(void)
{
    depth--;
    printf("%d pop\n", depth);
    return depth;
}
