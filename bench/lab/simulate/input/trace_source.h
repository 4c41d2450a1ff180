// A trace as a PutSource: a line a put, or a line for several puts of one key.
//
//   kPuts   put <metric> <timestamp> <value> <tagk=tagv> ...     as telnet or `import` has them;
//                                                                "put " may be left out
//   kKeys   <key>[<tab><puts>[<tab><time in ms>]]                keys as HBase's shell prints them,
//                                                                \xNN for a byte
//
// Empty lines are skipped. Puts come in the order of the lines: lines of points at their own time,
// or at that of the lines before if that is later; keys without a time so many a second. Names get
// UIDs in the order in which they first come.
//
// What a trace does not say, whether a put begins a row, is answered from the last 2^20 rows.
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

inline constexpr size_t kTraceNamesMax = 16'777'215;  // of a kind: UIDs of three bytes

enum class TraceForm : uint8_t { kPuts, kKeys };

struct TraceOptions {
  TraceForm form = TraceForm::kPuts;
  uint64_t keys_per_s = 100'000;          // of kKeys without times
  uint64_t start_ms = 1'356'998'400'000;  // the same
  size_t rows_remembered = kRecentRowsDefault;
};

// Gives the next line, without its end; false at the end.
using TraceLines = std::function<absl::StatusOr<bool>(std::string_view* line)>;

// Reads the first line, to know when the trace begins. The stream's errors: kInvalidArgument for a
// line that is none, with its number; kResourceExhausted for more than kTraceNamesMax names;
// else those of `lines`.
absl::StatusOr<std::unique_ptr<PutSource>> MakeTrace(TraceLines lines, const TraceOptions& options);

}  // namespace hourcell
