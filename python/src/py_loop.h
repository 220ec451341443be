/* SPDX-License-Identifier: Apache-2.0
 *
 * opbench._core.Loop for the files that time blocks of it without going through Python.
 */
#ifndef OPBENCH_PY_LOOP_H
#define OPBENCH_PY_LOOP_H

#include "py_core.h"

typedef struct ob__py_loop {
    PyObject_HEAD PyObject
        *body;       /* a callable, or a function of an iterator and a timer that returns seconds */
    PyObject *setup; /* called before each block; NULL = none, or inside the body */
    PyObject *timer; /* returns seconds; NULL = the monotonic clock */
    bool is_statement;
} ob__py_loop;

/* Seconds of a block of `number` turns. Negative after an exception. */
int ob__py_loop_time(const ob__py_state *state, ob__py_loop *loop, uint64_t number,
                     double *seconds);

#endif
