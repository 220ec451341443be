/* SPDX-License-Identifier: Apache-2.0
 *
 * How much a record may hold: it travels as one message, and a message has a limit (process/wire.h).
 */
#ifndef OB_RUN_RECORD_FIT_H
#define OB_RUN_RECORD_FIT_H

#include "opbench/record.h"

/* Samples of both passes at which a rule that would go on must stop. Each takes some 40 bytes. */
enum { OB_MOST_SAMPLES = 4000000 };
#define OB_CURE_OF_MANY_SAMPLES "--exec-mode continuous measures such short calls in blocks"

/* Prints the record into line. One that would take more than `most` bytes loses its samples first, and fails with a reason that
 * says what to do; `*record` is changed then. */
ob_status ob__record_print_fitting(ob_record *record, size_t most, ob_text *line, ob_err *err);

#endif
