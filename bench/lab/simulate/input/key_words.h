// KeyWords: describes a simulated row key in words: "bucket 3, metric 12, 2013-01-01 05:00Z,
// host=17". UIDs are numbers, because a simulated fleet has names only for its tag keys. Keys may
// be cut anywhere, like bounds of regions; an incomplete field is shown as bytes. Immutable;
// thread-safe.

#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "engine/regions/keys/key_template.h"

namespace hourcell {

// The known names of a source's keys.
struct KeyNames {
  size_t uid_bytes = 3;
  std::vector<std::string> tags = {};  // by UID, from 1; empty: unknown
};

class KeyWords {
 public:
  KeyWords() = default;  // Of() is always empty

  // For the keys of KeyMaker. Of() is always empty for texts that do not parse, the layout "stored"
  // and distributors that change the key itself.
  static KeyWords Make(std::string_view layout, std::string_view distributor, KeyNames names);

  // Empty for an empty key, and for unknown keys.
  std::string Of(std::string_view key) const;

 private:
  class Reader;

  bool knows_ = false;
  size_t prefix_bytes_ = 0;  // of the distributor
  KeyNames names_;
  std::vector<KeyField> fields_;
};

}  // namespace hourcell
