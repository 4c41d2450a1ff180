// /api/v1/metadata: types, help texts and units of metrics, as sent (metric_metadata.h):
//
//   {"up":[{"type":"gauge","help":"Whether the target is up","unit":""}]}
//
// Parameters: `metric`, a name as PromQL has it or as stored; `limit`, of metrics, and
// `limit_per_metric`: a negative number is no limit. Stored names that PromQL shows alike are one
// metric with several entries. The response has a producer,
// which borrows all. Thread-safe.

#pragma once

#include "server/http/http_message.h"
#include "server/inputs/metric_metadata.h"
#include "server/inputs/prometheus/prom_series_reader.h"

namespace hourcell {

HttpResponse HandlePromMetadata(const HttpRequest& request,
                                const PromSeriesReader& reader,
                                const MetadataKeeper& metadata);

}  // namespace hourcell
