#include "engine/regions/live/row_split_probe.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "codec/base/status_macros.h"

// Why rows are read one by one here: RocksDB's position of a key is only as fine as a block of a
// file, and a region that a user splits may be smaller than that. For a large region the answer of
// the files is good enough (engine/rocks/rocks_region_size.h).

namespace hourcell {
namespace {

struct Rows {
  std::vector<std::string> keys;       // ascending
  std::vector<uint64_t> bytes_before;  // of all rows below keys[i]; one more, the total

  size_t IndexFrom(std::string_view key) const {
    return static_cast<size_t>(std::ranges::lower_bound(keys, key) - keys.begin());
  }
};

}  // namespace

absl::StatusOr<RegionProbe> ProbeRows(TableView* view, TableId table, const RegionRange& range) {
  const auto rows = std::make_shared<Rows>();
  uint64_t bytes = 0;
  HOURCELL_RETURN_IF_ERROR(view->Scan(table, {.begin = range.start, .end = range.end},
                                      [&](std::string_view key, std::string_view value) {
                                        rows->keys.emplace_back(key);
                                        rows->bytes_before.push_back(bytes);
                                        bytes += key.size() + value.size();
                                        return true;
                                      }));
  rows->bytes_before.push_back(bytes);

  RegionProbe probe;
  probe.probe.bytes_between = [rows](std::string_view start, std::string_view end) {
    const size_t from = rows->IndexFrom(start);
    const size_t to = end.empty() ? rows->keys.size() : rows->IndexFrom(end);
    return rows->bytes_before[std::max(from, to)] - rows->bytes_before[from];
  };
  probe.probe.first_row_from = [rows](std::string_view key) {
    const size_t i = rows->IndexFrom(key);
    return i < rows->keys.size() ? rows->keys[i] : std::string();
  };
  if (!rows->keys.empty()) {
    probe.files.push_back(
        {.smallest = rows->keys.front(), .largest = rows->keys.back(), .bytes = bytes});
  }
  return probe;
}

}  // namespace hourcell
