/* SPDX-License-Identifier: Apache-2.0
 *
 * The conformance tests inside an interpreter, as python_host.c has the program.
 */
__attribute__((visibility("default"))) int ob_host_main(int argc, char **argv);
int main(int argc, char **argv);

int ob_host_main(int argc, char **argv)
{
    return main(argc, argv);
}
