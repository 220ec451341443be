/* SPDX-License-Identifier: Apache-2.0 */
#include "op/row.h"
#include "lost.h"
