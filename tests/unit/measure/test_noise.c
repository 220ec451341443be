/* SPDX-License-Identifier: Apache-2.0
 *
 * Foreign CPU use and steal, from texts in the form of /proc/stat and a fake clock.
 */
#include "check.h"
#include "measure/proc.h"
#include "root_dir.h"

#define CPU_ALL "cpu  999 999 999 999 999 999 999 999 999 999\n"

static ob_status parse(const char *text, const char *cpus, ob_cpu_ticks *ticks, ob_err *err)
{
    ob_cpu_set set;
    CHECK_INT(ob_cpu_set_parse(cpus, strlen(cpus), &set, NULL), OB_OK);
    FILE *file = fmemopen((void *)(uintptr_t)text, strlen(text), "r");
    const ob_status status = ob__cpu_ticks_read(file, &set, ticks, err);
    fclose(file);
    return status;
}

static void ticks_of_a_set(void)
{
    static const char TEXT[] = CPU_ALL "cpu0 1 2 3 40 5 6 7 8 100 100\n"
                                       "cpu1 10 20 30 400 50 60 70 80 0 0\n"
                                       "cpu11 1000 0 0 0 0 0 0 2000 0 0\n"
                                       "intr 5 0 cpu9 garbage\n";
    ob_cpu_ticks ticks;
    CHECK_INT(parse(TEXT, "0", &ticks, NULL), OB_OK);
    CHECK_INT(ticks.busy, 1 + 2 + 3 + 6 + 7); /* guests are part of user already */
    CHECK_INT(ticks.idle, 45);
    CHECK_INT(ticks.steal, 8);
    CHECK_INT(ticks.cpus, 1);
    CHECK_INT(parse(TEXT, "0-1,11,12", &ticks, NULL), OB_OK);
    CHECK_INT(ticks.busy, 19 + 190 + 1000);
    CHECK_INT(ticks.steal, 8 + 80 + 2000);
    CHECK_INT(ticks.cpus, 3);
    CHECK_INT(parse(CPU_ALL "cpu9 1 2 3 4 5 6 7 8\n", "9", &ticks, NULL), OB_OK);
    CHECK_INT(ticks.cpus, 1);
}

static void bad_texts(void)
{
    static const struct {
        const char *text, *message;
        ob_status status;
    } CASES[] = {
        {"intr 1\n", "does not begin with lines of CPUs", OB_ERR_SYNTAX},
        {"\n", "does not begin with lines of CPUs", OB_ERR_SYNTAX},
        {CPU_ALL "cpu0 1 2 3\n", "an unexpected line: \"cpu0 1 2 3", OB_ERR_SYNTAX},
        {CPU_ALL "cpux 1 2 3 4 5 6 7 8\n", "an unexpected line: \"cpux", OB_ERR_SYNTAX},
        {CPU_ALL "cpu+1 1 2 3 4 5 6 7 8\n", "an unexpected line: \"cpu+1", OB_ERR_SYNTAX},
        {CPU_ALL "cpu: 1 2 3 4 5 6 7 8\n", "an unexpected line: \"cpu:", OB_ERR_SYNTAX},
        {CPU_ALL "cpu0 1 2 3 4 5 6 7 99999999999999999999\n", "an unexpected line", OB_ERR_SYNTAX},
        {CPU_ALL "cpu0 1 -2 3 4 5 6 7 8\n", "an unexpected line", OB_ERR_SYNTAX},
        {CPU_ALL "cpu5 1 2 3 4 5 6 7 8\n", "no line for the CPUs", OB_ERR_NOT_FOUND},
        {CPU_ALL, "no line for the CPUs", OB_ERR_NOT_FOUND},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        ob_cpu_ticks ticks;
        ob_err err;
        CHECK_INT(parse(CASES[i].text, "0-1", &ticks, &err), CASES[i].status);
        CHECK_HAS(err.message, CASES[i].message);
    }
}

static void cpu_lists(void)
{
    ob_cpu_set set;
    ob_err err;
    CHECK_INT(ob_cpu_set_parse("0-2,5,64-65\n", 12, &set, NULL), OB_OK);
    CHECK_INT(ob_cpu_set_count(&set), 6);
    CHECK(ob_cpu_set_has(&set, 2) && !ob_cpu_set_has(&set, 3) && ob_cpu_set_has(&set, 65));
    CHECK(!ob_cpu_set_has(&set, OB_MAX_CPUS) && !ob_cpu_set_has(&set, SIZE_MAX));
    CHECK_INT(ob_cpu_set_parse("", 0, &set, NULL), OB_OK);
    CHECK_INT(ob_cpu_set_count(&set), 0);
    CHECK_INT(ob_cpu_set_parse("0-4095", 6, &set, NULL), OB_OK);
    CHECK_INT(ob_cpu_set_count(&set), 4096);
    static const char *const BAD[] = {
        "4096", "3-1", "1,", ",1", "a", "1-", "1 2", "1;2", "99999999999999999999"};
    for (size_t i = 0; i < sizeof BAD / sizeof *BAD; i++) {
        CHECK_INT(ob_cpu_set_parse(BAD[i], strlen(BAD[i]), &set, &err), OB_ERR_SYNTAX);
        CHECK_HAS(err.message, BAD[i]);
        CHECK_INT(ob_cpu_set_count(&set), 0);
    }
    CHECK_INT(ob_cpu_set_usable(&set, NULL), OB_OK);
    CHECK(ob_cpu_set_count(&set) > 0);
}

static uint64_t own_ns;
static uint64_t fake_own_ns(void *ctx)
{
    (void)ctx;
    return own_ns;
}

