// The value of the row virtual/<UID>: the expression of a virtual metric.
//
//   size      field
//   1         version: 1
//   1         1: missing has a value, else 0
//   8         with it: missing, bits of a binary64, big-endian
//   text      formula
//   varint    inputs, each:
//     text      aggregator, its name
//     M         metric UID; M and K are the widths of the layout
//     1         flags: 1 downsampling, 2 rate, 4 counter, 8 resets are dropped
//     with downsampling:
//       varint    interval in milliseconds, at least 1
//       text      function, its name
//       1         fill policy: FillPolicy
//       8         fill value, bits of a binary64, big-endian
//     with rate:
//       8         maximum of the counter, two's complement, big-endian
//       8         reset value, the same
//     varint    filters, each:
//       K         tagk UID
//       1         type: FilterType
//       1         1: groups, else 0
//       text      as written
//   4         CRC-32C of the bytes before, big-endian
//
// A text is a varint, its bytes, and these bytes. Metrics and tag keys are UIDs, so a rename of
// them needs no write. Pure; thread-safe.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <absl/status/statusor.h>

#include "codec/rows/layout.h"
#include "codec/rows/uid.h"
#include "engine/query/metric_expression.h"

namespace hourcell {

// A MetricExpression with UIDs for its names.
struct StoredExpression {
  struct Names {
    Uid metric = kNoUid;
    std::vector<Uid> tagks = {};  // of the filters in turn
    friend bool operator==(const Names&, const Names&) = default;
  };
  MetricExpression expression;  // its metrics and tag keys are empty
  std::vector<Names> names;     // of the inputs in turn
  friend bool operator==(const StoredExpression&, const StoredExpression&) = default;
};

// REQUIRES: each input has its names, and passes CheckMetricExpression with them.
std::string EncodeExpression(const Layout& layout, const StoredExpression& stored);

// kDataLoss: damage, or a newer version.
absl::StatusOr<StoredExpression> DecodeExpression(const Layout& layout, std::string_view bytes);

}  // namespace hourcell
