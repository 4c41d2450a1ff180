#include "engine/names/table_uid_store.h"

#include <utility>

#include <fmt/format.h>

#include "codec/base/bytes.h"
#include "codec/base/check.h"
#include "codec/base/status_macros.h"
#include "engine/rows/key_range.h"
#include "engine/rows/uid_key.h"

namespace hourcell {

UidOptions UidOptionsOf(const Options& options, const Layout& layout) {
  return {.layout = layout,
          .extra_chars = options.extra_name_chars,
          .auto_create_metrics = options.auto_create_metrics,
          .auto_create_tagks = options.auto_create_tagks,
          .auto_create_tagvs = options.auto_create_tagvs,
          .random_metrics = options.random_metric_uids,
          .cache_names_max = options.uid_cache_names_max};
}
namespace {

// The UID in a stored row. kDataLoss: it is damaged; the message names the kind.
absl::StatusOr<Uid> DecodeUid(const Layout& layout, UidKind kind, std::string_view bytes) {
  const absl::StatusOr<Uid> uid = UidFromBytes(bytes, layout.width(kind));
  if (uid.ok() && *uid != kNoUid) return uid;
  return absl::DataLossError(
      fmt::format("uid table, {}: {}", KindName(kind),
                  uid.ok() ? "expected 1 or above, got UID 0" : uid.status().ToString()));
}

}  // namespace

TableView* TableUidStore::ViewOf(std::unique_ptr<TableView>* present) const {
  if (view_ != nullptr) return view_;
  *present = tables_->Snapshot();
  return present->get();
}

absl::StatusOr<std::optional<Uid>> TableUidStore::GetForward(UidKind kind, std::string_view name) {
  std::unique_ptr<TableView> present;
  HOURCELL_ASSIGN_OR_RETURN(const std::optional<std::string> value,
                            ViewOf(&present)->Get(TableId::kUid, UidForwardKey(kind, name)));
  if (!value.has_value()) return std::optional<Uid>();
  HOURCELL_ASSIGN_OR_RETURN(const Uid uid, DecodeUid(layout_, kind, *value));
  return std::optional<Uid>(uid);
}

absl::Status TableUidStore::GetForwards(UidKind kind,
                                        std::span<const std::string_view> names,
                                        std::vector<std::optional<Uid>>* uids) {
  std::unique_ptr<TableView> present;
  std::vector<std::string> keys;
  keys.reserve(names.size());
  for (const std::string_view name : names)
    keys.push_back(UidForwardKey(kind, name));
  std::vector<std::optional<std::string>> values;
  HOURCELL_RETURN_IF_ERROR(ViewOf(&present)->GetMany(TableId::kUid, keys, &values));
  uids->assign(names.size(), std::nullopt);
  for (size_t i = 0; i < values.size(); ++i) {
    if (!values[i].has_value()) continue;
    HOURCELL_ASSIGN_OR_RETURN((*uids)[i], DecodeUid(layout_, kind, *values[i]));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::optional<Uid>> TableUidStore::NextReverse(UidKind kind, Uid from) {
  ScanRange range = PrefixRange(UidReversePrefix(kind));
  range.begin = UidReverseKey(layout_, kind, from);
  std::unique_ptr<TableView> present;
  const std::unique_ptr<RowCursor> cursor = ViewOf(&present)->NewCursor(TableId::kUid, range);
  cursor->Seek(range.begin);
  HOURCELL_RETURN_IF_ERROR(cursor->status());
  if (!cursor->valid()) return std::optional<Uid>();
  const std::string_view uid = cursor->key().substr(UidReversePrefix(kind).size());
  HOURCELL_ASSIGN_OR_RETURN(const Uid taken, DecodeUid(layout_, kind, uid));
  return std::optional<Uid>(taken);
}

absl::StatusOr<std::optional<std::string>> TableUidStore::GetReverse(UidKind kind, Uid uid) {
  std::unique_ptr<TableView> present;
  return ViewOf(&present)->Get(TableId::kUid, UidReverseKey(layout_, kind, uid));
}

absl::StatusOr<Uid> TableUidStore::GetCounter(UidKind kind) {
  std::unique_ptr<TableView> present;
  HOURCELL_ASSIGN_OR_RETURN(const std::optional<std::string> value,
                            ViewOf(&present)->Get(TableId::kUid, UidCounterKey(kind)));
  if (!value.has_value()) return Uid{0};
  if (value->size() != 8) {
    return absl::DataLossError(fmt::format("uid table, {} counter: expected 8 bytes, got {}",
                                           KindName(kind), value->size()));
  }
  return LoadBigEndian(value->data(), 8);
}

absl::Status TableUidStore::ScanForward(UidKind kind,
                                        std::string_view prefix,
                                        const std::function<bool(const UidMapping&)>& visit) {
  const size_t name_at = UidForwardPrefix(kind).size();
  absl::Status damage;
  std::unique_ptr<TableView> present;
  const absl::Status scanned = ViewOf(&present)->Scan(
      TableId::kUid, PrefixRange(UidForwardKey(kind, prefix)),
      [&](std::string_view key, std::string_view value) {
        const absl::StatusOr<Uid> uid = DecodeUid(layout_, kind, value);
        if (!uid.ok()) {
          damage = uid.status();
          return false;
        }
        return visit({.name = std::string(key.substr(name_at)), .uid = *uid});
      });
  return damage.ok() ? scanned : damage;
}

absl::Status TableUidStore::ScanReverse(UidKind kind,
                                        const std::function<bool(const UidMapping&)>& visit) {
  const size_t uid_at = UidReversePrefix(kind).size();
  absl::Status damage;
  std::unique_ptr<TableView> present;
  const absl::Status scanned = ViewOf(&present)->Scan(
      TableId::kUid, PrefixRange(UidReversePrefix(kind)),
      [&](std::string_view key, std::string_view value) {
        const absl::StatusOr<Uid> uid = DecodeUid(layout_, kind, key.substr(uid_at));
        if (!uid.ok()) {
          damage = uid.status();
          return false;
        }
        return visit({.name = std::string(value), .uid = *uid});
      });
  return damage.ok() ? scanned : damage;
}

absl::Status TableUidStore::Commit(std::span<const UidChange> changes) {
  std::vector<Mutation> group;
  AppendMutations(changes, &group);
  return tables_->Apply(group, commits_.are_synced);
}

void TableUidStore::AppendMutations(std::span<const UidChange> changes,
                                    std::vector<Mutation>* group) const {
  for (const UidChange& change : changes) {
    Mutation mutation{.table = TableId::kUid, .kind = Mutation::Kind::kSet, .key = {}, .value = {}};
    switch (change.what) {
      case UidChange::What::kSetCounter:
        mutation.key = UidCounterKey(change.kind);
        AppendBigEndian(change.uid, 8, &mutation.value);
        break;
      case UidChange::What::kSetReverse:
        mutation.key = UidReverseKey(layout_, change.kind, change.uid);
        mutation.value = change.name;
        break;
      case UidChange::What::kSetForward:
        mutation.key = UidForwardKey(change.kind, change.name);
        AppendBigEndian(change.uid, layout_.width(change.kind), &mutation.value);
        break;
      case UidChange::What::kDeleteForward:
        mutation.kind = Mutation::Kind::kDelete;
        mutation.key = UidForwardKey(change.kind, change.name);
        break;
      case UidChange::What::kDeleteReverse:
        mutation.kind = Mutation::Kind::kDelete;
        mutation.key = UidReverseKey(layout_, change.kind, change.uid);
        break;
    }
    group->push_back(std::move(mutation));
  }
}

}  // namespace hourcell
