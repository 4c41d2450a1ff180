// Ranges of keys from prefixes. Pure.

#pragma once

#include <string>
#include <string_view>

#include "engine/table/table.h"

namespace hourcell {

// The least key after all keys that begin with `prefix`; empty = no end.
std::string PrefixEnd(std::string_view prefix);

// All keys that begin with `prefix`.
ScanRange PrefixRange(std::string_view prefix);

}  // namespace hourcell
