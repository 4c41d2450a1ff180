// KeyMaker: makes the stored keys of puts: a KeyTemplate, or a put's own key, and a KeyDistributor
// over it. It makes keys of many puts at once, because MD5 of many takes far less time than one by
// one (md5_many.h). Thread-compatible.

#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "bench/lab/simulate/input/md5_many.h"
#include "bench/lab/simulate/input/put_source.h"
#include "codec/rows/layout.h"
#include "engine/regions/keys/key_distributor.h"
#include "engine/regions/keys/key_template.h"

namespace hourcell {

class KeyMaker {
 public:
  // `layout` as in KeyTemplate, or "stored". kInvalidArgument as from the parsers.
  static absl::StatusOr<KeyMaker> Make(std::string_view layout, std::string_view distributor);

  // Replaces `*keys` by those of the puts, valid until the next call. kInvalidArgument: the
  // distributor rejects a key; kFailedPrecondition: the layout is "stored" and a put has no key;
  // with an error `*keys` are those of the puts before.
  absl::Status KeysOf(std::span<const SourcePut> puts, std::vector<std::string_view>* keys);
  // KeysOf for one put.
  absl::StatusOr<std::string_view> KeyOf(const SourcePut& put);

  // Of the salt, for pre-splits by it.
  const Layout& layout() const { return layout_; }
  const KeyTemplate* key_template() const { return template_ ? &*template_ : nullptr; }
  // The number of ranges in a scan of one metric; 0 = all keys.
  uint64_t scan_ranges() const;
  bool begins_with_time() const;
  // The hours of a day share a key.
  bool has_day_rows() const;
  // The bytes of the salt, 0 without, of keys that a store can have: metric+hour+tags, without a
  // distributor. Nothing for other keys.
  std::optional<size_t> store_salt_bytes() const;

 private:
  // Keys one after the other, and where each ends.
  struct KeyList {
    std::string bytes = {};
    std::vector<size_t> ends = {};

    void Clear();
    void Close() { ends.push_back(bytes.size()); }
    void AppendViews(std::vector<std::string_view>* views) const;
  };

  KeyMaker() = default;
  void LearnMd5Prefix();
  absl::Status MakeOriginals(std::span<const SourcePut> puts);
  absl::Status Distribute(std::span<const std::string_view> originals);
  void HashAll(std::span<const std::string_view> texts);

  std::optional<KeyTemplate> template_;
  std::unique_ptr<KeyDistributor> distributor_;
  bool is_distributed_ = false;
  bool is_time_first_kept_ = true;  // a time at the beginning of a key stays there
  // Not 0: the distributor prefixes this number of hex digits of the key's MD5 and a separator.
  size_t md5_digits_ = 0;
  std::string md5_separator_;
  Layout layout_;

  // Of the puts of the current call.
  std::vector<std::string_view> texts_;
  std::vector<Md5Digest> digests_;
  std::vector<std::string_view> views_;
  KeyList originals_;
  KeyList stored_;
  std::string one_stored_;
  std::vector<std::string_view> one_;  // for KeyOf
};

}  // namespace hourcell