static void windows(void)
{
    const root_dir root = root_dir_make();
    ob_fake_clock fake = {.now_ns = 1000};
    const ob_clock clock = ob_clock_fake(&fake);
    ob_cpu_set cpus;
    ob_noise noise;
    ob_noise_sampler *sampler = NULL;
    bool read = true;
    CHECK_INT(ob_cpu_set_parse("0-1", 3, &cpus, NULL), OB_OK);
    const ob_noise_params params = {.size = sizeof params,
                                    .root = root.path,
                                    .cpus = &cpus,
                                    .clock = &clock,
                                    .own_cpu_ns = fake_own_ns};
    own_ns = 5000;
    root_dir_write(&root, "/proc/stat", CPU_ALL "cpu0 100 0 0 0 0 0 0 10\ncpu1 0 0 0 0 0 0 0 0\n");
    CHECK_INT(ob_noise_sampler_open(&params, &sampler, NULL), OB_OK);
    ob_noise_sampler_get(sampler, &noise);
    CHECK_INT(noise.windows, 0);
    CHECK(isnan(noise.foreign) && isnan(noise.last_steal));

    /* Too early: nothing is read. */
    fake.now_ns += 99999999;
    CHECK_INT(ob_noise_sampler_poll(sampler, &read, NULL), OB_OK);
    CHECK(!read);

    /* 200 ms of two CPUs: 150 ms busy of which 100 ms ours, 20 ms stolen. */
    fake.now_ns = 1000 + 200000000;
    own_ns += 100000000;
    root_dir_write(&root, "/proc/stat", CPU_ALL "cpu0 110 0 0 0 0 0 0 12\ncpu1 5 0 0 0 0 0 0 0\n");
    CHECK_INT(ob_noise_sampler_poll(sampler, &read, NULL), OB_OK);
    CHECK(read);
    ob_noise_sampler_get(sampler, &noise);
    CHECK_INT(noise.windows, 1);
    CHECK_NEAR(noise.seconds, 0.2, 1e-15);
    CHECK_NEAR(noise.foreign, 0.125, 1e-15);
    CHECK_NEAR(noise.steal, 0.05, 1e-15);
    CHECK_NEAR(noise.own, 0.25, 1e-15);

    /* A quiet window: our own use is finer than the ticks and looks larger than all; never < 0. */
    fake.now_ns += 200000000;
    own_ns += 9000000;
    CHECK_INT(ob_noise_sampler_poll(sampler, &read, NULL), OB_OK);
    ob_noise_sampler_get(sampler, &noise);
    CHECK_INT(noise.windows, 2);
    CHECK_REAL(noise.last_foreign, 0);
    CHECK_REAL(noise.last_steal, 0);
    CHECK_NEAR(noise.foreign, 0.0625, 1e-15);
    CHECK_NEAR(noise.max_foreign, 0.125, 1e-15);
    CHECK_NEAR(noise.max_steal, 0.05, 1e-15);

    /* Counters that went back (a CPU came and went): the window is dropped, the next one counts. */
    fake.now_ns += 200000000;
    root_dir_write(&root, "/proc/stat", CPU_ALL "cpu0 0 0 0 0 0 0 0 0\ncpu1 5 0 0 0 0 0 0 0\n");
    CHECK_INT(ob_noise_sampler_poll(sampler, &read, NULL), OB_OK);
    CHECK(!read);
    fake.now_ns += 100000000;
    root_dir_write(&root, "/proc/stat", CPU_ALL "cpu0 10 0 0 0 0 0 0 0\ncpu1 15 0 0 0 0 0 0 0\n");
    CHECK_INT(ob_noise_sampler_poll(sampler, &read, NULL), OB_OK);
    CHECK(read);
    ob_noise_sampler_get(sampler, &noise);
    CHECK_INT(noise.windows, 3);
    CHECK_REAL(noise.last_foreign, 1);

    ob_err err;
    fake.now_ns += 100000000;
    root_dir_write(&root, "/proc/stat", "nonsense");
    CHECK_INT(ob_noise_sampler_poll(sampler, NULL, &err), OB_ERR_SYNTAX);
    ob_noise_sampler_close(sampler);
    root_dir_remove(&root);
}

static void failures(void)
{
    ob_noise_sampler *sampler = NULL;
    ob_err err;
    const ob_noise_params nowhere = {.size = sizeof nowhere, .root = "/nonexistent"};
    CHECK_INT(ob_noise_sampler_open(&nowhere, &sampler, &err), OB_ERR_UNSUPPORTED);
    CHECK_HAS(err.message, "/nonexistent/proc/stat cannot be read");
    CHECK(sampler == NULL);
    char path[2000];
    memset(path, 'x', sizeof path);
    path[sizeof path - 1] = '\0';
    const ob_noise_params long_root = {.size = sizeof long_root, .root = path};
    CHECK_INT(ob_noise_sampler_open(&long_root, &sampler, &err), OB_ERR_INVALID);
    CHECK_HAS(err.message, "root path is longer than");
    ob_noise_sampler_close(NULL);
}

static void this_machine(void)
{
    ob_noise_sampler *sampler = NULL;
    ob_err err;
    const ob_status status = ob_noise_sampler_open(NULL, &sampler, &err);
    CHECK(status == OB_OK || status == OB_ERR_UNSUPPORTED);
    if (status == OB_OK)
        CHECK_INT(ob_noise_sampler_poll(sampler, NULL, &err), OB_OK);
    ob_noise_sampler_close(sampler);
}

int main(void)
{
    RUN(ticks_of_a_set);
    RUN(bad_texts);
    RUN(cpu_lists);
    RUN(windows);
    RUN(failures);
    RUN(this_machine);
    return ob_test_end();
}
