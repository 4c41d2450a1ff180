// Results as text, CSV and JSON, and everything that a design review needs in a directory. Pure but
// for WriteReport; thread-safe.

#pragma once

#include <span>
#include <string>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "bench/lab/layouts/cases/case_result.h"

namespace hourcell::layouts {

// Two tables, of writes and of reads, a line a case, and what the fields mean.
std::string TextReport(std::span<const CaseResult> results);

// A line of names, then a line a case; all figures, windows left out.
std::string CsvReport(std::span<const CaseResult> results);

// {"cases": [{...}, ...]}, all figures and the windows.
std::string JsonReport(std::span<const CaseResult> results);

// report.txt, report.csv, report.json, and each figure of case_figures.h as SVG and PNG, in
// `directory`, which is made if need be; files that are there are replaced. Returns the names of
// the files. kUnavailable: a file cannot be written.
absl::StatusOr<std::vector<std::string>> WriteReport(std::span<const CaseResult> results,
                                                     const std::string& directory);

}  // namespace hourcell::layouts
