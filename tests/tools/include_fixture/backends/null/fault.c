/* SPDX-License-Identifier: Apache-2.0 */
int fault(void);
int fault(void)
{
    return fork();
}
