// The versions that this program reports.

#pragma once

#include <string_view>

namespace hourcell {

// The version of Hourcell. CMake reads it from this line.
inline constexpr std::string_view kHourcellVersion = "0.1.0";

// The OpenTSDB release whose protocols the server implements. Clients choose their requests by it.
inline constexpr std::string_view kOpenTsdbVersion = "2.4.0";

}  // namespace hourcell
