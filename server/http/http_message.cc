#include "server/http/http_message.h"

#include <string>
#include <string_view>

namespace hourcell {

std::string_view HttpRequest::header(std::string_view name) const {
  for (const auto& [header_name, value] : headers) {
    if (header_name == name) return value;
  }
  return {};
}

const std::string* HttpRequest::param(std::string_view name) const {
  for (auto it = params.rbegin(); it != params.rend(); ++it) {
    if (it->first == name) return &it->second;
  }
  return nullptr;
}

}  // namespace hourcell
