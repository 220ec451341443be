/* SPDX-License-Identifier: Apache-2.0
 *
 * How long the vectors are of the instruction set that a file of loops is compiled for.
 */
#ifndef OB_NATIVE_VECTORS_H
#define OB_NATIVE_VECTORS_H

#if defined(__AVX512F__)
#define VECTOR_BYTES 64
#elif defined(__AVX2__)
#define VECTOR_BYTES 32
#else
#define VECTOR_BYTES 16
#endif

/* Unrolled, so that the elements of an array of vectors are registers. */
#define EACH_PIECE(index, count)                                                                   \
    _Pragma("GCC unroll 16") for (int index = 0; index < (count); index++)

#endif
