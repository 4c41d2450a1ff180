// Reads a line of the answer of /api/admin/scan (server/admin/dump_handler.cc): a row or a
// histogram as a JSON object, or the object that ends the answer.
//
//   {"key":"00..","metric":"cpu","tags":{"host":"a"},"base":1356998400,"qualifiers":"0007",
//    "values":"01"}                       key, qualifiers, values: bytes in hex; base: Unix seconds
//   {"line":"histogram latency ..."}      a histogram as an import line
//   {"lines":1}                           the end: the number of lines before it
//   {"error":"..."}                       the end, after a failure
//
// Thread-compatible; one object reads all lines of an answer.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <simdjson.h>

#include "codec/point.h"
#include "engine/parallel_scan.h"

namespace hourcell {

class RowLine {
 public:
  enum class Kind : uint8_t { kRow, kHistogram, kEnd };

  // kUnavailable: the server reports an error. kDataLoss: the line is something else, or the
  // bytes of its row are not points.
  absl::StatusOr<Kind> Read(std::string_view line);

  // The row of the last line. Its views live until the next Read. REQUIRES: Read returned kRow.
  const ScannedRow& row() const { return row_; }

  // The import line of the last histogram. It lives until the next Read.
  std::string_view histogram() const { return histogram_; }

 private:
  absl::Status ReadRow(simdjson::dom::object object);
  absl::Status ReadTags(simdjson::dom::object tags);
  absl::Status ReadPoints();

  simdjson::dom::parser parser_;
  ScannedRow row_;
  std::string_view histogram_;
  std::string key_;
  std::string qualifiers_;
  std::string values_;
  std::vector<TagView> tags_;
  std::vector<Timestamp> times_;
  std::vector<Value> point_values_;
};

}  // namespace hourcell
