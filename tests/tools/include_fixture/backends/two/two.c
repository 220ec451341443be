/* SPDX-License-Identifier: Apache-2.0 */
#include "../one/one.h"
#include <op/row.h>
