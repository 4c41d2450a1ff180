// The report of a check (engine/fsck_report.h) as JSON: the output of `hourcell fsck --json`, and
// the answer of a server's check, which the tool parses.
//
//   {"rows":<n>,"points":<n>,"annotations":<n>,"series":<n>,"mappings":<n>,"regions":<n>,
//    "journal_blocks":<n>,"journal_points":<n>,"histograms":<n>,"ms":<n>,"fixed":<n>,
//    "faults":{"<fault>":<n>,...},"examples":[{"fault":"<fault>","text":"<text>"},...]}
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

// Parses such a report. kInvalidArgument: not a report.
absl::StatusOr<FsckReport> ParseFsckReport(std::string_view json, int64_t* elapsed_ms);

}  // namespace hourcell
