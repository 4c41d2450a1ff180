// A trace as a PutSource: a line per put, or per several puts of one key.
//
//   kPuts   put <metric> <timestamp> <value> <tagk=tagv> ...     as telnet or `import` has them;
//                                                                "put " may be left out
//   kKeys   <key>[<tab><puts>[<tab><time in ms>]]                keys as HBase's shell prints them,
//                                                                \xNN for a byte
//
// Empty lines are skipped. Puts arrive in the order of the lines: points at their timestamp, or at
// that of an earlier line if it is later; keys without a time at a fixed rate per second. Names get
// UIDs in the order of their first use.
//
// A trace does not mark the puts that begin a row: the source finds these with the last 2^20 rows.
// Memory: the names. Thread-compatible.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

#include <absl/status/statusor.h>

#include "bench/lab/simulate/input/put_source.h"
#include "bench/lab/simulate/input/recent_rows.h"

namespace hourcell {

inline constexpr size_t kTraceNamesMax = 16'777'215;  // per kind: UIDs of three bytes

enum class TraceForm : uint8_t { kPuts, kKeys };

struct TraceOptions {
  TraceForm form = TraceForm::kPuts;
  uint64_t keys_per_s = 100'000;          // of kKeys without times
  uint64_t start_ms = 1'356'998'400'000;  // likewise
  size_t rows_remembered = kRecentRowsDefault;
};

// Returns the next line, without its end; false at the end.
using TraceLines = std::function<absl::StatusOr<bool>(std::string_view* line)>;

// Reads the first line, for the start of the trace. The stream's errors: kInvalidArgument for an
// invalid line, with its number; kResourceExhausted for more than kTraceNamesMax names; else those
// of `lines`.
absl::StatusOr<std::unique_ptr<PutSource>> MakeTrace(TraceLines lines, const TraceOptions& options);

}  // namespace hourcell
