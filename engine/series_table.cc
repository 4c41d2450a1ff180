#include "engine/series_table.h"

#include <algorithm>
#include <iterator>

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include "codec/base/bytes.h"
#include "codec/base/kill_point.h"
#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "codec/tsuid.h"
#include "engine/key_range.h"

namespace hourcell {
namespace {

// What was wrong with a name of a point, as OpenTSDB says it on the wire.
PointError NameError(const absl::Status& status, std::string_view where) {
  const std::string text(status.message());
  switch (status.code()) {
    case absl::StatusCode::kNotFound:
      return {PointErrorKind::kUnknownName, text};
    case absl::StatusCode::kInvalidArgument:
      return {PointErrorKind::kIllegalArgument, fmt::format("{}: {}", where, text)};
    case absl::StatusCode::kUnavailable:
      return {PointErrorKind::kThrottled, text};
    default:
      return {PointErrorKind::kStorage, text};
  }
}

std::string MetricPlace(std::string_view metric) {
  return fmt::format("Invalid metric name (\"{}\")", metric);
}
std::string TagkPlace(const TagView& tag) {
  return fmt::format("Invalid tag name with value [{}] (\"{}\")", tag.value, tag.key);
}
std::string TagvPlace(const TagView& tag) {
  return fmt::format("Invalid tag value with key [{}] (\"{}\")", tag.key, tag.value);
}

// The UIDs of a point's names by `get(kind, name) -> StatusOr<Uid>`, and its tsuid; an empty tsuid
// if a name has none (UID 0).
template <typename Get>
Parsed<SeriesRef> MakeRef(const Layout& layout, const PointView& point, const Get& get) {
  const absl::StatusOr<Uid> metric = get(UidKind::kMetric, point.metric);
  if (!metric.ok()) return NameError(metric.status(), MetricPlace(point.metric));
  bool complete = *metric != kNoUid;
  std::vector<TagUids> tags;
  tags.reserve(point.tags.size());
  for (const TagView& tag : point.tags) {
    const absl::StatusOr<Uid> tagk = get(UidKind::kTagk, tag.key);
    if (!tagk.ok()) return NameError(tagk.status(), TagkPlace(tag));
    const absl::StatusOr<Uid> tagv = get(UidKind::kTagv, tag.value);
    if (!tagv.ok()) return NameError(tagv.status(), TagvPlace(tag));
    complete = complete && *tagk != kNoUid && *tagv != kNoUid;
    tags.push_back({.tagk = *tagk, .tagv = *tagv});
  }
  SeriesRef ref;
  ref.metric = *metric;
  if (complete) ref.tsuid = EncodeTsuid(layout, *metric, tags);
  ref.tags = std::move(tags);
  return ref;
}

Mutation SetSeries(std::string key, std::string value) {
  return {TableId::kSeries, Mutation::Kind::kSet, std::move(key), std::move(value)};
}

}  // namespace

absl::StatusOr<std::unique_ptr<SeriesTable>> SeriesTable::Open(const Layout& layout,
                                                               const Parts& parts,
                                                               bool sync) {
  HOURCELL_ASSIGN_OR_RETURN(const std::optional<std::string> counter,
                            parts.tables->Snapshot()->Get(TableId::kSeries, SeriesCounterKey()));
  SeriesNumber last = 0;
  if (counter.has_value()) {
    HOURCELL_ASSIGN_OR_RETURN(last, DecodeU64(*counter));
  }
  return std::make_unique<SeriesTable>(layout, parts, sync, last);
}

SeriesTable::SeriesTable(const Layout& layout,
                         const Parts& parts,
                         bool sync,
                         SeriesNumber last_number)
    : layout_(layout),
      parts_(parts),
      sync_(sync),
      last_number_(last_number),
      synced_number_(last_number) {}

absl::StatusOr<std::optional<SeriesNumber>> SeriesTable::NumberOf(TableView* view,
                                                                  std::string_view tsuid) const {
  HOURCELL_ASSIGN_OR_RETURN(const std::optional<std::string> value,
                            view->Get(TableId::kSeries, SeriesTsuidKey(tsuid)));
  if (!value.has_value()) return std::optional<SeriesNumber>();
  HOURCELL_ASSIGN_OR_RETURN(const SeriesNumber number, DecodeU64(*value));
  return std::optional<SeriesNumber>(number);
}

void SeriesTable::GetOrCreate(std::span<const PointView* const> points,
                              std::vector<Parsed<SeriesRef>>* results) {
  results->assign(points.size(), SeriesRef());
  const SeriesNumber last_seen = last_number();  // before the lookups
  const std::unique_ptr<TableView> view = parts_.tables->Snapshot();
  std::vector<Missing> missing;
  // A batch of new series has the same names over and over; most of all those that are not known.
  absl::flat_hash_map<std::string_view, Uid> seen[std::size(kUidKinds)];
  const auto known_names = [&](UidKind kind, std::string_view name) -> absl::StatusOr<Uid> {
    auto& of_kind = seen[static_cast<size_t>(kind)];
    if (const auto found = of_kind.find(name); found != of_kind.end()) return found->second;
    HOURCELL_ASSIGN_OR_RETURN(const std::optional<Uid> uid, parts_.uids->Find(kind, name));
    of_kind.emplace(name, uid.value_or(kNoUid));
    return uid.value_or(kNoUid);
  };
  for (size_t i = 0; i < points.size(); ++i) {
    Parsed<SeriesRef>& result = (*results)[i];
    const Parsed<SeriesRef> ref = MakeRef(layout_, *points[i], known_names);
    if (!ref.ok()) {
      result = ref.error();
      continue;
    }
    if (!ref->tsuid.empty()) {
      const absl::StatusOr<std::optional<SeriesNumber>> number = NumberOf(view.get(), ref->tsuid);
      if (!number.ok()) {
        result = NameError(number.status(), "series");
        continue;
      }
      if (number->has_value()) {
        SeriesRef known = *ref;
        known.number = **number;
        result = std::move(known);
        continue;
      }
    }
    missing.push_back({.point = points[i], .result = &result});
  }
  if (!missing.empty()) Create(missing, last_seen);
}

// New series of one group, from the first name to the commit. Holds the assignment lock.
class SeriesTable::Creation {
 public:
  // `last_seen`: the last number before the series to be added were looked for and not found.
  Creation(SeriesTable* table, SeriesNumber last_seen)
      : table_(*table),
        assignment_(table->parts_.uids),
        last_number_(table->last_number()),
        may_exist_(last_number_ != last_seen) {}

