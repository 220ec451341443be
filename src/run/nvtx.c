/* SPDX-License-Identifier: Apache-2.0
 *
 * NVTX through its library, looked for when the program runs: a profiler brings it or the CUDA toolkit
 * does, and nothing needs it to build. Labels are made before the case runs, so that a push costs
 * a call and no formatting.
 */
#include "run/nvtx.h"

#include "base/text_append.h"

#include <dlfcn.h>
#include <stdlib.h>

/* The second: CUDA 13 has the same functions under that name only. */
static const char *const LIBRARIES[] = {"libnvToolsExt.so.1", "libnvtx3interop.so.1",
                                        "libnvToolsExt.so"};
static const char *const TAGS[2] = {"warmup", "measure"};
static const char *const PASSES[2] = {"forward", "backward"};

struct ob_nvtx {
    int (*push)(const char *label);
    int (*pop)(void);
    ob_text text;        /* the labels, each ended by a NUL */
    size_t labels[2][2]; /* where they begin in it: tag, pass */
    size_t depth;        /* ranges that are open */
    bool measuring;
    ob_marks marks;
};

static void push(ob_nvtx *nvtx, const char *label)
{
    nvtx->depth++;
    if (nvtx->push != NULL)
        nvtx->push(label);
}

static void pop(ob_nvtx *nvtx)
{
    if (nvtx->depth == 0)
        return;
    nvtx->depth--;
    if (nvtx->pop != NULL)
        nvtx->pop();
}

static bool has_range(int mark)
{
    return mark == OB_CASE_PHASE_WARMUP || mark == OB_CASE_PHASE_MEASURE ||
           mark == OB_MARK_FORWARD || mark == OB_MARK_BACKWARD;
}

static void begin(void *ctx, int mark)
{
    ob_nvtx *nvtx = ctx;
    if (!has_range(mark))
        return;
    if (mark == OB_CASE_PHASE_WARMUP || mark == OB_CASE_PHASE_MEASURE) {
        nvtx->measuring = mark == OB_CASE_PHASE_MEASURE;
        push(nvtx, nvtx->measuring ? OB_NVTX_MEASURE : OB_NVTX_WARMUP);
        return;
    }
    push(nvtx, nvtx->text.data + nvtx->labels[nvtx->measuring][mark == OB_MARK_BACKWARD]);
}

static void end(void *ctx, int mark)
{
    if (has_range(mark))
        pop(ctx);
}

/* Both functions or none. */
static void load(ob_nvtx *nvtx)
{
    for (size_t i = 0; i < sizeof LIBRARIES / sizeof *LIBRARIES; i++) {
        void *library = dlopen(LIBRARIES[i], RTLD_NOW | RTLD_LOCAL);
        if (library == NULL)
            continue;
        void *const push_symbol = dlsym(library, "nvtxRangePushA");
        void *const pop_symbol = dlsym(library, "nvtxRangePop");
        if (push_symbol == NULL || pop_symbol == NULL)
            continue; /* never dlclosed: a profiler may have hooked into it */
        memcpy(&nvtx->push, &push_symbol, sizeof push_symbol);
        memcpy(&nvtx->pop, &pop_symbol, sizeof pop_symbol);
        return;
    }
}

ob_status ob__nvtx_open(ob_nvtx **out, ob_err *err)
{
    ob_nvtx *nvtx = calloc(1, sizeof *nvtx);
    if (nvtx == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the profiler's ranges");
    nvtx->marks = (ob_marks){.begin = begin, .end = end, .ctx = nvtx};
    load(nvtx);
    *out = nvtx;
    return OB_OK;
}

void ob__nvtx_close(ob_nvtx *nvtx)
{
    if (nvtx == NULL)
        return;
    ob__nvtx_end_case(nvtx);
    ob_text_fini(&nvtx->text);
    free(nvtx);
}

ob_status ob__nvtx_begin_case(ob_nvtx *nvtx, const char *op_name, const char *id, ob_err *err)
{
    bool ok = true;
    ob__nvtx_end_case(nvtx);
    nvtx->text.size = 0;
    nvtx->measuring = false;
    for (int tag = 0; tag < 2; tag++)
        for (int pass = 0; pass < 2; pass++) {
            nvtx->labels[tag][pass] = nvtx->text.size;
            ok = ok &&
                 ob_text_printf(&nvtx->text, "[param|%s|%s|%s|%s]", op_name, id, TAGS[tag],
                                PASSES[pass]) &&
                 ob_text_append(&nvtx->text, "", 1);
        }
    const size_t whole = nvtx->text.size;
    ok = ok && ob_text_printf(&nvtx->text, "[param|%s|%s]", op_name, id) &&
         ob_text_append(&nvtx->text, "", 1);
    if (!ok)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory for the profiler's ranges");
    push(nvtx, nvtx->text.data + whole);
    return OB_OK;
}

void ob__nvtx_end_case(ob_nvtx *nvtx)
{
    while (nvtx->depth > 0)
        pop(nvtx);
}

const ob_marks *ob__nvtx_marks(const ob_nvtx *nvtx)
{
    return &nvtx->marks;
}
