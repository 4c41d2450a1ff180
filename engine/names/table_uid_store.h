// TableUidStore: the UidStore for uid/, over Tables (uid_key.h documents the rows).
// Thread-safe.

#pragma once

#include <memory>
#include <vector>

#include "codec/rows/layout.h"
#include "engine/options.h"
#include "engine/table/tables.h"
#include "uid/uid_options.h"
#include "uid/uid_store.h"

namespace hourcell {

// The part of a store's options about names.
UidOptions UidOptionsOf(const Options& options, const Layout& layout);

class TableUidStore : public UidStore {
 public:
  // The guarantees of Commit.
  struct Commits {
    bool are_synced = false;  // changes are on disk when it returns
    bool are_atomic = true;   // a failed one leaves no changes
  };

  // `tables` is borrowed and outlives the object.
  TableUidStore(const Layout& layout, Tables* tables) : TableUidStore(layout, tables, Commits()) {}
  TableUidStore(const Layout& layout, Tables* tables, const Commits& commits)
      : layout_(layout), tables_(tables), commits_(commits) {}
  // Reads from `view`, which outlives the object.
  TableUidStore(const Layout& layout, Tables* tables, TableView* view)
      : layout_(layout), tables_(tables), view_(view) {}

  absl::StatusOr<std::optional<Uid>> GetForward(UidKind kind, std::string_view name) override;
  absl::Status GetForwards(UidKind kind,
                           std::span<const std::string_view> names,
                           std::vector<std::optional<Uid>>* uids) override;
  absl::StatusOr<std::optional<std::string>> GetReverse(UidKind kind, Uid uid) override;
  absl::StatusOr<std::optional<Uid>> NextReverse(UidKind kind, Uid from) override;
  absl::StatusOr<Uid> GetCounter(UidKind kind) override;
  absl::Status ScanForward(UidKind kind,
                           std::string_view prefix,
                           const std::function<bool(const UidMapping&)>& visit) override;
  absl::Status ScanReverse(UidKind kind,
                           const std::function<bool(const UidMapping&)>& visit) override;
  absl::Status Commit(std::span<const UidChange> changes) override;
  bool failed_commits_may_be_there() const override { return !commits_.are_atomic; }

  // Appends the changes as mutations, in the same order, for a caller that commits others with
  // them.
  void AppendMutations(std::span<const UidChange> changes, std::vector<Mutation>* group) const;

 private:
  // The view to read from: `view_`, or a new snapshot, which `*present` owns.
  TableView* ViewOf(std::unique_ptr<TableView>* present) const;

  const Layout layout_;
  Tables* const tables_;
  TableView* const view_ = nullptr;  // null: each read takes a new snapshot
  const Commits commits_;
};

}  // namespace hourcell
