#include "server/cluster/relay_choice.h"

#include <string>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "server/api/route_table.h"
#include "server/http/http_message.h"
#include "server/http/http_router.h"
#include "server/http/http_target.h"

namespace hourcell {
namespace {

constexpr std::string_view kGet = "GET ";
constexpr std::string_view kPost = "POST ";

bool BeginsAs(std::string_view bytes, std::string_view word) {
  const size_t size = bytes.size() < word.size() ? bytes.size() : word.size();
  return bytes.substr(0, size) == word.substr(0, size);
}

// Parses "GET /path?a=b HTTP/1.1" without its line end; the target is empty if it is malformed.
HttpRequest RequestOf(std::string_view line) {
  HttpRequest request;
  if (line.ends_with('\r')) line.remove_suffix(1);
  const size_t first = line.find(' ');
  const size_t last = line.rfind(' ');
  if (first == std::string_view::npos || last <= first) return request;
  if (!line.substr(last + 1).starts_with("HTTP/1.")) return request;
  request.method = line.substr(0, first);
  request.target = line.substr(first + 1, last - first - 1);
  return request;
}

bool FollowerMayAnswer(const HttpRequest& request, bool may_delete) {
  const absl::StatusOr<RoutePath> path = ParseRoutePath(request.path);
  if (!path.ok() || path->api_version > kApiVersionMax) return false;
  const RouteRow* const row = FindRoute(*path);
  if (row == nullptr || !row->follower_may_answer) return false;
  if (request.method == "GET") return row->get.offered;
  return row->post.offered && !(row->del.offered && may_delete);
}

}  // namespace

RelayChoice ChooseByFirstBytes(std::string_view bytes, bool may_delete) {
  if (!BeginsAs(bytes, kGet) && !BeginsAs(bytes, kPost)) return RelayChoice::kWriter;
  const size_t end = bytes.find('\n');
  if (end == std::string_view::npos) {
    return bytes.size() < kFirstLineBytesMax ? RelayChoice::kNeedsMore : RelayChoice::kWriter;
  }
  HttpRequest request = RequestOf(bytes.substr(0, end));
  const bool is_local = !request.target.empty() && ParseTarget(&request).ok() &&
                        !request.has_param("delete") && !request.has_param("method_override") &&
                        FollowerMayAnswer(request, may_delete);
  return is_local ? RelayChoice::kFollower : RelayChoice::kWriter;
}

}  // namespace hourcell
