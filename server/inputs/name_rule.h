// The one rule by which names of other systems become names that OpenTSDB allows.
//
// Letters, digits and - _ . / stay (codec/text/name.h). Every other character becomes one '_', and
// so does every byte that is not UTF-8. Two names that differ in such characters only become one.
// Pure; thread-safe.

#pragma once

#include <string>
#include <string_view>

namespace hourcell {

// Appends `foreign` by the rule. An empty name stays empty.
void AppendLegalName(std::string_view foreign, std::string* out);

}  // namespace hourcell
