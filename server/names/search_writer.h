// SearchWriter: prints the results of /api/search as they are found:
//
//   {"type":"LOOKUP",...,"time":1.0,"results":[...],"startIndex":0,"totalResults":2}
//
// Thread-compatible.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include <absl/status/status.h>

#include "codec/base/clock.h"
#include "codec/base/json_writer.h"
#include "server/http/body/body_writer.h"

namespace hourcell {

class SearchWriter {
 public:
  // Both are borrowed.
  SearchWriter(MonotonicClock* clock, BodyWriter* body);

  // `add_query` adds the fields of the query to the object.
  void Begin(std::string_view type, const std::function<void(JsonWriter* json)>& add_query);
  // Where the next result is appended; then Offer, which is false if the client hung up: see
  // status().
  std::string* NextResult() { return json_.RawValue(); }
  bool Offer();
  void Finish(uint64_t start_index, uint64_t total);

  const absl::Status& status() const { return status_; }

 private:
  void InsertTime();

  MonotonicClock& clock_;
  BodyWriter& body_;
  JsonWriter json_;
  const int64_t start_ms_;
  std::optional<size_t> time_at_;  // the place of the time in the buffer; nothing once inserted
  absl::Status status_;
};

}  // namespace hourcell