  void Add(const Missing& one) {
    const size_t mark = assignment_.Mark();
    const Parsed<SeriesRef> ref = MakeRef(
        table_.layout_, *one.point,
        [&](UidKind kind, std::string_view name) { return assignment_.GetOrAssign(kind, name); });
    if (!ref.ok()) {
      assignment_.RollBackTo(mark);
      *one.result = ref.error();
      return;
    }
    const absl::StatusOr<SeriesNumber> number = NumberOf(ref->tsuid);
    if (!number.ok()) {
      *one.result = NameError(number.status(), "series");
      return;
    }
    SeriesRef made = *ref;
    made.number = *number;
    *one.result = std::move(made);
    waiting_.push_back(one.result);
  }

  absl::Status Restore(const SeriesDefinition& definition) {
    HOURCELL_RETURN_IF_ERROR(
        assignment_.Restore(UidKind::kMetric, definition.metric, definition.metric_uid));
    for (size_t i = 0; i < definition.tags.size(); ++i) {
      const TagUids& uids = definition.tag_uids[i];
      const TagView& tag = definition.tags[i];
      HOURCELL_RETURN_IF_ERROR(assignment_.Restore(UidKind::kTagk, tag.key, uids.tagk));
      HOURCELL_RETURN_IF_ERROR(assignment_.Restore(UidKind::kTagv, tag.value, uids.tagv));
    }
    const std::string tsuid =
        EncodeTsuid(table_.layout_, definition.metric_uid, definition.tag_uids);
    HOURCELL_ASSIGN_OR_RETURN(const std::optional<SeriesNumber> number,
                              table_.NumberOf(table_.parts_.tables->Snapshot().get(), tsuid));
    if (number.has_value() && *number != definition.number) {
      return absl::DataLossError(fmt::format("series {}: has number {}; the journal says {}",
                                             ToUpperHex(tsuid), *number, definition.number));
    }
    if (!number.has_value()) AddRows(tsuid, definition.number);
    last_number_ = std::max(last_number_, definition.number);
    return Commit();
  }

