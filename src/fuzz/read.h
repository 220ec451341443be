/* SPDX-License-Identifier: Apache-2.0
 *
 * Reading parts of a spec's JSON. Texts and lists live in the reader's arena until the fuzzer, which
 * copies them, is made.
 */
#ifndef OB_FUZZ_READ_H
#define OB_FUZZ_READ_H

#include "base/arena.h"
#include "opbench/fuzz.h"

typedef struct ob__fuzz_reader {
    ob_arena arena;
    ob_err *err;
} ob__fuzz_reader;

/* Refuses a member that is none of the NULL-ended names, with the nearest one. */
ob_status ob__fuzz_check_keys(ob__fuzz_reader *r, const ob_json *object, const char *const *names);
/* A member that is there and not null; else NULL. */
const ob_json *ob__fuzz_get(const ob_json *object, const char *name);
ob_status ob__fuzz_no_memory(ob__fuzz_reader *r);

/* name is the member's key where parameters are an object, else NULL. */
ob_status ob__fuzz_read_parameter(ob__fuzz_reader *r, const ob_json *node, const char *name,
                                  ob_fuzz_parameter *out);
ob_status ob__fuzz_read_tensor(ob__fuzz_reader *r, const ob_json *node, const char *name,
                               ob_fuzz_tensor *out);

#endif
