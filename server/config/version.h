// The versions this program answers with.

#pragma once

#include <string_view>

namespace hourcell {

// Ours. The only place of the number: CMake reads this line.
inline constexpr std::string_view kHourcellVersion = "0.1.0";

// The OpenTSDB release whose protocols are spoken. Clients look at it to choose their requests.
inline constexpr std::string_view kOpenTsdbVersion = "2.4.0";

}  // namespace hourcell
