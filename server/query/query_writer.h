// QueryWriter: the QuerySink that prints the JSON of /api/query, a series as soon as it comes.
//
//   [{"metric":"m","tags":{"host":"a"},"aggregateTags":["dc"],"query":{...},"tsuids":["000001..."],
//     "dps":{"1356998400":1,"1356998430":2.5}}, ..., {"explain":[...]}, {"statsSummary":{...}}]
//
// Integers are printed as such, floating point as Java does, NaN as the string "NaN" (null with the
// fill policy null). In seconds, of the points of one second only the last is printed: JSON readers
// would keep that one. Thread-compatible.

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <absl/status/status.h>

#include "engine/query.h"
#include "server/http/body/body_writer.h"
#include "server/query/query_request.h"
#include "server/query/query_trace.h"

namespace hourcell {

class QueryWriter : public QuerySink {
 public:
  // All are borrowed and outlive the object. `trace` may be null; else what printing takes is noted
  // there, and Finish prints it.
  QueryWriter(const QuerySpec& spec,
              const QueryPrinting& printing,
              BodyWriter* body,
              QueryTrace* trace = nullptr);

  absl::Status OnBegin(std::span<const Annotation> global_annotations) override;

  // kInvalidArgument "Got Infinity: ..." for a value that JSON has no word for; what the body says
  // when its client is gone.
  absl::Status OnSeries(const SeriesView& series) override;

  // What follows the series, and the end. `control` is that of the query, which has ended;
  // `elapsed_us` is what it took, in microseconds, for show_summary.
  void Finish(const QueryControl& control, int64_t elapsed_us);

 private:
  // Points that were printed, for the statistics.
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
  std::vector<Printed> printed_of_query_;
};

// Appends [{"query":0,"method":"skip scan",...},...]: how each sub query was read.
void AppendPlans(std::span<const PlanReport> plans, std::string* out);

// Appends {"explain":[...]}: how each sub query was read.
void AppendExplain(const QueryControl& control, std::string* out);

// Appends {"trace":{...}} of a query that has ended at `now`. It is a part of the body, and not of
// the head: the head is sent first. Only the end of the body comes after it.
void AppendTrace(const QueryTrace& trace,
                 const QueryControl& control,
                 QueryTrace::TimePoint now,
                 std::string* out);

}  // namespace hourcell
