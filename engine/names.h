// Names: the metrics, tag keys and tag values of a store, and their UIDs. Of `Tsdb::names`, and
// lives as long as its Tsdb.
//
//   const absl::StatusOr<hourcell::UidRow> row =
//       tsdb->names().FindUid(hourcell::UidKind::kMetric, "cpu.user");
//
// Names are UTF-8. Thread-safe. Errors of UIDs as UidDirectory's. kFailedPrecondition: the store is
// closed, or a function that writes is called in a process that only reads the store. kUnavailable:
// another process writes the store now.

#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "codec/rows/uid.h"
#include "engine/query.h"
#include "engine/query/metric_expression.h"

namespace hourcell {

class StoreGates;

// A mapping as the uid tool prints it.
struct UidRow {
  UidKind kind = UidKind::kMetric;
  std::string name;
  std::string uid_bytes;  // as wide as the layout says
};

struct UidFsckResult {
  std::vector<std::string> lines;  // findings, in order
  uint64_t mappings = 0;
  uint64_t errors = 0;
  uint64_t warnings = 0;
};

// A rename that can be undone (Names::Renames).
struct UidRename {
  uint64_t id = 0;  // no delete and no change of a TTL has it
  int64_t renamed_ms = 0;
  int64_t undo_until_ms = 0;
  UidRow row = {};  // with the new name
  std::string old_name = {};
};

// The bytes of a text of a UID, a series or a tree, and the trees of a store.
inline constexpr size_t kDocumentBytesMax = size_t{64} << 10;
inline constexpr size_t kTreesMax = 1'000;

// A UID or a series to which users attach a text.
struct DocumentKey {
  std::optional<UidKind> kind = {};  // of the UID; nullopt: a series
  std::string id = {};               // the bytes of the UID, or of the tsuid
  friend auto operator<=>(const DocumentKey&, const DocumentKey&) = default;
};

// Gets the present text, and returns the next one; nullopt: none. Its error ends the change.
using DocumentChange = std::function<absl::StatusOr<std::optional<std::string>>(
    const std::optional<std::string>& before)>;

// The description of a metric by a client: UTF-8 that the engine does not read, at most
// kDocumentBytesMax bytes. The metric need not exist: a histogram has other names for its series.
struct MetadataRow {
  std::string metric;
  std::string text;
};

// A virtual metric: its series are calculated (docs/decisions/0041-virtual-metrics.md).
struct VirtualMetric {
  std::string name;  // the UID in hex, if its name was deleted
  MetricExpression expression;
};

class Names final {
 public:
  explicit Names(StoreGates* gates) : gates_(gates) {}  // for Tsdb; borrowed

  // Up to `max` names of the kind that begin with `prefix`, in byte order.
  absl::StatusOr<std::vector<std::string>> Suggest(UidKind kind,
                                                   std::string_view prefix,
                                                   size_t max);

  // Visits the names of the query until `visit` returns false. `control` may be null. kCancelled:
  // by it; kDeadlineExceeded: the timeout.
  absl::Status VisitNames(const NameQuery& query,
                          const std::function<bool(std::string_view name)>& visit,
                          QueryControl* control = nullptr);

  // Metrics that have series, by a part of their name, with their number of series. `control` may
  // be null. Errors as VisitNames; also kDataLoss: a row of a metric's series does not decode.
  absl::StatusOr<MetricRanking> RankMetrics(const MetricSearch& search,
                                            QueryControl* control = nullptr);

  // Returns the UID of the name, and assigns one to a new name.
  absl::StatusOr<UidRow> AssignUid(UidKind kind, std::string_view name);

  // Gives names the UIDs that they have elsewhere, those of each kind in one commit. UIDs that are
  // assigned later are above them. Also kInvalidArgument: UIDs of another width.
  absl::Status AssignGivenUids(std::span<const UidRow> rows);

  // kNotFound: no such name; no name has the UID.
  absl::StatusOr<UidRow> FindUid(UidKind kind, std::string_view name);
  absl::StatusOr<UidRow> FindName(UidKind kind, Uid uid);

