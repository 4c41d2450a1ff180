#include "server/fsck_handler.h"

#include <charconv>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <fmt/format.h>

#include "codec/base/strings.h"
#include "engine/fsck_admin.h"
#include "server/fsck_json.h"
#include "server/http_error.h"
#include "server/http_router.h"

namespace hourcell {
namespace {

constexpr size_t kExamplesDefault = 10;
constexpr size_t kExamplesMax = 10'000;

std::optional<size_t> ParseExamples(std::string_view text) {
  size_t examples = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), examples);
  const bool is_number = error == std::errc() && end == text.data() + text.size();
  if (!is_number || examples > kExamplesMax) return std::nullopt;
  return examples;
}

HttpResponse Answer(const FsckAdmin& fsck) {
  HttpResponse response;
  AppendFsckRun(fsck.Last(), &response.body);
  return response;
}

HttpResponse Start(const HttpRequest& request, FsckAdmin* fsck) {
  const std::string* const text = request.param("examples");
  const std::optional<size_t> examples = text == nullptr ? kExamplesDefault : ParseExamples(*text);
  if (!examples.has_value()) {
    return HttpError(
        400, "Not a number of examples",
        fmt::format("examples: got {}; want 0 to {}", QuoteForMessage(*text), kExamplesMax));
  }
  const absl::StatusOr<uint64_t> id = fsck->Start(*examples);
  if (id.ok()) return Answer(*fsck);
  const std::string why(id.status().message());
  if (!absl::IsUnavailable(id.status())) return HttpError(500, "Storage exception", why);
  HttpResponse response = HttpError(503, "Busy", why);
  response.headers.emplace_back("Retry-After", "1");
  return response;
}

}  // namespace

HttpResponse HandleFsck(const HttpRequest& request, Tsdb* tsdb) {
  FsckAdmin* const fsck = tsdb->fsck();
  const std::optional<HttpMethod> method = EffectiveMethod(request);
  if (method == HttpMethod::kPost) return Start(request, fsck);
  if (method == HttpMethod::kDelete) fsck->Cancel();
  return Answer(*fsck);
}

}  // namespace hourcell
