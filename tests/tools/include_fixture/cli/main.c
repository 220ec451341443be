/* SPDX-License-Identifier: Apache-2.0 */
#include "opbench/good.h"
#include "menu.h"
#include "base/low.h"
