// Reads lines with names and their UIDs, as `tsdb uid grep` of OpenTSDB and `hourcell uid grep`
// print them, from a file.
//
//   metrics cpu.user: [0, 0, 1]      the bytes as Java prints them, each -128 to 127
//
// Skips other lines, such as log lines of OpenTSDB. Pure, except ImportUidLines.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "engine/tsdb.h"
#include "server/cli/local_store.h"

namespace hourcell {

// nullopt: the line does not begin with a kind and a blank. kInvalidArgument: it does, but the rest
// is not a name and a UID.
absl::StatusOr<std::optional<UidRow>> ParseUidLine(std::string_view line);

struct UidLinesRead {
  uint64_t mappings = 0;
  uint64_t skipped = 0;  // lines without a mapping
};

// Gives the names in the file ("-" = the standard input) their UIDs, 10,000 at a time. An error
// ends it; earlier batches remain assigned, and the same file may be read again. Errors name the
// line, or are those of Names::AssignGivenUids, LineReader and LateStore::Open. A file without
// mappings does not open the store.
absl::StatusOr<UidLinesRead> ImportUidLines(const std::string& path, LateStore* store);

}  // namespace hourcell
