// Tags of a LinePoint that may have any names, as words: "host=web01 dc=lga".

#pragma once

#include <string>
#include <string_view>

#include "codec/point.h"

namespace hourcell {

inline std::string TagWords(std::string_view tags) {
  std::string words;
  bool is_key = true;
  for (const char c : tags) {
    if (c != kTagSeparator) {
      words += c;
      continue;
    }
    if (!words.empty()) words += is_key ? ' ' : '=';
    is_key = !is_key;
  }
  return words;
}

}  // namespace hourcell
