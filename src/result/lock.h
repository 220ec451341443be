/* SPDX-License-Identifier: Apache-2.0
 *
 * The lock that keeps two runs from writing to one file.
 */
#ifndef OB_RESULT_LOCK_H
#define OB_RESULT_LOCK_H

#include "opbench/record.h"

/* Takes the lock of an open file, waiting as the params say; it is given back when the file is closed. OB_ERR_STATE:
 * another run has it. Where there are no locks there is none, and that is no error. */
ob_status ob__result_lock(int descriptor, const char *path, const ob_result_file_params *params,
                          ob_err *err);

/* For reading what is locked, through the descriptor that has the lock. */
int ob__result_file_descriptor(const ob_result_file *file);
/* How many bytes the reader has taken from its file so far. */
uint64_t ob__record_reader_size(const ob_record_reader *reader);

#endif
