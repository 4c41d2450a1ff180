#include "server/cli/opentsdb/opentsdb_source.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <simdjson.h>

#include "codec/base/json_writer.h"
#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "server/cli/data/query_exchange.h"

namespace hourcell {
namespace {

constexpr int64_t kSourcePauseMaxMs = 10'000;
constexpr size_t kPrefixBytesMax = 1024;

bool ComesBack(int status) {
  return status == 429 || status == 500 || status == 502 || status == 503;
}

// OpenTSDB reports its limits as 413, or as 400 or 500 with these words, and a slow storage as 408
// or 504.
bool AsksForLess(int status, std::string_view text) {
  if (status == 413 || status == 408 || status == 504) return true;
  static constexpr std::array<std::string_view, 4> kWords = {
      "more than our limit", "maximum amount of", "too much data", "decrease your time range"};
  return status >= 400 && std::ranges::any_of(kWords, [text](std::string_view words) {
           return text.find(words) != std::string_view::npos;
         });
}

absl::Status NotASourceAnswer(std::string_view endpoint, std::string_view what) {
  return absl::DataLossError(fmt::format("{}: the answer has {}", endpoint, what));
}

// The characters of OpenTSDB's names: ASCII and letters of Latin-1, the encoding of its table of
// names.
std::vector<std::string> NameCharacters() {
  std::vector<std::string> characters;
  for (uint32_t code = 0x21; code <= 0xFF; ++code) {
    if (code > 0x7E && code < 0xA1) continue;
    AppendUtf8(code, &characters.emplace_back());
  }
  return characters;
}

}  // namespace

OpenTsdbSource::OpenTsdbSource(const HttpUrl& url,
                               SourcePatience patience,
                               const std::atomic<bool>* cancelled)
    : patience_(patience), cancelled_(cancelled), client_(url, patience.reply_timeout_ms) {
  client_.set_reply_bytes_max(patience.reply_bytes_max);
}

absl::Status OpenTsdbSource::Refusal(const HttpReply& reply) const {
  const std::string text = fmt::format("{}: {}", address(), HttpErrorText(reply));
  if (AsksForLess(reply.status, text)) return absl::ResourceExhaustedError(text);
  if (ComesBack(reply.status)) return absl::UnavailableError(text);
  return absl::InvalidArgumentError(text);
}

absl::StatusOr<std::string> OpenTsdbSource::Ask(std::string_view target, std::string_view body) {
  absl::Status last;
  int64_t pause_ms = patience_.pause_ms;
  for (int i = 0; i < patience_.tries; ++i) {
    if (i > 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(pause_ms));
      pause_ms = std::min(2 * pause_ms, kSourcePauseMaxMs);
    }
    if (cancelled_ != nullptr && cancelled_->load()) return absl::CancelledError("interrupted");
    absl::StatusOr<HttpReply> reply = client_.Post(target, body);
    if (reply.ok() && reply->status == kHttpOk) return std::move(reply->body);
    last = reply.ok() ? Refusal(*reply) : reply.status();
    if (!absl::IsUnavailable(last)) return last;
    // Gives up on an unknown host name, unless an earlier request has reached the server.
    if (!client_.has_connected() && MessageOf(last).find("resolve host") != std::string::npos)
      return last;
    // Repeating a request that took too long would not help; the caller should request less.
    if (MessageOf(last).ends_with("no answer in time") && client_.has_connected())
      return absl::ResourceExhaustedError(last.message());
    if (reply.ok()) pause_ms = std::max(pause_ms, reply->retry_after_s * 1000);
  }
  return last;
}

absl::StatusOr<std::vector<std::string>> OpenTsdbSource::Metrics(const std::string& prefix) {
  std::string question;
  JsonWriter json(&question);
  json.OpenObject();
  json.Field("type", "metrics");
  json.Field("q", prefix);
  json.Field("max", patience_.names_max);
  json.Field("all", true);  // also the metrics of rollups, of a Hourcell; OpenTSDB ignores it
  json.CloseObject();
  HOURCELL_ASSIGN_OR_RETURN(const std::string body, Ask("/api/suggest", question));
  HOURCELL_ASSIGN_OR_RETURN(std::vector<std::string> names, ParseNameList(body));
  if (names.size() < patience_.names_max) {
    std::ranges::sort(names);
    return names;
  }
  if (prefix.size() >= kPrefixBytesMax) return NotASourceAnswer("/api/suggest", "no end");
  std::erase_if(names, [&prefix](const std::string& name) { return name != prefix; });
  for (const std::string& character : NameCharacters()) {
    HOURCELL_ASSIGN_OR_RETURN(const std::vector<std::string> part, Metrics(prefix + character));
    names.insert(names.end(), part.begin(), part.end());
  }
  std::ranges::sort(names);
  return names;
}

absl::StatusOr<std::vector<ResultSeries>> OpenTsdbSource::Query(const QuerySpec& spec) {
  HOURCELL_ASSIGN_OR_RETURN(const std::string body, Ask("/api/query?arrays=true", QueryBody(spec)));
  HOURCELL_ASSIGN_OR_RETURN(QueryReply reply, ParseQueryReply(body));
  return std::move(reply.series);
}

absl::StatusOr<std::vector<OpenTsdbSource::Tags>> OpenTsdbSource::Lookup(std::string_view metric,
                                                                         size_t limit) {
  std::string question;
  JsonWriter json(&question);
  json.OpenObject();
  json.Field("metric", metric);
  json.Field("limit", limit);
  json.CloseObject();
  HOURCELL_ASSIGN_OR_RETURN(const std::string body, Ask("/api/search/lookup", question));
  return ParseLookupReply(body);
}

absl::StatusOr<std::vector<std::string>> ParseNameList(std::string_view body) {
  simdjson::dom::parser parser;
  simdjson::dom::array list;
  if (parser.parse(body.data(), body.size()).get(list) != simdjson::SUCCESS) {
    return NotASourceAnswer("/api/suggest", "no list of names");
  }
  std::vector<std::string> names;
  for (const simdjson::dom::element element : list) {
    std::string_view name;
    if (element.get(name) != simdjson::SUCCESS) {
      return NotASourceAnswer("/api/suggest", "a name that is not text");
    }
    names.emplace_back(name);
  }
  return names;
}

absl::StatusOr<std::vector<OpenTsdbSource::Tags>> ParseLookupReply(std::string_view body) {
  constexpr std::string_view kEndpoint = "/api/search/lookup";
  simdjson::dom::parser parser;
  simdjson::dom::element document;
  simdjson::dom::array results;
  if (parser.parse(body.data(), body.size()).get(document) != simdjson::SUCCESS ||
      document["results"].get(results) != simdjson::SUCCESS) {
    return NotASourceAnswer(kEndpoint, "no results");
  }
  std::vector<OpenTsdbSource::Tags> series;
  for (const simdjson::dom::element result : results) {
    simdjson::dom::object tags;
    if (result["tags"].get(tags) != simdjson::SUCCESS) {
      return NotASourceAnswer(kEndpoint, "a series without tags");
    }
    OpenTsdbSource::Tags& named = series.emplace_back();
    for (const auto& [key, value] : tags) {
      std::string_view text;
      if (value.get(text) != simdjson::SUCCESS) {
        return NotASourceAnswer(kEndpoint, "a tag that is not text");
      }
      named.emplace_back(key, text);
    }
  }
  return series;
}

}  // namespace hourcell
