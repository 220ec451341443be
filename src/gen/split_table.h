/* SPDX-License-Identifier: Apache-2.0
 *
 * The data generator of split embedding tables.
 */
#ifndef OB_GEN_SPLIT_TABLE_H
#define OB_GEN_SPLIT_TABLE_H

#include "opbench/plugin.h"

extern const ob_generator_desc ob__split_table_generator;

#endif
