/* SPDX-License-Identifier: Apache-2.0
 *
 * native beside torch: every call of the goldens, in all dtypes, layouts and sizes that the fuzzer draws,
 * forward and backward, through what --check does. A call that one of the two does not take is
 * counted, not compared.
 */
#include "variants.h"

#include "run/check.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { SKIPPED = 77 }; /* for ctest */

/* Operators whose results may differ, in which dtypes, and why. */
typedef enum where { ANYWHERE, OF_INTEGERS, OF_F64, OF_BF16, OF_F32_BF16 } where;
static const struct {
    const char *op;
    where in;
} MAY_DIFFER[] = {
    {"aten::hardsigmoid", OF_F64},             /* torch divides by 6 in float32 */
    {"aten::hardsigmoid_", OF_F64},            /* likewise */
    {"aten::hardsigmoid_backward", OF_F64},    /* likewise */
    {"aten::native_group_norm", ANYWHERE},     /* torch differentiates its mean and deviation too */
    {"aten::topk", OF_INTEGERS},               /* which of equal elements comes first is not said */
    {"aten::convolution", OF_BF16},            /* transposed in groups: torch gives another shape */
    {"aten::conv_transpose3d.input", OF_BF16}, /* likewise */
    {"aten::convolution_backward", OF_F32_BF16}, /* torch gives more than output_mask asks for */
};

typedef struct tally {
    int compared, gradients, denied, failed;
} tally;

typedef struct pair {
    subject native, torch;
    int fd;
    tally tally;
    ob_dtype dtype; /* of the goldens' real numbers */
    bool verbose;
} pair;

static bool may_differ(const char *op, ob_dtype dtype)
{
    const bool there[] = {[ANYWHERE] = true,
                          [OF_INTEGERS] = ob_dtype_is_integral(dtype),
                          [OF_F64] = dtype == OB_DTYPE_F64,
                          [OF_BF16] = dtype == OB_DTYPE_BF16,
                          [OF_F32_BF16] = dtype == OB_DTYPE_F32 || dtype == OB_DTYPE_BF16};
    for (size_t i = 0; i < sizeof MAY_DIFFER / sizeof *MAY_DIFFER; i++)
        if (strcmp(MAY_DIFFER[i].op, op) == 0 && there[MAY_DIFFER[i].in])
            return true;
    return false;
}

/* ---- opening ---- */

