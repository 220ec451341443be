/* SPDX-License-Identifier: Apache-2.0
 *
 * Verdicts on times from anywhere: two text files with a line per process, each with the times of that process in any unit.
 *
 *     verdict before.txt after.txt
 *
 * Exit code 1 if the second is slower, 2 if a file cannot be used. docs/verdict.md explains the verdicts.
 */
#include <opbench/verdict.h>

#include <stdio.h>
#include <stdlib.h>

enum { MOST_PROCESSES = 1000, MOST_TIMES = 1000000 };

static int complain(const char *path, const char *message)
{
    fprintf(stderr, "%s: %s\n", path, message);
    return -1;
}

/* The times of the next line; returns how many, -1 at the end of the file. */
static long read_line(FILE *file, double *times)
{
    long count = 0;
    int c = fgetc(file);
    if (c == EOF)
        return -1;
    for (; c != '\n' && c != EOF; c = fgetc(file)) {
        if (c == ' ' || c == '\t')
            continue;
        ungetc(c, file);
        if (count == MOST_TIMES || fscanf(file, "%lf", &times[count]) != 1)
            return 0;
        count++;
    }
    return count;
}

/* One unit per line. Returns how many, -1 for a file that cannot be used. */
static long read_processes(const char *path, ob_verdict_unit *units)
{
    static double times[MOST_TIMES];
    long processes = 0, count;
    ob_err err;
    FILE *file = fopen(path, "r");
    if (file == NULL)
        return complain(path, "cannot be opened");
    while (processes >= 0 && processes < MOST_PROCESSES && (count = read_line(file, times)) >= 0) {
        const ob_verdict_samples samples = {
            .size = sizeof samples, .values = times, .count = (size_t)count};
        if (ob_verdict_unit_of(&samples, &units[processes], &err) == OB_OK)
            processes++;
        else
            processes = complain(path, err.message);
    }
    fclose(file);
    return processes;
}

int main(int argc, char **argv)
{
    static ob_verdict_unit before[MOST_PROCESSES], after[MOST_PROCESSES];
    const ob_verdict_params params = {.size = sizeof params};
    ob_verdict v = {.size = sizeof v};
    ob_err err;
    if (argc != 3) {
        fprintf(stderr, "usage: verdict BEFORE AFTER\n");
        return 2;
    }
    const long a = read_processes(argv[1], before), b = read_processes(argv[2], after);
    if (a < 0 || b < 0)
        return 2;
    if (ob_verdict_decide(before, (size_t)a, after, (size_t)b, &params, &v, &err) != OB_OK) {
        fprintf(stderr, "verdict: %s\n", err.message);
        return 2;
    }
    printf("%s: %.6g after %.6g, ratio %.4f (%.4f to %.4f)%s%s\n", ob_verdict_word(v.kind),
           v.subject, v.baseline, v.ratio, v.low, v.high, v.why[0] != '\0' ? "; " : "", v.why);
    return v.kind == OB_VERDICT_SLOWER;
}
