/* SPDX-License-Identifier: Apache-2.0
 *
 * The decisions, on processors and libraries that are told here.
 */
#include "fake_cpu.h"

#include "machine/caps.h"

#include "../check.h"

/* What the trials answer: "WHAT VARIABLE" and the outcome; what is not here is unknown. */
typedef struct fact {
    const char *question;
    ob_trial_state state;
    const char *text;
} fact;

typedef struct world {
    const fact *facts;
    int asked;
} world;

static void answer(void *ctx, const ob_trial *trial, ob_trial_outcome *out)
{
    world *w = ctx;
    char question[128];
    w->asked++;
    snprintf(question, sizeof question, "%s%s%s", trial->what, trial->variable != NULL ? " " : "",
             trial->variable != NULL ? trial->variable : "");
    *out = (ob_trial_outcome){.state = OB_TRIAL_UNKNOWN};
    for (const fact *f = w->facts; f->question != NULL; f++)
        if (strcmp(f->question, question) == 0) {
            out->state = f->state;
            snprintf(out->text, sizeof out->text, "%s", f->text);
        }
}

static const ob_cap_row *find_row(const char *library)
{
    for (int i = 0; i < OB_CAP_ROW_COUNT; i++)
        if (strcmp(ob__cap_rows[i].library, library) == 0)
            return &ob__cap_rows[i];
    return NULL;
}

static ob_library_cap decide(const char *library, const ob_cpu *cpu, world *w)
{
    ob_trial_outcome outcomes[OB_ISA_COUNT];
    const char *reasons[OB_ISA_COUNT];
    const ob_trial_runner place = {.fn = answer, .ctx = w};
    ob_library_cap cap;
    const ob_isa_set works = ob__cap_try_isas(cpu, &place, outcomes);
    for (int i = 0; i < OB_ISA_COUNT; i++)
        reasons[i] = outcomes[i].text;
    const ob_cap_facts facts = {.cpu = cpu,
                                .works = works,
                                .reasons = reasons,
                                .trials = &place,
                                .openblas = "/lib/openblas",
                                .onednn = "/lib/onednn"};
    ob__cap_decide(find_row(library), &facts, &cap);
    return cap;
}

static ob_cpu read_cpu(fake_cpu fake)
{
    const ob_cpu_source source = fake_source(&fake);
    ob_cpu cpu;
    ob__cpu_read(&source, &cpu);
    return cpu;
}

#define ISAS_BELOW_AMX                                                                             \
    {"avx2", OB_TRIAL_OK, ""}, {"avx512", OB_TRIAL_OK, ""}, {"avx512_vnni", OB_TRIAL_OK, ""},      \
        {"avx512_bf16", OB_TRIAL_OK, ""},                                                          \
    {                                                                                              \
        "avx512_fp16", OB_TRIAL_OK, ""                                                             \
    }
#define NO_TILES "amx", OB_TRIAL_FAILED, "no leaves"

/* ---- by instruction set ---- */

static void test_amx_that_works(void)
{
    static const fact FACTS[] = {ISAS_BELOW_AMX, {"amx", OB_TRIAL_OK, ""}, {.question = NULL}};
    const ob_cpu cpu = read_cpu(with_tiles());
    world w = {.facts = FACTS};
    const ob_library_cap cap = decide("oneDNN", &cpu, &w);
    CHECK_INT(cap.state, OB_CAP_FINE);
    CHECK_STR(cap.own, "");
    CHECK_STR(cap.value, "");
}

