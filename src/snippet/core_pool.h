/* SPDX-License-Identifier: Apache-2.0
 *
 * Cores that are given out as neighbours, first fit.
 */
#ifndef OB_SNIPPET_CORE_POOL_H
#define OB_SNIPPET_CORE_POOL_H

#include "opbench/status.h"

typedef struct ob_core_pool ob_core_pool;

/* Cores first to last. */
ob_status ob__core_pool_create(int first, int last, ob_core_pool **out, ob_err *err);
void ob__core_pool_destroy(ob_core_pool *pool); /* NULL is allowed */
/* The lowest `count` neighbours that are free; *core is the first one. False when there are none. */
bool ob__core_pool_reserve(ob_core_pool *pool, int count, int *core);
void ob__core_pool_release(ob_core_pool *pool, int core, int count);

#endif
