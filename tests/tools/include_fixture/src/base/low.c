/* SPDX-License-Identifier: Apache-2.0 */
#include "low.h"
#include "op/row.h"
#include <stdio.h>
