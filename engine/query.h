// The specification and the result of a query, for users of Tsdb.

#pragma once

#include "engine/query/last_query.h"      // IWYU pragma: export
#include "engine/query/memory_account.h"  // IWYU pragma: export
#include "engine/query/query_control.h"   // IWYU pragma: export
#include "engine/query/query_result.h"    // IWYU pragma: export
#include "engine/query/query_spec.h"      // IWYU pragma: export
#include "engine/query/row_aggregates.h"  // IWYU pragma: export
