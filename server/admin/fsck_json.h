// What a check of a store found (engine/fsck_report.h), as JSON: what `hourcell fsck --json` prints
// and the server's "report", and back, for the tool that asks a server.
//
//   {"rows":<n>,"points":<n>,"annotations":<n>,"series":<n>,"mappings":<n>,"regions":<n>,
//    "journal_blocks":<n>,"journal_points":<n>,"ms":<n>,"fixed":<n>,"faults":{"<fault>":<n>,...},
//    "examples":[{"fault":"<fault>","text":"<text>"},...]}
//
// Pure; thread-safe.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <absl/status/statusor.h>

#include "engine/fsck.h"

namespace hourcell {

void AppendFsckReport(const FsckReport& report, int64_t elapsed_ms, std::string* out);

// The same back. kInvalidArgument: it is none.
absl::StatusOr<FsckReport> ParseFsckReport(std::string_view json, int64_t* elapsed_ms);

}  // namespace hourcell
