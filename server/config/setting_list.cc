#include "server/config/setting_list.h"

#include <cstddef>

namespace hourcell {

std::string_view StripBlanks(std::string_view text) {
  while (text.starts_with(' '))
    text.remove_prefix(1);
  while (text.ends_with(' '))
    text.remove_suffix(1);
  return text;
}

std::vector<std::string_view> ListItems(std::string_view list) {
  std::vector<std::string_view> items;
  if (StripBlanks(list).empty()) return items;
  while (true) {
    const size_t comma = list.find(',');
    items.push_back(StripBlanks(list.substr(0, comma)));
    if (comma == std::string_view::npos) return items;
    list.remove_prefix(comma + 1);
  }
}

}  // namespace hourcell