static ob_status open_side(ob_context *context, const char *name, subject *s, ob_err *err)
{
    *s = (subject){.context = context, .desc = ob_context_find_backend(context, name)};
    if (s->desc == NULL) {
        for (size_t i = 0; i < ob_context_count(context, OB_ENTRY_BACKEND); i++) {
            const ob_entry_info info = ob_context_entry(context, OB_ENTRY_BACKEND, i);
            if (strcmp(info.name, name) == 0)
                return ob_err_set(err, OB_ERR_UNSUPPORTED, "%s", info.reason);
        }
        return ob_err_set(err, OB_ERR_NOT_FOUND, "there is no backend %s", name);
    }
    void *options = calloc(1, s->desc->options_size + 1);
    if (options == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory");
    if (s->desc->options_default != NULL)
        memcpy(options, s->desc->options_default, s->desc->options_size);
    const ob_backend_settings settings = {.host = ob_host_get(),
                                          .device = {.type = "cpu", .index = -1},
                                          .threads = 1,
                                          .seed = 1,
                                          .options = options};
    const ob_status status = s->desc->open(&settings, &s->backend, err);
    free(options);
    return status;
}

/* ---- one call ---- */

/* The setup that a run would make, of a call instead of a case. */
static ob_status make_setup(const subject *s, const golden *g, bool differentiate, ob_setup *out,
                            ob_err *err)
{
    const ob_call call = golden_call(g);
    ob_graph *plain = NULL;
    *out = (ob_setup){.desc = s->desc, .writes_inputs = true, .has_backward = differentiate};
    OB_TRY(ob_graph_build(ob_context_operators(s->context), g->op, NULL, &call, &out->graph, err));
    if (differentiate && !s->desc->has_autograd) {
        OB_TRY(ob_graph_decompose(out->graph, NULL, NULL, &plain, err));
        ob_graph_destroy(out->graph);
        out->graph = plain;
        OB_TRY(ob_graph_derive_backward(out->graph, &out->backward, err));
        if (out->backward.target_count == 0)
            return ob_err_set(err, OB_ERR_UNSUPPORTED, "there is nothing to differentiate");
    }
    size_t count = out->graph->edge_count;
    out->inputs = calloc(count + 1, sizeof *out->inputs);
    if (out->inputs == NULL)
        return ob_err_set(err, OB_ERR_NOMEM, "out of memory");
    OB_TRY(ob_graph_flatten_inputs(&call, out->inputs, &count, err));
    out->input_count = count;
    const ob_pass pass = differentiate ? OB_PASS_BACKWARD : OB_PASS_FORWARD;
    ob_reason why = {.text = ""};
    const ob_status status = s->desc->supports(s->backend, out->graph, pass, &why);
    if (status != OB_OK)
        return ob_err_set(err, status, "%s", why.text);
    const ob_prepare_args args = {.graph = out->graph,
                                  .backward = out->backward.graph != NULL ? &out->backward : NULL,
                                  .inputs = out->inputs,
                                  .input_count = out->input_count,
                                  .pass = pass};
    return s->desc->prepare(s->backend, &args, &out->prepared, err);
}

static ob_status run_side(pair *p, const subject *s, const golden *g, bool differentiate,
                          ob_check_result *result, ob_err *err)
{
    const ob_check_place place = {
        .fd = p->fd, .is_reference = s == &p->torch, .reference = "torch"};
    ob_setup setup;
    ob_status status = make_setup(s, g, differentiate, &setup, err);
    if (status == OB_OK)
        status = ob__check_case(&setup, s->backend, &place, result, err);
    ob__setup_fini(&setup);
    return status;
}

/* The same variant on both, each in memory of its own. */
static void compare(pair *p, const golden *g, variant_kind kind, uint64_t number,
                    bool differentiate)
{
    subject *const sides[] = {&p->torch, &p->native};
    ob_check_result result = {.verdict = NULL};
    char text[512] = "";
    ob_err err = {.message = ""};
    ob_status status = ftruncate(p->fd, 0) == 0 ? OB_OK : OB_ERR_IO;
    for (size_t i = 0; status == OB_OK && i < 2; i++) {
        golden made;
        status = variant_make(g, kind, number, &made, &err);
        variant_print(&made, text, sizeof text);
        if (status == OB_OK)
            status = run_side(p, sides[i], &made, differentiate, &result, &err);
        variant_fini(&made);
    }
    if (status != OB_OK) {
        p->tally.denied++;
        if (p->verbose)
            printf("denied: %s(%s)%s: %s\n", g->op, text, differentiate ? " backward" : "",
                   err.message);
        return;
    }
    p->tally.compared++;
    p->tally.gradients += differentiate;
    if (strcmp(result.verdict, "differs") != 0 || may_differ(g->op, p->dtype))
        return;
    p->tally.failed++;
    printf("%s(%s)%s: %s\n", g->op, text, differentiate ? " backward" : "", result.reason);
}

static void compare_call(pair *p, golden *g, uint64_t variants)
{
    const ob_op *op = ob_op_table_find(ob_context_operators(p->native.context), g->op);
    /* torch calls its backward operators with what its own forward left: as large as each other, and
     * contiguous. Given something else some of them read and write outside of it. */
    const bool inner = strstr(g->op, "backward") != NULL;
    const bool sized = op != NULL && !inner && variant_is_elementwise(g, op);
    for (int differentiate = 0; differentiate < (g->nograd ? 1 : 2); differentiate++) {
        if (differentiate)
            golden_require_grad(g);
        compare(p, g, VARIANT_PLAIN, 0, differentiate != 0);
        for (uint64_t v = 0; v < variants; v++) {
            if (!inner)
                compare(p, g, VARIANT_STRIDED, 1000 * v, differentiate != 0);
            if (sized)
                compare(p, g, VARIANT_SIZED, v, differentiate != 0);
        }
    }
}

static void compare_file(pair *p, const char *path, ob_dtype dtype, uint64_t variants)
{
    goldens file;
    golden g;
    ob_err err;
    p->tally = (tally){0};
    p->dtype = dtype;
    if (goldens_open(&file, path, &err) != OB_OK) {
        printf("%s\n", err.message);
        p->tally.failed++;
        return;
    }
    while (goldens_next(&file, dtype, &g, &err) == OB_OK) {
        compare_call(p, &g, variants);
        golden_fini(&g);
    }
    goldens_close(&file);
    printf("%s: %d compared, %d of them gradients, %d not taken by one of the two, %d differ\n",
           ob_dtype_get_info(dtype)->name, p->tally.compared, p->tally.gradients, p->tally.denied,
           p->tally.failed);
}

int run_beside(const char *native, const char *torch, const char *goldens_path, bool full)
{
    static const ob_dtype dtypes[] = {OB_DTYPE_F64, OB_DTYPE_F32, OB_DTYPE_BF16, OB_DTYPE_F16,
                                      OB_DTYPE_I64, OB_DTYPE_I32, OB_DTYPE_U8};
    pair p = {.fd = memfd_create("results", MFD_CLOEXEC),
              .verbose = getenv("CONFORM_VERBOSE") != NULL};
    ob_context *context = NULL;
    ob_err err;
    int failures = 0, compared = 0;
    ob_status status = ob_context_create(NULL, &context, &err);
    if (status == OB_OK)
        status = ob_plugin_load(context, native, &err);
    if (status == OB_OK)
        status = open_side(context, "native", &p.native, &err);
    if (status != OB_OK) {
        printf("%s\n", err.message);
        return 1;
    }
    status = ob_plugin_load(context, torch, &err);
    if (status == OB_OK)
        status = open_side(context, "torch", &p.torch, &err);
    if (status != OB_OK) {
        printf("skipped: there is no torch to compare with: %s\n", err.message);
        return SKIPPED;
    }
    for (size_t i = 0; i < sizeof dtypes / sizeof *dtypes; i++) {
        compare_file(&p, goldens_path, dtypes[i], full ? 20 : 1);
        failures += p.tally.failed;
        compared += p.tally.compared;
    }
    p.native.desc->close(p.native.backend);
    p.torch.desc->close(p.torch.backend);
    ob_context_destroy(context);
    close(p.fd);
    return failures > 0 || compared == 0;
}
