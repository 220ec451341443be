/* SPDX-License-Identifier: Apache-2.0
 *
 * What the processor announces, by CPUID and by what the system saves of its registers.
 */
#include "machine/isa.h"

#include <stdio.h>
#include <string.h>
#include <xxhash.h>

#if defined __x86_64__
#include <cpuid.h>
#endif

static const char *const NAMES[] = {
#define NAME(id, name) name,
    OB_ISA_MAP(NAME)
#undef NAME
};

const char *ob__isa_name(ob_isa isa)
{
    return NAMES[isa];
}

ob_isa ob__isa_find(const char *name)
{
    int i = 0;
    while (i < OB_ISA_COUNT && strcmp(NAMES[i], name) != 0)
        i++;
    return (ob_isa)i;
}

ob_isa ob__isa_first(ob_isa_set set)
{
    return (ob_isa)__builtin_ctz(set);
}

/* ---- this processor ---- */

#if defined __x86_64__
static void own_cpuid(void *ctx, uint32_t leaf, uint32_t subleaf, uint32_t r[4])
{
    (void)ctx;
    __cpuid_count(leaf, subleaf, r[0], r[1], r[2], r[3]);
}

static uint64_t own_xcr0(void *ctx)
{
    uint32_t low, high;
    (void)ctx;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return (uint64_t)high << 32 | low;
}

static const ob_cpu_source OWN = {.cpuid = own_cpuid, .xcr0 = own_xcr0};
#else
/* Other architectures announce nothing here: no library of the table has a choice there that needs correcting. */
static void own_cpuid(void *ctx, uint32_t leaf, uint32_t subleaf, uint32_t r[4])
{
    (void)ctx, (void)leaf, (void)subleaf;
    memset(r, 0, 4 * sizeof *r);
}

static const ob_cpu_source OWN = {.cpuid = own_cpuid};
#endif

/* ---- what it announces ---- */

enum { A, B, C, D };
enum { LEAF_1, LEAF_7, LEAF_7_1 };

enum {
    SAVES_AVX = 0x6,  /* in XCR0: SSE and AVX */
    SAVES_512 = 0xe6, /* with masks and the rest of the wide registers */
    SAVES_TILES = 0x60000,
};

/* An instruction set needs all bits of two registers, and that the system saves its state. */
typedef struct announcement {
    struct {
        int leaf, reg;
        uint32_t bits;
    } need[2];
    uint64_t saved;
} announcement;

static const announcement ANNOUNCEMENTS[OB_ISA_COUNT] = {
    [OB_ISA_AVX2] = {{{LEAF_7, B, 1u << 5}, {LEAF_1, C, 1u << 12 /* fma */}}, SAVES_AVX},
    /* f, dq, cd, bw, vl: what libraries mean by it */
    [OB_ISA_AVX512] = {{{LEAF_7, B, 1u << 16 | 1u << 17 | 1u << 28 | 1u << 30 | 1u << 31}},
                       SAVES_512},
    [OB_ISA_AVX512_VNNI] = {{{LEAF_7, C, 1u << 11}, {LEAF_7, B, 1u << 16}}, SAVES_512},
    [OB_ISA_AVX512_BF16] = {{{LEAF_7_1, A, 1u << 5}, {LEAF_7, B, 1u << 16}}, SAVES_512},
    [OB_ISA_AVX512_FP16] = {{{LEAF_7, D, 1u << 23}, {LEAF_7, B, 1u << 16}}, SAVES_512},
    /* amx-bf16, amx-tile, amx-int8 */
    [OB_ISA_AMX] = {{{LEAF_7, D, 1u << 22 | 1u << 24 | 1u << 25}}, SAVES_TILES},
};

/* A hypervisor is asked for every leaf, which takes its time: none is read twice. */
typedef struct leaf_reader {
    const ob_cpu_source *source;
    uint32_t zero[4]; /* leaf 0: the vendor, and how many there are */
    uint32_t most_extended;
} leaf_reader;

static leaf_reader open_reader(const ob_cpu_source *source)
{
    leaf_reader reader = {.source = source != NULL ? source : &OWN};
    uint32_t extended[4];
    reader.source->cpuid(reader.source->ctx, 0, 0, reader.zero);
    reader.source->cpuid(reader.source->ctx, 0x80000000u, 0, extended);
    reader.most_extended = extended[A];
    return reader;
}

static void read_leaf(const leaf_reader *reader, uint32_t leaf, uint32_t subleaf, uint32_t r[4])
{
    memset(r, 0, 4 * sizeof *r);
    /* Beyond the last leaf Intel's answer as the last one does. */
    if (leaf <= (leaf >= 0x80000000u ? reader->most_extended : reader->zero[A]))
        reader->source->cpuid(reader->source->ctx, leaf, subleaf, r);
}

