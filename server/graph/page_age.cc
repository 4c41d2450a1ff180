#include "server/graph/page_age.h"

#include <string>
#include <string_view>

#include <absl/strings/ascii.h>

namespace hourcell {
namespace {

bool IsRelativeTime(const HttpRequest& request, std::string_view name) {
  constexpr std::string_view kAgo = "-ago";
  const std::string* const time = request.param(name);
  if (time == nullptr || time->size() < kAgo.size()) return false;
  std::string end(time->substr(time->size() - kAgo.size()));
  absl::AsciiStrToLower(&end);
  return end == kAgo;
}

}  // namespace

int64_t PageMaxAgeS(const HttpRequest& request, const QuerySpec& spec, int64_t now_ms) {
  constexpr int64_t kDayS = 86'400;
  constexpr int64_t kHourMs = 3'600'000;
  if (request.has_param("nocache") || spec.end_ms > now_ms) return 0;
  const bool is_relative = IsRelativeTime(request, "start") || IsRelativeTime(request, "end");
  if (spec.end_ms < now_ms - kHourMs && !is_relative) return kDayS;
  return (spec.end_ms - spec.start_ms) / 1000 / 1024;
}

}  // namespace hourcell
