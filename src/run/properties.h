/* SPDX-License-Identifier: Apache-2.0
 *
 * What a backend says about itself: the header of a run has what is known when the backend is opened.
 * A library that is opened by the first case which needs it is known only then; the records of the cases
 * from there on have what came late.
 */
#ifndef OB_RUN_PROPERTIES_H
#define OB_RUN_PROPERTIES_H

#include "opbench/json.h"
#include "opbench/plugin.h"

/* An object with the properties as strings; the caller destroys the document. */
ob_status ob__properties_read(const ob_backend_desc *desc, ob_backend *backend, ob_json_doc **out,
                              ob_err *err);
/* The properties that differ from those in `first`, or NULL. *late is the document from the last call,
 * NULL at first; it is kept while nothing changes, and the caller destroys it. */
const ob_json *ob__properties_late(const ob_backend_desc *desc, ob_backend *backend,
                                   const ob_json_doc *first, ob_json_doc **late);
/* What it says about one prepared case, or NULL. *doc is the document from the last call, NULL at first;
 * the caller destroys it. */
const ob_json *ob__properties_of_case(const ob_backend_desc *desc, ob_prepared *prepared,
                                      ob_json_doc **doc);

#endif