  void CommitAdded() {
    if (waiting_.empty()) return;
    const absl::Status committed = Commit();
    if (committed.ok()) return;
    for (Parsed<SeriesRef>* const result : waiting_)
      *result = NameError(committed, "series");
  }

 private:
  // The number of a series: of this group, of the store (another creation may have made it while
  // this one waited for the lock), or a new one.
  absl::StatusOr<SeriesNumber> NumberOf(const std::string& tsuid) {
    if (const auto found = in_group_.find(tsuid); found != in_group_.end()) return found->second;
    std::optional<SeriesNumber> existing;
    if (may_exist_) {
      HOURCELL_ASSIGN_OR_RETURN(existing,
                                table_.NumberOf(table_.parts_.tables->Snapshot().get(), tsuid));
    }
    const SeriesNumber number = existing.has_value() ? *existing : ++last_number_;
    in_group_.emplace(tsuid, number);
    if (!existing.has_value()) AddRows(tsuid, number);
    return number;
  }

  void AddRows(const std::string& tsuid, SeriesNumber number) {
    series_.push_back(SetSeries(SeriesNumberKey(number), tsuid));
    series_.push_back(SetSeries(SeriesTsuidKey(tsuid), EncodeU64(number)));
    const SeriesUids uids = *ParseTsuid(table_.layout_, tsuid);
    AddPosting(MetricPostingPrefix(table_.layout_, uids.metric), number);
    for (const TagUids& tag : uids.tags) {
      AddPosting(TagPostingPrefix(table_.layout_, uids.metric, tag), number);
    }
  }

  // One merge a posting set, however many of the group's series are in it.
  void AddPosting(std::string key, SeriesNumber number) {
    AppendPostingChunk(number, &key);
    AddToPosting(number, &postings_[std::move(key)]);
  }

  absl::Status Commit() {
    const std::vector<Mutation> group = Group();
    if (group.empty()) return absl::OkStatus();
    HOURCELL_KILL_POINT("series:before_commit");
    HOURCELL_RETURN_IF_ERROR(table_.parts_.tables->Apply(group, table_.sync_));
    HOURCELL_KILL_POINT("series:after_commit");
    assignment_.Publish();
    table_.created_.fetch_add(last_number_ - table_.last_number(), std::memory_order_relaxed);
    table_.last_number_.store(last_number_);
    return absl::OkStatus();
  }

  // In the order that is safe to be cut anywhere: counters, names, series, postings.
  std::vector<Mutation> Group() {
    std::vector<Mutation> group;
    if (last_number_ != table_.last_number()) {
      group.push_back(SetSeries(SeriesCounterKey(), EncodeU64(last_number_)));
    }
    table_.parts_.uid_store->AppendMutations(assignment_.changes(), &group);
    // Each in key order: a memtable takes neighbours at a fraction of the price of strangers.
    std::ranges::sort(series_, {}, &Mutation::key);
    std::ranges::move(series_, std::back_inserter(group));
    const auto first_posting = static_cast<ptrdiff_t>(group.size());
    for (auto& [key, set] : postings_) {
      group.push_back({TableId::kSeries, Mutation::Kind::kMerge, key, std::move(set)});
    }
    std::ranges::sort(group.begin() + first_posting, group.end(), {}, &Mutation::key);
    return group;
  }

