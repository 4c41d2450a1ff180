#include "server/cli/names/search.h"

#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <fmt/format.h>
#include <simdjson.h>

#include "codec/base/bytes.h"
#include "codec/base/json_writer.h"
#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "engine/tsdb.h"
#include "server/cli/command_line.h"
#include "server/cli/store_flags.h"
#include "server/http/http_client.h"
#include "server/text/series_text.h"

namespace hourcell {
namespace {

constexpr std::string_view kSearchCommand = "search";
constexpr std::string_view kSearchTarget = "/api/search/lookup";

absl::StatusOr<LookupQuery> ReadWords(const std::vector<std::string>& words) {
  if (words.empty() || words[0] != "lookup") {
    return absl::InvalidArgumentError(
        fmt::format("expected lookup [metric] [tagk=tagv ...], got {}",
                    words.empty() ? "no arguments" : words[0]));
  }
  if (words.size() == 1)
    return absl::InvalidArgumentError("lookup: expected a metric or a tag, got neither");
  LookupQuery query;
  for (size_t i = 1; i < words.size(); ++i) {
    if (words[i].find('=') != std::string::npos) {
      HOURCELL_RETURN_IF_ERROR(AppendTagMatches(words[i], &query.tags));
    } else if (i == 1) {
      query.metric = words[i];
    } else {
      return absl::InvalidArgumentError(
          fmt::format("lookup: expected tagk=tagv, got {}", words[i]));
    }
  }
  return query;
}

std::string BodyOf(const LookupQuery& query) {
  std::string body;
  JsonWriter json(&body);
  json.OpenObject();
  json.Field("limit", 0);
  json.Field("metric", query.metric.empty() ? "*" : std::string_view(query.metric));
  json.Key("tags");
  json.OpenArray();
  for (const TagMatch& tag : query.tags) {
    json.OpenObject();
    json.Field("key", tag.tagk);
    json.Field("value", tag.tagv);
    json.CloseObject();
  }
  json.CloseArray();
  json.CloseObject();
  return body;
}

void AppendSeries(std::string_view tsuid,
                  std::string_view metric,
                  std::span<const TagView> tags,
                  bool as_json,
                  std::string* out) {
  if (as_json) {
    JsonWriter json(out);
    json.OpenObject();
    json.Field("tsuid", tsuid);
    json.Field("metric", metric);
    json.Key("tags");
    json.OpenObject();
    for (const TagView& tag : tags)
      json.Field(tag.key, tag.value);
    json.CloseObject();
    json.CloseObject();
  } else {
    fmt::format_to(std::back_inserter(*out), "{} {}", tsuid, metric);
    for (const TagView& tag : tags)
      fmt::format_to(std::back_inserter(*out), " {}={}", tag.key, tag.value);
  }
  *out += '\n';
}

// Appends a series of the server's answer as a line; false if `result` is not a series.
bool AppendLine(simdjson::dom::element result, bool as_json, std::string* out) {
  std::string_view tsuid;
  std::string_view metric;
  simdjson::dom::object object;
  if (result["tsuid"].get(tsuid) || result["metric"].get(metric) || result["tags"].get(object)) {
    return false;
  }
  std::vector<TagView> tags;
  for (const auto [tagk, value] : object) {
    std::string_view tagv;
    if (value.get(tagv)) return false;
    tags.push_back({.key = tagk, .value = tagv});
  }
  AppendSeries(tsuid, metric, tags, as_json, out);
  return true;
}

// AskServer and AskStore print the series and return their number.
absl::StatusOr<uint64_t> AskServer(const HttpUrl& url,
                                   const LookupQuery& query,
                                   bool as_json,
                                   TextOutput* output) {
  HttpClient client(url);
  HOURCELL_ASSIGN_OR_RETURN(const HttpReply reply, client.Post(kSearchTarget, BodyOf(query)));
  if (reply.status != kHttpOk) {
    return absl::UnavailableError(fmt::format("{}: {}", client.address(), HttpErrorText(reply)));
  }
  simdjson::dom::parser parser;
  simdjson::dom::element document;
  simdjson::dom::array results;
  bool is_good = parser.parse(reply.body).get(document) == simdjson::SUCCESS &&
                 document["results"].get(results) == simdjson::SUCCESS;
  uint64_t count = 0;
  if (is_good) {
    for (const simdjson::dom::element result : results) {
      is_good = is_good && AppendLine(result, as_json, output->buffer());
      ++count;
      if (!is_good || !output->WriteIfLarge()) break;
    }
  }
  if (is_good) return count;
  return absl::UnavailableError(
      fmt::format("unexpected answer from the server: {}; expected an object with results",
                  QuoteForMessage(reply.body)));
}

absl::StatusOr<uint64_t> AskStore(Tsdb* tsdb,
                                  const LookupQuery& query,
                                  bool as_json,
                                  TextOutput* output) {
  HOURCELL_ASSIGN_OR_RETURN(const uint64_t count,
                            tsdb->queries().LookupSeries(query, [&](const FoundSeries& series) {
                              AppendSeries(ToUpperHex(series.tsuid), series.metric, series.tags,
                                           as_json, output->buffer());
                              return output->WriteIfLarge();
                            }));
  HOURCELL_RETURN_IF_ERROR(tsdb->Close());
  return count;
}

int Finish(const absl::StatusOr<uint64_t>& count, TextOutput* output, Terminal& terminal) {
  const absl::Status written = output->Finish();
  if (!count.ok()) return Fail(terminal, kSearchCommand, count.status());
  if (!written.ok()) return Fail(terminal, kSearchCommand, written);
  return *count > 0 ? kExitOk : kExitFailure;
}

}  // namespace

int RunSearch(const SearchOptions& options, Terminal& terminal) {
  const absl::StatusOr<LookupQuery> query = ReadWords(options.words);
  if (!query.ok()) return FailUsage(terminal, kSearchCommand, StatusText(query.status()));
  TextOutput output(terminal.out);
  if (!options.url.empty()) {
    const absl::StatusOr<HttpUrl> url = ParseHttpUrl(options.url, options.trust);
    if (!url.ok()) return FailUsage(terminal, kSearchCommand, StatusText(url.status()));
    return Finish(AskServer(*url, *query, options.json, &output), &output, terminal);
  }
  const absl::StatusOr<std::unique_ptr<Tsdb>> tsdb = OpenStore(options.store, StoreUse::kRead);
  if (!tsdb.ok()) return FailStore(terminal, kSearchCommand, tsdb.status());
  return Finish(AskStore(tsdb->get(), *query, options.json, &output), &output, terminal);
}

int SearchMain(const std::vector<std::string>& args, Terminal& terminal) {
  CommandLine line("search", "Lists the series of a store, one per line: tsuid, metric, tags.");
  SearchOptions options;
  AddStoreOptions(&line, &options.store);
  AddUrl(&line, &options.url, &options.trust);
  line.AddFlag("--json", &options.json, "print each series as a JSON object on a line");
  line.AddWords("WORD", &options.words, "lookup [METRIC] [TAGK=TAGV ...]");
  line.set_footer(
      "Without a metric, or with *, any metric matches. An empty side of a tag, or *, matches\n"
      "anything.\n"
      "Several values of one tag key are alternatives; several tag keys must all match. Series\n"
      "without points are listed, too. Exit 1 if no series matches.\n"
      "\nExamples:\n"
      "  hourcell search lookup cpu.user\n"
      "  hourcell search lookup cpu.user host=web01 host=web02 'dc=*'\n"
      "  hourcell search lookup host=web01 --url http://localhost:4242\n");
  if (const std::optional<int> code = line.Parse(args, terminal)) return *code;
  return RunSearch(options, terminal);
}

}  // namespace hourcell
