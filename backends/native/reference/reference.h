/* SPDX-License-Identifier: Apache-2.0
 *
 * What the results of a case must be, computed in plain float64 code; see docs/check.md.
 */
#ifndef NATIVE_REFERENCE_H
#define NATIVE_REFERENCE_H

#include "opbench/plugin.h"

extern const ob_reference_desc native_reference;

#endif
