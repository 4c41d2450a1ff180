// The named row-key layouts of the benchmark. Any other key template is allowed, too; its text is
// then its name. Pure; thread-safe.

#pragma once

#include <span>
#include <string>
#include <string_view>

#include <absl/status/statusor.h>

#include "bench/lab/layouts/row_keys.h"

namespace hourcell::layouts {

struct NamedLayout {
  std::string_view name;
  std::string_view key_template;  // row_keys.h
  std::string_view idea;          // in a few words
};

std::span<const NamedLayout> NamedLayouts();

struct RowLayout {
  std::string name = {};
  RowKeys keys;
};

// By name or by template. kInvalidArgument: neither; lists the names.
absl::StatusOr<RowLayout> FindLayout(std::string_view name_or_template);

}  // namespace hourcell::layouts
