#include "engine/names/query_names.h"

#include <utility>

#include <absl/status/statusor.h>

#include "codec/base/bytes.h"

namespace hourcell {

std::string_view QueryNames::NameOf(UidKind kind, Uid uid) {
  const auto [found, is_new] = by_uid_[static_cast<size_t>(kind)].try_emplace(uid);
  if (!is_new) return found->second;
  absl::StatusOr<std::string> name = uids_.NameOf(kind, uid);
  if (!name.ok()) {
    if (!absl::IsNotFound(name.status())) status_.Update(name.status());
    std::string bytes;
    AppendBigEndian(uid, layout_.width(kind), &bytes);
    name = ToUpperHex(bytes);
  }
  return found->second = names_.emplace_back(*std::move(name));
}

void QueryNames::ForgetMany() {
  if (names_.size() <= kQueryNamesMax) return;
  for (auto& of_kind : by_uid_)
    of_kind.clear();
  names_.clear();
}

}  // namespace hourcell
