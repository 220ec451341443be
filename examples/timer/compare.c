/* SPDX-License-Identifier: Apache-2.0
 *
 * Two ways to the same product, over sizes and thread counts, in one table: torch.mm with a transposed
 * operand against torch.nn.functional.linear. Rows are the two ways, columns the sizes.
 *
 *     compare [BACKEND [SECONDS]]        native and 0.2 s per measurement if not given
 */
#include "example.h"

typedef struct bench {
    ob_session *session;
    ob_measurements *list;
    ob_task_spec spec;
    double seconds;
} bench;

static ob_status measure(void *ctx, const ob_case *c, ob_err *err)
{
    const bench *b = ctx;
    const ob_clock clock = ob_session_clock(b->session);
    ob_timer timer = {.size = sizeof timer, .spec = b->spec, .clock = &clock};
    OB_TRY(ob_session_prepare_task(b->session, c, &timer.task, err));
    return ob_timer_blocked_autorange(&timer, b->seconds, b->list, err);
}

static ob_status measure_all(ob_context *context, bench *b, ob_err *err)
{
    static const int SIZES[] = {16, 64, 256}, THREADS[] = {1, 2};
    static const char *const OPS[] = {"torch.mm", "torch.nn.functional.linear"};
    for (size_t t = 0; t < sizeof THREADS / sizeof *THREADS; t++)
        for (size_t s = 0; s < sizeof SIZES / sizeof *SIZES; s++)
            for (size_t i = 0; i < sizeof OPS / sizeof *OPS; i++) {
                char x[32], w[48], description[16];
                const int n = SIZES[s];
                snprintf(x, sizeof x, "f32[%d,%d]", n, n);
                snprintf(w, sizeof w, i == 0 ? "f32[%d,%d]:[1,%d]" : "f32[%d,%d]", n, n, n);
                snprintf(description, sizeof description, "n = %d", n);
                b->spec = (ob_task_spec){.label = "x w^T",
                                         .sub_label = OPS[i],
                                         .description = description,
                                         .num_threads = THREADS[t]};
                OB_TRY(with_case(context, OPS[i], (const char *const[]){x, w}, 2, measure, b, err));
            }
    return OB_OK;
}

static ob_status print_table(const ob_measurements *list, ob_err *err)
{
    ob_compare *compare = NULL;
    ob_text text = {0};
    const ob_compare_style style = {.size = sizeof style, .trim_significant_figures = true};
    ob_status status = ob_compare_create(list, &compare, err);
    if (status == OB_OK)
        status = ob_compare_print(compare, &style, &text, err);
    if (status == OB_OK)
        printf("%.*s", (int)text.size, text.data);
    ob_text_fini(&text);
    ob_compare_destroy(compare);
    return status;
}

int main(int argc, char **argv)
{
    ob_context *context = NULL;
    bench b = {.seconds = seconds_or_default(argc, argv, 2)};
    ob_err err;
    ob_status status = open_session(argc > 1 ? argv[1] : NULL, NULL, &context, &b.session, &err);
    if (status == OB_OK)
        status = ob_measurements_create(&b.list, &err);
    if (status == OB_OK)
        status = measure_all(context, &b, &err);
    if (status == OB_OK)
        status = print_table(b.list, &err);
    ob_measurements_destroy(b.list);
    ob_session_close(b.session);
    ob_context_destroy(context);
    return status == OB_OK ? 0 : fail("compare", &err);
}
