// Prints the result of an evaluation as the data of Prometheus' API:
//
//   {"resultType":"vector","result":[{"metric":{"__name__":"up"},"value":[1435781430.781,"1"]}]}
//   {"resultType":"matrix","result":[{"metric":{},"values":[[1435781430,"1"],[1435781445,"2"]]}]}
//   {"resultType":"vector","result":[{"metric":{},"histogram":[1435781430,{"count":"3","sum":"7",
//     "buckets":[[3,"-0.5","0.5","1"],[0,"1","2","2"]]}]}]}
//   {"resultType":"scalar","result":[1435781430,"1"]}
//   {"resultType":"string","result":[1435781430,"text"]}
//
// A series of a matrix with native histograms has them in "histograms", after its "values". The
// first number of a bucket is 0 if only its upper bound belongs to it, 1 if only the lower one
// does, 3 if both do, and else 2.
//
// Times and values have Prometheus' text, which depends on the type (promql/values/number_text.h).
//
// Pure, except that a slow client may block the body; thread-safe.

#pragma once

#include <string>

#include <absl/status/status.h>

#include "promql/columns.h"
#include "promql/evaluation/evaluator.h"
#include "promql/labels.h"
#include "server/http/body/body_writer.h"

namespace hourcell {

// Appends {"__name__":"up","job":"p"}.
void AppendPromLabels(const promql::Labels& labels, std::string* out);

// Writes the whole response, series by series. A range query gives a matrix, for a scalar, too.
// Errors: those of BodyWriter::Offer.
absl::Status WriteEvaluation(const promql::Evaluation& evaluation,
                             const promql::Steps& steps,
                             bool is_instant,
                             BodyWriter* body);

}  // namespace hourcell
