/* SPDX-License-Identifier: Apache-2.0
 *
 * Its iterator is new, its generator has the name of one of good.c: neither is registered.
 */
#include "fixture.h"

static const ob_iterator_desc ITERATOR = {.name = "NewIterator",
                                          .help = "a fixture",
                                          .open = fixture_iterator_open,
                                          .count = fixture_count,
                                          .at = fixture_at,
                                          .close = fixture_iterator_close};
static const ob_generator_desc GENERATOR = {
    .name = "GoodGenerator", .help = "a fixture", .generate = fixture_generate};
static const ob_plugin PLUGIN = {
    OB_PLUGIN_HEAD,
    .name = "duplicate-entry",
    .generators = (const ob_generator_desc *const[]){&GENERATOR, NULL},
    .iterators = (const ob_iterator_desc *const[]){&ITERATOR, NULL},
};
FIXTURE_ENTRY(PLUGIN)
