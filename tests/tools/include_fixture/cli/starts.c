/* SPDX-License-Identifier: Apache-2.0
 *
 * fork() in a comment is none.
 */
int starts(void);
int starts(void)
{
    const char *text = "nor is system(\"x\") in a text"; // popen()
    fork_guard(text);
    table.system(text);
    return vfork() + execvp(text, 0) + posix_spawnp(0, text) + system(text) +
           syscall(SYS_clone, CLONE_VM);
}
static int (*const BY_POINTER)(void) = fork;
