/* SPDX-License-Identifier: Apache-2.0
 *
 * What a compiled snippet is given. The same struct is written out in its source (source.c).
 */
#ifndef OB_SNIPPET_HOST_H
#define OB_SNIPPET_HOST_H

#include <stdint.h>

enum { OB_SNIPPET_DIMS = 16 };

/* A tensor of an operator, in host memory. */
typedef struct ob_snippet_tensor {
    void *data; /* the first element */
    const char *dtype;
    int ndim;
    int64_t numel;
    int64_t sizes[OB_SNIPPET_DIMS];
    int64_t strides[OB_SNIPPET_DIMS]; /* in elements */
} ob_snippet_tensor;

typedef struct ob_snippet_host ob_snippet_host;

struct ob_snippet_host {
    /* Ends the block under way, if any, of which so many runs are done, and begins the next one: its number of
     * runs. 0 = no more. */
    int (*next)(ob_snippet_host *host, unsigned long done, unsigned long *runs);
    /* The snippet failed by itself (an exception). */
    void (*fail)(ob_snippet_host *host, const char *what);
    long threads;
    /* C only: a case of an operator in words (name, arguments, NULL), ready to be called; and a call of it.
     * Neither comes back after a failure. */
    void *(*op_prepare)(ob_snippet_host *host, const char *const *words);
    void (*op_call)(ob_snippet_host *host, void *op);
    /* Its input or output with this number, from 0, among those that are tensors. An output is that of the last
     * call, and lives until the next one or the next question. */
    ob_snippet_tensor (*op_tensor)(ob_snippet_host *host, void *op, int is_output,
                                   unsigned long number);
};

/* Runs setup once and then the blocks that next() asks for. */
typedef void (*ob_snippet_entry_fn)(ob_snippet_host *host);
#define OB_SNIPPET_ENTRY "ob_snippet_entry"

#endif