  // Visits the names of the kind that match a regular expression, until `visit` returns false.
  absl::Status GrepUids(UidKind kind,
                        std::string_view expression,
                        bool ignore_case,
                        const std::function<bool(UidRow row)>& visit);

  // Gives a UID another name. Points keep the UID. The levels of a metric's rollups are renamed
  // with it, in one commit. With Options::undo_s, UndoRename can undo it for that time.
  absl::Status RenameUid(UidKind kind, std::string_view name, std::string_view new_name);

  // The renames that can be undone, by id.
  absl::StatusOr<std::vector<UidRename>> Renames();

  // Renames the UID back. kNotFound: no such rename, or its time is over. kFailedPrecondition: the
  // UID does not have the new name any more, or another UID has the old one.
  absl::Status UndoRename(uint64_t id);

  // Removes the record of a rename, which cannot be undone any more. kNotFound: no such rename.
  absl::Status ForgetRename(uint64_t id);

  // Removes the mapping of a name. Points keep the UID, which has no name then. Those of the levels
  // of a metric's rollups are removed with it, in one commit. kInvalidArgument: the metric is
  // virtual, or the expression of a virtual metric has the metric or tag key.
  absl::Status DeleteUid(UidKind kind, std::string_view name);

  // Makes `name` a virtual metric, or replaces its expression. Expressions follow renames.
  // kInvalidArgument: an illegal name, a metric with series or rollups, an expression that is not
  // one (CheckMetricExpression, Formula), a cycle; kNotFound: a metric or a tag key of the
  // expression is unknown.
  absl::Status DefineMetric(std::string_view name, const MetricExpression& expression);

  // Removes the expression; the name keeps its UID. kNotFound: the metric is not virtual.
  // kFailedPrecondition: another virtual metric is calculated from it.
  absl::Status DropMetric(std::string_view name);

  // Ascending by name. A deleted name in an expression is its UID in hex.
  absl::StatusOr<std::vector<VirtualMetric>> ListVirtualMetrics();

  // The text that users attached to a UID or a series, which need not exist: UTF-8 that the engine
  // does not read. A renamed name keeps its text. kInvalidArgument: an id of another width.
  absl::StatusOr<std::optional<std::string>> FindDocument(const DocumentKey& key);

  // Changes a text; one change at a time, so `change` must be quick. Also kInvalidArgument: the
  // next text is not UTF-8, or longer than kDocumentBytesMax; the errors of `change`.
  absl::Status ChangeDocument(const DocumentKey& key, const DocumentChange& change);

  // Visits all texts, by kind and id, until `visit` returns false.
  absl::Status VisitDocuments(
      const std::function<bool(const DocumentKey& key, std::string_view text)>& visit);

  // The definition of the tree with that number: UTF-8 that the engine does not read. Its branches
  // are computed from the names of series (docs/decisions/0042-trees-are-computed.md).
  // kInvalidArgument: number 0.
  absl::StatusOr<std::optional<std::string>> FindTree(uint16_t id);

  // Creates, changes or removes a tree. Also the errors of ChangeDocument; kResourceExhausted: the
  // store has kTreesMax trees.
  absl::Status ChangeTree(uint16_t id, const DocumentChange& change);

  // Visits all trees by number until `visit` returns false.
  absl::Status VisitTrees(const std::function<bool(uint16_t id, std::string_view text)>& visit);

  // Writes metadata of metrics, over earlier ones. kInvalidArgument: a text is not UTF-8 or too
  // long; nothing is written.
  absl::Status WriteMetadata(std::span<const MetadataRow> rows);

  // Visits all metadata by metric until `visit` returns false.
  absl::Status VisitMetadata(
      const std::function<bool(std::string_view metric, std::string_view text)>& visit);

  // Checks all mappings in both directions, and with `repair` repairs them (uid/uid_check.h).
  absl::StatusOr<UidFsckResult> CheckUids(bool repair);

 private:
  StoreGates* const gates_;
};

}  // namespace hourcell