static void read_names(const leaf_reader *reader, const uint32_t one[4], ob_cpu *out)
{
    memcpy(out->vendor, &reader->zero[B], 4);
    memcpy(out->vendor + 4, &reader->zero[D], 4);
    memcpy(out->vendor + 8, &reader->zero[C], 4);
    const unsigned family = one[A] >> 8 & 15, model = one[A] >> 4 & 15;
    out->family = family == 15 ? family + (one[A] >> 20 & 255) : family;
    out->model = family == 6 || family == 15 ? model | (one[A] >> 16 & 15) << 4 : model;
    out->stepping = one[A] & 15;
}

/* Leaves that say what the processor is and can do, and nothing that differs from core to core. */
static void make_key(const leaf_reader *reader, const uint32_t known[3][4], uint64_t saved,
                     ob_cpu *out)
{
    static const uint32_t LEAVES[][2] = {{0x1d, 0},       {0x1d, 1},       {0x1e, 0},
                                         {0x80000002, 0}, {0x80000003, 0}, {0x80000004, 0}};
    enum { COUNT = sizeof LEAVES / sizeof *LEAVES };
    struct {
        uint32_t zero[4], known[3][4], leaves[COUNT][4];
        uint64_t saved;
    } all = {.saved = saved};
    memcpy(all.zero, reader->zero, sizeof all.zero);
    memcpy(all.known, known, sizeof all.known);
    all.known[LEAF_1][B] = 0; /* the number of the core */
    for (size_t i = 0; i < COUNT; i++)
        read_leaf(reader, LEAVES[i][0], LEAVES[i][1], all.leaves[i]);
    snprintf(out->key, sizeof out->key, "%016llx",
             (unsigned long long)XXH3_64bits(&all, sizeof all));
}

void ob__cpu_read(const ob_cpu_source *source, ob_cpu *out)
{
    enum { OSXSAVE = 1 << 27 };
    const leaf_reader reader = open_reader(source);
    uint32_t leaves[3][4] = {0};
    *out = (ob_cpu){.announced = 0};
    read_leaf(&reader, 1, 0, leaves[LEAF_1]);
    read_leaf(&reader, 7, 0, leaves[LEAF_7]);
    if (leaves[LEAF_7][A] >= 1)
        read_leaf(&reader, 7, 1, leaves[LEAF_7_1]);
    const bool asks = (leaves[LEAF_1][C] & OSXSAVE) != 0 && reader.source->xcr0 != NULL;
    const uint64_t saved = asks ? reader.source->xcr0(reader.source->ctx) : 0;
    read_names(&reader, leaves[LEAF_1], out);
    make_key(&reader, leaves, saved, out);
    for (int i = 0; i < OB_ISA_COUNT; i++) {
        const announcement *a = &ANNOUNCEMENTS[i];
        bool there = (saved & a->saved) == a->saved;
        for (int n = 0; n < 2; n++)
            there = there &&
                    (leaves[a->need[n].leaf][a->need[n].reg] & a->need[n].bits) == a->need[n].bits;
        out->announced |= (ob_isa_set)there << i;
    }
}

bool ob__isa_tiles_described(const ob_cpu_source *source, char why[OB_ISA_WHY_BYTES])
{
    enum { TILE_BYTES = 1024, ROW_BYTES = 64, ROWS = 16, TILES = 8, MOST_K = 16 };
    uint32_t most[4], palette[4], unit[4];
    const leaf_reader reader = open_reader(source);
    read_leaf(&reader, 0x1d, 0, most);
    read_leaf(&reader, 0x1d, 1, palette);
    read_leaf(&reader, 0x1e, 0, unit);
    if (most[A] == 0 || (palette[A] == 0 && palette[B] == 0)) {
        snprintf(why, OB_ISA_WHY_BYTES,
                 "CPUID announces AMX, but lacks the leaves 0x1d and 0x1e that describe its tiles");
        return false;
    }
    const bool whole = (palette[A] & 0xffff) >= TILES * TILE_BYTES &&
                       palette[A] >> 16 >= TILE_BYTES && (palette[B] & 0xffff) >= ROW_BYTES &&
                       palette[B] >> 16 >= TILES && (palette[C] & 0xffff) >= ROWS &&
                       (unit[B] & 0xff) >= MOST_K && (unit[B] >> 8 & 0xffff) >= ROW_BYTES;
    if (!whole)
        snprintf(why, OB_ISA_WHY_BYTES,
                 "CPUID describes AMX tiles that are too small (leaf 0x1d: %08x %08x %08x, 0x1e: "
                 "%08x)",
                 palette[A], palette[B], palette[C], unit[B]);
    return whole;
}
