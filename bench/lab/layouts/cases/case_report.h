// Results as text, CSV and JSON, and all files for a design review in a directory. Pure, except
// WriteReport; thread-safe.

#pragma once

#include <span>
#include <string>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "bench/lab/layouts/cases/case_figures.h"
#include "bench/lab/layouts/cases/case_summary.h"

namespace hourcell::layouts {

// A figure as a table has it. A time is "median (first quartile-third quartile)" of the rounds, or
// "-" with fewer than kRoundsForTimes. Instructions are the median, or "not available here".
std::string FieldText(const CaseSummary& summary, const ResultField& field);

// "hourcell 0.1.0, Release; stores in /dev/shm; rounds of a case: 3", and a line end.
std::string AboutText(std::span<const CaseSummary> cases, const RunAbout& about);

// Two tables, of writes and of reads, with a line per case, and explanations of the fields; before
// them EndedText, AboutText and RecommendationText.
std::string TextReport(std::span<const CaseSummary> cases, const RunAbout& about);

// A line of names, then a line per case; all figures, without windows. Times and instructions have
// two more fields for their quartiles, `<name>_q1` and `<name>_q3`. Instructions that were not
// counted are null.
std::string CsvReport(std::span<const CaseSummary> cases);

// {"cases": [{...}, ...], "recommendations": [...], "program": "...", "planned": 19,
// "measured": 19}: all figures of CsvReport and the windows.
std::string JsonReport(std::span<const CaseSummary> cases, const RunAbout& about);

// The figures of case_figures.h. If the program is not a release build, figures with times or
// instructions have a note of that.
std::vector<NamedFigure> ReportFigures(std::span<const CaseSummary> cases, const RunAbout& about);

// Writes report.txt, report.csv, report.json, and each figure as SVG and PNG into `directory`,
// which is created if missing; replaces existing files. Returns the names of the files.
// kUnavailable: a file cannot be written.
absl::StatusOr<std::vector<std::string>> WriteReport(std::span<const CaseSummary> cases,
                                                     const RunAbout& about,
                                                     const std::string& directory);

}  // namespace hourcell::layouts
