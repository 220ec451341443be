/* SPDX-License-Identifier: Apache-2.0
 *
 * The whole public API in one include.
 */
#ifndef OPBENCH_OPBENCH_H
#define OPBENCH_OPBENCH_H

#include "opbench/arg.h"
#include "opbench/batch.h"
#include "opbench/builder.h"
#include "opbench/compare.h"
#include "opbench/config.h"
#include "opbench/context.h"
#include "opbench/count.h"
#include "opbench/dtype.h"
#include "opbench/fuzz.h"
#include "opbench/graph.h"
#include "opbench/job.h"
#include "opbench/json.h"
#include "opbench/log.h"
#include "opbench/machine.h"
#include "opbench/manifest.h"
#include "opbench/measure.h"
#include "opbench/measurement.h"
#include "opbench/op.h"
#include "opbench/option.h"
#include "opbench/plugin.h"
#include "opbench/profile.h"
#include "opbench/record.h"
#include "opbench/replay.h"
#include "opbench/report.h"
#include "opbench/rng.h"
#include "opbench/run.h"
#include "opbench/schema.h"
#include "opbench/shared_object.h"
#include "opbench/snippet.h"
#include "opbench/snippet_run.h"
#include "opbench/status.h"
#include "opbench/suite_run.h"
#include "opbench/sweep.h"
#include "opbench/tensor.h"
#include "opbench/text.h"
#include "opbench/timer.h"
#include "opbench/torch.h"
#include "opbench/trace.h"
#include "opbench/value.h"
#include "opbench/version.h"

#endif
