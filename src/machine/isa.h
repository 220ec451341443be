/* SPDX-License-Identifier: Apache-2.0
 *
 * The instruction sets that libraries choose their kernels by: what the processor announces, and whether it is true. A
 * virtual machine may announce what it does not have; the only way to know is to try, in a process that may die.
 */
#ifndef OB_MACHINE_ISA_H
#define OB_MACHINE_ISA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* id, name */
#define OB_ISA_MAP(X)                                                                              \
    X(AVX2, "avx2")                                                                                \
    X(AVX512, "avx512")                                                                            \
    X(AVX512_VNNI, "avx512_vnni")                                                                  \
    X(AVX512_BF16, "avx512_bf16")                                                                  \
    X(AVX512_FP16, "avx512_fp16")                                                                  \
    X(AMX, "amx")

typedef enum ob_isa {
#define OB_ISA_ENUM(id, name) OB_ISA_##id,
    OB_ISA_MAP(OB_ISA_ENUM)
#undef OB_ISA_ENUM
        OB_ISA_COUNT
} ob_isa;

typedef uint32_t ob_isa_set; /* bit i: ob_isa i */
/* The first of a set that is not empty. */
ob_isa ob__isa_first(ob_isa_set set);
#define OB_ISA_BIT(id) ((ob_isa_set)1 << OB_ISA_##id)

/* Where the facts come from; tests bring a processor of their own. */
typedef struct ob_cpu_source {
    void (*cpuid)(void *ctx, uint32_t leaf, uint32_t subleaf, uint32_t registers[4]); /* a b c d */
    uint64_t (*xcr0)(void *ctx); /* what the system saves; asked only where CPUID has OSXSAVE */
    void *ctx;
} ob_cpu_source;

enum { OB_ISA_WHY_BYTES = 200 };

typedef struct ob_cpu {
    char vendor[13]; /* "GenuineIntel"; "" on other architectures */
    unsigned family, model, stepping;
    ob_isa_set announced;
    char key[17]; /* a hash of all that the processor says of itself, hexadecimal */
} ob_cpu;

/* source NULL = this processor. */
void ob__cpu_read(const ob_cpu_source *source, ob_cpu *out);

const char *ob__isa_name(ob_isa isa);
/* OB_ISA_COUNT: there is no such name. */
ob_isa ob__isa_find(const char *name);
/* Uses it in this process, which dies of SIGILL where it is not there. False: the processor contradicts itself or
 * computes wrong; why says how. */
bool ob__isa_try(ob_isa isa, char why[OB_ISA_WHY_BYTES]);
/* The same in a process of its own, which only makes calls that are safe in a child of a threaded program. 1 = it
 * works, 0 = it does not, -1 = it could not be tried. */
int ob__isa_try_apart(ob_isa isa, char why[OB_ISA_WHY_BYTES]);
/* Whether the leaves that describe AMX's tiles are there and make sense. Libraries lay out their tiles by them. */
bool ob__isa_tiles_described(const ob_cpu_source *source, char why[OB_ISA_WHY_BYTES]);

#endif
