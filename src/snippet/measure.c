/* SPDX-License-Identifier: Apache-2.0
 *
 * The Timer over a snippet in another process, which has the clock.
 */
#include "snippet/snippet_build.h"

static ob_status time_block(void *ctx, uint64_t n, double *seconds, ob_err *err)
{
    return ob_snippet_time(ctx, n, seconds, err);
}

/* The process was started with its number of threads. */
static ob_status keep_threads(void *ctx, int64_t threads, int64_t *before, ob_err *err)
{
    (void)ctx;
    (void)err;
    *before = threads;
    return OB_OK;
}

ob_status ob_snippet_measure(const ob_timer_args *args, const ob_task_spec *task,
                             const ob_snippet_options *options, ob_snippet_take take,
                             void *take_ctx, ob_measurements *to, ob_err *err)
{
    ob_snippet_process *process = NULL;
    ob_timer timer = {.size = sizeof timer,
                      .task = {.time_block = time_block, .set_threads = keep_threads}};
    ob_arena arena;
    ob__arena_init(&arena, 0);
    ob_status status = ob__snippet_task(&arena, task, &timer.spec, err);
    if (status == OB_OK)
        status = ob_snippet_open(args, options, &process, err);
    timer.task.ctx = process;
    if (status == OB_OK)
        status = take(take_ctx, &timer, to, err);
    ob_snippet_close(process);
    ob__arena_fini(&arena);
    return status;
}
