/* SPDX-License-Identifier: Apache-2.0
 *
 * One of everything; loads.
 */
#include "fixture.h"

static const ob_backend_desc BACKEND = {
    .name = "good-backend", FIXTURE_BACKEND, .run = fixture_run};
static const ob_generator_desc GENERATOR = {
    .name = "GoodGenerator", .help = "a fixture", .generate = fixture_generate};
static const ob_iterator_desc ITERATOR = {.name = "GoodIterator",
                                          .help = "a fixture",
                                          .open = fixture_iterator_open,
                                          .count = fixture_count,
                                          .at = fixture_at,
                                          .close = fixture_iterator_close};
static const ob_op_row OPERATOR = {.schema = "good::op.over(Tensor self, int n=1) -> Tensor",
                                   .category = "fixture",
                                   .names = "good.op"};

static const ob_plugin PLUGIN = {
    OB_PLUGIN_HEAD,
    .name = "good",
    .version = "0.7",
    .backends = (const ob_backend_desc *const[]){&BACKEND, NULL},
    .operators = (const ob_op_row *const[]){&OPERATOR, NULL},
    .generators = (const ob_generator_desc *const[]){&GENERATOR, NULL},
    .iterators = (const ob_iterator_desc *const[]){&ITERATOR, NULL},
};
FIXTURE_ENTRY(PLUGIN)
