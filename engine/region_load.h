// The load of a table's regions over time: RegionAdmin::Loads; and ExplainedKey: the fields of a
// table's key, for people: for example the start of a region.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace hourcell {

// The complete fields of a key, and the remaining bytes. Names are UTF-8.
struct ExplainedKey {
  std::optional<uint64_t> salt = {};       // bucket
  std::optional<std::string> metric = {};  // or its UID in hex, without a name
  std::optional<uint32_t> time_s = {};     // seconds since 1970; of an annotation its own
  // A key without its value, at the end of the list, has an empty one.
  std::vector<std::pair<std::string, std::string>> tags = {};
  std::string rest = {};  // bytes, in hex

  friend bool operator==(const ExplainedKey&, const ExplainedKey&) = default;
};

// The fields in one line, times in UTC, in the order of the default layout; empty for no field.
std::string KeyText(const ExplainedKey& key);

// The load of a region in one step of time.
struct RegionLoadStep {
  uint32_t points_written = 0;  // as they come, estimated from a sample
  uint32_t rows_written = 0;    // as they are sealed
  uint32_t rows_blocked = 0;    // that had to wait, because the region lagged
  uint32_t rows_read = 0;       // stored rows
  uint64_t bytes = 0;           // in files and in memory, at the end of the step

  friend bool operator==(const RegionLoadStep&, const RegionLoadStep&) = default;
};

// A region, which may be gone.
struct RegionLoad {
  uint64_t id = 0;
  std::string start = {};  // as ListedRegion has them
  std::string end = {};
  std::optional<ExplainedKey> explained = {};  // the start, if asked for
  std::vector<uint64_t> parents = {};
  bool is_open = true;    // it was neither split nor merged
  size_t first_step = 0;  // of RegionLoadReport, that the first of `steps` is
  std::vector<RegionLoadStep> steps = {};
};

// A split has one parent, a merge one daughter.
struct RegionEvent {
  uint64_t time_ms = 0;  // when it was seen, at most a second after it
  std::vector<uint64_t> parents = {};
  std::vector<uint64_t> daughters = {};  // ascending by start
  std::string cut = {};                  // of a split: where the second daughter begins, in words

  bool is_split() const { return parents.size() == 1; }
};

struct RegionLoadReport {
  uint64_t step_ms = 0;
  uint64_t start_ms = 0;  // of step 0, since 1970
  size_t steps = 0;
  std::vector<RegionLoad> regions = {};  // ascending by start, then by id
  std::vector<RegionEvent> events = {};  // within the steps; ascending by time
};

}  // namespace hourcell
