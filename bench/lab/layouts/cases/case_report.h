// Results as text, CSV and JSON, and all files for a design review in a directory. Pure, except
// WriteReport; thread-safe.

#pragma once

#include <span>
#include <string>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "bench/lab/layouts/cases/case_result.h"

namespace hourcell::layouts {

// The run of the results.
struct RunAbout {
  size_t cases = 0;  // more than there are results if the run ended early
};

// "Ended after 3 of 19 cases.", and a line end; empty if the run is complete.
std::string EndedText(std::span<const CaseResult> results, const RunAbout& about);

// Two tables, of writes and of reads, with a line per case, and explanations of the fields; before
// them EndedText.
std::string TextReport(std::span<const CaseResult> results, const RunAbout& about);

// A line of names, then a line per case; all figures, without windows.
std::string CsvReport(std::span<const CaseResult> results);

// {"planned": 19, "cases": [{...}, ...]}, all figures and the windows.
std::string JsonReport(std::span<const CaseResult> results, const RunAbout& about);

// Writes report.txt, report.csv, report.json, and each figure of case_figures.h as SVG and PNG into
// `directory`, which is created if missing; replaces existing files. Returns the names of the
// files. kUnavailable: a file cannot be written.
absl::StatusOr<std::vector<std::string>> WriteReport(std::span<const CaseResult> results,
                                                     const RunAbout& about,
                                                     const std::string& directory);

}  // namespace hourcell::layouts
