/* SPDX-License-Identifier: Apache-2.0
 *
 * Backends whose workers run inside another program, such as the user's interpreter.
 */
#ifndef OB_RUN_HOSTED_H
#define OB_RUN_HOSTED_H

#include "opbench/run.h"

/* What a process that opens a backend can be asked, by the words of `opbench worker --ask`. */
#define OB_ASK_OPENED "opened"
#define OB_ASK_SCHEMAS "schemas"
#define OB_ASK_EXPAND "expand:" /* and the descriptor of a config */
/* In a process that was made for it: where the backend has a host, it becomes that, which answers over the socket. OB_OK:
 * it has none, and this process can answer itself. */
ob_status ob__host_ask(const ob_context *context, const char *what, const ob_run_options *options,
                       int socket, ob_err *err);
void ob__answer_opened(ob_context *context, const ob_run_options *options, int socket);
void ob__answer_schemas(ob_context *context, const ob_run_options *options, int socket);
void ob__answer_expand(ob_context *context, const ob_run_options *options, int config_fd,
                       int socket);

#endif
