/* SPDX-License-Identifier: Apache-2.0
 *
 * The list of built-in generators: a new one is a file and a row here.
 */
#include "gen/gen.h"

#include "gen/default_generator.h"
#include "gen/split_table.h"

static const ob_generator_desc *const GENERATORS[] = {&ob__default_generator,
                                                      &ob__split_table_generator, NULL};

const ob_plugin ob__gen_builtin = {
    OB_PLUGIN_HEAD,
    .name = "builtin-generators",
    .generators = GENERATORS,
};
