#include "uid/uid_names.h"

#include <cstring>

#include <absl/hash/hash.h>

// Two maps of strings took 180 bytes a name with a million names, and half as much again while a
// table grew: a third of the memory of a million new series. Here a table has 4 bytes an entry, and
// both directions share the name.

namespace hourcell {
namespace {

constexpr size_t kPieceBytes = 64 << 10;
constexpr size_t kPiecesMax = 64 << 10;
// Before each name: its UID and its length.
constexpr size_t kUidBytes = sizeof(Uid);
constexpr size_t kHeadBytes = kUidBytes + sizeof(uint16_t);

}  // namespace

size_t UidNames::ByName::operator()(std::string_view name) const {
  return absl::Hash<std::string_view>{}(name);
}

size_t UidNames::ByUid::operator()(Uid uid) const {
  return absl::Hash<Uid>{}(uid);
}

std::optional<UidNames::Place> UidNames::Keep(std::string_view name, Uid uid) {
  if (name.size() > kNameBytesMax) return std::nullopt;
  const size_t bytes = kHeadBytes + name.size();
  if (pieces_.empty() || kPieceBytes - used_ < bytes) {
    if (pieces_.size() == kPiecesMax) return std::nullopt;
    pieces_.push_back(std::make_unique_for_overwrite<char[]>(kPieceBytes));
    used_ = 0;
  }
  const auto place = static_cast<Place>((pieces_.size() - 1) << 16 | used_);
  char* const at = pieces_.back().get() + used_;
  const auto size = static_cast<uint16_t>(name.size());
  std::memcpy(at, &uid, kUidBytes);
  std::memcpy(at + kUidBytes, &size, sizeof size);
  std::memcpy(at + kHeadBytes, name.data(), name.size());
  used_ += bytes;
  ++kept_;
  return place;
}

std::string_view UidNames::NameAt(Place place) const {
  const char* const at = At(place);
  uint16_t size = 0;
  std::memcpy(&size, at + kUidBytes, sizeof size);
  return {at + kHeadBytes, size};
}

Uid UidNames::UidAt(Place place) const {
  Uid uid = 0;
  std::memcpy(&uid, At(place), kUidBytes);
  return uid;
}

std::optional<Uid> UidNames::UidOf(std::string_view name) const {
  const auto found = uids_.find(name);
  if (found == uids_.end()) return std::nullopt;
  return UidAt(*found);
}

std::optional<std::string_view> UidNames::NameOf(Uid uid) const {
  const auto found = names_.find(uid);
  if (found == names_.end()) return std::nullopt;
  return NameAt(*found);
}

// Erases the old entry first: the sets compare entries by their content, and would keep the place
// of the old one.
void UidNames::SetUid(std::string_view name, Uid uid) {
  if (const auto found = uids_.find(name); found != uids_.end()) {
    if (UidAt(*found) == uid) return;
    uids_.erase(found);
  }
  if (const auto place = Keep(name, uid)) uids_.insert(*place);
}

void UidNames::SetName(Uid uid, std::string_view name) {
  if (const auto found = names_.find(uid); found != names_.end()) {
    if (NameAt(*found) == name) return;
    names_.erase(found);
  }
  if (const auto place = Keep(name, uid)) names_.insert(*place);
}

void UidNames::SetBoth(std::string_view name, Uid uid) {
  if (UidOf(name) == uid) return SetName(uid, name);
  uids_.erase(name);
  names_.erase(uid);
  const auto place = Keep(name, uid);
  if (!place) return;
  uids_.insert(*place);
  names_.insert(*place);
}

}  // namespace hourcell
