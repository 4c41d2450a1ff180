#include "server/inputs/name_rule.h"

#include <cstddef>

#include "codec/base/strings.h"
#include "codec/text/name.h"

namespace hourcell {
namespace {

bool IsLegalAscii(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '_' || c == '.' || c == '/';
}

}  // namespace

void AppendLegalName(std::string_view foreign, std::string* out) {
  while (!foreign.empty()) {
    if (static_cast<unsigned char>(foreign.front()) < 0x80) {
      out->push_back(IsLegalAscii(foreign.front()) ? foreign.front() : '_');
      foreign.remove_prefix(1);
      continue;
    }
    const size_t length = Utf8SequenceLength(foreign);
    const std::string_view character = foreign.substr(0, length);
    if (length > 0 && NameFault(character, NameEncoding::kUtf8, "").empty()) {
      out->append(character);
    } else {
      out->push_back('_');
    }
    foreign.remove_prefix(length > 0 ? length : 1);
  }
}

}  // namespace hourcell