static void test_amx_that_does_not(void)
{
    static const fact OLD[] = {ISAS_BELOW_AMX,
                               {NO_TILES},
                               {"onednn", OB_TRIAL_OK, "0x3e7"},
                               {"onednn ONEDNN_MAX_CPU_ISA=AVX512_CORE_FP16", OB_TRIAL_OK, "0x3e7"},
                               {.question = NULL}};
    static const fact NEW[] = {ISAS_BELOW_AMX,
                               {NO_TILES},
                               {"onednn", OB_TRIAL_OK, "0xfef"},
                               {"onednn ONEDNN_MAX_CPU_ISA=AVX512_CORE_FP16", OB_TRIAL_OK, "0x1ef"},
                               {.question = NULL}};
    static const fact NONE[] = {ISAS_BELOW_AMX, {NO_TILES}, {.question = NULL}};
    const ob_cpu cpu = read_cpu(MODEL_207);
    world w = {.facts = OLD};
    ob_library_cap cap = decide("oneDNN", &cpu, &w);
    CHECK_INT(cap.state, OB_CAP_SET);
    CHECK_STR(cap.variable, "ONEDNN_MAX_CPU_ISA");
    CHECK_STR(cap.own, "AVX512_CORE_AMX");
    CHECK_STR(cap.value, "AVX512_CORE_BF16");
    CHECK_STR(cap.why, "no leaves");
    w.facts = NEW;
    CHECK_STR(decide("oneDNN", &cpu, &w).value, "AVX512_CORE_FP16");
    w.facts = NONE; /* the library cannot be asked */
    CHECK_STR(decide("oneDNN", &cpu, &w).value, "AVX512_CORE_BF16");
    CHECK_STR(decide("oneMKL", &cpu, &w).value, "AVX512_E3");
    CHECK_INT(decide("ATen", &cpu, &w).state, OB_CAP_FINE);
}

static void test_others_that_do_not(void)
{
    static const fact NO_BF16[] = {{"avx2", OB_TRIAL_OK, ""},
                                   {"avx512", OB_TRIAL_OK, ""},
                                   {"avx512_vnni", OB_TRIAL_OK, ""},
                                   {"avx512_bf16", OB_TRIAL_FAILED, "dies of SIGILL"},
                                   {NO_TILES},
                                   {.question = NULL}};
    static const fact NO_AVX512[] = {{"avx2", OB_TRIAL_OK, ""},
                                     {"avx512", OB_TRIAL_FAILED, "dies of SIGILL"},
                                     {.question = NULL}};
    static const fact NOTHING[] = {
        {"avx2", OB_TRIAL_FAILED, "dies"}, {"avx512", OB_TRIAL_FAILED, "dies"}, {.question = NULL}};
    const ob_cpu cpu = read_cpu(MODEL_207);
    world w = {.facts = NO_BF16};
    ob_library_cap cap = decide("oneDNN", &cpu, &w);
    CHECK_STR(cap.value, "AVX512_CORE_VNNI");
    CHECK_STR(cap.why, "dies of SIGILL");
    w.facts = NO_AVX512;
    CHECK_STR(decide("oneDNN", &cpu, &w).value, "AVX2");
    CHECK_STR(decide("ATen", &cpu, &w).value, "avx2");
    w.facts = NOTHING;
    CHECK_STR(decide("oneDNN", &cpu, &w).value, "SSE41");
    CHECK_STR(decide("ATen", &cpu, &w).value, "default");
}

static void test_untried_is_trusted(void)
{
    static const fact NONE[] = {{.question = NULL}};
    const ob_cpu cpu = read_cpu(MODEL_207), other = {.vendor = ""};
    world w = {.facts = NONE};
    CHECK_INT(decide("oneDNN", &cpu, &w).state, OB_CAP_FINE);
    CHECK_INT(decide("OpenBLAS", &cpu, &w).state, OB_CAP_FINE);
    w.asked = 0;
    for (int i = 0; i < OB_CAP_ROW_COUNT; i++) {
        const ob_library_cap cap = decide(ob__cap_rows[i].library, &other, &w);
        CHECK_INT(cap.state, OB_CAP_FINE);
        CHECK_STR(cap.own, "");
    }
    CHECK_INT(w.asked, 0);
}

/* ---- OpenBLAS ---- */

