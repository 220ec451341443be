/* SPDX-License-Identifier: Apache-2.0
 *
 * How long the vectors are of the instruction set that a file of loops is compiled for.
 */
#ifndef OB_NATIVE_VECTORS_H
#define OB_NATIVE_VECTORS_H

/* EVERY_OTHER_*: of two vectors of which the second begins with the last element of the first, so that nothing after
 * the last one that is wanted is read. */
#define EVERY_OTHER_OF_2 0, 3
#define EVERY_OTHER_OF_4 0, 2, 5, 7
#define EVERY_OTHER_OF_8 0, 2, 4, 6, 9, 11, 13, 15
#define EVERY_OTHER_OF_16 0, 2, 4, 6, 8, 10, 12, 14, 17, 19, 21, 23, 25, 27, 29, 31

#if defined(__AVX512F__)
#define VECTOR_BYTES 64
#define EVERY_OTHER_f32 EVERY_OTHER_OF_16
#define EVERY_OTHER_f64 EVERY_OTHER_OF_8
#elif defined(__AVX2__)
#define VECTOR_BYTES 32
#define EVERY_OTHER_f32 EVERY_OTHER_OF_8
#define EVERY_OTHER_f64 EVERY_OTHER_OF_4
#else
#define VECTOR_BYTES 16
#define EVERY_OTHER_f32 EVERY_OTHER_OF_4
#define EVERY_OTHER_f64 EVERY_OTHER_OF_2
#endif

/* Unrolled, so that the elements of an array of vectors are registers. */
#define EACH_PIECE(index, count)                                                                   \
    _Pragma("GCC unroll 16") for (int index = 0; index < (count); index++)

#endif
