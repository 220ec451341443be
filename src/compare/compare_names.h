/* SPDX-License-Identifier: Apache-2.0
 *
 * What a table calls things that have no name, and the words of its settings.
 */
#ifndef OB_COMPARE_COMPARE_NAMES_H
#define OB_COMPARE_COMPARE_NAMES_H

/* env, or what stands for one that was not given. */
const char *ob__env_name(const char *env);
/* text, or "" for NULL. */
const char *ob__or_empty(const char *text);

#endif
