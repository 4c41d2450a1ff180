// Pairs of JSON strings, for printers that write the commas themselves, point by point. Others use
// JsonWriter. Pure.

#pragma once

#include <string>
#include <string_view>

#include "codec/base/json_writer.h"

namespace hourcell {

// Appends "key":"value".
void AppendJsonPair(std::string_view key, std::string_view value, std::string* out);

}  // namespace hourcell
