/* SPDX-License-Identifier: Apache-2.0
 *
 * How well verdicts do on this machine.
 */
#ifndef OB_CLI_SELF_TEST_H
#define OB_CLI_SELF_TEST_H

#include "command.h"

/* Compares identical code, and code with known extra work, for about so long; prints and keeps what came of it. The exit code. */
int ob__cli_self_test(ob_cli *cli, double budget_s, bool json);

#endif
