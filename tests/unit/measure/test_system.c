/* SPDX-License-Identifier: Apache-2.0
 *
 * What the machine is, read from a made-up /proc and /sys; and the floating-point mode.
 */
#include "check.h"
#include "measure/fp_mode.h"
#include "opbench/measure.h"
#include "root_dir.h"

#include <float.h>

#define CPU "/sys/devices/system/cpu"

static void write_cache(const root_dir *root, const char *index, const char *level,
                        const char *type, const char *size, const char *shared)
{
    char path[128];
    const char *const names[] = {"level", "type", "size", "shared_cpu_list", "coherency_line_size"};
    const char *const values[] = {level, type, size, shared, "64\n"};
    for (size_t i = 0; i < 5; i++) {
        snprintf(path, sizeof path, CPU "/cpu2/cache/%s/%s", index, names[i]);
        root_dir_write(root, path, values[i]);
    }
}

static void a_whole_machine(void)
{
    const root_dir root = root_dir_make();
    ob_cpu_set usable;
    ob_system system;
    CHECK_INT(ob_cpu_set_parse("2-3", 3, &usable, NULL), OB_OK);
    root_dir_write(&root, "/proc/cpuinfo",
                   "processor\t: 0\nmodel\t\t: 17\nmodel name\t: Test  CPU @ 3 GHz \n"
                   "flags\t\t: fpu vme hypervisor lahf_lm\n");
    root_dir_write(&root, "/proc/meminfo", "MemTotal:        1000 kB\nMemFree: 5 kB\n");
    root_dir_write(&root, CPU "/online", "0-3,6\n");
    root_dir_write(&root, CPU "/cpu0/cpufreq/scaling_governor", "powersave\n");
    root_dir_write(&root, CPU "/cpu2/cpufreq/scaling_governor", "performance\n");
    root_dir_write(&root, CPU "/cpu3/cpufreq/scaling_governor", "performance\n");
    root_dir_write(&root, CPU "/cpufreq/boost", "0\n");
    root_dir_write(&root, CPU "/smt/active", "1\n");
    root_dir_write(&root, "/sys/devices/system/clocksource/clocksource0/current_clocksource",
                   "tsc\n");
    root_dir_write(&root, "/sys/kernel/mm/transparent_hugepage/enabled",
                   "always [madvise] never\n");
    root_dir_write(&root, "/sys/fs/cgroup/memory.max", "512000\n");
    write_cache(&root, "index0", "1\n", "Data\n", "48K\n", "2\n");
    write_cache(&root, "index1", "1\n", "Instruction\n", "32K\n", "2\n");
    write_cache(&root, "index2", "2\n", "Unified\n", "2M\n", "2-3\n");
    write_cache(&root, "index3", "3\n", "Unified\n", "1G\n", "0-3\n");
    CHECK_INT(ob_system_read(root.path, &usable, &system, NULL), OB_OK);
    CHECK_STR(system.cpu_model, "Test  CPU @ 3 GHz");
    CHECK_INT(system.hypervisor, 1);
    CHECK_STR(system.governor, "performance"); /* CPU 0 is not ours */
    CHECK_INT(system.boost, 0);
    CHECK_INT(system.smt, 1);
    CHECK_STR(system.clock_source, "tsc");
    CHECK_STR(system.hugepages, "madvise");
    CHECK_INT(system.cpus_online, 5);
    CHECK_INT(system.cpus_usable, 2);
    CHECK_INT(system.memory_bytes, 1024000);
    CHECK_INT(system.memory_limit_bytes, 512000);
    CHECK_INT(system.l1d_bytes, 48 << 10);
    CHECK_INT(system.l1i_bytes, 32 << 10);
    CHECK_INT(system.l2_bytes, 2 << 20);
    CHECK_INT(system.l3_bytes, 1 << 30);
    CHECK_INT(system.last_level_bytes, 1 << 30);
    CHECK_INT(system.last_level_cpus, 4);
    CHECK_INT(system.cache_line_bytes, 64);
    CHECK(system.kernel[0] != '\0' && system.machine[0] != '\0');

    write_cache(&root, "index4", "0\n", "Data\n", "9K\n", "2\n");
    write_cache(&root, "index5", "4\n", "Unified\n", "2G\n", "0-5\n");
    root_dir_write(&root, CPU "/cpu3/cpufreq/scaling_governor", "powersave\n");
    root_dir_write(&root, "/sys/fs/cgroup/memory.max", "max\n");
    CHECK_INT(ob_system_read(root.path, &usable, &system, NULL), OB_OK);
    CHECK_STR(system.governor, "mixed");
    CHECK_INT(system.l3_bytes, 1 << 30);
    CHECK_INT(system.last_level_bytes, INT64_C(2) << 30);
    CHECK_INT(system.last_level_cpus, 6);
    CHECK_INT(system.memory_limit_bytes, 0);
    root_dir_remove(&root);
}

