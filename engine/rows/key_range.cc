#include "engine/rows/key_range.h"

namespace hourcell {

std::string PrefixEnd(std::string_view prefix) {
  std::string end(prefix);
  while (!end.empty() && end.back() == '\xff')
    end.pop_back();
  if (!end.empty()) end.back() = static_cast<char>(static_cast<unsigned char>(end.back()) + 1);
  return end;
}

ScanRange PrefixRange(std::string_view prefix) {
  return {.begin = std::string(prefix), .end = PrefixEnd(prefix)};
}

}  // namespace hourcell
