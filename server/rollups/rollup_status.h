// /api/admin/rollups: how far the rollups by rules (docs/rollups.md) are computed.
//
//   GET    {"metrics":[{"metric":"cpu","levels":"1m(sum,count)1h(sum)","until":<seconds>,
//          "changed":<hours that wait to be computed again>}]}, by name
//
// 409: the server has no rules. Thread-safe.

#pragma once

#include <span>
#include <string>

#include "engine/tsdb.h"
#include "server/http/http_message.h"

namespace hourcell {

// The body of that answer.
std::string RollupStatusJson(std::span<const RollupProgress> metrics);

HttpResponse HandleRollupStatus(Tsdb* tsdb);

}  // namespace hourcell
