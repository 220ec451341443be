/* SPDX-License-Identifier: Apache-2.0
 *
 * From random inputs to an answer: torch.add on drawn shapes, each measured in two environments by turns,
 * and the draws whose times differ most. Here an environment is a backend with its options; in practice it
 * may as well be two builds of one library, measured by two starts of the program.
 *
 *     end_to_end [BACKEND_A BACKEND_B [SECONDS [DRAWS]]]
 *
 * Each backend is a name, or NAME:OPTIONS. native and native (what differs then is noise), 0.2 s and 10
 * draws if not given.
 */
#include "fuzzed_add.h"

#include <math.h>
#include <string.h>

enum { MOST_DRAWS = 1000, ENVS = 2, SHOWN = 5 };

typedef struct env {
    char name[128];
    ob_context *context;
    ob_session *session;
} env;

typedef struct result {
    fuzzed_case drawn;
    double median_s[ENVS];
} result;

typedef struct bench {
    env envs[ENVS];
    ob_measurements *list;
    double seconds;
    result results[MOST_DRAWS];
    size_t count;
} bench;

static ob_status measure(void *ctx, const ob_fuzz_draw *draw, ob_err *err)
{
    bench *b = ctx;
    result *r = &b->results[b->count];
    fuzzed_describe(draw, &r->drawn);
    for (int e = 0; e < ENVS; e++) {
        fuzzed_timing how = {.session = b->envs[e].session,
                             .list = b->list,
                             .env = e == 0 ? "A" : "B",
                             .description = r->drawn.x,
                             .seconds = b->seconds};
        OB_TRY(fuzzed_measure(b->envs[e].context, &how, &r->drawn, &r->median_s[e], err));
    }
    b->count++;
    return OB_OK;
}

/* "null:forward_ns=700" */
static ob_status open_env(const char *text, env *out, ob_err *err)
{
    snprintf(out->name, sizeof out->name, "%s", text);
    char *options = strchr(out->name, ':');
    if (options != NULL)
        *options++ = '\0';
    return open_session(out->name, options, &out->context, &out->session, err);
}

static double difference(const result *r)
{
    return fabs(log(r->median_s[1] / r->median_s[0]));
}

static int most_first(const void *a, const void *b)
{
    const double x = difference(a), y = difference(b);
    return (x < y) - (x > y);
}

static void print(bench *b)
{
    qsort(b->results, b->count, sizeof *b->results, most_first);
    printf("%d draws that differ most, of %zu\n%12s  %12s  %8s  %s\n",
           b->count < SHOWN ? (int)b->count : SHOWN, b->count, "A, us", "B, us", "B / A",
           "torch.add");
    for (size_t i = 0; i < b->count && i < SHOWN; i++) {
        const result *r = &b->results[i];
        printf("%12.3f  %12.3f  %8.3f  (%s, %s)\n", r->median_s[0] * 1e6, r->median_s[1] * 1e6,
               r->median_s[1] / r->median_s[0], r->drawn.x, r->drawn.y);
    }
}

int main(int argc, char **argv)
{
    static bench b;
    ob_fuzzer *fuzzer = NULL;
    ob_err err;
    const unsigned long wanted = argc > 4 ? strtoul(argv[4], NULL, 10) : 10;
    b.seconds = seconds_or_default(argc, argv, 3);
    ob_status status = ob_measurements_create(&b.list, &err);
    for (int e = 0; status == OB_OK && e < ENVS; e++)
        status = open_env(argc > 2 ? argv[1 + e] : "native", &b.envs[e], &err);
    if (status == OB_OK)
        status = fuzzed_open(&fuzzer, &err);
    if (status == OB_OK)
        status =
            ob_fuzzer_take(fuzzer, wanted < MOST_DRAWS ? wanted : MOST_DRAWS, measure, &b, &err);
    if (status == OB_OK)
        print(&b);
    ob_fuzzer_destroy(fuzzer);
    ob_measurements_destroy(b.list);
    for (int e = 0; e < ENVS; e++) {
        ob_session_close(b.envs[e].session);
        ob_context_destroy(b.envs[e].context);
    }
    return status == OB_OK ? 0 : fail("end_to_end", &err);
}
