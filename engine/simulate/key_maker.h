// KeyMaker: the stored key of a put: a KeyTemplate, or the put's own key, and a KeyDistributor over
// it. Thread-compatible.

#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <absl/status/statusor.h>

#include "codec/layout.h"
#include "engine/regions/key_distributor.h"
#include "engine/simulate/put_source.h"

namespace hourcell {

class KeyMaker {
 public:
  // `layout` as KeyTemplate, or "stored". kInvalidArgument as the parsers.
  static absl::StatusOr<KeyMaker> Make(std::string_view layout, std::string_view distributor);

  // The key lives until the next call. kInvalidArgument: the distributor does not take the key;
  // kFailedPrecondition: the layout is "stored" and the put has no key of its own.
  absl::StatusOr<std::string_view> KeyOf(const SourcePut& put);

  // Of the salt, for pre-splits by it.
  const Layout& layout() const { return layout_; }
  const KeyTemplate* key_template() const { return template_ ? &*template_ : nullptr; }
  // How many ranges a scan of one metric visits; 0 = all keys.
  uint64_t scan_ranges() const;
  bool begins_with_time() const;

 private:
  KeyMaker() = default;

  std::optional<KeyTemplate> template_;
  std::unique_ptr<KeyDistributor> distributor_;
  bool is_distributed_ = false;
  bool is_time_first_kept_ = true;  // the distributor leaves the key's beginning as it is
  Layout layout_;
  std::string key_;
  std::string stored_;
};

}  // namespace hourcell
