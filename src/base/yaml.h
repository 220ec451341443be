/* SPDX-License-Identifier: Apache-2.0
 *
 * YAML files as the trees that JSON files become, so that whatever reads one can read the other. Plain
 * scalars are null, booleans and numbers by the core schema of YAML 1.2; keys stay the texts that they are.
 * Aliases, tags, several documents and duplicate keys are refused.
 */
#ifndef OB_BASE_YAML_H
#define OB_BASE_YAML_H

#include "opbench/json.h"

/* `name` is for messages and must live as long as the document. */
ob_status ob__yaml_parse(const char *name, const void *data, size_t size, ob_json_doc **out,
                         ob_err *err);

#endif
