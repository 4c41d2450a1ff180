// SavedView: the JSON document of a saved view, which people edit as text. A view draws graphs on
// one range of time; docs/views.md describes its members.
//
//   {
//     "version": 1,
//     "title": "Web servers",
//     "start": "6h-ago",
//     "graphs": [
//       {"title": "CPU", "queries": ["avg:cpu.user{host=*}"], "look": {"style": "stacked"}},
//       {"title": "Requests", "queries": [{"promql": "sum by (job) (rate(requests_total[5m]))"}]},
//       {"view": "Disks"}
//     ]
//   }
//
// The parser is strict: a member that is unknown, repeated, of another type or out of its limits is
// refused, with its line and character. Pure functions; thread-safe.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <absl/status/statusor.h>

namespace hourcell {

inline constexpr int64_t kSavedViewVersion = 1;
// The rest of a text of the store is for its last change (stored_view.h).
inline constexpr size_t kSavedViewBytesMax = size_t{60} << 10;
inline constexpr size_t kSavedGraphsMax = 50;

// The members of a document that a list of views has.
struct SavedView {
  std::string title;
  std::string start;  // as in /api/query; empty: the page's usual range
  std::string end;    // empty: now
  std::string tz;
  uint64_t refresh_s = 0;
  uint64_t graphs = 0;
};

// Times are checked at the present `now_ms`. kInvalidArgument:
// "view: line 3, character 12: graphs: expected a list, got a text".
absl::StatusOr<SavedView> ParseSavedView(std::string_view json, int64_t now_ms);

}  // namespace hourcell
