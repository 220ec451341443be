/* SPDX-License-Identifier: Apache-2.0
 *
 * The loop of the backend known_work as a function that other tools can time.
 */
#include <stdint.h>

enum { WORDS = 1024 };

uint64_t work_loop(int64_t steps, int64_t times);

uint64_t work_loop(int64_t steps, int64_t times)
{
    static uint64_t words[WORDS];
    uint64_t x = 1;
    if (words[1] == 0)
        for (int i = 0; i < WORDS; i++)
            words[i] = (uint64_t)i * 2654435761u;
    for (int64_t i = 0; i < times; i++)
        for (int64_t k = 0; k < steps; k++)
            x = x * 6364136223846793005u + words[k % WORDS];
    return x;
}
