// QueryWriter: the QuerySink that prints the JSON of /api/query, a series as soon as it comes.
//
//   [{"metric":"m","tags":{"host":"a"},"aggregateTags":["dc"],"query":{...},"tsuids":["000001..."],
//     "dps":{"1356998400":1,"1356998430":2.5}}, ..., {"explain":[...]}, {"statsSummary":{...}}]
//
// Integers are printed as integers, floating point as Java prints it, NaN as the string "NaN" (null
// with the fill policy null). With timestamps in seconds, only the last point of each second is
// printed: a JSON reader would keep that one. Thread-compatible.

#pragma once

#include <cstdint>
#include <span>
#include <string>

#include <absl/container/inlined_vector.h>
#include <absl/status/status.h>

#include "engine/query.h"
#include "server/http/body/body_writer.h"
#include "server/query/query_request.h"
#include "server/query/query_trace.h"

namespace hourcell {

class QueryWriter : public QuerySink {
 public:
  // All are borrowed and outlive the object. `trace` may be null; otherwise it receives the time of
  // printing, and Finish prints it.
  QueryWriter(const QuerySpec& spec,
              const QueryPrinting& printing,
              BodyWriter* body,
              QueryTrace* trace = nullptr);

  absl::Status OnBegin(std::span<const Annotation> global_annotations) override;

  // kInvalidArgument "Got Infinity: ..." for a value that JSON cannot express; the error of the
  // body if its client hung up.
  absl::Status OnSeries(const SeriesView& series) override;

  // Appends the elements after the series, and the end. `control` belongs to the query, which has
  // ended; `elapsed_us` is its time in microseconds, for show_summary.
  void Finish(const QueryControl& control, int64_t elapsed_us);

 private:
  // Numbers of printed points, for the statistics.
  struct Printed {
    uint64_t points = 0;
    uint64_t nans = 0;
  };
  static void AppendPrinted(const Printed& printed, std::string* out);

  absl::Status PrintSeries(const SeriesView& series);

  // Begins an element of the response's list.
  void BeginElement();
  absl::Status AppendHead(const SeriesView& series);
  absl::Status AppendPoints(const SeriesView& series, Printed* printed);
  void AppendSummary(const QueryCost& cost, int64_t elapsed_us);

  const QuerySpec& spec_;
  const QueryPrinting printing_;
  BodyWriter& body_;
  QueryTrace* const trace_;
  bool is_empty_ = true;
  std::string global_annotations_;  // printed
  Printed printed_;
  absl::InlinedVector<Printed, 4> printed_of_query_;
};

// Appends [{"query":0,"method":"skip scan",...},...]: the plan and cost of each sub query.
void AppendPlans(std::span<const PlanReport> plans, std::string* out);

// Appends {"explain":[...]}: as AppendPlans.
void AppendExplain(const QueryControl& control, std::string* out);

// Appends {"trace":{...}} of a query that ended at `now`. It is a part of the body, because the
// head is sent first. Only the end of the body comes after it.
void AppendTrace(const QueryTrace& trace,
                 const QueryControl& control,
                 QueryTrace::TimePoint now,
                 std::string* out);

}  // namespace hourcell
