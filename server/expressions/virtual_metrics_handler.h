// /api/admin/metrics: the virtual metrics. Thread-safe.
//
//   GET      {"metrics":[{"metric":"cpu.busy","expression":"sum:cpu.user{host=*} + ..."}, ...]},
//            ascending by name, with "missing": a number, if it has one
//   POST     {"metric":"cpu.busy","expression":"...","missing":0}; defines it, or replaces its
//            expression. Without missing, or with null, points need all sub queries. Answers as GET
//   DELETE   ?metric=cpu.busy; drops it. Answers as GET
//
// 400: an invalid body or expression, a metric with series, a cycle; 404: no such metric, or one in
// the expression; 409: another virtual metric is calculated from the one to drop.

#pragma once

#include <string>
#include <vector>

#include "engine/tsdb.h"
#include "server/http/http_message.h"

namespace hourcell {

HttpResponse HandleVirtualMetrics(const HttpRequest& request, Tsdb* tsdb);

// The answer to a GET.
std::string VirtualMetricsJson(const std::vector<VirtualMetric>& metrics);

}  // namespace hourcell
