/* SPDX-License-Identifier: Apache-2.0
 *
 * Cold caches of a session: who empties them, and whether that reaches the memory.
 */
#include "run/session_int.h"

#include <string.h>

/* By the core: all that it knows of the case, and a sweep for what it does not. */
static ob_status flush_here(void *ctx, const char **how, ob_err *err)
{
    ob_session *s = ctx;
    const ob_value *const lists[] = {s->setup.inputs, s->setup.parameters};
    const size_t counts[] = {s->setup.input_count, s->setup.parameter_count};
    (void)err;
    ob__cold_flush(&s->cold, lists, counts, sizeof lists / sizeof *lists, how);
    return OB_OK;
}

static bool in_host_memory(const ob_session *s)
{
    return s->made == NULL && strcmp(s->device.type, "cpu") == 0;
}

ob_session_flush_fn ob__session_flush(ob_session *s)
{
    return in_host_memory(s) && s->desc->flush_cache == NULL ? flush_here : NULL;
}

static ob_status flush_once(void *ctx, ob_err *err)
{
    ob_session *s = ctx;
    const char *how;
    return s->desc->flush_cache != NULL
               ? s->desc->flush_cache(s->backend, s->setup.prepared, &how, err)
               : flush_here(s, &how, err);
}

/* Of the core's flush its own lines, which the sweep alone reaches; of a backend's the case's tensors. One whose time is its own
 * may flush what is no cache. */
ob_status ob__session_look_at_cold(ob_session *s, ob_record_result *r, ob_err *err)
{
    ob_cold_lines lines = {.count = 0};
    ob_cold_look look;
    if (!ob__options_cold(&s->options) || !in_host_memory(s) || s->desc->clock_ns != NULL)
        return OB_OK;
    OB_TRY(ob__cold_open(&s->cold, err));
    if (s->desc->flush_cache == NULL) {
        lines = s->cold.own;
    } else {
        ob__cold_lines_of(s->setup.inputs, s->setup.input_count, &lines);
        ob__cold_lines_of(s->setup.parameters, s->setup.parameter_count, &lines);
    }
    OB_TRY(ob__cold_look_at(&s->cold, &lines, flush_once, s, &look, err));
    if (lines.count == 0)
        return OB_OK;
    r->cache_reached = look.reached ? "memory" : "cache";
    r->cache_load_ns = look.load_ns;
    r->cache_memory_ns = look.memory_ns;
    return OB_OK;
}
