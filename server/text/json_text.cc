#include "server/text/json_text.h"

namespace hourcell {

void AppendJsonPair(std::string_view key, std::string_view value, std::string* out) {
  AppendJsonString(key, out);
  out->push_back(':');
  AppendJsonString(value, out);
}

}  // namespace hourcell
