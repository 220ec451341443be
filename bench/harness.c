/* SPDX-License-Identifier: Apache-2.0
 *
 * What a run costs around the operators: from the start of the process to the first result, and per case
 * over 1,200 tiny cases, from the start of the process to its end. Timed from outside, with the program
 * as users have it: bench_harness [PROGRAM]. Each figure is the median of several runs.
 *
 * bench_harness PROGRAM OTHER runs two programs in turns instead, such as this opbench and one that was built before a
 * change, and says what the first takes of the other's time; on a machine that others use look at the CPU's.
 *
 * Beside it stands the same with torch.utils.benchmark, where a python3 with torch is found: one process
 * that imports torch and times an addition once, and one that times 1,200 of them, one after the other.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { CASES = 1200, RUNS = 21, TORCH_RUNS = 3, MOST_RUNS = RUNS };

static const double FIRST_MS = 10, CASE_US = 50;

extern char **environ;

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

/* ---- one process ---- */

typedef struct outcome {
    double first_us; /* from its start to the first line that has the mark */
    double all_us;   /* to its end */
    double cpu_us;   /* of all its processes */
    bool ok;         /* it ended with code 0 and the line came */
} outcome;

/* Reads to the end; returns when the mark was seen, 0 if never. The mark may lie across two pieces. */
static double read_to_end(int fd, const char *mark)
{
    char piece[1 << 16];
    const size_t length = strlen(mark);
    size_t kept = 0;
    double seen = 0;
    for (;;) {
        const ssize_t got = read(fd, piece + kept, sizeof piece - kept);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return seen;
        const size_t size = kept + (size_t)got;
        if (seen > 0)
            continue;
        if (memmem(piece, size, mark, length) != NULL)
            seen = now_us();
        kept = seen > 0 || size < length ? 0 : length - 1;
        memmove(piece, piece + size - kept, kept);
    }
}

static double time_us(const struct timeval *time)
{
    return (double)time->tv_sec * 1e6 + (double)time->tv_usec;
}

/* The child writes what is looked for to descriptor 3. */
static outcome run_once(char *const *words, const char *mark)
{
    outcome out = {.ok = false};
    struct rusage use = {.ru_nvcsw = 0};
    int pipe_fds[2], status = 0;
    pid_t pid;
    posix_spawn_file_actions_t actions;
    if (pipe2(pipe_fds, O_CLOEXEC) != 0)
        return out;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, pipe_fds[1], 3);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    const double start = now_us();
    const int failed = posix_spawnp(&pid, words[0], &actions, NULL, words, environ);
    close(pipe_fds[1]);
    posix_spawn_file_actions_destroy(&actions);
    if (failed == 0) {
        out.first_us = read_to_end(pipe_fds[0], mark) - start;
        while (wait4(pid, &status, 0, &use) < 0 && errno == EINTR)
            ;
        out.all_us = now_us() - start;
        out.cpu_us = time_us(&use.ru_utime) + time_us(&use.ru_stime);
        out.ok = WIFEXITED(status) && WEXITSTATUS(status) == 0 && out.first_us > 0;
    }
    close(pipe_fds[0]);
    return out;
}

/* Medians over some runs; not ok if one was not. */
static outcome run_often(char *const *words, const char *mark, size_t runs)
{
    double first[MOST_RUNS], all[MOST_RUNS];
    for (size_t i = 0; i < runs; i++) {
        const outcome one = run_once(words, mark);
        if (!one.ok)
            return one;
        first[i] = one.first_us;
        all[i] = one.all_us;
    }
    qsort(first, runs, sizeof *first, compare_doubles);
    qsort(all, runs, sizeof *all, compare_doubles);
    return (outcome){.first_us = first[runs / 2], .all_us = all[runs / 2], .ok = true};
}

/* ---- opbench ---- */

static bool write_config(const char *path, int cases)
{
    FILE *file = fopen(path, "we");
    if (file == NULL)
        return false;
    fprintf(
        file,
        "{\"torch.add\": {\"input_iterator\": \"RangeConfigIterator\", "
        "\"input_data_generator\": \"PyTorch:DefaultDataGenerator\", \"config\": [{\"input\": "
        "[{\"args\": [{\"type\": \"tensor\", \"dtype\": \"float\", \"shape\": [4]}, "
        "{\"type\": \"tensor\", \"dtype\": \"float\", \"shape\": [4]}], \"kwargs\": "
        "{\"alpha\": {\"type\": \"int\", \"value\": [1, %d, 1], \"__range__\": [\"value\"]}}}]}]}}",
        cases);
    return fclose(file) == 0;
}

static const char MARK[] = "\"op_name\"";

#define WORDS(program, path, backend)                                                              \
    {                                                                                              \
        (char *)(program), "run", "-c", (path), "--backend", (char *)(backend), "--output",        \
            "/dev/fd/3", "-q", NULL                                                                \
    }

static outcome run_opbench(const char *program, const char *folder, const char *backend, int cases)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%d.json", folder, cases);
    char *words[] = WORDS(program, path, backend);
    if (!write_config(path, cases))
        return (outcome){.ok = false};
    const outcome out = run_often(words, MARK, RUNS);
    unlink(path);
    return out;
}

/* ---- two programs ---- */

static double median(double *values, size_t count)
{
    qsort(values, count, sizeof *values, compare_doubles);
    return values[count / 2];
}

