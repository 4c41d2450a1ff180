#include "bench/lab/layouts/cases/case_report.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <fmt/format.h>

#include "bench/lab/layouts/cases/case_figures.h"
#include "bench/lab/layouts/cases/recommendation.h"
#include "codec/base/json_writer.h"
#include "codec/base/status_macros.h"
#include "server/plot/output/write_figure.h"

namespace hourcell::layouts {
namespace {

constexpr std::string_view kLegend = R"(
Decide by counts: they follow from the case and its seed. Stored: keys and values as handed over,
file: RocksDB's files at rest; hot: share of the points that the hottest region gets, mean of all
windows of the run, late: of their second half; bucket: the share of the fullest bucket to expect,
where keys have buckets. Asks: keys and ranges asked for in a read; blocks: blocks of files that it
looked at; rows/pt and B/pt: stored keys handed over, and their bytes, for a point returned.
Instr: instructions in user mode of the thread that writes (a point) or reads (one read), which
depend on the build as well; cpu: its processor time (of 1,000 points or one read), which also
depends on the machine: the median of the rounds, and the quartiles in parentheses. The rounds take
turns. One point; one series, all hours; one metric, one hour, all series. Every answer was compared
with the written points.
)";

// The four words that identify a case.
std::array<std::string, 4> NamesOf(const CaseSpec& spec) {
  return {std::string(WorkloadName(spec.workload)), spec.layout.name, CellFormName(spec.cell),
          std::string(SplitRuleName(spec.rule))};
}
constexpr std::array<std::string_view, 4> kNameHeads = {"workload", "layout", "cells", "splits"};

// Aligns rows of cells: the first four to the left, numbers to the right.
std::string Align(const std::vector<std::vector<std::string>>& rows) {
  std::vector<size_t> widths(rows.front().size());
  for (const auto& row : rows) {
    for (size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i) {
      line += i < kNameHeads.size() ? fmt::format("{:<{}}  ", row[i], widths[i])
                                    : fmt::format("{:>{}}  ", row[i], widths[i]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  }
  return text;
}

std::string Table(std::span<const CaseSummary> cases, std::span<const ResultField> fields) {
  std::vector<std::vector<std::string>> rows(1);
  rows[0].assign(kNameHeads.begin(), kNameHeads.end());
  for (const ResultField& field : fields) {
    if (!field.head.empty()) rows[0].emplace_back(field.head);
  }
  for (const CaseSummary& summary : cases) {
    const auto names = NamesOf(summary.result.spec);
    rows.emplace_back(names.begin(), names.end());
    for (const ResultField& field : fields) {
      if (!field.head.empty()) rows.back().push_back(FieldText(summary, field));
    }
  }
  return Align(rows);
}

std::string Quoted(std::string_view text) {
  std::string quoted;
  AppendJsonString(text, &quoted);
  return quoted;
}

template <typename Visit>
void ForEachField(const Visit& visit) {
  for (const auto fields : {WriteFields(), ReadFields()}) {
    for (const ResultField& field : fields)
      visit(field);
  }
}

std::string Number(double value) {
  return std::isfinite(value) ? fmt::format("{:.6g}", value) : "null";
}

// False for instructions that the kernel did not count.
bool IsCounted(const ResultField& field, double value) {
  return field.kind != FieldKind::kInstructions || value > 0;
}

// Visits the names and values of all figures: each count, and the others with their quartiles.
template <typename Visit>
void ForEachFigure(const CaseSummary& summary, const Visit& visit) {
  visit("rounds", static_cast<double>(summary.rounds));
  ForEachField([&](const ResultField& field) {
    const double value = field.value(summary.result);
    visit(std::string(field.name), IsCounted(field, value) ? value : std::nan(""));
    if (field.kind == FieldKind::kCount) return;
    const Spread& spread = summary.measured.at(field.name);
    visit(fmt::format("{}_q1", field.name), spread.low);
    visit(fmt::format("{}_q3", field.name), spread.high);
  });
}

std::string JsonCase(const CaseSummary& summary) {
  const CaseResult& result = summary.result;
  const auto names = NamesOf(result.spec);
  std::string text;
  JsonWriter json(&text);
  const auto add_number = [&json](std::string_view name, double value) {
    json.Key(name);
    json.RawValue()->append(Number(value));
  };
  json.OpenObject();
  json.Field("workload", names[0]);
  json.Field("layout", names[1]);
  json.Field("key_template", result.spec.layout.keys.text());
  json.Field("cells", names[2]);
  json.Field("splits_by", names[3]);
  json.Field("seed", result.spec.seed);
  ForEachFigure(summary, add_number);
  json.Key("windows");
  json.OpenArray();
  for (const LoadWindow& window : result.windows) {
    json.OpenObject();
    add_number("hot_share", window.hottest_share);
    add_number("gini", window.gini);
    json.Field("regions", window.regions);
    json.CloseObject();
  }
  json.CloseArray();
  json.CloseObject();
  return text;
}

std::string JsonRecommendations(std::span<const CaseSummary> cases) {
  std::string text;
  JsonWriter json(&text);
  json.OpenArray();
  for (const Recommendation& recommendation : Recommend(cases)) {
    json.OpenObject();
    json.Field("workload", recommendation.workload);
    json.Field("layout", recommendation.layout);
    json.Field("text", recommendation.title);
    json.Key("reasons");
    json.OpenArray();
    for (const std::string& reason : recommendation.reasons)
      AppendJsonString(reason, json.RawValue());
    json.CloseArray();
    json.CloseObject();
  }
  json.CloseArray();
  return text;
}

absl::Status WriteText(const std::string& text, const std::string& path) {
  errno = 0;
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << text;
  file.close();
  if (file.good()) return absl::OkStatus();
  return absl::UnavailableError(
      fmt::format("write {}: {}", path, errno != 0 ? std::strerror(errno) : "failed"));
}

}  // namespace

std::string FieldText(const CaseSummary& summary, const ResultField& field) {
  if (!IsCounted(field, field.value(summary.result))) return "not available here";
  if (field.kind != FieldKind::kTime) {
    return fmt::format("{:.{}f}", field.value(summary.result), field.decimals);
  }
  if (summary.rounds < kRoundsForTimes) return "-";
  const Spread& spread = summary.measured.at(field.name);
  return fmt::format("{:.{}f} ({:.{}f}-{:.{}f})", spread.median, field.decimals, spread.low,
                     field.decimals, spread.high, field.decimals);
}

std::string AboutText(std::span<const CaseSummary> cases, const RunAbout& about) {
  std::string text;
  if (!about.program.empty()) text += about.program + "; ";
  if (!about.is_release) text += "NOT a release build: do not compare times and instructions; ";
  if (!about.stores.empty()) text += fmt::format("stores in {}; ", about.stores);
  size_t rounds = 0;
  for (const CaseSummary& summary : cases)
    rounds = std::max(rounds, summary.rounds);
  return text + fmt::format("rounds of a case: {}\n", rounds);
}

std::string TextReport(std::span<const CaseSummary> cases, const RunAbout& about) {
  const std::string words = RecommendationText(cases);
  return fmt::format("{}{}\n{}{}Writes\n\n{}\nReads\n\n{}{}", EndedText(about),
                     AboutText(cases, about), words, words.empty() ? "" : "\n",
                     Table(cases, WriteFields()), Table(cases, ReadFields()), kLegend);
}

std::string CsvReport(std::span<const CaseSummary> cases) {
  std::string csv = "workload,layout,key_template,cells,splits_by,seed";
  csv += ",rounds";
  ForEachField([&](const ResultField& field) {
    csv += fmt::format(",{}", field.name);
    if (field.kind != FieldKind::kCount) csv += fmt::format(",{0}_q1,{0}_q3", field.name);
  });
  csv += '\n';
  for (const CaseSummary& summary : cases) {
    const CaseSpec& spec = summary.result.spec;
    const auto names = NamesOf(spec);
    csv += fmt::format("{},{},{},{},{},{}", names[0], Quoted(names[1]),
                       Quoted(spec.layout.keys.text()), names[2], names[3], spec.seed);
    ForEachFigure(summary, [&](const std::string&, double value) { csv += "," + Number(value); });
    csv += '\n';
  }
  return csv;
}

std::string JsonReport(std::span<const CaseSummary> cases, const RunAbout& about) {
  std::string json = "{\"cases\":[\n";
  for (size_t i = 0; i < cases.size(); ++i)
    json += (i == 0 ? "" : ",\n") + JsonCase(cases[i]);
  json += "\n],\"recommendations\":" + JsonRecommendations(cases);
  if (!about.program.empty()) json += fmt::format(",\"program\":{}", Quoted(about.program));
  return json + fmt::format(",\"planned\":{},\"measured\":{}}}\n", about.planned, about.measured);
}

std::vector<NamedFigure> ReportFigures(std::span<const CaseSummary> cases, const RunAbout& about) {
  std::vector<NamedFigure> figures = CaseFigures(MediansOf(cases));
  for (NamedFigure& named : figures) {
    if (named.depends_on_build && !about.is_release)
      named.figure.note += "; NOT a release build: do not compare times and instructions";
  }
  return figures;
}

absl::StatusOr<std::vector<std::string>> WriteReport(std::span<const CaseSummary> cases,
                                                     const RunAbout& about,
                                                     const std::string& directory) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error) {
    return absl::UnavailableError(fmt::format("make {}: {}", directory, error.message()));
  }
  std::vector<std::string> names;
  const auto path_of = [&](const std::string& name) {
    names.push_back(name);
    return fmt::format("{}/{}", directory, name);
  };
  HOURCELL_RETURN_IF_ERROR(WriteText(TextReport(cases, about), path_of("report.txt")));
  HOURCELL_RETURN_IF_ERROR(WriteText(CsvReport(cases), path_of("report.csv")));
  HOURCELL_RETURN_IF_ERROR(WriteText(JsonReport(cases, about), path_of("report.json")));
  for (const NamedFigure& named : ReportFigures(cases, about)) {
    HOURCELL_RETURN_IF_ERROR(plot::WriteSvg(named.figure, path_of(named.name + ".svg")));
    HOURCELL_RETURN_IF_ERROR(plot::WritePng(named.figure, path_of(named.name + ".png")));
  }
  return names;
}

}  // namespace hourcell::layouts
