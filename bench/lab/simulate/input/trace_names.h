// TraceNames: assigns sequential UIDs to the names of a source: metrics, tag keys and tag values
// from 1, three bytes each, as in a new OpenTSDB. Thread-compatible.

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/statusor.h>

#include "codec/base/strings.h"
#include "codec/point.h"
#include "codec/rows/layout.h"
#include "codec/rows/tsuid.h"

namespace hourcell {

class TraceNames {
 public:
  // The tsuid of a series, valid until the next call, and its number, from 0. kResourceExhausted:
  // more names of a kind than three bytes can number.
  struct Series {
    std::string_view tsuid = {};
    uint64_t number = 0;
  };
  absl::StatusOr<Series> Find(std::string_view metric, std::span<const TagView> tags);

  size_t metric_bytes() const { return layout_.metric_width; }

 private:
  absl::StatusOr<Uid> UidOf(StringMap<Uid>* uids, std::string_view name);

  const Layout layout_;
  StringMap<Uid> metrics_;
  StringMap<Uid> tagks_;
  StringMap<Uid> tagvs_;
  StringMap<uint64_t> numbers_;  // of tsuids
  std::vector<TagUids> tags_;
  std::string tsuid_;
};

}  // namespace hourcell
