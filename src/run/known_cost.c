/* SPDX-License-Identifier: Apache-2.0
 *
 * The work of a case by its operators' rows. The rows compute in floating point, and one of them takes a logarithm: what is beyond
 * twelve bits is cut off, so that no last digit can tell two machines apart.
 */
#include "run/known_cost.h"

#include "gen/default_generator.h"
#include "run/case_values.h"
#include "run/known_size.h"

#include "opbench/graph.h"
#include "opbench/rng.h"

enum { KEPT_BITS = 12 };
static const uint64_t MOST = (uint64_t)1 << 60;

static uint64_t cut(uint64_t value)
{
    int dropped = 0;
    while (value >> dropped >= (uint64_t)1 << KEPT_BITS)
        dropped++;
    return value >> dropped << dropped;
}

/* Below 0 = not known. */
static uint64_t whole(double value)
{
    return value >= (double)MOST ? MOST : value > 0 ? cut((uint64_t)value) : 0;
}

static ob_status build(const ob_context *context, const ob_case *c, ob_case_values *build_values,
                       ob_case_values *input_values, ob_graph **out)
{
    ob_rng rng;
    ob_rng_init(&rng, 0, ob__case_stream(c));
    const ob_device cpu = {.type = "cpu", .index = -1};
    ob_generate_args args = {.host = ob_host_get(),
                             .op_name = ob_case_op_name(c),
                             .device = &cpu,
                             .rng = &rng,
                             .entry = ob_case_build(c)};
    const bool has_build = args.entry != NULL;
    if (has_build)
        OB_TRY(ob__case_values_make(&ob__default_describer, &args, build_values, NULL));
    args.entry = ob_case_input(c);
    OB_TRY(ob__case_values_make(&ob__default_describer, &args, input_values, NULL));
    const ob_call build_call = ob__case_values_call(build_values),
                  input_call = ob__case_values_call(input_values);
    return ob_graph_build(ob_context_operators(context), args.op_name,
                          has_build ? &build_call : NULL, &input_call, out, NULL);
}

static bool is_of_default(const ob_generator_desc *generator)
{
    return generator == NULL || generator->generate == ob__default_generator.generate;
}

ob_known_cost ob__known_cost(const ob_context *context, const ob_case *c)
{
    const uint64_t made = ob__known_bytes(ob_case_build(c)),
                   given = ob__known_bytes(ob_case_input(c));
    ob_known_cost known = {.inputs = made < MOST && given < MOST ? cut(made + given) : MOST};
    ob_case_values build_values = {0}, input_values = {0};
    ob_graph *graph = NULL;
    ob_cost cost;
    if (is_of_default(ob_case_build_generator(c)) && is_of_default(ob_case_input_generator(c)) &&
        build(context, c, &build_values, &input_values, &graph) == OB_OK &&
        ob_graph_cost(graph, &cost, NULL) == OB_OK) {
        known.is_known = cost.flops >= 0 && cost.read_bytes >= 0 && cost.write_bytes >= 0;
        known.flops = whole(cost.flops);
        known.bytes = whole(cost.read_bytes + cost.write_bytes);
    }
    if (graph != NULL)
        ob_graph_destroy(graph);
    ob__case_values_fini(&build_values);
    ob__case_values_fini(&input_values);
    return known;
}
