#include "server/cli/data/import/csv_lines.h"

#include <algorithm>
#include <chrono>
#include <cstddef>

#include <absl/status/status.h>
#include <fmt/format.h>

#include "codec/base/status_macros.h"
#include "codec/base/strings.h"

namespace hourcell {
namespace {

using Kind = CsvField::Kind;

absl::StatusOr<CsvField> ParseCsvField(std::string_view word) {
  if (word == "time") return CsvField{.kind = Kind::kTime};
  if (word == "metric") return CsvField{.kind = Kind::kMetric};
  if (word == "value") return CsvField{.kind = Kind::kValue};
  if (word == "-") return CsvField{.kind = Kind::kSkipped};
  for (const auto& [prefix, kind] : {std::pair<std::string_view, Kind>("tag:", Kind::kTag),
                                     std::pair<std::string_view, Kind>("value:", Kind::kValue)}) {
    if (word.starts_with(prefix) && word.size() > prefix.size()) {
      return CsvField{.kind = kind, .name = std::string(word.substr(prefix.size()))};
    }
  }
  return absl::InvalidArgumentError(
      fmt::format("unknown field {}; expected time, metric, value, value:METRIC, tag:KEY or -",
                  QuoteForMessage(word)));
}

absl::Status CheckCsvFields(const std::vector<CsvField>& fields) {
  const auto count = [&fields](Kind kind) {
    return std::ranges::count(fields, kind, &CsvField::kind);
  };
  const auto plain_values = std::ranges::count(fields, CsvField{.kind = Kind::kValue});
  if (count(Kind::kTime) != 1) return absl::InvalidArgumentError("expected one field time");
  if (count(Kind::kValue) == 0) return absl::InvalidArgumentError("expected a field value");
  if (plain_values > 1 || plain_values != count(Kind::kMetric)) {
    return absl::InvalidArgumentError(
        "expected one field metric with a field value, or value:METRIC");
  }
  return absl::OkStatus();
}

// Removes the first field, with its quotes, and the comma after it. Returns as SplitCsv.
bool TakeCsvField(std::string_view* rest, std::string* field) {
  field->clear();
  if (!rest->starts_with('"')) {
    const std::string_view text = rest->substr(0, rest->find(','));
    field->assign(text);
    rest->remove_prefix(text.size());
    return true;
  }
  rest->remove_prefix(1);
  while (true) {
    const size_t quote = rest->find('"');
    if (quote == std::string_view::npos) return false;
    field->append(rest->substr(0, quote));
    rest->remove_prefix(quote + 1);
    if (!rest->starts_with('"')) return rest->empty() || rest->starts_with(',');
    field->push_back('"');
    rest->remove_prefix(1);
  }
}

// Removes a number of `count` digits from the start of `text`.
std::optional<int> TakeDigits(size_t count, std::string_view* text) {
  if (text->size() < count) return std::nullopt;
  int number = 0;
  for (const char c : text->substr(0, count)) {
    if (c < '0' || c > '9') return std::nullopt;
    number = number * 10 + (c - '0');
  }
  text->remove_prefix(count);
  return number;
}

bool TakeChar(char c, std::string_view* text) {
  if (!text->starts_with(c)) return false;
  text->remove_prefix(1);
  return true;
}

// "14:30" as minutes.
std::optional<int> TakeMinutes(std::string_view* text) {
  const std::optional<int> hour = TakeDigits(2, text);
  if (!hour || *hour > 23 || !TakeChar(':', text)) return std::nullopt;
  const std::optional<int> minute = TakeDigits(2, text);
  if (!minute || *minute > 59) return std::nullopt;
  return *hour * 60 + *minute;
}

// ":00", ":00.25" or nothing as milliseconds.
std::optional<int> TakeSeconds(std::string_view* text) {
  if (!TakeChar(':', text)) return 0;
  const std::optional<int> second = TakeDigits(2, text);
  if (!second || *second > 59) return std::nullopt;
  int ms = *second * 1000;
  if (!TakeChar('.', text)) return ms;
  if (text->empty()) return std::nullopt;
  for (int weight = 100; const std::optional<int> digit = TakeDigits(1, text); weight /= 10)
    ms += *digit * weight;
  return ms;
}

// "Z", "+02:00" or nothing as minutes east of UTC.
std::optional<int> TakeOffset(std::string_view* text) {
  if (text->empty() || TakeChar('Z', text)) return 0;
  const bool is_west = TakeChar('-', text);
  if (!is_west && !TakeChar('+', text)) return std::nullopt;
  const std::optional<int> minutes = TakeMinutes(text);
  return minutes && is_west ? -*minutes : minutes;
}

}  // namespace

std::optional<int64_t> IsoDateMs(std::string_view text) {
  const std::optional<int> year = TakeDigits(4, &text);
  if (!year || !TakeChar('-', &text)) return std::nullopt;
  const std::optional<int> month = TakeDigits(2, &text);
  if (!month || !TakeChar('-', &text)) return std::nullopt;
  const std::optional<int> day = TakeDigits(2, &text);
  if (!day) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(*year),
                                         std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  if (!date.ok()) return std::nullopt;
  const int64_t days = std::chrono::sys_days(date).time_since_epoch().count();
  const int64_t midnight_ms = days * 86'400'000;
  if (text.empty()) return midnight_ms;
  if (!TakeChar(' ', &text) && !TakeChar('T', &text)) return std::nullopt;
  const std::optional<int> minutes = TakeMinutes(&text);
  const std::optional<int> ms = minutes ? TakeSeconds(&text) : std::nullopt;
  const std::optional<int> east = ms ? TakeOffset(&text) : std::nullopt;
  if (!east || !text.empty()) return std::nullopt;
  return midnight_ms + int64_t{*minutes - *east} * 60'000 + *ms;
}

absl::StatusOr<std::vector<CsvField>> ParseCsvFields(std::string_view text) {
  std::vector<CsvField> fields;
  while (true) {
    const std::string_view word = text.substr(0, text.find(','));
    HOURCELL_ASSIGN_OR_RETURN(CsvField field, ParseCsvField(word));
    fields.push_back(std::move(field));
    if (word.size() == text.size()) break;
    text.remove_prefix(word.size() + 1);
  }
  HOURCELL_RETURN_IF_ERROR(CheckCsvFields(fields));
  return fields;
}

bool SplitCsv(std::string_view line, std::vector<std::string>* fields) {
  size_t count = 0;
  while (true) {
    if (fields->size() == count) fields->emplace_back();
    if (!TakeCsvField(&line, &(*fields)[count++])) return false;
    if (line.empty()) break;
    line.remove_prefix(1);
  }
  fields->resize(count);
  return true;
}

CsvLines::CsvLines(const ForeignRules& rules)
    : rules_(rules), fields_(ParseCsvFields(rules.csv_columns).value()) {}

void CsvLines::Translate(std::string_view line, ImportLines* out) {
  if (line.find_first_not_of(" \t") == std::string_view::npos) return;
  if (!SplitCsv(line, &values_)) return out->AddFault({.text = "a quoted field is not closed"});
  if (values_.size() != fields_.size()) {
    return out->AddFault({.text = fmt::format("expected {}, as --csv-columns says, got {} fields",
                                              fields_.size(), values_.size())});
  }
  series_.Clear();
  std::string time;
  for (size_t i = 0; i < fields_.size(); ++i) {
    if (fields_[i].kind == Kind::kTime) time = values_[i];
    if (fields_[i].kind == Kind::kMetric) series_.SetMetric(values_[i]);
    if (fields_[i].kind == Kind::kTag) series_.AddTag(fields_[i].name, values_[i]);
  }
  const bool is_date = time.find('-', 1) != std::string::npos;
  if (is_date) {
    const std::optional<int64_t> ms = IsoDateMs(time);
    if (!ms.has_value() || *ms < 0) {
      return out->AddFault({.text = fmt::format("expected YYYY-MM-DD HH:MM:SS, or seconds or "
                                                "milliseconds since 1970, got the date {}",
                                                QuoteForMessage(time))});
    }
    time = fmt::format("{}", *ms);
  }
  for (size_t i = 0; i < fields_.size(); ++i) {
    if (fields_[i].kind != Kind::kValue) continue;
    if (!fields_[i].name.empty()) {
      if (values_[i].empty()) continue;
      series_.SetMetric(fields_[i].name);
    }
    if (!CompleteSeries(rules_, &series_, out)) continue;
    if (is_date) {
      out->AddPointAtMs(series_, time, values_[i]);
    } else {
      out->AddPoint(series_, time, values_[i]);
    }
  }
}

}  // namespace hourcell
