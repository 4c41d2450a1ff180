// KeyWords: what a simulated row key says, in words: "bucket 3, metric 12, 2013-01-01 05:00Z,
// host=17". UIDs are numbers, as a made-up fleet has no names but those of its tag keys. Keys may
// be cut anywhere, as bounds of regions are; what is not a whole field is shown as bytes.
// Immutable; thread-safe.

#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "engine/regions/keys/key_template.h"

namespace hourcell {

// What is known of the keys of a source.
struct KeyNames {
  size_t uid_bytes = 3;
  std::vector<std::string> tags = {};  // by UID, from 1; empty: not known
};

class KeyWords {
 public:
  KeyWords() = default;  // knows no key

  // Of the keys that KeyMaker makes. One that knows no key for texts that do not parse, the layout
  // "stored" and distributors that change the key itself.
  static KeyWords Make(std::string_view layout, std::string_view distributor, KeyNames names);

  // Empty for an empty key, and if nothing is known.
  std::string Of(std::string_view key) const;

 private:
  class Reader;

  bool knows_ = false;
  size_t prefix_bytes_ = 0;  // of the distributor
  KeyNames names_;
  std::vector<KeyField> fields_;
};

}  // namespace hourcell
