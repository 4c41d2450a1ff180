// TableUidStore: the UidStore that uid/ works on, over a TableStore (uid_key.h has the rows).
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

// What the options of a store say of its names.
UidOptions UidOptionsOf(const Options& options, const Layout& layout);

class TableUidStore : public UidStore {
 public:
  // How Commit writes.
  struct Commits {
    bool are_synced = false;  // they are on disk when it returns
    bool are_atomic = true;   // one that fails leaves nothing
  };

  // `tables` is borrowed and outlives the object.
  TableUidStore(const Layout& layout, Tables* tables) : TableUidStore(layout, tables, Commits()) {}
  TableUidStore(const Layout& layout, Tables* tables, const Commits& commits)
      : layout_(layout), tables_(tables), commits_(commits) {}
  // One whose reads are of the moment of `view`, which outlives it.
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

  // The changes as mutations, in the same order, for a caller that commits more with them.
  void AppendMutations(std::span<const UidChange> changes, std::vector<Mutation>* group) const;

 private:
  // What is read: `view_`, or the present, which is kept in `*present`.
  TableView* ViewOf(std::unique_ptr<TableView>* present) const;

  const Layout layout_;
  Tables* const tables_;
  TableView* const view_ = nullptr;  // null: reads are of the present
  const Commits commits_;
};

}  // namespace hourcell
