/* SPDX-License-Identifier: Apache-2.0 */
#include "opbench/good.h"
