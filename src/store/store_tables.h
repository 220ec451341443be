/* SPDX-License-Identifier: Apache-2.0
 *
 * The tables, one version after the other, for all databases alike.
 */
#ifndef OB_STORE_STORE_TABLES_H
#define OB_STORE_STORE_TABLES_H

#include "store/sql.h"

enum { OB_TABLES_VERSION = 2 };

/* 0 = there are no tables. OB_ERR_UNSUPPORTED: it is newer than this opbench. */
ob_status ob__tables_version(ob_sql *sql, int64_t *out, ob_err *err);
/* Makes the tables, or brings them up to this version, all or nothing; others that do it at the same time wait. */
ob_status ob__tables_update(ob_sql *sql, ob_err *err);

#endif
