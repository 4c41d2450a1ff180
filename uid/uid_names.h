// UidNames: names and their UIDs, found both ways; each way has entries of its own. A name that is
// set both ways is kept once: 10 bytes, its own, and 5 to 11 for each way. What is erased or
// replaced takes its bytes until the object goes. Thread-compatible: const functions may run at
// once.

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
  // A longer name is not kept.
  static constexpr size_t kNameBytesMax = 4096;

  UidNames() = default;
  UidNames(const UidNames&) = delete;
  UidNames& operator=(const UidNames&) = delete;

  std::optional<Uid> UidOf(std::string_view name) const;
  // Borrows from the object.
  std::optional<std::string_view> NameOf(Uid uid) const;

  // Each replaces what is there.
  void SetUid(std::string_view name, Uid uid);
  void SetName(Uid uid, std::string_view name);
  void SetBoth(std::string_view name, Uid uid);

  void EraseUid(std::string_view name) { uids_.erase(name); }
  void EraseName(Uid uid) { names_.erase(uid); }

  size_t uids_size() const { return uids_.size(); }    // entries name -> UID
  size_t names_size() const { return names_.size(); }  // entries UID -> name
  // All that were ever kept.
  size_t kept() const { return kept_; }

 private:
  // Where an entry is: its piece, and 16 bits of place in there.
  using Place = uint32_t;

  // What the sets need to look into entries.
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

  // Nothing if the name is too long, or there is no place left.
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
