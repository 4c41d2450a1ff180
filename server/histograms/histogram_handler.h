// POST /api/histogram: stores histograms, with the response rules of /api/put (summary, details,
// sync). 204 or 200 if all are stored. If some are refused, the others are stored, and the response
// is 503 or 500 if the store could not take one, else 400. 503 without a codec, unless all are
// exponential.
// Thread-safe.

#pragma once

#include "engine/tsdb.h"
#include "server/histograms/histogram_codecs.h"
#include "server/http/http_message.h"
#include "server/put/body_work.h"

namespace hourcell {

// `work` may be null.
HttpResponse HandleHistograms(const HttpRequest& request,
                              const HistogramCodecs& codecs,
                              Tsdb* tsdb,
                              BodyWork* work);

}  // namespace hourcell