/* In turns, so that what else the machine does meets both. */
static bool beside(char *const programs[2], const char *folder, const char *backend, int cases)
{
    char path[PATH_MAX];
    double all[2][RUNS], cpu[2][RUNS];
    bool ok = true;
    snprintf(path, sizeof path, "%s/%d.json", folder, cases);
    ok = write_config(path, cases);
    for (size_t i = 0; ok && i < (size_t)2 * RUNS; i++) {
        char *words[] = WORDS(programs[i % 2], path, backend);
        const outcome one = run_once(words, MARK);
        all[i % 2][i / 2] = one.all_us;
        cpu[i % 2][i / 2] = one.cpu_us;
        ok = one.ok;
        if (!ok)
            printf("%s: %s does not run here\n", backend, programs[i % 2]);
    }
    unlink(path);
    if (!ok)
        return false;
    const double wall = median(all[0], RUNS) / 1e3, other = median(all[1], RUNS) / 1e3;
    const double work = median(cpu[0], RUNS) / 1e3, other_work = median(cpu[1], RUNS) / 1e3;
    printf("%-8s %5d cases  time %7.2f ms, other %7.2f ms, ratio %.2f;  CPU %7.2f ms, other %7.2f "
           "ms, ratio %.2f (least %.2f)\n",
           backend, cases, wall, other, wall / other, work, other_work, work / other_work,
           cpu[0][0] / cpu[1][0]);
    return true;
}

static int run_beside(char *const programs[2], const char *folder)
{
    bool ok = true;
    printf("harness: %d runs of each program, in turns\n", RUNS);
    for (int i = 0; i < 4; i++)
        ok &= beside(programs, folder, i < 2 ? "null" : "native", i % 2 == 0 ? 1 : CASES);
    rmdir(folder);
    return ok ? 0 : 1;
}

/* ---- torch ---- */

/* The first python3 that has torch: the user's own, or the system's. */
static const char *find_python(void)
{
    static const char *const PLACES[] = {"python3", "/usr/bin/python3"};
    for (size_t i = 0; i < sizeof PLACES / sizeof *PLACES; i++) {
        char *words[] = {(char *)PLACES[i], "-c", "import os, torch; os.write(3, b'yes')", NULL};
        if (run_once(words, "yes").ok)
            return PLACES[i];
    }
    return NULL;
}

static outcome run_torch(const char *python, int cases)
{
    if (python == NULL)
        return (outcome){.ok = false};
    char code[512];
    snprintf(code, sizeof code,
             "import os, torch, torch.utils.benchmark as b\n"
             "x = torch.rand(4)\n"
             "for i in range(%d):\n"
             "    m = b.Timer('torch.add(x, x, alpha=i)', globals=dict(torch=torch, x=x, i=i))"
             ".timeit(1)\n"
             "    os.write(3, b'time ' + str(m.median).encode() + b'\\n')\n",
             cases);
    char *words[] = {(char *)python, "-c", code, NULL};
    return run_often(words, "time ", TORCH_RUNS);
}

/* ---- the report ---- */

static bool report(const char *what, double value, const char *unit, double bound, double torch)
{
    const bool ok = value <= bound;
    printf("%-44s %8.2f %s  (bound %g)%s", what, value, unit, bound, ok ? "" : "  MISSED");
    if (torch > 0)
        printf("  torch.utils.benchmark %.2f %s, %.0f times as much", torch, unit, torch / value);
    printf("\n");
    return ok;
}

static double per_case(const outcome *one, const outcome *many)
{
    return (many->all_us - one->all_us) / (CASES - 1);
}

static bool measure(const char *program, const char *folder, const char *backend,
                    const outcome torch[2])
{
    char what[64];
    const bool with_torch = torch[0].ok && torch[1].ok;
    const outcome one = run_opbench(program, folder, backend, 1);
    const outcome many = run_opbench(program, folder, backend, CASES);
    if (!one.ok || !many.ok) {
        printf("%s: does not run here\n", backend);
        return false;
    }
    snprintf(what, sizeof what, "%s: start to first result", backend);
    bool ok =
        report(what, one.first_us / 1e3, "ms", FIRST_MS, with_torch ? torch[0].first_us / 1e3 : 0);
    snprintf(what, sizeof what, "%s: a case, of %d, process included", backend, CASES);
    ok &=
        report(what, many.all_us / CASES, "us", CASE_US, with_torch ? torch[1].all_us / CASES : 0);
    snprintf(what, sizeof what, "%s: a further case", backend);
    ok &= report(what, per_case(&one, &many), "us", CASE_US,
                 with_torch ? per_case(&torch[0], &torch[1]) : 0);
    return ok;
}

/* opbench in the folder above this program's. */
static bool find_program(char *out, size_t size)
{
    char self[PATH_MAX];
    const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length <= 0)
        return false;
    self[length] = '\0';
    *strrchr(self, '/') = '\0';
    return snprintf(out, size, "%s/../opbench", self) < (int)size && access(out, X_OK) == 0;
}

int main(int argc, char **argv)
{
    char program[PATH_MAX + 16], folder[] = "/tmp/opbench-bench-XXXXXX";
    if (argc > 1 ? snprintf(program, sizeof program, "%s", argv[1]) >= (int)sizeof program
                 : !find_program(program, sizeof program)) {
        fprintf(stderr, "bench/harness: there is no opbench; give its path\n");
        return 2;
    }
    if (mkdtemp(folder) == NULL) {
        fprintf(stderr, "bench/harness: no folder below /tmp: %s\n", strerror(errno));
        return 2;
    }
    if (argc > 2)
        return run_beside(argv + 1, folder);
    const char *python = find_python();
    const outcome torch[2] = {run_torch(python, 1), run_torch(python, CASES)};
    printf("harness: %d runs each%s\n", RUNS,
           torch[0].ok ? "" : "; no python3 with torch here to compare with");
    bool ok = measure(program, folder, "null", torch);
    ok &= measure(program, folder, "native", torch);
    rmdir(folder);
    return ok ? 0 : 1;
}
