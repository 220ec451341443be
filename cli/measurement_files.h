/* SPDX-License-Identifier: Apache-2.0
 *
 * Files of measurements named on a command line, as `show` and `compare` read them.
 */
#ifndef OB_CLI_MEASUREMENT_FILES_H
#define OB_CLI_MEASUREMENT_FILES_H

#include "command.h"
#include "opbench/measurement.h"

/* The words of such a command: one file or more. */
extern const ob_cli_word ob__cli_measurement_words[];

/* Gets each measurement, in order, and the file it is from, <stdin> for standard input; what it fails with
 * is shown with the measurement's place. */
typedef ob_status (*ob_cli_take_measurement)(void *ctx, const char *file, const ob_measurement *m,
                                             ob_err *err);

/* Reads all files that the call names. Says what is wrong, and what was left out. Returns an exit code. */
int ob__cli_read_measurements(ob_cli *cli, const ob_cli_call *call, ob_cli_take_measurement take,
                              void *ctx);

#endif
