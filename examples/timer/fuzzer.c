/* SPDX-License-Identifier: Apache-2.0
 *
 * An operator over shapes that are drawn at random: x has two dimensions, y can be broadcast to it, and
 * a quarter of the tensors is not contiguous. The same seed draws the same on every machine. The slowest
 * per element are printed first.
 *
 *     fuzzer [BACKEND [SECONDS [DRAWS]]]        native, 0.2 s per measurement and 10 draws if not given
 */
#include "fuzzed_add.h"

enum { MOST_DRAWS = 1000 };

typedef struct result {
    fuzzed_case drawn;
    double median_s;
} result;

typedef struct bench {
    ob_context *context;
    ob_session *session;
    ob_measurements *list;
    double seconds;
    result results[MOST_DRAWS];
    size_t count;
} bench;

static ob_status measure(void *ctx, const ob_fuzz_draw *draw, ob_err *err)
{
    bench *b = ctx;
    result *r = &b->results[b->count];
    fuzzed_timing how = {.session = b->session, .list = b->list, .seconds = b->seconds};
    fuzzed_describe(draw, &r->drawn);
    OB_TRY(fuzzed_measure(b->context, &how, &r->drawn, &r->median_s, err));
    b->count++;
    return OB_OK;
}

static double per_element(const result *r)
{
    return r->median_s / (double)r->drawn.elements;
}

static int slowest_first(const void *a, const void *b)
{
    const double x = per_element(a), y = per_element(b);
    return (x < y) - (x > y);
}

static void print(bench *b)
{
    qsort(b->results, b->count, sizeof *b->results, slowest_first);
    printf("%12s  %12s  %s\n", "median, us", "ns / element", "torch.add");
    for (size_t i = 0; i < b->count; i++)
        printf("%12.3f  %12.4f  (%s, %s)\n", b->results[i].median_s * 1e6,
               per_element(&b->results[i]) * 1e9, b->results[i].drawn.x, b->results[i].drawn.y);
}

int main(int argc, char **argv)
{
    static bench b;
    ob_fuzzer *fuzzer = NULL;
    ob_err err;
    const unsigned long wanted = argc > 3 ? strtoul(argv[3], NULL, 10) : 10;
    b.seconds = seconds_or_default(argc, argv, 2);
    ob_status status = open_session(argc > 1 ? argv[1] : NULL, NULL, &b.context, &b.session, &err);
    if (status == OB_OK)
        status = ob_measurements_create(&b.list, &err);
    if (status == OB_OK)
        status = fuzzed_open(&fuzzer, &err);
    if (status == OB_OK)
        status =
            ob_fuzzer_take(fuzzer, wanted < MOST_DRAWS ? wanted : MOST_DRAWS, measure, &b, &err);
    if (status == OB_OK)
        print(&b);
    ob_fuzzer_destroy(fuzzer);
    ob_measurements_destroy(b.list);
    ob_session_close(b.session);
    ob_context_destroy(b.context);
    return status == OB_OK ? 0 : fail("fuzzer", &err);
}
