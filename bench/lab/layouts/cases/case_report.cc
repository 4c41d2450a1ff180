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
#include "codec/base/json_writer.h"
#include "codec/base/status_macros.h"
#include "server/plot/output/write_figure.h"

namespace hourcell::layouts {
namespace {

constexpr std::string_view kLegend = R"(
Writes: points/s in the store's calls by one writer, the last flush included; p99 of a call of 256
points or 8 rows; stored: keys and values as handed over, file: RocksDB's files at rest; split: how
long one takes, pause: the longest call during it, median and worst of all splits; hot: share of
the points that the hottest region gets, mean of all windows of the run, late: of their second
half; bucket: the share of the fullest bucket to expect, where keys have buckets.
Reads: medians in microseconds with the files cached, p99 beside; asks: keys and ranges asked for;
rows/pt and B/pt: stored keys handed over, and their bytes, for a point returned. One point; one
series, all hours; one metric, one hour, all series. Every answer was compared with what was
written.
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

std::string Table(std::span<const CaseResult> results, std::span<const ResultField> fields) {
  std::vector<std::vector<std::string>> rows(1);
  rows[0].assign(kNameHeads.begin(), kNameHeads.end());
  for (const ResultField& field : fields) {
    if (!field.head.empty()) rows[0].emplace_back(field.head);
  }
  for (const CaseResult& result : results) {
    const auto names = NamesOf(result.spec);
    rows.emplace_back(names.begin(), names.end());
    for (const ResultField& field : fields) {
      if (field.head.empty()) continue;
      rows.back().push_back(fmt::format("{:.{}f}", field.value(result), field.decimals));
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

std::string JsonCase(const CaseResult& result) {
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
  ForEachField([&](const ResultField& field) { add_number(field.name, field.value(result)); });
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

std::string EndedText(std::span<const CaseResult> results, const RunAbout& about) {
  if (results.size() == about.cases) return "";
  return fmt::format("Ended after {} of {} cases.\n", results.size(), about.cases);
}

std::string TextReport(std::span<const CaseResult> results, const RunAbout& about) {
  const std::string ended = EndedText(results, about);
  return fmt::format("{}{}Writes\n\n{}\nReads\n\n{}{}", ended, ended.empty() ? "" : "\n",
                     Table(results, WriteFields()), Table(results, ReadFields()), kLegend);
}

std::string CsvReport(std::span<const CaseResult> results) {
  std::string csv = "workload,layout,key_template,cells,splits_by,seed";
  ForEachField([&](const ResultField& field) { csv += fmt::format(",{}", field.name); });
  csv += '\n';
  for (const CaseResult& result : results) {
    const auto names = NamesOf(result.spec);
    csv +=
        fmt::format("{},{},{},{},{},{}", names[0], Quoted(names[1]),
                    Quoted(result.spec.layout.keys.text()), names[2], names[3], result.spec.seed);
    ForEachField(
        [&](const ResultField& field) { csv += fmt::format(",{}", Number(field.value(result))); });
    csv += '\n';
  }
  return csv;
}

std::string JsonReport(std::span<const CaseResult> results, const RunAbout& about) {
  std::string json = fmt::format("{{\"planned\":{},\"cases\":[\n", about.cases);
  for (size_t i = 0; i < results.size(); ++i)
    json += (i == 0 ? "" : ",\n") + JsonCase(results[i]);
  return json + "\n]}\n";
}

absl::StatusOr<std::vector<std::string>> WriteReport(std::span<const CaseResult> results,
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
  HOURCELL_RETURN_IF_ERROR(WriteText(TextReport(results, about), path_of("report.txt")));
  HOURCELL_RETURN_IF_ERROR(WriteText(CsvReport(results), path_of("report.csv")));
  HOURCELL_RETURN_IF_ERROR(WriteText(JsonReport(results, about), path_of("report.json")));
  for (const NamedFigure& named : CaseFigures(results)) {
    HOURCELL_RETURN_IF_ERROR(plot::WriteSvg(named.figure, path_of(named.name + ".svg")));
    HOURCELL_RETURN_IF_ERROR(plot::WritePng(named.figure, path_of(named.name + ".png")));
  }
  return names;
}

}  // namespace hourcell::layouts
