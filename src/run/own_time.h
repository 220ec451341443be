/* SPDX-License-Identifier: Apache-2.0
 *
 * CPU time that is not foreign to a measurement.
 */
#ifndef OB_RUN_OWN_TIME_H
#define OB_RUN_OWN_TIME_H

#include <stdint.h>
#include <time.h>

/* For ob_noise_params: of this process, its ended children and, in a worker, its supervisor. */
uint64_t ob__own_cpu_ns(void *unused);
/* 0 where the system does not have that clock. */
uint64_t ob__read_clock_ns(clockid_t clock);

#endif
