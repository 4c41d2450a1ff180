// /api/v1/series, /api/v1/labels, /api/v1/label/NAME/values: series and labels from the index.
//
// Parameters, in the URL or in a form: `match[]`, several times; `limit`; `start` and `end`, which
// leave out series without points on their days (series_index.h). The responses have producers,
// which borrow `request` and `reader`. Thread-safe.

#pragma once

#include "server/http/http_message.h"
#include "server/inputs/prometheus/prom_series_reader.h"

namespace hourcell {

HttpResponse HandlePromSeries(const HttpRequest& request, const PromSeriesReader& reader);
HttpResponse HandlePromLabels(const HttpRequest& request, const PromSeriesReader& reader);
// 404: the path has another form.
HttpResponse HandlePromLabelValues(const HttpRequest& request, const PromSeriesReader& reader);

}  // namespace hourcell
