#include "server/monitor/logs_handler.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "codec/base/json_writer.h"
#include "codec/base/strings.h"
#include "server/http/http_error.h"

namespace hourcell {
namespace {

std::string_view LevelName(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return "DEBUG";
    case LogLevel::kInfo:
      return "INFO";
    case LogLevel::kWarning:
      return "WARN";
    case LogLevel::kError:
      return "ERROR";
  }
  return "ERROR";
}

// A level of a request, and the first of ours that it shows.
struct NamedLevel {
  std::string_view name;
  std::optional<LogLevel> least;  // nothing: it shows no line
};

constexpr std::array kLevels = {
    NamedLevel{"all", LogLevel::kDebug},    NamedLevel{"trace", LogLevel::kDebug},
    NamedLevel{"debug", LogLevel::kDebug},  NamedLevel{"info", LogLevel::kInfo},
    NamedLevel{"warn", LogLevel::kWarning}, NamedLevel{"error", LogLevel::kError},
    NamedLevel{"off", std::nullopt},
};

std::string LineText(const LogLine& line) {
  return fmt::format("{}\t{}\t{}\thourcell\t{}", line.time_s, LevelName(line.level), line.thread,
                     line.message);
}

}  // namespace

HttpResponse HandleLogs(const HttpRequest& request, const std::vector<LogLine>& lines) {
  std::string level = "all";
  if (const std::string* const asked = request.param("level")) level = *asked;
  const auto* const known = std::ranges::find(kLevels, LowerCase(level), &NamedLevel::name);
  if (known == kLevels.end()) {
    return HttpError(400, fmt::format("Invalid level: {}", TextForMessage(level)),
                     "expected ALL, TRACE, DEBUG, INFO, WARN, ERROR or OFF");
  }
  HttpResponse response;
  response.headers.emplace_back("Cache-Control", "no-store");
  const bool is_json = request.has_param("json");
  if (!is_json) response.content_type = "text/plain; charset=UTF-8";
  JsonWriter json(&response.body);
  if (is_json) json.OpenArray();
  for (const LogLine& line : lines) {
    if (!known->least.has_value() || line.level < *known->least) continue;
    if (is_json) {
      json.Value(LineText(line));
    } else {
      response.body += LineText(line) + "\n";
    }
  }
  if (is_json) json.CloseArray();
  return response;
}

}  // namespace hourcell
