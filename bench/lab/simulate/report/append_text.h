// AppendText: fmt::format_to at the end of a string, for reports that grow line by line.

#pragma once

#include <iterator>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace hourcell {

template <typename... Args>
void AppendText(std::string* out, fmt::format_string<Args...> format, Args&&... args) {
  fmt::format_to(std::back_inserter(*out), format, std::forward<Args>(args)...);
}

}  // namespace hourcell
