/* SPDX-License-Identifier: Apache-2.0
 *
 * The conformance tests inside an interpreter, as python_host.c has the program.
 */
#include <stdio.h>

__attribute__((visibility("default"))) int ob_host_main(int argc, char **argv);
int main(int argc, char **argv);

int ob_host_main(int argc, char **argv)
{
    const int code = main(argc, argv);
    /* The interpreter ends without it, and what was printed says why a test was skipped. */
    fflush(NULL);
    return code;
}
