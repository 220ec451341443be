/* SPDX-License-Identifier: Apache-2.0
 *
 * The core's config iterators, registered as a plug-in is.
 */
#ifndef OB_CONFIG_ITERATORS_H
#define OB_CONFIG_ITERATORS_H

#include "opbench/plugin.h"

extern const ob_iterator_desc ob__default_iterator, ob__range_iterator, ob__dummy_iterator;
extern const ob_iterator_desc ob__split_table_iterator;
extern const ob_plugin ob__config_builtin;

/* True for the first three: their validate already checked every entry they will give. */
bool ob__iterator_is_core(const ob_iterator_desc *desc);

#endif
