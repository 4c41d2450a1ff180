// UidNames: names and their UIDs, with separate entries for each direction. A name that is set in
// both directions is kept once: 10 bytes, its own, and 5 to 11 for each direction. Erased and
// replaced names keep their bytes until the object is destroyed. Thread-compatible: const functions
// may run concurrently.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include <absl/container/flat_hash_set.h>

#include "codec/rows/uid.h"

namespace hourcell {

class UidNames {
 public:
  // Longer names are not kept.
  static constexpr size_t kNameBytesMax = 4096;

  UidNames() = default;
  UidNames(const UidNames&) = delete;
  UidNames& operator=(const UidNames&) = delete;

  std::optional<Uid> UidOf(std::string_view name) const;
  // Borrows from the object.
  std::optional<std::string_view> NameOf(Uid uid) const;

  // SetUid and SetName replace an existing entry.
  void SetUid(std::string_view name, Uid uid);
  void SetName(Uid uid, std::string_view name);
  void SetBoth(std::string_view name, Uid uid);

  void EraseUid(std::string_view name) { uids_.erase(name); }
  void EraseName(Uid uid) { names_.erase(uid); }

  size_t uids_size() const { return uids_.size(); }    // entries name -> UID
  size_t names_size() const { return names_.size(); }  // entries UID -> name
  // The number of entries ever kept.
  size_t kept() const { return kept_; }

 private:
  // The position of an entry: its piece, and 16 bits of offset in the piece.
  using Place = uint32_t;

  // Hash and equality by which the sets compare entries.
  struct ByName {
    using is_transparent = void;
    const UidNames* of = nullptr;
    size_t operator()(std::string_view name) const;
    size_t operator()(Place place) const { return (*this)(of->NameAt(place)); }
    bool operator()(Place a, Place b) const { return of->NameAt(a) == of->NameAt(b); }
    bool operator()(Place a, std::string_view b) const { return of->NameAt(a) == b; }
  };
  struct ByUid {
    using is_transparent = void;
    const UidNames* of = nullptr;
    size_t operator()(Uid uid) const;
    size_t operator()(Place place) const { return (*this)(of->UidAt(place)); }
    bool operator()(Place a, Place b) const { return of->UidAt(a) == of->UidAt(b); }
    bool operator()(Place a, Uid b) const { return of->UidAt(a) == b; }
  };

  // Nullopt if the name is too long, or the space is used up.
  std::optional<Place> Keep(std::string_view name, Uid uid);
  std::string_view NameAt(Place place) const;
  Uid UidAt(Place place) const;
  const char* At(Place place) const { return pieces_[place >> 16].get() + (place & 0xFFFF); }

  std::vector<std::unique_ptr<char[]>> pieces_;
  size_t used_ = 0;  // of the last piece
  size_t kept_ = 0;
  absl::flat_hash_set<Place, ByName, ByName> uids_{0, ByName{this}, ByName{this}};
  absl::flat_hash_set<Place, ByUid, ByUid> names_{0, ByUid{this}, ByUid{this}};
};

}  // namespace hourcell
