#include "engine/names/query_names.h"

#include <utility>

#include <absl/status/statusor.h>

#include "codec/base/bytes.h"

namespace hourcell {
namespace {

// Memory of a name in addition to its text: its string, and its entry in a half-full hash table.
constexpr size_t kQueryNameOverheadBytes = 80;
// Room for the names of a few series.
constexpr size_t kQueryNamesAtFirst = 14;
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
  if (by_uid_.empty()) by_uid_.reserve(kQueryNamesAtFirst);
  const auto [found, is_new] = by_uid_.try_emplace({uid, kind});
  if (!is_new) return found->second;
  absl::StatusOr<std::string> name = uids_.NameOf(kind, uid);
  if (!name.ok()) {
    if (!absl::IsNotFound(name.status())) status_.Update(name.status());
    std::string bytes;
    AppendBigEndian(uid, layout_.width(kind), &bytes);
    name = ToUpperHex(bytes);
  }
  const std::string& kept = names_.emplace_back(*std::move(name));
  names_bytes_ += kQueryNameOverheadBytes + kept.capacity();
  return found->second = kept;
}

void QueryNames::ForgetMany() {
  // Names are kept only to save look-ups, so an exhausted account is not an error here.
  const bool is_counted =
      names_bytes_ < hold_.bytes() + kQueryNamesCountedAtOnce || hold_.Set(names_bytes_).ok();
  if (is_counted && names_.size() <= kQueryNamesMax) return;
  by_uid_ = {};
  recent_ = {};
  names_.clear();
  names_bytes_ = 0;
  hold_.GiveBack(hold_.bytes());
}

}  // namespace hourcell
