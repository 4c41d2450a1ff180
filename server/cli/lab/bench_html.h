// Writes the figures and tables of the layout benchmark as an HTML report (html_report.h). Pure.

#pragma once

#include <span>
#include <string>

#include <absl/status/statusor.h>

#include "bench/lab/layouts/cases/case_summary.h"

namespace hourcell {

absl::StatusOr<std::string> BenchHtml(std::span<const layouts::CaseSummary> cases,
                                      const layouts::RunAbout& about);

}  // namespace hourcell
