#include "uid/name_batch.h"

#include <optional>
#include <utility>
#include <vector>

#include "codec/base/check.h"
#include "codec/base/status_macros.h"

namespace hourcell {

NameBatch::NameBatch(UidDirectory* directory)
    : directory_(*directory), turns_(directory->turns()) {}

Uid NameBatch::Find(UidKind kind, std::string_view name) {
  const auto [place, is_new] = of(kind).try_emplace(name);
  Entry& entry = place->second;
  if (!is_new) return entry.uid;
  std::string buffer;
  const absl::StatusOr<std::string_view> stored = directory_.StoredName(name, &buffer);
  if (!stored.ok()) return kNoUid;  // Get returns the error
  entry.stored = buffer.empty() ? *stored : encoded_.emplace_back(std::move(buffer));
  entry.uid = directory_.per_kind(kind).cache.Find(entry.stored).value_or(kNoUid);
  return entry.uid;
}

absl::Status NameBatch::Read() {
  for (const UidKind kind : kUidKinds)
    HOURCELL_RETURN_IF_ERROR(ReadKind(kind));
  return absl::OkStatus();
}

absl::Status NameBatch::ReadKind(UidKind kind) {
  std::vector<Entry*> wanted;
  std::vector<std::string_view> names;
  for (auto& [name, entry] : of(kind)) {
    if (entry.uid != kNoUid || !UidDirectory::CanBeStored(entry.stored)) continue;
    wanted.push_back(&entry);
    names.push_back(entry.stored);
  }
  if (names.empty()) return absl::OkStatus();
  UidCache& cache = directory_.per_kind(kind).cache;
  const uint64_t erasures = cache.erasures();
  std::vector<std::optional<Uid>> uids;
  HOURCELL_RETURN_IF_ERROR(directory_.store_->GetForwards(kind, names, &uids));
  HOURCELL_DCHECK(uids.size() == names.size());
  for (size_t i = 0; i < names.size(); ++i) {
    if (!uids[i].has_value()) continue;
    wanted[i]->uid = *uids[i];
    cache.FillUid(names[i], *uids[i], erasures);
  }
  return absl::OkStatus();
}

absl::StatusOr<Uid> NameBatch::Get(UidKind kind, std::string_view name) {
  const auto found = of(kind).find(name);
  HOURCELL_CHECK(found != of(kind).end());
  Entry& entry = found->second;
  if (entry.uid != kNoUid || entry.is_legal) return entry.uid;
  std::string buffer;
  const absl::Status encoded = directory_.StoredName(name, &buffer).status();
  if (!encoded.ok()) {
    ++directory_.per_kind(kind).refused;
    return encoded;
  }
  HOURCELL_RETURN_IF_ERROR(directory_.CheckLegal(kind, name));
  entry.is_legal = true;
  return kNoUid;
}

absl::Status NameBatch::Renew() {
  const uint64_t turns = directory_.turns();
  if (turns == turns_) return absl::OkStatus();
  HOURCELL_RETURN_IF_ERROR(Read());
  turns_ = turns;
  return absl::OkStatus();
}

bool NameBatch::IsAbsent(UidKind kind, std::string_view name) const {
  HOURCELL_DCHECK(turns_ == directory_.turns());  // no name came since Renew
  const Entries& entries = kinds_[static_cast<size_t>(kind)];
  const auto found = entries.find(name);
  return found != entries.end() && found->second.uid == kNoUid;
}

}  // namespace hourcell
