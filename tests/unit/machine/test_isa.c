/* SPDX-License-Identifier: Apache-2.0 */
#include "fake_cpu.h"

#include "../check.h"

#include <signal.h>

static ob_isa_set announced(const fake_cpu *cpu)
{
    fake_cpu copy = *cpu;
    const ob_cpu_source source = fake_source(&copy);
    ob_cpu out;
    ob__cpu_read(&source, &out);
    return out.announced;
}

static void test_names(void)
{
    CHECK_STR(ob__isa_name(OB_ISA_AVX512_BF16), "avx512_bf16");
    CHECK_INT(ob__isa_find("amx"), OB_ISA_AMX);
    CHECK_INT(ob__isa_find("mmx"), OB_ISA_COUNT);
}

static void test_model(void)
{
    fake_cpu cpu = MODEL_207;
    const ob_cpu_source source = fake_source(&cpu);
    ob_cpu out, other;
    ob__cpu_read(&source, &out);
    CHECK_STR(out.vendor, "GenuineIntel");
    CHECK_INT(out.family, 6);
    CHECK_INT(out.model, 207);
    CHECK_INT(out.stepping, 2);
    CHECK_INT(out.announced, (1 << OB_ISA_COUNT) - 1);
    CHECK_INT(strlen(out.key), 16);
    cpu = with_tiles(); /* another hypervisor: what was tried under the first does not count */
    ob__cpu_read(&source, &other);
    CHECK(strcmp(out.key, other.key) != 0);
    cpu = MODEL_207;
    cpu.leaves[1].r[1] = 0x03000000; /* asked on another core */
    ob__cpu_read(&source, &other);
    CHECK_STR(other.key, out.key);
}

static void test_announced(void)
{
    fake_cpu cpu = MODEL_207;
    cpu.xcr0 = 0xe7; /* the system does not save tiles */
    CHECK_INT(announced(&cpu) & OB_ISA_BIT(AMX), 0);
    cpu.xcr0 = 0x7; /* nor the wide registers */
    CHECK_INT(announced(&cpu), OB_ISA_BIT(AVX2));
    cpu.leaves[1].r[2] = 1 << 12; /* it saves nothing that can be asked for */
    CHECK_INT(announced(&cpu), 0);
    cpu = MODEL_207;
    cpu.leaves[2].r[1] &= ~(1u << 31); /* no vl */
    CHECK_INT(announced(&cpu) & OB_ISA_BIT(AVX512), 0);
    cpu = MODEL_207;
    cpu.leaves[2].r[0] = 0; /* the leaf has no second part */
    CHECK_INT(announced(&cpu) & OB_ISA_BIT(AVX512_BF16), 0);
    cpu = (fake_cpu){.xcr0 = 0};
    CHECK_INT(announced(&cpu), 0);
}

static void test_tiles(void)
{
    fake_cpu cpu = MODEL_207;
    const ob_cpu_source source = fake_source(&cpu);
    char why[OB_ISA_WHY_BYTES] = "";
    CHECK(!ob__isa_tiles_described(&source, why));
    CHECK_STR(why,
              "CPUID announces AMX, but lacks the leaves 0x1d and 0x1e that describe its tiles");
    cpu = with_tiles();
    CHECK(ob__isa_tiles_described(&source, why));
    cpu.leaves[6].r[0] = 1024u << 16 | 1024;
    CHECK(!ob__isa_tiles_described(&source, why));
    CHECK_HAS(why, "too small");
    cpu = with_tiles();
    cpu.leaves[0].r[0] = 0x1c; /* leaves beyond the last are another's */
    CHECK(!ob__isa_tiles_described(&source, why));
    CHECK_HAS(why, "lacks the leaves");
}

/* Each in a process: what is not announced never works, and nothing harms this one. */
static void test_try(void)
{
    ob_cpu cpu;
    ob__cpu_read(NULL, &cpu);
    for (int i = 0; i < OB_ISA_COUNT; i++) {
        char why[OB_ISA_WHY_BYTES];
        const bool announced_here = (cpu.announced >> i & 1) != 0;
        const int works = ob__isa_try_apart((ob_isa)i, why);
        CHECK(works >= 0);
        CHECK(announced_here || works == 0);
        CHECK((works == 1) == (why[0] == '\0'));
        printf("%s: %sannounced, %s\n", ob__isa_name((ob_isa)i), announced_here ? "" : "not ",
               works == 1 ? "works" : why);
    }
}

/* The announcement of the wide registers is a lie here, or true: what the trial says is what happens. */
static void test_handler_of_the_caller(void)
{
    char why[OB_ISA_WHY_BYTES];
    ob_cpu cpu;
    signal(SIGILL, SIG_IGN);
    ob__cpu_read(NULL, &cpu);
    const int works = ob__isa_try_apart(OB_ISA_AVX512, why);
    if ((cpu.announced & OB_ISA_BIT(AVX512)) == 0 && cpu.vendor[0] != '\0')
        CHECK_STR(why, "the CPU announces avx512, but a process that uses it dies of SIGILL");
    CHECK(works >= 0);
    signal(SIGILL, SIG_DFL);
}

int main(void)
{
    RUN(test_names);
    RUN(test_model);
    RUN(test_announced);
    RUN(test_tiles);
    RUN(test_try);
    RUN(test_handler_of_the_caller);
    return ob_test_end();
}
