#include "server/cli/lab/bench_html.h"

#include <utility>
#include <vector>

#include <fmt/format.h>

#include "bench/lab/layouts/cases/case_figures.h"
#include "bench/lab/layouts/cases/case_report.h"
#include "bench/lab/layouts/cases/recommendation.h"
#include "server/cli/lab/html_report.h"

namespace hourcell {
namespace {

HtmlTable FiguresTable(std::span<const layouts::CaseSummary> cases,
                       std::span<const layouts::ResultField> fields,
                       std::string caption) {
  HtmlTable table{.caption = std::move(caption),
                  .heads = {"workload", "layout", "cells", "splits"},
                  .texts = 4};
  for (const layouts::ResultField& field : fields) {
    if (!field.head.empty()) table.heads.emplace_back(field.head);
  }
  for (const layouts::CaseSummary& summary : cases) {
    const layouts::CaseSpec& spec = summary.result.spec;
    std::vector<std::string> row = {std::string(layouts::WorkloadName(spec.workload)),
                                    spec.layout.name, layouts::CellFormName(spec.cell),
                                    std::string(layouts::SplitRuleName(spec.rule))};
    for (const layouts::ResultField& field : fields) {
      if (!field.head.empty()) row.push_back(layouts::FieldText(summary, field));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace

absl::StatusOr<std::string> BenchHtml(std::span<const layouts::CaseSummary> cases,
                                      const layouts::RunAbout& about) {
  HtmlSection tables{.title = "Tables",
                     .intro =
                         "Decide by shares, bytes and counts, which follow from the case and its "
                         "seed. Instructions also depend on the build; times, processor time, "
                         "also on the machine. Both are medians of the rounds."};
  tables.tables.push_back(FiguresTable(cases, layouts::WriteFields(), "Writes"));
  tables.tables.push_back(FiguresTable(cases, layouts::ReadFields(), "Reads"));
  HtmlSection figures{.title = "Figures"};
  for (layouts::NamedFigure& named : layouts::ReportFigures(cases, about))
    figures.figures.push_back(std::move(named.figure));
  std::vector<HtmlSection> sections;
  for (const layouts::Recommendation& recommendation : layouts::Recommend(cases)) {
    HtmlSection section{.title = "Recommendation", .intro = recommendation.title};
    for (const std::string& reason : recommendation.reasons)
      section.notes.push_back({.text = reason});
    sections.push_back(std::move(section));
  }
  if (!figures.figures.empty()) sections.push_back(std::move(figures));
  sections.push_back(std::move(tables));
  return HtmlPage("Hourcell: layouts measured",
                  EndedText(about) +
                      "Made by `hourcell bench layouts`, on the real engine. Every answer was "
                      "compared with the written points. " +
                      AboutText(cases, about),
                  sections);
}

}  // namespace hourcell