  SeriesTable& table_;
  UidAssignment assignment_;
  SeriesNumber last_number_;
  const bool may_exist_;  // another creation came in between
  StringMap<SeriesNumber> in_group_;
  std::vector<Mutation> series_;
  StringMap<std::string> postings_;  // key -> set
  std::vector<Parsed<SeriesRef>*> waiting_;
};

void SeriesTable::Create(std::span<const Missing> missing, SeriesNumber last_seen) {
  Creation creation(this, last_seen);
  for (const Missing& one : missing)
    creation.Add(one);
  creation.CommitAdded();
}

absl::Status SeriesTable::Restore(const SeriesDefinition& definition) {
  if (definition.number <= last_number()) return absl::OkStatus();
  return Creation(this, /*last_seen=*/0).Restore(definition);
}

absl::StatusOr<std::vector<SeriesNumber>> SeriesTable::Postings(TableView* view,
                                                                const std::string& prefix) const {
  std::vector<SeriesNumber> numbers;
  absl::Status damage;
  const absl::Status scanned = view->Scan(
      TableId::kSeries, PrefixRange(prefix), {}, [&](std::string_view key, std::string_view set) {
        const absl::StatusOr<uint64_t> chunk = PostingChunk(key, prefix.size());
        damage = chunk.ok() ? DecodePosting(set, *chunk, &numbers) : chunk.status();
        return damage.ok();
      });
  HOURCELL_RETURN_IF_ERROR(damage);
  HOURCELL_RETURN_IF_ERROR(scanned);
  return numbers;
}

absl::StatusOr<std::vector<SeriesNumber>> SeriesTable::OfMetric(TableView* view, Uid metric) const {
  return Postings(view, MetricPostingPrefix(layout_, metric));
}

absl::StatusOr<std::vector<SeriesNumber>> SeriesTable::WithTag(TableView* view,
                                                               Uid metric,
                                                               const TagUids& tag) const {
  return Postings(view, TagPostingPrefix(layout_, metric, tag));
}

absl::Status SeriesTable::TsuidsOf(TableView* view,
                                   std::span<const SeriesNumber> numbers,
                                   std::vector<std::string>* tsuids) const {
  constexpr size_t kBatch = 1024;
  tsuids->clear();
  tsuids->reserve(numbers.size());
  std::vector<std::string> keys;
  std::vector<std::optional<std::string>> values;
  for (size_t begin = 0; begin < numbers.size(); begin += kBatch) {
    keys.clear();
    for (const SeriesNumber number :
         numbers.subspan(begin, std::min(kBatch, numbers.size() - begin))) {
      keys.push_back(SeriesNumberKey(number));
    }
    HOURCELL_RETURN_IF_ERROR(view->GetMany(TableId::kSeries, keys, &values));
    for (size_t i = 0; i < values.size(); ++i) {
      if (!values[i].has_value()) {
        return absl::DataLossError(
            fmt::format("series {}: in a posting set but not in the table", numbers[begin + i]));
      }
      tsuids->push_back(*std::move(values[i]));
    }
  }
  return absl::OkStatus();
}

absl::Status SeriesTable::VisitMetric(
    TableView* view,
    Uid metric,
    const std::function<void(SeriesNumber, std::string_view)>& visit) const {
  absl::Status damage;
  const absl::Status scanned =
      view->Scan(TableId::kSeries, PrefixRange(SeriesTsuidPrefix(layout_, metric)), {},
                 [&](std::string_view key, std::string_view value) {
                   const absl::StatusOr<SeriesNumber> number = DecodeU64(value);
                   damage = number.status();
                   if (damage.ok()) visit(*number, key.substr(1));
                   return damage.ok();
                 });
  return damage.ok() ? scanned : damage;
}

}  // namespace hourcell