static void test_prescott(void)
{
    static const fact FACTS[] = {ISAS_BELOW_AMX,
                                 {NO_TILES},
                                 {"openblas", OB_TRIAL_OK, "Prescott"},
                                 {"openblas OPENBLAS_CORETYPE=Cooperlake", OB_TRIAL_OK, "Haswell"},
                                 {"openblas OPENBLAS_CORETYPE=SkylakeX", OB_TRIAL_OK, "SkylakeX"},
                                 {.question = NULL}};
    const ob_cpu cpu = read_cpu(MODEL_207);
    world w = {.facts = FACTS};
    const ob_library_cap cap = decide("OpenBLAS", &cpu, &w);
    CHECK_INT(cap.state, OB_CAP_SET);
    CHECK_STR(cap.own, "Prescott");
    CHECK_STR(cap.value, "SkylakeX");
    CHECK_STR(cap.why, "this release does not know the CPU (GenuineIntel family 6 model 207) and "
                       "uses kernels with 128-bit vectors or less; the CPU has 512");
}

static void test_newest_core(void)
{
    static const fact FACTS[] = {
        ISAS_BELOW_AMX,
        {"amx", OB_TRIAL_OK, ""},
        {"openblas", OB_TRIAL_OK, "Nehalem"},
        {"openblas OPENBLAS_CORETYPE=SapphireRapids", OB_TRIAL_OK, "SapphireRapids"},
        {.question = NULL}};
    const ob_cpu cpu = read_cpu(with_tiles());
    world w = {.facts = FACTS};
    CHECK_STR(decide("OpenBLAS", &cpu, &w).value, "SapphireRapids");
}

/* It takes kernels that use what is not there. */
static void test_core_too_high(void)
{
    static const fact FACTS[] = {
        ISAS_BELOW_AMX,
        {NO_TILES},
        {"openblas", OB_TRIAL_OK, "SapphireRapids"},
        {"openblas OPENBLAS_CORETYPE=Cooperlake", OB_TRIAL_OK, "Cooperlake"},
        {.question = NULL}};
    const ob_cpu cpu = read_cpu(MODEL_207);
    world w = {.facts = FACTS};
    const ob_library_cap cap = decide("OpenBLAS", &cpu, &w);
    CHECK_INT(cap.state, OB_CAP_SET);
    CHECK_STR(cap.value, "Cooperlake");
    CHECK_STR(cap.why, "no leaves");
}

static void test_core_that_dies(void)
{
    static const fact FACTS[] = {{"avx2", OB_TRIAL_OK, ""},
                                 {"openblas", OB_TRIAL_FAILED, "dies of SIGILL"},
                                 {"openblas OPENBLAS_CORETYPE=Cooperlake", OB_TRIAL_FAILED, "dies"},
                                 {"openblas OPENBLAS_CORETYPE=SkylakeX", OB_TRIAL_FAILED, "dies"},
                                 {"openblas OPENBLAS_CORETYPE=Haswell", OB_TRIAL_OK, "Haswell"},
                                 {.question = NULL}};
    const ob_cpu cpu = read_cpu(MODEL_207);
    world w = {.facts = FACTS};
    const ob_library_cap cap = decide("OpenBLAS", &cpu, &w);
    CHECK_INT(cap.state, OB_CAP_SET);
    CHECK_STR(cap.own, "");
    CHECK_STR(cap.value, "Haswell");
    CHECK_STR(cap.why, "dies of SIGILL");
}

static void test_one_core_only(void)
{
    static const fact FACTS[] = {ISAS_BELOW_AMX,
                                 {NO_TILES},
                                 {"openblas", OB_TRIAL_OK, "Prescott"},
                                 {"openblas OPENBLAS_CORETYPE=Cooperlake", OB_TRIAL_OK, "Prescott"},
                                 {"openblas OPENBLAS_CORETYPE=SkylakeX", OB_TRIAL_OK, "Prescott"},
                                 {"openblas OPENBLAS_CORETYPE=Haswell", OB_TRIAL_OK, "Prescott"},
                                 {.question = NULL}};
    const ob_cpu cpu = read_cpu(MODEL_207);
    world w = {.facts = FACTS};
    const ob_library_cap cap = decide("OpenBLAS", &cpu, &w);
    CHECK_INT(cap.state, OB_CAP_CANNOT);
    CHECK_STR(cap.own, "Prescott");
    CHECK_STR(cap.value, "");
    CHECK_HAS(cap.why, "the CPU has 512");
}

