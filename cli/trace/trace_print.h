/* SPDX-License-Identifier: Apache-2.0
 *
 * A trace on the screen and as JSON.
 */
#ifndef OB_CLI_TRACE_PRINT_H
#define OB_CLI_TRACE_PRINT_H

#include "command.h"

#include "opbench/trace.h"

ob_status ob__trace_print_summary(ob_cli *cli, const ob_trace *trace,
                                  const ob_trace_selection *selection, bool json, ob_err *err);
ob_status ob__trace_print_tree(ob_cli *cli, const ob_trace *trace, bool json, ob_err *err);
ob_status ob__trace_print_node(ob_cli *cli, const ob_trace *trace, size_t index, bool json,
                               ob_err *err);

#endif
