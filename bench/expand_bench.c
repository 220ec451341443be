/* SPDX-License-Identifier: Apache-2.0
 *
 * What expansion costs: a range config of 1,000,000 cases, walked, and printed as JSON to /dev/null.
 * Timed: ob_cases_next alone, then ob_cases_next, ob_case_print and the write. Not timed: opening the
 * config. Each figure is the median of several passes. Memory is the process's high-water mark.
 */
#include "opbench/config.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

static const char CONFIG[] =
    "{\"torch.mm\": {\"input_iterator\": \"RangeConfigIterator\","
    " \"input_data_generator\": \"PyTorch:DefaultDataGenerator\", \"config\": [{\"input\": "
    "[{\"args\": ["
    "{\"type\": \"tensor\", \"dtype\": [\"float\", \"double\"], \"shape\": [[1, 1000], [1, 500]],"
    " \"__range__\": [\"dtype\", \"shape\"]},"
    "{\"type\": \"tensor\", \"dtype\": \"float\", \"shape\": [-1, 128],"
    " \"__copy__\": [{\"shape\": [0, [0, 1]]}]}]}]}]}}";

enum { CASES = 1000000, PASSES = 7, WRITE_BYTES = 64 << 10 };

static const double WALK_US = 0.75, PRINT_US = 1.5, MEMORY_MIB = 64;

static double now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* One pass over all cases; returns microseconds per case, or a negative number on failure. */
static double pass(const ob_config *config, int descriptor)
{
    ob_cases *cases;
    const ob_case *c;
    ob_err err;
    ob_text text = {0};
    uint64_t count = 0;
    bool ok = ob_cases_open(config, NULL, &cases, &err) == OB_OK;
    if (!ok)
        return -1;
    const double start = now_us();
    while (ok && ob_cases_next(cases, &c, &err) == OB_OK) {
        count++;
        if (descriptor < 0)
            continue;
        ok = ob_case_print(c, &text, &err) == OB_OK;
        if (text.size >= WRITE_BYTES) {
            ok = ok && write(descriptor, text.data, text.size) == (ssize_t)text.size;
            text.size = 0;
        }
    }
    const double us = (now_us() - start) / CASES;
    ob_cases_close(cases);
    ob_text_fini(&text);
    return ok && count == CASES ? us : -1;
}

static bool measure(const ob_config *config, const char *what, int descriptor, double bound_us)
{
    double us[PASSES];
    for (int i = 0; i < PASSES; i++) {
        us[i] = pass(config, descriptor);
        if (us[i] < 0) {
            fprintf(stderr, "bench/expand: %s failed\n", what);
            return false;
        }
    }
    qsort(us, PASSES, sizeof *us, compare_doubles);
    const double median = us[PASSES / 2];
    printf("%-28s %8.3f us per case  (least %.3f, most %.3f; bound %.2f)%s\n", what, median, us[0],
           us[PASSES - 1], bound_us, median <= bound_us ? "" : "  MISSED");
    return median <= bound_us;
}

int main(void)
{
    ob_context *context;
    ob_config *config;
    ob_err err;
    const int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (null < 0 || ob_context_create(NULL, &context, &err) != OB_OK ||
        ob_config_open_memory(context, "bench", CONFIG, strlen(CONFIG), NULL, &config, &err) !=
            OB_OK) {
        fprintf(stderr, "bench/expand: cannot start: %s\n", null < 0 ? "/dev/null" : err.message);
        return 2;
    }
    printf("expand: %" PRIu64 " cases\n", ob_config_case_count(config));
    bool ok = measure(config, "walk", -1, WALK_US);
    ok &= measure(config, "print to /dev/null", null, PRINT_US);
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    const double mib = (double)usage.ru_maxrss / 1024;
    printf("%-28s %8.1f MiB  (bound %.0f)%s\n", "peak memory", mib, MEMORY_MIB,
           mib < MEMORY_MIB ? "" : "  MISSED");
    ok &= mib < MEMORY_MIB;
    ob_config_destroy(config);
    ob_context_destroy(context);
    close(null);
    return ok ? 0 : 1;
}
