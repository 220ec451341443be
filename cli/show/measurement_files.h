/* SPDX-License-Identifier: Apache-2.0
 *
 * Files of measurements named on a command line, as `show` and `compare` read them.
 */
#ifndef OB_CLI_MEASUREMENT_FILES_H
#define OB_CLI_MEASUREMENT_FILES_H

#include "command.h"
#include "opbench/measurement.h"
#include "opbench/record.h"

/* The words of such a command: one file or more. */
extern const ob_cli_word ob__cli_measurement_words[];

/* Where a measurement stands. The file is <stdin> for standard input and lives as long as the call. */
typedef struct ob_cli_position {
    const char *file;
    uint32_t line, column;
} ob_cli_position;

/* Gets each measurement, in order, and where it stands; what it fails with is shown with that place. */
typedef ob_status (*ob_cli_take_measurement)(void *ctx, const ob_cli_position *place,
                                             const ob_measurement *m, ob_err *err);

/* A file that is looked at before it is read: standard input is kept in memory. */
typedef struct ob_cli_input {
    const char *path; /* as it was given */
    const char *name; /* for messages */
    ob_text text;     /* of standard input */
    /* Lines that cannot be read are told and left out: a file may be worth more than its worst line. */
    bool skips_broken;
} ob_cli_input;

ob_status ob__cli_input_open(const char *path, ob_cli_input *out, ob_err *err);
void ob__cli_input_close(ob_cli_input *input); /* zero is allowed */
ob_status ob__cli_input_records(const ob_cli_input *input, ob_record_reader **out, ob_err *err);
typedef ob_status (*ob_cli_take_record)(void *ctx, const ob_record *record, ob_err *err);
/* All records of the file. What take fails with gets the place; a last line that is cut off is told. A file of broken lines
 * alone is an error even where they are skipped. */
ob_status ob__cli_input_each(ob_cli *cli, const ob_cli_input *input, ob_cli_take_record take,
                             void *ctx, ob_err *err);
/* Reads the measurements of one file, as below. */
int ob__cli_input_measurements(ob_cli *cli, const ob_cli_input *input, ob_cli_take_measurement take,
                               void *ctx);

/* Reads all files that the call names. Says what is wrong, and what was left out. Returns an exit code. */
int ob__cli_read_measurements(ob_cli *cli, const ob_cli_call *call, ob_cli_take_measurement take,
                              void *ctx);

/* Measurements that are kept, and where each stood. */
typedef struct ob_cli_kept {
    ob_measurements *list;
    ob_cli_position *places;
    size_t capacity;
} ob_cli_kept;

ob_status ob__cli_kept_init(ob_cli_kept *kept, ob_err *err);
void ob__cli_kept_fini(ob_cli_kept *kept);
ob_status ob__cli_kept_add(ob_cli_kept *kept, const ob_cli_position *place, const ob_measurement *m,
                           ob_err *err);
/* An error about all of them, such as a median of 0 after merging, gets the place of the first measurement
 * that has no statistics by itself. */
void ob__cli_kept_blame(const ob_cli_kept *kept, ob_err *err);

#endif