/* A choice that is as wide as can be is the library's own affair. */
static void test_right_cores(void)
{
    static const fact ZEN[] = {{"openblas", OB_TRIAL_OK, "Zen"}, {.question = NULL}};
    static const fact EXCAVATOR[] = {{"openblas", OB_TRIAL_OK, "Excavator"}, {.question = NULL}};
    static const fact HASWELL[] = {{"openblas", OB_TRIAL_OK, "Haswell"},
                                   {"openblas OPENBLAS_CORETYPE=SkylakeX", OB_TRIAL_OK, "SkylakeX"},
                                   {.question = NULL}};
    static const fact BARCELONA[] = {{"openblas", OB_TRIAL_OK, "Barcelona"},
                                     {"openblas OPENBLAS_CORETYPE=Zen", OB_TRIAL_OK, "Zen"},
                                     {.question = NULL}};
    ob_cpu amd = {.vendor = "AuthenticAMD", .announced = OB_ISA_BIT(AVX2)};
    world w = {.facts = ZEN};
    CHECK_INT(decide("OpenBLAS", &amd, &w).state, OB_CAP_FINE);
    CHECK_STR(decide("OpenBLAS", &amd, &w).own, "Zen");
    w.facts = EXCAVATOR;
    CHECK_INT(decide("OpenBLAS", &amd, &w).state, OB_CAP_FINE);
    w.facts = HASWELL;
    CHECK_INT(decide("OpenBLAS", &amd, &w).state, OB_CAP_FINE);
    w.facts = BARCELONA;
    CHECK_STR(decide("OpenBLAS", &amd, &w).value, "Zen");
    amd.announced |= OB_ISA_BIT(AVX512);
    w.facts = HASWELL;
    CHECK_STR(decide("OpenBLAS", &amd, &w).value, "SkylakeX");
    CHECK_STR(decide("oneMKL", &amd, &w).own, ""); /* it goes by the vendor */
}

static void test_users(void)
{
    const ob_cap_row *openblas = find_row("OpenBLAS"), *onednn = find_row("oneDNN");
    static const char SOME[] = "{\"name\": \"some\", \"help\": \"\", \"libraries\": [\"oneDNN\"]}";
    ob_manifests *manifests = NULL;
    ob_err err;
    CHECK_INT(ob_manifests_open("/nowhere", &manifests, &err), OB_OK);
    CHECK_INT(ob_manifests_add(manifests, "some", SOME, sizeof SOME - 1, &err), OB_OK);
    CHECK(ob__cap_is_used(openblas, "native", manifests));
    CHECK(!ob__cap_is_used(onednn, "native", manifests));
    CHECK(ob__cap_is_used(onednn, "native,onednn", manifests));
    CHECK(ob__cap_is_used(onednn, "torch,null", manifests));
    CHECK(!ob__cap_is_used(onednn, "onednn2,null,", manifests));
    CHECK(ob__cap_is_used(onednn, "null,some", manifests));
    CHECK(!ob__cap_is_used(openblas, "null,some", manifests));
    CHECK(!ob__cap_is_used(onednn, "", manifests));
    CHECK(ob__cap_is_used(onednn, NULL, manifests));
    ob_manifests_destroy(manifests);
}

int main(void)
{
    RUN(test_amx_that_works);
    RUN(test_amx_that_does_not);
    RUN(test_others_that_do_not);
    RUN(test_untried_is_trusted);
    RUN(test_prescott);
    RUN(test_newest_core);
    RUN(test_core_too_high);
    RUN(test_core_that_dies);
    RUN(test_one_core_only);
    RUN(test_right_cores);
    RUN(test_users);
    return ob_test_end();
}