static void a_machine_that_says_little(void)
{
    const root_dir root = root_dir_make();
    ob_cpu_set usable;
    ob_system system;
    CHECK_INT(ob_cpu_set_parse("0", 1, &usable, NULL), OB_OK);
    CHECK_INT(ob_system_read(root.path, &usable, &system, NULL), OB_OK);
    CHECK_STR(system.cpu_model, "");
    CHECK_STR(system.governor, "");
    CHECK_INT(system.boost, -1);
    CHECK_INT(system.smt, -1);
    CHECK_INT(system.hypervisor, -1);
    CHECK_INT(system.memory_bytes, 0);
    CHECK_INT(system.last_level_bytes, 0);
    CHECK_INT(system.cpus_online, 0);

    /* Broken texts are as good as none; other names for the same things are found. */
    root_dir_write(&root, "/proc/cpuinfo", "Hardware : Some Board\nflags : fpu hypervisorless\n");
    root_dir_write(&root, "/proc/meminfo", "MemTotal:  99999999999999999999 kB\n");
    root_dir_write(&root, CPU "/online", "0-99999\n");
    root_dir_write(&root, CPU "/intel_pstate/no_turbo", "1\n");
    root_dir_write(&root, CPU "/cpu0/cache/index0/level", "1x\n");
    root_dir_write(&root, CPU "/cpu0/cache/index0/type", "Data\n");
    root_dir_write(&root, CPU "/cpu0/cache/index0/size", "32K\n");
    root_dir_write(&root, "/sys/kernel/mm/transparent_hugepage/enabled", "always\n");
    root_dir_write(&root, "/sys/fs/cgroup/memory/memory.limit_in_bytes", "4096\n");
    CHECK_INT(ob_system_read(root.path, &usable, &system, NULL), OB_OK);
    CHECK_STR(system.cpu_model, "Some Board");
    CHECK_INT(system.hypervisor, 0);
    CHECK_INT(system.memory_bytes, 0);
    CHECK_INT(system.cpus_online, 0);
    CHECK_INT(system.boost, 0);
    CHECK_INT(system.l1d_bytes, 0);
    CHECK_STR(system.hugepages, "");
    CHECK_INT(system.memory_limit_bytes, 4096);
    root_dir_remove(&root);

    char path[2000];
    ob_err err;
    memset(path, 'x', sizeof path);
    path[sizeof path - 1] = '\0';
    CHECK_INT(ob_system_read(path, &usable, &system, &err), OB_ERR_INVALID);
    CHECK_HAS(err.message, "root path is longer than");
}

static void this_machine(void)
{
    ob_system system;
    CHECK_INT(ob_system_read(NULL, NULL, &system, NULL), OB_OK);
    CHECK(system.cpus_usable > 0);
    CHECK(system.memory_bytes > 0);
}

static void floating_point_mode(void)
{
    const uint32_t before = ob__fp_mode_get();
    char text[128], tiny[8];
    CHECK_STR(ob__fp_mode_difference(before, before, text, sizeof text), "");
#if defined(__x86_64__)
    volatile double small = DBL_MIN;
    ob__fp_mode_set(before | 0x8040);
    CHECK(small / 4 == 0); /* raises status flags too, which are no mode */
    const uint32_t fast = ob__fp_mode_get();
    ob__fp_mode_set(before);
    CHECK(small / 4 > 0);
    CHECK_INT(fast, before | 0x8040);
    CHECK_STR(ob__fp_mode_difference(before, fast, text, sizeof text),
              "flush-to-zero on, denormals-are-zero on");
    CHECK_STR(ob__fp_mode_difference(fast, before, text, sizeof text),
              "flush-to-zero off, denormals-are-zero off");
    CHECK_STR(ob__fp_mode_difference(before, before ^ 0x2000, text, sizeof text),
              "another rounding on");
    CHECK_STR(ob__fp_mode_difference(before, fast, tiny, sizeof tiny), "flush-t");
#else
    (void)tiny;
#endif
    CHECK_INT(ob__fp_mode_get(), before);
}

int main(void)
{
    RUN(a_whole_machine);
    RUN(a_machine_that_says_little);
    RUN(this_machine);
    RUN(floating_point_mode);
    return ob_test_end();
}
