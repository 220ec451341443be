/* SPDX-License-Identifier: Apache-2.0
 *
 * What a process's estimate is an estimate of.
 */
#ifndef OB_VERDICT_UNIT_H
#define OB_VERDICT_UNIT_H

/* The share of a process's time that the low quantile of so many samples leaves below it, on average: of few samples it is
 * nearly their lowest, which is far above the quantile that it stands for. */
double ob__unit_level(double samples);

#endif
