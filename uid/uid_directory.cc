#include "uid/uid_directory.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>
#include <re2/re2.h>

#include "codec/base/check.h"
#include "codec/base/status_macros.h"
#include "codec/text/name.h"
#include "uid/name_batch.h"
#include "uid/uid_text.h"

namespace hourcell {
namespace {

// OpenTSDB's limit for random UIDs. Each try is a read of the store under the assignment lock.
constexpr int kRandomTriesMax = 10;

// Taken numbers to skip after the counter. More than the few of a failed commit mean that the
// counter is damaged.
constexpr int kSequentialTriesMax = 1000;

// Maximum number of names of failed commits whose UIDs are kept for them.
constexpr size_t kUnsureMax = size_t{1} << 20;

// Maximum memory of one regular expression's automaton.
constexpr int64_t kExpressionBytesMax = 8 << 20;

bool IsAscii(std::string_view text) {
  constexpr size_t kWordBytes = sizeof(uint64_t);
  uint64_t bits = 0;
  for (; text.size() >= kWordBytes; text.remove_prefix(kWordBytes)) {
    uint64_t word = 0;
    std::memcpy(&word, text.data(), kWordBytes);
    bits |= word;
  }
  for (const char c : text)
    bits |= static_cast<uint8_t>(c);
  return (bits & 0x8080808080808080) == 0;
}

size_t IndexOf(UidKind kind) {
  return static_cast<size_t>(kind);
}

absl::Status AllAssigned(UidKind kind, size_t width) {
  return absl::FailedPreconditionError(fmt::format(
      "All Unique IDs for {} on {} bytes are already assigned!", KindName(kind), width));
}

}  // namespace

// --- UidDirectory ---

UidDirectory::UidDirectory(UidOptions options, UidStore* store)
    : options_(std::move(options)),
      store_(store),
      kinds_{PerKind(options_.cache_names_max), PerKind(options_.cache_names_max),
             PerKind(options_.cache_names_max)},
      random_(options_.random_seed != 0 ? options_.random_seed : RandomSeed()) {}

absl::StatusOr<std::unique_ptr<UidDirectory>> UidDirectory::Open(UidOptions options,
                                                                 UidStore* store) {
  HOURCELL_RETURN_IF_ERROR(ValidateLayout(options.layout));
  if (options.random_metrics && options.layout.metric_width > 7) {
    return absl::InvalidArgumentError(fmt::format(
        "tsd.core.uid.random_metrics: too wide metric UIDs; expected at most 7 bytes, got {}",
        options.layout.metric_width));
  }
  std::unique_ptr<UidDirectory> directory(new UidDirectory(std::move(options), store));
  for (const UidKind kind : kUidKinds) {
    HOURCELL_ASSIGN_OR_RETURN(const Uid counter, store->GetCounter(kind));
    const Uid max = MaxUid(directory->options_.layout.width(kind));
    if (counter > max) {
      return absl::DataLossError(
          fmt::format("{} counter: above what its width holds; expected at most {}, got {}",
                      KindName(kind), max, counter));
    }
    directory->per_kind(kind).counter = counter;
  }
  return directory;
}

absl::StatusOr<std::optional<Uid>> UidDirectory::Find(UidKind kind, std::string_view name) {
  std::string buffer;
  const absl::StatusOr<std::string_view> stored = StoredName(name, &buffer);
  if (!stored.ok()) {
    ++per_kind(kind).refused;
    return stored.status();
  }
  HOURCELL_ASSIGN_OR_RETURN(const std::optional<Uid> uid, Lookup(kind, *stored));
  if (!uid) HOURCELL_RETURN_IF_ERROR(CheckLegal(kind, name));
  return uid;
}

absl::StatusOr<Uid> UidDirectory::Get(UidKind kind, std::string_view name) {
  std::string buffer;
  const absl::StatusOr<std::string_view> stored = StoredName(name, &buffer);
  if (!stored.ok()) return NoSuchName(kind, name);
  HOURCELL_ASSIGN_OR_RETURN(const std::optional<Uid> uid, Lookup(kind, *stored));
  if (!uid) return NoSuchName(kind, name);
  return *uid;
}

absl::StatusOr<std::string> UidDirectory::NameOf(UidKind kind, Uid uid) {
  UidCache& cache = per_kind(kind).cache;
  if (std::optional<std::string> cached = cache.NameOf(uid)) return TextOf(*std::move(cached));
  const size_t width = options_.layout.width(kind);
  if (uid == kNoUid || uid > MaxUid(width)) return NoSuchUid(kind, uid, width);

  const uint64_t erasures = cache.erasures();
  HOURCELL_ASSIGN_OR_RETURN(std::optional<std::string> stored, store_->GetReverse(kind, uid));
  if (!stored) return NoSuchUid(kind, uid, width);
  cache.FillName(uid, *stored, erasures);
  return TextOf(*std::move(stored));
}

absl::StatusOr<Uid> UidDirectory::GetOrAssign(UidKind kind, std::string_view name) {
  HOURCELL_ASSIGN_OR_RETURN(const std::optional<Uid> known, Find(kind, name));
  if (known) return *known;

  // While this waits for the lock, another caller may publish the same name: the assignment looks
  // once more.
  UidAssignment assignment(this);
  HOURCELL_ASSIGN_OR_RETURN(const Uid uid, assignment.GetOrAssign(kind, name, /*force=*/true));
  if (const std::vector<UidChange> changes = assignment.changes(); !changes.empty()) {
    HOURCELL_RETURN_IF_ERROR(store_->Commit(changes));
    assignment.Publish();
  }
  return uid;
}

absl::Status UidDirectory::AssignGiven(UidKind kind, std::span<const UidMapping> given) {
  const Uid uid_max = MaxUid(options_.layout.width(kind));
  UidAssignment assignment(this);
  absl::flat_hash_map<Uid, std::string_view> names;
  for (const UidMapping& mapping : given) {
    const std::string_view first = names.try_emplace(mapping.uid, mapping.name).first->second;
    if (first != mapping.name) {
      return absl::AlreadyExistsError(
          fmt::format("{} UID {}: is given to '{}' and to '{}'", KindName(kind), mapping.uid,
                      TextForMessage(first), TextForMessage(mapping.name)));
    }
    if (mapping.uid == kNoUid || mapping.uid > uid_max) {
      return absl::InvalidArgumentError(fmt::format("{} {}: expected 1 to {}, got UID {}",
                                                    KindName(kind), QuoteForMessage(mapping.name),
                                                    uid_max, mapping.uid));
    }
    HOURCELL_RETURN_IF_ERROR(Find(kind, mapping.name).status());  // checks legality
    const absl::Status restored = assignment.Restore(kind, mapping.name, mapping.uid);
    if (absl::IsDataLoss(restored)) {
      return absl::AlreadyExistsError(std::string(restored.message()));
    }
    HOURCELL_RETURN_IF_ERROR(restored);
  }
  const std::vector<UidChange> changes = assignment.changes();
  if (changes.empty()) return absl::OkStatus();
  HOURCELL_RETURN_IF_ERROR(store_->Commit(changes));
  assignment.Publish();
  return absl::OkStatus();
}

absl::StatusOr<std::vector<std::string>> UidDirectory::Suggest(UidKind kind,
                                                               std::string_view prefix,
                                                               size_t max) {
  std::vector<std::string> names;
  if (max == 0) return names;
  HOURCELL_RETURN_IF_ERROR(VisitNames(kind, prefix, [&](std::string_view name) {
    names.emplace_back(name);
    return names.size() < max;
  }));
  return names;
}

absl::Status UidDirectory::VisitNames(UidKind kind,
                                      std::string_view prefix,
                                      const std::function<bool(std::string_view name)>& visit) {
  return VisitMappings(kind, prefix,
                       [&visit](const UidMapping& mapping) { return visit(mapping.name); });
}

absl::Status UidDirectory::VisitMappings(
    UidKind kind,
    std::string_view prefix,
    const std::function<bool(const UidMapping& mapping)>& visit) {
  std::string buffer;
  const absl::StatusOr<std::string_view> stored_prefix = StoredName(prefix, &buffer);
  if (!stored_prefix.ok()) return absl::OkStatus();

  absl::Status damage;
  HOURCELL_RETURN_IF_ERROR(
      store_->ScanForward(kind, *stored_prefix, [&](const UidMapping& mapping) {
        if (IsAscii(mapping.name)) return visit(mapping);
        absl::StatusOr<std::string> name = TextOf(mapping.name);
        if (!name.ok()) {
          damage = name.status();
          return false;
        }
        return visit({.name = *std::move(name), .uid = mapping.uid});
      }));
  return damage;
}

absl::Status UidDirectory::Grep(UidKind kind,
                                std::string_view expression,
                                bool ignore_case,
                                const std::function<bool(UidMapping mapping)>& visit) {
  if (expression.find("&&[") != std::string_view::npos) {
    return absl::InvalidArgumentError(
        fmt::format("regular expression {}: class intersection (&&[) is not supported",
                    QuoteForMessage(expression)));
  }
  RE2::Options re2_options;
  re2_options.set_log_errors(false);
  re2_options.set_max_mem(kExpressionBytesMax);
  re2_options.set_case_sensitive(!ignore_case);
  const RE2 regex(std::string(expression), re2_options);
  if (!regex.ok()) {
    return absl::InvalidArgumentError(
        fmt::format("regular expression {}: {}", QuoteForMessage(expression), regex.error()));
  }

  absl::Status damage;
  HOURCELL_RETURN_IF_ERROR(store_->ScanForward(kind, "", [&](const UidMapping& mapping) {
    absl::StatusOr<std::string> name = TextOf(mapping.name);
    if (!name.ok()) {
      damage = name.status();
      return false;
    }
    return !RE2::PartialMatch(*name, regex) ||
           visit({.name = *std::move(name), .uid = mapping.uid});
  }));
  return damage;
}

absl::Status UidDirectory::RenameAll(UidKind kind, std::span<const Renaming> renamings) {
  MutexLock lock(&assign_mutex_);
  std::vector<UidChange> changes;
  for (const Renaming& one : renamings)
    HOURCELL_RETURN_IF_ERROR(AddRenaming(kind, one, &changes));
  const absl::Status committed = store_->Commit(changes);
  // After a failure, too: the store may have either state.
  ++turns_;
  UidCache& cache = per_kind(kind).cache;
  for (const UidChange& change : changes) {
    if (change.what == UidChange::What::kDeleteForward) cache.Erase(change.name, change.uid);
  }
  if (!committed.ok()) return committed;
  for (const UidChange& change : changes) {
    if (change.what == UidChange::What::kSetForward) cache.Insert(change.name, change.uid);
  }
  return absl::OkStatus();
}

absl::Status UidDirectory::AddRenaming(UidKind kind,
                                       const Renaming& renaming,
                                       std::vector<UidChange>* changes) {
  std::string buffer;
  std::string new_buffer;
  HOURCELL_ASSIGN_OR_RETURN(const std::string_view stored, StoredName(renaming.name, &buffer));
  HOURCELL_ASSIGN_OR_RETURN(const std::string_view new_stored,
                            StoredName(renaming.new_name, &new_buffer));
  HOURCELL_RETURN_IF_ERROR(CheckLegal(kind, renaming.new_name));
  HOURCELL_ASSIGN_OR_RETURN(const std::optional<Uid> uid, ReadForward(kind, stored));
  if (!uid) return NoSuchName(kind, renaming.name);
  HOURCELL_ASSIGN_OR_RETURN(const std::optional<Uid> taken, ReadForward(kind, new_stored));
  if (taken) {
    return absl::AlreadyExistsError(
        fmt::format("rename {} {}: {} has the UID {}; expected a name without one", KindName(kind),
                    QuoteForMessage(renaming.name), QuoteForMessage(renaming.new_name),
                    UidHex(*taken, options_.layout.width(kind))));
  }
  using What = UidChange::What;
  changes->push_back(
      {.what = What::kDeleteForward, .kind = kind, .uid = *uid, .name = std::string(stored)});
  changes->push_back(
      {.what = What::kSetReverse, .kind = kind, .uid = *uid, .name = std::string(new_stored)});
  changes->push_back(
      {.what = What::kSetForward, .kind = kind, .uid = *uid, .name = std::string(new_stored)});
  return absl::OkStatus();
}

absl::Status UidDirectory::DeleteAll(UidKind kind, std::span<const std::string> names) {
  using What = UidChange::What;
  MutexLock lock(&assign_mutex_);
  std::vector<UidChange> changes;
  for (const std::string& name : names) {
    std::string buffer;
    HOURCELL_ASSIGN_OR_RETURN(const std::string_view stored, StoredName(name, &buffer));
    HOURCELL_ASSIGN_OR_RETURN(const std::optional<Uid> uid, ReadForward(kind, stored));
    if (!uid) return NoSuchName(kind, name);
    HOURCELL_ASSIGN_OR_RETURN(const std::optional<std::string> reverse,
                              store_->GetReverse(kind, *uid));
    changes.push_back(
        {.what = What::kDeleteForward, .kind = kind, .uid = *uid, .name = std::string(stored)});
    // In a damaged store the number may belong to another name, which must keep it.
    if (reverse != stored) continue;
    changes.push_back(
        {.what = What::kDeleteReverse, .kind = kind, .uid = *uid, .name = std::string(stored)});
  }
  const absl::Status committed = store_->Commit(changes);
  ++turns_;
  for (const UidChange& change : changes)
    per_kind(kind).cache.Erase(change.name, change.uid);
  return committed;
}

void UidDirectory::DropCaches() {
  for (PerKind& kind : kinds_)
    kind.cache.Clear();
}

UidStats UidDirectory::stats(UidKind kind) {
  PerKind& from = per_kind(kind);
  UidStats stats{.cache_hits = from.cache.hits(),
                 .cache_misses = from.cache.misses(),
                 .cache_names = from.cache.size(),
                 .assigned = from.assigned,
                 .refused = from.refused,
                 .random_collisions = from.random_collisions};
  if (!is_random(kind)) {
    stats.ids_used = from.counter;
    stats.ids_available = MaxUid(options_.layout.width(kind)) - stats.ids_used;
  }
  return stats;
}

absl::StatusOr<std::string_view> UidDirectory::StoredName(std::string_view name,
                                                          std::string* buffer) const {
  if (IsAscii(name)) return name;
  absl::StatusOr<std::string> encoded = EncodeName(name, options_.layout.names);
  if (!encoded.ok()) {
    const std::string fault = NameFault(name, options_.layout.names, options_.extra_chars);
    return fault.empty() ? encoded.status() : absl::InvalidArgumentError(fault);
  }
  *buffer = *std::move(encoded);
  return std::string_view(*buffer);
}

absl::StatusOr<std::string> UidDirectory::TextOf(std::string stored_name) const {
  if (IsAscii(stored_name)) return stored_name;
  return DecodeName(stored_name, options_.layout.names);
}

absl::Status UidDirectory::CheckLegal(UidKind kind, std::string_view name) {
  const std::string fault = NameFault(name, options_.layout.names, options_.extra_chars);
  if (fault.empty()) return absl::OkStatus();
  ++per_kind(kind).refused;
  return absl::InvalidArgumentError(fault);
}

absl::StatusOr<std::optional<Uid>> UidDirectory::Lookup(UidKind kind,
                                                        std::string_view stored_name) {
  if (const std::optional<Uid> cached = per_kind(kind).cache.Find(stored_name)) return cached;
  return ReadForward(kind, stored_name);
}

absl::StatusOr<std::optional<Uid>> UidDirectory::ReadForward(UidKind kind,
                                                             std::string_view stored_name) {
  if (!CanBeStored(stored_name)) return std::nullopt;

  UidCache& cache = per_kind(kind).cache;
  const uint64_t erasures = cache.erasures();
  HOURCELL_ASSIGN_OR_RETURN(const std::optional<Uid> uid, store_->GetForward(kind, stored_name));
  if (uid) cache.FillUid(stored_name, *uid, erasures);
  return uid;
}

// --- UidAssignment ---

UidAssignment::UidAssignment(UidDirectory* directory)
    : directory_(directory), lock_(&directory->assign_mutex_) {
  for (const UidKind kind : kUidKinds) {
    counters_[IndexOf(kind)] = directory->per_kind(kind).counter;
  }
}

// Counts even without changes: a caller that looked for a name before this must look again.
UidAssignment::~UidAssignment() {
  if (directory_->store_->failed_commits_may_be_there()) KeepUnsure();
  ++directory_->turns_;
}

// If another name got such a UID, a later process could find two names for it, and answer a query
// of one with the points of the other.
void UidAssignment::KeepUnsure() {
  for (const Reservation& one : reservations_) {
    UidDirectory::PerKind& kind = directory_->per_kind(one.kind);
    if (!directory_->is_random(one.kind)) {
      kind.counter = counters_[IndexOf(one.kind)];
      kind.counter_is_unsure = true;
    }
    if (kind.unsure.size() >= kUnsureMax) kind.unsure.clear();  // their UIDs are wasted
    kind.unsure.insert_or_assign(one.name, one.uid);
  }
}

absl::Status UidAssignment::Use(NameBatch* names) {
  names_ = names;
  return names->Renew();
}

absl::StatusOr<Uid> UidAssignment::GetOrAssign(UidKind kind, std::string_view name, bool force) {
  std::string buffer;
  const absl::StatusOr<std::string_view> stored = directory_->StoredName(name, &buffer);
  if (!stored.ok()) {
    ++directory_->per_kind(kind).refused;
    return stored.status();
  }
  StringMap<Uid>& reserved = reserved_[IndexOf(kind)];
  if (const auto it = reserved.find(*stored); it != reserved.end()) return it->second;
  if (names_ == nullptr || !names_->IsAbsent(kind, name)) {
    HOURCELL_ASSIGN_OR_RETURN(const std::optional<Uid> known, directory_->Lookup(kind, *stored));
    if (known) return *known;
  }

  HOURCELL_RETURN_IF_ERROR(directory_->CheckLegal(kind, name));
  if (!force && !directory_->options().auto_create(kind)) {
    ++directory_->per_kind(kind).refused;
    return NoSuchName(kind, name);
  }
  const StringMap<Uid>& unsure = directory_->per_kind(kind).unsure;
  const auto given = unsure.find(*stored);
  Uid uid = kNoUid;
  if (given != unsure.end()) {
    uid = given->second;
  } else {
    HOURCELL_ASSIGN_OR_RETURN(uid, NextUid(kind));
  }
  Reserve(kind, *stored, uid);
  return uid;
}

void UidAssignment::RaiseCounter(UidKind kind, Uid highest) {
  if (directory_->is_random(kind)) return;
  const Uid uid = std::min(highest, MaxUid(directory_->options().layout.width(kind)));
  Uid& counter = counters_[IndexOf(kind)];
  counter = std::max(counter, uid);
}

void UidAssignment::Reserve(UidKind kind, std::string_view stored_name, Uid uid) {
  HOURCELL_DCHECK(uid != kNoUid);
  HOURCELL_DCHECK(!reserved_[IndexOf(kind)].contains(stored_name));
  Uid& counter = counters_[IndexOf(kind)];
  reservations_.push_back(
      {.kind = kind, .uid = uid, .counter_before = counter, .name = std::string(stored_name)});
  reserved_[IndexOf(kind)].emplace(stored_name, uid);
  if (directory_->is_random(kind)) {
    reserved_random_.insert(uid);
  } else {
    counter = std::max(counter, uid);
  }
}

std::vector<UidChange> UidAssignment::changes() const {
  using What = UidChange::What;
  std::vector<UidChange> changes;
  changes.reserve(2 * reservations_.size() + std::size(kUidKinds));
  for (const UidKind kind : kUidKinds) {
    const Uid counter = counters_[IndexOf(kind)];
    const UidDirectory::PerKind& known = directory_->per_kind(kind);
    const bool is_unsure = known.counter_is_unsure && !reservations_.empty();
    if (counter == known.counter && !is_unsure) continue;
    changes.push_back({.what = What::kSetCounter, .kind = kind, .uid = counter, .name = {}});
  }
  for (const What what : {What::kSetReverse, What::kSetForward}) {
    for (const Reservation& one : reservations_)
      changes.push_back({.what = what, .kind = one.kind, .uid = one.uid, .name = one.name});
  }
  return changes;
}

absl::Status UidAssignment::Restore(UidKind kind, std::string_view name, Uid uid) {
  const size_t width = directory_->options().layout.width(kind);
  if (uid == kNoUid || uid > MaxUid(width)) {
    return absl::DataLossError(fmt::format("{} '{}': expected 1 to {}, got UID {}", KindName(kind),
                                           TextForMessage(name), MaxUid(width), uid));
  }
  std::string buffer;
  HOURCELL_ASSIGN_OR_RETURN(const std::string_view stored, directory_->StoredName(name, &buffer));
  const StringMap<Uid>& reserved = reserved_[IndexOf(kind)];
  const auto it = reserved.find(stored);
  std::optional<Uid> known;
  if (it != reserved.end()) {
    known = it->second;
  } else {
    HOURCELL_ASSIGN_OR_RETURN(known, directory_->Lookup(kind, stored));
  }
  if (known == uid) return absl::OkStatus();
  if (known.has_value()) {
    return absl::DataLossError(fmt::format("{} '{}': has UID {}; expected {}", KindName(kind),
                                           TextForMessage(name), *known, uid));
  }
  HOURCELL_ASSIGN_OR_RETURN(const std::optional<std::string> other,
                            directory_->store_->GetReverse(kind, uid));
  if (other.has_value() && *other != stored) {
    return absl::DataLossError(fmt::format("{} UID {}: has the name '{}'; expected '{}'",
                                           KindName(kind), uid, TextForMessage(*other),
                                           TextForMessage(name)));
  }
  Reserve(kind, stored, uid);
  return absl::OkStatus();
}

void UidAssignment::Publish() {
  for (const UidKind kind : kUidKinds) {
    HOURCELL_DCHECK(directory_->per_kind(kind).counter <= counters_[IndexOf(kind)]);
    directory_->per_kind(kind).counter = counters_[IndexOf(kind)];
    if (!reservations_.empty()) directory_->per_kind(kind).counter_is_unsure = false;
  }
  for (const Reservation& one : reservations_) {
    UidDirectory::PerKind& kind = directory_->per_kind(one.kind);
    kind.cache.Insert(one.name, one.uid);
    kind.unsure.erase(one.name);
    ++kind.assigned;
  }
  names_ = nullptr;  // the names are in the store now
  reservations_.clear();
  for (StringMap<Uid>& reserved : reserved_)
    reserved.clear();
  reserved_random_.clear();
}

void UidAssignment::RollBackTo(size_t mark) {
  HOURCELL_CHECK(mark <= reservations_.size());
  while (reservations_.size() > mark) {
    const Reservation& last = reservations_.back();
    StringMap<Uid>& reserved = reserved_[IndexOf(last.kind)];
    reserved.erase(reserved.find(last.name));
    if (directory_->is_random(last.kind)) reserved_random_.erase(last.uid);
    counters_[IndexOf(last.kind)] = last.counter_before;
    reservations_.pop_back();
  }
}

absl::StatusOr<Uid> UidAssignment::NextUid(UidKind kind) {
  if (directory_->is_random(kind)) return NextRandomUid(kind);
  // A failed search would fail again from the same number, after up to a thousand reads.
  FailedSearch& failed = failed_[IndexOf(kind)];
  const Uid counter = counters_[IndexOf(kind)];
  if (!failed.status.ok() && failed.counter == counter) return failed.status;
  absl::StatusOr<Uid> uid = NextSequentialUid(kind);
  if (!uid.ok()) failed = {.counter = counter, .status = uid.status()};
  return uid;
}

absl::StatusOr<Uid> UidAssignment::NextSequentialUid(UidKind kind) {
  const size_t width = directory_->options().layout.width(kind);
  const Uid counter = counters_[IndexOf(kind)];
  FreeNumbers& free = free_[IndexOf(kind)];
  Uid uid = counter + 1;
  for (int tries = 0; tries < kSequentialTriesMax; ++tries, ++uid) {
    if (uid > MaxUid(width)) return AllAssigned(kind, width);
    if (uid < free.begin || uid >= free.end) {
      HOURCELL_ASSIGN_OR_RETURN(const std::optional<Uid> taken,
                                directory_->store_->NextReverse(kind, uid));
      free = {.begin = uid, .end = taken.value_or(MaxUid(width) + 1)};
    }
    if (uid < free.end) return uid;
    HOURCELL_ASSIGN_OR_RETURN(const Uid stored, StoredCounter(kind));
    uid = std::max(uid, stored);
  }
  return absl::DataLossError(
      fmt::format("{} counter: below the UIDs in the store; got {}, and the {} after it are taken; "
                  "repair it with uid fsck fix",
                  KindName(kind), counter, kSequentialTriesMax));
}

// If a failed commit is in the storage nevertheless, the storage's counter is above this object's,
// and the numbers between them are taken. Read once: there are no other commits meanwhile.
absl::StatusOr<Uid> UidAssignment::StoredCounter(UidKind kind) {
  std::optional<Uid>& stored = stored_counters_[IndexOf(kind)];
  if (!stored.has_value()) {
    HOURCELL_ASSIGN_OR_RETURN(stored, directory_->store_->GetCounter(kind));
  }
  return *stored;
}

absl::StatusOr<Uid> UidAssignment::NextRandomUid(UidKind kind) {
  const Uid max = MaxUid(directory_->options().layout.width(kind));
  for (int i = 0; i < kRandomTriesMax; ++i) {
    const Uid uid = 1 + directory_->random_.Below(max);
    bool taken = reserved_random_.contains(uid);
    if (!taken) {
      HOURCELL_ASSIGN_OR_RETURN(const std::optional<std::string> name,
                                directory_->store_->GetReverse(kind, uid));
      taken = name.has_value();
    }
    if (!taken) return uid;
    ++directory_->per_kind(kind).random_collisions;
  }
  return absl::FailedPreconditionError(
      fmt::format("{}: {} random UIDs in a row are taken; expected wider UIDs", KindName(kind),
                  kRandomTriesMax));
}

}  // namespace hourcell
