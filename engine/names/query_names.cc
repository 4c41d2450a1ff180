#include "engine/names/query_names.h"

#include <span>
#include <utility>

#include <absl/status/statusor.h>

#include "codec/base/bytes.h"

namespace hourcell {
namespace {

// Memory of a name in addition to its text: its string, and its entry in a half-full hash table.
constexpr size_t kQueryNameOverheadBytes = 80;
// Counts names in steps of this size.
constexpr size_t kQueryNamesCountedAtOnce = size_t{16} << 10;

}  // namespace

std::string_view QueryNames::NameOf(UidKind kind, Uid uid) {
  Recent& recent = recent_[(uid * 4 + static_cast<size_t>(kind)) % kRecent];
  if (recent.uid != uid || recent.kind != kind || uid == kNoUid) {
    recent = {.uid = uid, .kind = kind, .name = Find(kind, uid)};
  }
  return recent.name;
}

std::string_view QueryNames::Find(UidKind kind, Uid uid) {
  for (const Kept& kept : std::span(first_).first(first_count_))
    if (kept.uid == uid && kept.kind == kind) return kept.name;
  if (first_count_ < kFirst) {
    Kept& kept = first_[first_count_++];
    kept = {.uid = uid, .kind = kind, .name = Read(kind, uid)};
    return kept.name;
  }
  const auto [found, is_new] = by_uid_.try_emplace({uid, kind});
  if (!is_new) return found->second;
  if (!more_.has_value()) more_.emplace();
  return found->second = more_->emplace_back(Read(kind, uid));
}

// The name as NameOf gives it, which will be kept.
std::string QueryNames::Read(UidKind kind, Uid uid) {
  absl::StatusOr<std::string> name = uids_.NameOf(kind, uid);
  if (!name.ok()) {
    if (!absl::IsNotFound(name.status())) status_.Update(name.status());
    std::string bytes;
    AppendBigEndian(uid, layout_.width(kind), &bytes);
    name = ToUpperHex(bytes);
  }
  names_bytes_ += kQueryNameOverheadBytes + name->capacity();
  return *std::move(name);
}

void QueryNames::ForgetMany() {
  // Names are kept only to save look-ups, so an exhausted account is not an error here.
  const bool is_counted =
      names_bytes_ < hold_.bytes() + kQueryNamesCountedAtOnce || hold_.Set(names_bytes_).ok();
  if (is_counted && kept() <= kQueryNamesMax) return;
  by_uid_ = {};
  recent_ = {};
  first_count_ = 0;
  more_.reset();
  names_bytes_ = 0;
  hold_.GiveBack(hold_.bytes());
}

}  // namespace hourcell
