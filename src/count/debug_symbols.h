/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether libtorch was built with debug symbols, which is what a count says of itself: without them the sources of
 * its functions cannot be named.
 */
#ifndef OB_COUNT_DEBUG_SYMBOLS_H
#define OB_COUNT_DEBUG_SYMBOLS_H

#include "opbench/count.h"

/* Of the first library of a manifest that the table names, as its file says. True where there is none: then nothing of
 * them was executed, and our own code has symbols. */
bool ob__built_with_debug_symbols(const ob_counts *exclusive);

/* Whether the ELF file has debug symbols or says in which other file they were put. True if it cannot be read. */
bool ob__elf_has_debug_symbols(const char *path);

#endif
