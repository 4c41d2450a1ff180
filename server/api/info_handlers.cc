#include "server/api/info_handlers.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "engine/query/query_spec.h"
#include "server/access/credentials.h"
#include "server/api/route_table.h"
#include "server/config/build_info.h"
#include "server/config/setting_table.h"
#include "server/config/version.h"
#include "server/text/json_text.h"

namespace hourcell {
namespace {

constexpr std::string_view kText = "text/plain; charset=UTF-8";

HttpResponse JsonResponse(std::string body) {
  HttpResponse response;
  response.body = std::move(body);
  return response;
}

HttpResponse PageResponse(std::string_view content_type, std::string body) {
  HttpResponse response;
  response.content_type = content_type;
  response.body = std::move(body);
  return response;
}

void AppendField(std::string_view key, std::string_view value, std::string* out) {
  if (out->back() != '{') out->push_back(',');
  AppendJsonString(key, out);
  out->push_back(':');
  AppendJsonString(value, out);
}

template <typename Texts>
std::string JsonArray(const Texts& texts) {
  std::string out = "[";
  for (const auto& text : texts) {
    if (out.size() > 1) out.push_back(',');
    AppendJsonString(text, &out);
  }
  return out + "]";
}

constexpr std::string_view kModes[] = {"rw", "ro", "wo"};

// Appends only an offered verb.
void AppendVerb(std::string_view name, const VerbRow& verb, std::string* out) {
  if (!verb.offered) return;
  *out += out->ends_with('}') ? ",{" : "{";
  AppendField("verb", name, out);
  AppendField("right", RightName(verb.right), out);
  *out += fmt::format(",\"changes\":{},\"modes\":", verb.effect != Effect::kReads);
  std::vector<std::string_view> modes;
  std::ranges::copy_if(kModes, std::back_inserter(modes),
                       [&](std::string_view mode) { return mode != verb.absent_in; });
  *out += JsonArray(modes) + "}";
}

struct FilterHelp {
  FilterType type;
  std::string_view description;
  std::string_view examples;
};

constexpr FilterHelp kFilters[] = {
    {FilterType::kLiteralOr,
     "Accepts one or more exact values and matches if the series contains any of them. Multiple "
     "values can be included and must be separated by the | (pipe) character. The filter is case "
     "sensitive.",
     "host=literal_or(web01),  host=literal_or(web01|web02|web03)"},
    {FilterType::kILiteralOr,
     "Accepts one or more exact values and matches if the series contains any of them. Multiple "
     "values can be included and must be separated by the | (pipe) character. The filter is case "
     "insensitive.",
     "host=iliteral_or(web01),  host=iliteral_or(web01|web02|web03)"},
    {FilterType::kNotLiteralOr,
     "Accepts one or more exact values and matches if the series has the tag key with a value that "
     "is NOT among them. Multiple values are separated by the | (pipe) character. The filter is "
     "case sensitive.",
     "host=not_literal_or(web01),  host=not_literal_or(web01|web02|web03)"},
    {FilterType::kNotILiteralOr,
     "Accepts one or more exact values and matches if the series has the tag key with a value that "
     "is NOT among them. Multiple values are separated by the | (pipe) character. The filter is "
     "case insensitive.",
     "host=not_iliteral_or(web01),  host=not_iliteral_or(web01|web02|web03)"},
    {FilterType::kWildcard,
     "Performs pre, post and in-fix glob matching of values. The globs are case sensitive and "
     "multiple wildcards can be used. The wildcard character is the * (asterisk). At least one "
     "wildcard must be present in the filter value.",
     "host=wildcard(web*),  host=wildcard(web*.tsdb.net)"},
    {FilterType::kIWildcard,
     "Performs pre, post and in-fix glob matching of values. The globs are case insensitive and "
     "multiple wildcards can be used. The wildcard character is the * (asterisk). At least one "
     "wildcard must be present in the filter value.",
     "host=iwildcard(web*),  host=iwildcard(web*.tsdb.net)"},
    {FilterType::kRegexp,
     "Matches values in which the regular expression (RE2 syntax) is found anywhere. The filter is "
     "case sensitive.",
     "host=regexp(.*),  host=regexp(^web[0-9]+$)"},
    {FilterType::kNotKey,
     "Matches series that do not have the tag key. The filter value must be empty, and the filter "
     "never groups.",
     "host=not_key()"},
};

}  // namespace

HttpResponse AggregatorsInfo() {
  return JsonResponse(JsonArray(AggregatorNames()));
}

HttpResponse VersionInfo(bool with_libraries) {
  const BuildInfo& build = ThisBuild();
  HttpResponse response = JsonResponse("{");
  AppendField("version", kOpenTsdbVersion, &response.body);
  AppendField("short_revision", kHourcellVersion, &response.body);
  AppendField("full_revision", fmt::format("hourcell-{}", kHourcellVersion), &response.body);
  AppendField("timestamp", "0", &response.body);
  AppendField("repo_status", "MINT", &response.body);
  AppendField("user", "hourcell", &response.body);
  AppendField("host", HostName(), &response.body);
  AppendField("repo", "hourcell", &response.body);
  AppendField("branch", "main", &response.body);
  AppendField("hourcell", kHourcellVersion, &response.body);
  AppendField("commit", build.commit, &response.body);
  AppendField("build_type", build.build_type, &response.body);
  AppendField("compiler", build.compiler, &response.body);
  if (with_libraries) AppendField("libraries", build.libraries, &response.body);
  response.body += '}';
  return response;
}

HttpResponse VersionPage() {
  return PageResponse(
      kText, fmt::format("hourcell {} (protocols of net.opentsdb {}) built at revision {}\n"
                         "Running on {}\n",
                         kHourcellVersion, kOpenTsdbVersion, kHourcellVersion, HostName()));
}

HttpResponse StatsInfo(const Stats& stats, int64_t now_ms, const StatOrigin& origin) {
  HttpResponse response = JsonResponse("[");
  for (const StatSample& sample : stats.Snapshot()) {
    std::string& body = response.body;
    if (body.size() > 1) body += ',';
    body += "{\"metric\":";
    AppendJsonString("tsd." + sample.name, &body);
    fmt::format_to(std::back_inserter(body), ",\"timestamp\":{},\"value\":\"{}\",\"tags\":{{",
                   now_ms / 1000, sample.value);
    for (const auto& [tagk, tagv] : TagsWithOrigin(sample, origin))
      AppendField(tagk, tagv, &body);
    body += "}}";
  }
  response.body += ']';
  return response;
}

HttpResponse StatsPage(const Stats& stats, int64_t now_ms, const StatOrigin& origin, bool json) {
  std::string text;
  AppendStatLines(stats, now_ms / 1000, origin, &text);
  if (!json) return PageResponse(kText, std::move(text));
  std::vector<std::string_view> lines;
  for (std::string_view rest = text; !rest.empty();) {
    const size_t end = rest.find('\n');
    lines.push_back(rest.substr(0, end));
    rest.remove_prefix(end + 1);
  }
  return JsonResponse(JsonArray(lines));
}

HttpResponse ConfigInfo(const Config& config) {
  HttpResponse response = JsonResponse("{");
  for (const auto& [key, value] : config.Describe())
    AppendField(key, value, &response.body);
  response.body += '}';
  return response;
}

// [{"key":"tsd.mode","type":"text","default":"rw","choices":["rw","ro","wo"],"help":"..."},
//  {"key":"tsd.query.timeout","type":"integer","default":"0","unit":"ms","help":"..."},...]
HttpResponse ConfigHelp() {
  std::string body = "[";
  for (const Setting& setting : SettingTable()) {
    body += body.size() > 1 ? ",{" : "{";
    AppendField("key", setting.key, &body);
    AppendField("type", SettingTypeName(setting.type), &body);
    AppendField("default", setting.default_value, &body);
    if (setting.type == Setting::Type::kInteger) {
      AppendField("unit", SettingUnitName(setting.unit), &body);
    }
    if (!setting.choices.empty()) {
      body += ",\"choices\":" + JsonArray(ChoicesOf(setting));
    }
    AppendField("help", setting.help, &body);
    body += '}';
  }
  body += ']';
  return JsonResponse(std::move(body));
}

HttpResponse FiltersInfo() {
  HttpResponse response = JsonResponse("{");
  for (const FilterHelp& filter : kFilters) {
    if (response.body.size() > 1) response.body += ',';
    AppendJsonString(FilterTypeName(filter.type), &response.body);
    response.body += ":{";
    AppendField("description", filter.description, &response.body);
    AppendField("examples", filter.examples, &response.body);
    response.body += '}';
  }
  response.body += '}';
  return response;
}

// [{"path":"/api/annotation","doc":"...","verbs":[{"verb":"GET","right":"read","changes":false,
// "modes":["rw","ro"]},...]},...]
HttpResponse EndpointsInfo() {
  std::string body = "[";
  for (const RouteRow& row : RouteTable()) {
    body += body.size() > 1 ? ",{" : "{";
    AppendField("path", row.path, &body);
    AppendField("doc", row.doc, &body);
    body += ",\"verbs\":[";
    AppendVerb("GET", row.get, &body);
    AppendVerb("POST", row.post, &body);
    AppendVerb("PUT", row.put, &body);
    AppendVerb("DELETE", row.del, &body);
    body += "]}";
  }
  return JsonResponse(body + "]");
}

HttpResponse WhoAmIInfo(const HttpRequest& request, const Config& config) {
  const bool has_users = !config.text("tsd.auth.file").empty();
  const std::optional<Login> login =
      has_users ? ParseAuthorization(request.header("authorization")) : std::nullopt;
  std::string body = "{";
  AppendField("user", login.has_value() ? login->user : "", &body);
  AppendField("role", request.rights.role(), &body);
  AppendField("mode", config.text("tsd.mode"), &body);
  return JsonResponse(body + fmt::format(",\"has_users\":{}}}", has_users));
}

HttpResponse ClusterInfo(const ClusterView& view, std::string_view own_address) {
  std::string body = "{";
  AppendField("engine", view.engine, &body);
  body += ",\"nodes\":[";
  for (const ClusterNode& node : view.nodes) {
    body += body.back() == '[' ? "{" : ",{";
    AppendField("address", node.address.empty() ? own_address : node.address, &body);
    AppendField("role", node.is_writer ? "writer" : "waiting", &body);
    body += fmt::format(",\"quiet_ms\":{}}}", node.quiet_ms);
  }
  return JsonResponse(body + fmt::format("],\"journal\":{{\"blocks\":{},\"bytes\":{}}}}}",
                                         view.journal_blocks, view.journal_bytes));
}

HttpResponse SerializersInfo() {
  return JsonResponse(
      "[{\"serializer\":\"json\",\"class\":\"hourcell\","
      "\"request_content_type\":\"application/json\","
      "\"response_content_type\":\"application/json; charset=UTF-8\","
      "\"formatters\":[\"AggregatorsV1\",\"ConfigV1\",\"DropCachesV1\",\"PutV1\","
      "\"QueryV1\",\"SerializersV1\",\"StatsV1\",\"SuggestV1\",\"VersionV1\"],"
      "\"parsers\":[\"PutV1\",\"QueryV1\",\"SuggestV1\"]}]");
}

}  // namespace hourcell
