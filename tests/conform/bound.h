/* SPDX-License-Identifier: Apache-2.0
 *
 * How far two right results of the same graph may lie apart. The bound follows from the operators' rows: their
 * tolerance in epsilons of the result's dtype, times the magnitude, times the growth with the reduction's
 * length. One rule for the comparison of backends and for the conformance tests.
 */
#ifndef OB_CONFORM_BOUND_H
#define OB_CONFORM_BOUND_H

#include "opbench/graph.h"

/* What a bound depends on besides the result. Two graphs for the same case (one of them decomposed) are joined by the
 * larger of each. */
typedef struct ob_bound_facts {
    ob_tolerance_kind kind; /* the loosest of the nodes */
    double factor;          /* the largest of the nodes, at least 1 */
    double steps;           /* roundings on the way, for results that several calls make */
    double longest;         /* elements of the largest input: no sum is longer */
    double magnitude;       /* of the largest input element */
    double outliers;        /* gradients of long graphs: see ob_bound */
    double terms;           /* of a gradient: how many may be summed to one of its elements */
} ob_bound_facts;

/* inputs may be NULL. */
void ob__bound_facts(const ob_graph *graph, const ob_value *inputs, size_t input_count,
                     ob_bound_facts *out);
void ob__bound_facts_join(ob_bound_facts *to, const ob_bound_facts *other);
/* Of a gradient with so many elements: sums over what was broadcast or reduced, by calls that forward and backward
 * have. */
ob_bound_facts ob__bound_facts_of_gradient(const ob_bound_facts *forward, uint64_t elements);

typedef struct ob_bound {
    double relative, absolute; /* |got - want| <= relative |want| + absolute */
    bool skip;                 /* not initialised: anything is right */
    bool random;               /* compared by moments */
    double outliers;           /* share of the elements that need not hold it */
} ob_bound;

/* For a result of the dtype whose largest finite element is `largest`. */
ob_bound ob__bound_make(const ob_bound_facts *facts, ob_dtype dtype, double largest);
double ob__bound_at(const ob_bound *bound, double want);
/* NaN is like NaN, an infinity like itself. */
bool ob__bound_holds(const ob_bound *bound, double got, double want);

/* One real element; of a complex dtype its real part. */
double ob__element_get(ob_dtype dtype, const void *at);
double ob__dtype_epsilon(ob_dtype dtype); /* 0 for integers */
/* The largest finite magnitude in a tensor, or in a list of them. */
double ob__value_magnitude(const ob_value *value);

#endif
