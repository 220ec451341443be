/* SPDX-License-Identifier: Apache-2.0
 *
 * The values of a case's entry, as a generator makes them.
 */
#ifndef OB_RUN_CASE_VALUES_H
#define OB_RUN_CASE_VALUES_H

#include "opbench/config.h"
#include "opbench/plugin.h"

/* One entry's values, with the room that the generator needs. Zero is empty. */
typedef struct ob_case_values {
    ob_generated made;
    size_t arg_slots, kwarg_slots;
} ob_case_values;

/* Fini also after a failure. */
ob_status ob__case_values_make(const ob_generator_desc *generator, const ob_generate_args *args,
                               ob_case_values *out, ob_err *err);
void ob__case_values_fini(ob_case_values *values);
/* Points into the values. */
ob_call ob__case_values_call(const ob_case_values *values);
/* A stream of the generator for this case: the first 64 bits of its key. */
uint64_t ob__case_stream(const ob_case *c);

#endif
