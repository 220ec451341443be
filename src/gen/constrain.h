/* SPDX-License-Identifier: Apache-2.0
 *
 * Values that depend on the operator: inputs that must obey its constraints, and a module's parameters.
 */
#ifndef OB_GEN_CONSTRAIN_H
#define OB_GEN_CONSTRAIN_H

#include "opbench/graph.h"
#include "opbench/json.h"
#include "opbench/rng.h"

/* Fills again those inputs (one per INPUT edge, in edge order) that an operator's row constrains: indices
 * within the dimension they index, offsets that rise, positive numbers. Inputs for which the entry
 * gives a value or a range are the user's and stay; OB_ERR_INVALID when one of theirs would be an index out of range or an
 * integer divisor of 0, which not every library looks at. */
ob_status ob__constrain_inputs(const ob_graph *graph, const ob_json *entry, ob_value *inputs,
                               size_t count, ob_rng *rng, ob_err *err);

/* The same for a call whose inputs are marked: only those with given[i] false are filled. */
ob_status ob__constrain_marked(const ob_graph *graph, const bool *given, ob_value *inputs,
                               size_t count, ob_rng *rng, ob_err *err);

/* The value of a PARAMETER or BUFFER edge, by its init kind. */
ob_status ob__make_parameter(const ob_graph_edge *edge, ob_rng *rng, ob_value *out, ob_err *err);

#endif
