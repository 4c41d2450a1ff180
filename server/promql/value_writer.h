// Prints the result of an evaluation as the data of Prometheus' API:
//
//   {"resultType":"vector","result":[{"metric":{"__name__":"up"},"value":[1435781430.781,"1"]}]}
//   {"resultType":"matrix","result":[{"metric":{},"values":[[1435781430,"1"],[1435781445,"2"]]}]}
//   {"resultType":"scalar","result":[1435781430,"1"]}
//   {"resultType":"string","result":[1435781430,"text"]}
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
