/* SPDX-License-Identifier: Apache-2.0
 *
 * opbench inside another program: what a backend's host calls (see ob_manifest_host). There the whole program is a shared
 * object, because an executable cannot be loaded into another one; in the program itself nobody calls this.
 */
#include "own_path.h"

__attribute__((visibility("default"))) int ob_host_main(int argc, char **argv);
int main(int argc, char **argv);

/* argv[0] is the program's own path, which finds its plug-ins. */
int ob_host_main(int argc, char **argv)
{
    ob__cli_set_own_path(argv[0]);
    return main(argc, argv);
}
