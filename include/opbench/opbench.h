/* SPDX-License-Identifier: Apache-2.0
 *
 * What most programs on the library need: a context, configs, jobs that measure them to records, the Timer,
 * comparisons, fuzzers. What else there is (traces, snippets, counts, sweeps, reports, ...) has a header of its own.
 *
 * Structs that a caller makes begin with their `size`, so that they can grow; small values (texts, tensors, clocks, statistics) do
 * not grow, and what the library makes for reading grows at its end.
 */
#ifndef OPBENCH_OPBENCH_H
#define OPBENCH_OPBENCH_H

#include "opbench/builder.h"
#include "opbench/compare.h"
#include "opbench/config.h"
#include "opbench/context.h"
#include "opbench/fuzz.h"
#include "opbench/job.h"
#include "opbench/record.h"
#include "opbench/timer.h"
#include "opbench/version.h"

#endif
