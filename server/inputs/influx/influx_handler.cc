#include "server/inputs/influx/influx_handler.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "codec/base/json_writer.h"
#include "codec/base/strings.h"
#include "codec/limits.h"
#include "server/http/http_target.h"

namespace hourcell {
namespace {

// The InfluxDB version reported to clients: the last one with this form of /write.
constexpr std::string_view kVersion = "1.8-hourcell";

// {"error":"..."}, as in InfluxDB 1; clients of version 2 read code and message.
HttpResponse InfluxError(int status, std::string_view code, std::string_view text) {
  HttpResponse response;
  response.status = status;
  JsonWriter json(&response.body);
  json.OpenObject();
  json.Field("error", text);
  json.Field("code", code);
  json.Field("message", text);
  json.CloseObject();
  if (status == 503) response.headers.emplace_back("Retry-After", "1");
  return response;
}

// Version 2's name for a status.
std::string_view CodeOf(int status) {
  switch (status) {
    case 400:
      return "invalid";
    case 403:
      return "forbidden";
    case 503:
      return "unavailable";
    default:
      return "internal error";
  }
}

// telegraf drops the points after a response that contains "partial write", whatever its status, so
// use these words only for permanent errors.
HttpResponse InfluxAnswer(const InputWriter& writer) {
  if (writer.must_wait()) return AnswerWhereItMayWait();
  const int status = writer.status();
  if (status != 204) {
    return InfluxError(status, CodeOf(status),
                       fmt::format("{}: {}", status < 500 ? "partial write" : "write failed",
                                   writer.FaultText("line")));
  }
  HttpResponse response;
  response.status = 204;
  return response;
}

// The parameter q, from the target or from a form.
std::string QueryText(const HttpRequest& request) {
  if (const std::string* text = request.param("q")) return *text;
  HttpRequest form;
  form.target = "/?" + request.body;
  const bool is_form = ParseTarget(&form).ok();
  const std::string* const text = is_form ? form.param("q") : nullptr;
  return text == nullptr ? std::string() : *text;
}

// Splits a statement without its semicolon into words; text in double quotes is one word, without
// the quotes.
std::vector<std::string> StatementWords(std::string_view text) {
  constexpr std::string_view kSpaces = " \t\r\n";
  std::vector<std::string> words;
  while (true) {
    text.remove_prefix(std::min(text.find_first_not_of(kSpaces), text.size()));
    if (text.empty() || text == ";") return words;
    if (text.front() == '"') {
      const size_t end = std::min(text.find('"', 1), text.size());
      words.emplace_back(text.substr(1, end - 1));
      text.remove_prefix(std::min(end + 1, text.size()));
      continue;
    }
    const std::string_view word = text.substr(0, text.find_first_of(" \t\r\n;"));
    if (word.empty()) return words;  // a second statement
    words.emplace_back(word);
    text.remove_prefix(word.size());
  }
}

}  // namespace

InfluxHandler::InfluxHandler(Parts parts, InputSettings settings)
    : parts_(std::move(parts)),
      settings_(std::move(settings)),
      writer_(parts_.tsdb, parts_.append),
      counters_(&parts_.tsdb->stats(), "influx"),
      strings_(counters_.Dropped("string")) {}

HttpResponse InfluxHandler::Write(const HttpRequest& request, BodyWork* work) const {
  const std::string* const precision = request.param("precision");
  const bool is_named = precision != nullptr && !precision->empty();
  const std::string_view named = is_named ? std::string_view(*precision) : kInfluxUnitDefault;
  const InfluxUnit* const unit = FindInfluxUnit(named);
  if (unit == nullptr) {
    return InfluxError(
        400, "invalid",
        fmt::format("precision: expected ns, us, ms, s, m or h, got {}", QuoteForMessage(named)));
  }
  const int64_t now_ms = parts_.clock->NowMs();
  InputWriter out(&writer_, request.may_wait, /*may_store=*/nullptr, work);
  out.KeepItemsWhole();
  out.LimitNewSeries(request.new_series_limit());
  InfluxLines lines(request.body);
  size_t strings = 0;
  while (out.HasRoom() && lines.Next(out.wants_faults())) {
    if (!lines.fault().empty()) {
      out.Refuse(lines.number(), lines.fault());
      continue;
    }
    AddLine(lines, *unit, now_ms, &out);
    strings += lines.line().strings;
  }
  out.Finish();
  if (!out.must_wait()) {
    strings_->Add(strings);
    counters_.Count(out);
  }
  return InfluxAnswer(out);
}

void InfluxHandler::AddLine(const InfluxLines& lines,
                            const InfluxUnit& unit,
                            int64_t now_ms,
                            InputWriter* out) const {
  const InfluxLine& line = lines.line();
  std::optional<int64_t> ms = now_ms;
  if (line.timestamp) ms = InfluxTimeMs(*line.timestamp, unit);
  if (!ms) {
    return out->Refuse(
        lines.number(),
        out->wants_faults()
            ? fmt::format("expected 1 ms to {} ms after 1970, got the timestamp {} in {}",
                          kTimestampMsMax, *line.timestamp, unit.name)
            : std::string());
  }
  if (const std::string fault = MetricFault(line); !fault.empty()) {
    return out->Refuse(lines.number(), fault);
  }
  if (!line.fields.empty()) WritePoints(line, TimestampOfMs(*ms), lines.number(), out->batch());
}

// Checks all metrics before the first point is added: a line is stored as a whole.
std::string InfluxHandler::MetricFault(const InfluxLine& line) const {
  const size_t around = line.measurement.size() + settings_.influx_separator.size();
  for (const InfluxField& field : line.fields) {
    size_t bytes = around + field.key.size();
    if (bytes <= kNameBytesMax) continue;
    if (line.has_escapes) {
      std::string buffer;
      bytes = InfluxName(line.measurement, &buffer).size() + settings_.influx_separator.size();
      bytes += InfluxName(field.key, &buffer).size();
      if (bytes <= kNameBytesMax) continue;
    }
    return fmt::format("expected at most {} bytes of a measurement and a field, got {}",
                       kNameBytesMax, bytes);
  }
  return "";
}

// All points of a line share one copy of the tags.
std::string_view InfluxHandler::WriteTags(const InfluxLine& line, PointBatch* batch) const {
  if (line.tags.empty()) return settings_.default_tag;
  if (!line.has_escapes) {
    char* const begin = batch->Reserve(line.tag_text.size() + 1);
    const char* const end = parts_.names->WriteAsciiTags(line.tag_text, begin);
    return end != nullptr ? batch->Keep(begin, end) : KeepTags(*parts_.names, line.tags, batch);
  }
  std::vector<TagView> tags(line.tags.begin(), line.tags.end());
  std::vector<std::string> texts(2 * tags.size());
  for (size_t i = 0; i < tags.size(); ++i) {
    tags[i].key = InfluxName(tags[i].key, &texts[2 * i]);
    tags[i].value = InfluxName(tags[i].value, &texts[2 * i + 1]);
  }
  return KeepTags(*parts_.names, tags, batch);
}

void InfluxHandler::WritePoints(const InfluxLine& line,
                                Timestamp timestamp,
                                size_t item,
                                PointBatch* batch) const {
  const std::string_view tags = WriteTags(line, batch);
  std::string buffer;
  const auto name = [&](std::string_view text) {
    return line.has_escapes ? InfluxName(text, &buffer) : text;
  };
  std::string_view prefix;  // measurement and separator, reused from the previous metric
  for (const InfluxField& field : line.fields) {
    char* const begin = batch->Reserve(line.measurement.size() + settings_.influx_separator.size() +
                                       field.key.size() + 2 * kNameSuffixBytes);
    char* out = begin;
    if (prefix.empty()) {
      out = parts_.names->Write(name(line.measurement), out);
      out = std::ranges::copy(settings_.influx_separator, out).out;
    } else {
      out = std::ranges::copy(prefix, out).out;
    }
    prefix = {begin, static_cast<size_t>(out - begin)};
    out = parts_.names->Write(name(field.key), out);
    batch->Add({.metric = batch->Keep(begin, out),
                .tags = tags,
                .timestamp = timestamp,
                .value = field.value},
               item);
  }
}

HttpResponse InfluxHandler::Query(const HttpRequest& request) const {
  const std::string text = QueryText(request);
  const std::vector<std::string> words = StatementWords(text);
  const auto is = [&](std::string_view first, std::string_view second) {
    return words.size() >= 2 && LowerCase(words[0]) == first && LowerCase(words[1]) == second;
  };
  if (is("create", "database") && words.size() > 2) return CreateDatabase(words[2]);
  if (is("show", "databases") && words.size() == 2) return ShowDatabases(request);
  return InfluxError(400, "invalid",
                     fmt::format("expected CREATE DATABASE, which does nothing, or SHOW DATABASES, "
                                 "got the query {}: points are queried by /api/query",
                                 QuoteForMessage(text)));
}

HttpResponse InfluxHandler::CreateDatabase(std::string_view name) const {
  if (name.size() <= kNameBytesMax) {
    const MutexLock lock(&mutex_);
    if (databases_.size() < kInfluxDatabasesMax) databases_.emplace(name);
  }
  HttpResponse response;
  response.body = R"({"results":[{"statement_id":0}]})";
  return response;
}

HttpResponse InfluxHandler::ShowDatabases(const HttpRequest& request) const {
  std::set<std::string, std::less<>> names;
  {
    const MutexLock lock(&mutex_);
    names = databases_;
  }
  const std::string* const named = request.param("db");
  if (named != nullptr && !named->empty()) names.insert(*named);
  if (names.empty()) names.insert("hourcell");
  HttpResponse response;
  response.body =
      R"({"results":[{"statement_id":0,"series":[{"name":"databases","columns":["name"],)"
      R"("values":[)";
  std::string_view separator;
  for (const std::string& name : names) {
    response.body += std::exchange(separator, ",");
    response.body += '[';
    AppendJsonString(name, &response.body);
    response.body += ']';
  }
  response.body += "]}]}]}";
  return response;
}

HttpResponse InfluxHandler::Ping(const HttpRequest&) {
  HttpResponse response;
  response.status = 204;
  response.headers.emplace_back("X-Influxdb-Version", kVersion);
  response.headers.emplace_back("X-Influxdb-Build", "Hourcell");
  return response;
}

}  // namespace hourcell
