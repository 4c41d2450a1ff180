#include "engine/series_table.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

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

// The UIDs of a point's names by `get(kind, name) -> StatusOr<Uid>`, as a tsuid; an empty tsuid if
// a name has none (UID 0).
template <typename Get>
Parsed<std::string> MakeTsuid(const Layout& layout, const PointView& point, const Get& get) {
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
  return complete ? EncodeTsuid(layout, *metric, tags) : std::string();
}

Mutation SetSeries(std::string key, std::string value) {
  return {TableId::kSeries, Mutation::Kind::kSet, std::move(key), std::move(value)};
}

Mutation AddPosting(std::string prefix, SeriesNumber number) {
  AppendPostingChunk(number, &prefix);
  return {TableId::kSeries, Mutation::Kind::kMerge, std::move(prefix), PostingOfOne(number)};
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
    : layout_(layout), parts_(parts), sync_(sync), last_number_(last_number) {}

absl::StatusOr<std::optional<SeriesNumber>> SeriesTable::NumberOf(std::string_view tsuid) const {
  HOURCELL_ASSIGN_OR_RETURN(
      const std::optional<std::string> value,
      parts_.tables->Snapshot()->Get(TableId::kSeries, SeriesTsuidKey(tsuid)));
  if (!value.has_value()) return std::optional<SeriesNumber>();
  HOURCELL_ASSIGN_OR_RETURN(const SeriesNumber number, DecodeU64(*value));
  return std::optional<SeriesNumber>(number);
}

void SeriesTable::GetOrCreate(std::span<const PointView* const> points,
                              std::vector<Parsed<SeriesRef>>* results) {
  results->assign(points.size(), SeriesRef());
  std::vector<Missing> missing;
  for (size_t i = 0; i < points.size(); ++i) {
    Parsed<SeriesRef>& result = (*results)[i];
    const Parsed<std::string> tsuid =
        MakeTsuid(layout_, *points[i], [&](UidKind kind, std::string_view name) {
          const absl::StatusOr<std::optional<Uid>> uid = parts_.uids->Find(kind, name);
          return uid.ok() ? absl::StatusOr<Uid>(uid->value_or(kNoUid)) : uid.status();
        });
    if (!tsuid.ok()) {
      result = tsuid.error();
      continue;
    }
    if (!tsuid->empty()) {
      const absl::StatusOr<std::optional<SeriesNumber>> number = NumberOf(*tsuid);
      if (!number.ok()) {
        result = NameError(number.status(), "series");
        continue;
      }
      if (number->has_value()) {
        result = SeriesRef{.number = **number, .tsuid = *tsuid};
        continue;
      }
    }
    missing.push_back({.point = points[i], .result = &result});
  }
  if (!missing.empty()) Create(missing);
}

// New series of one group, from the first name to the commit. Holds the assignment lock.
class SeriesTable::Creation {
 public:
  explicit Creation(SeriesTable* table)
      : table_(*table), assignment_(table->parts_.uids), last_number_(table->last_number_) {}

  void Add(const Missing& one) {
    const size_t mark = assignment_.Mark();
    const Parsed<std::string> tsuid = MakeTsuid(
        table_.layout_, *one.point,
        [&](UidKind kind, std::string_view name) { return assignment_.GetOrAssign(kind, name); });
    if (!tsuid.ok()) {
      assignment_.RollBackTo(mark);
      *one.result = tsuid.error();
      return;
    }
    const absl::StatusOr<SeriesNumber> number = NumberOf(*tsuid);
    if (!number.ok()) {
      *one.result = NameError(number.status(), "series");
      return;
    }
    *one.result = SeriesRef{.number = *number, .tsuid = *tsuid};
    waiting_.push_back(one.result);
  }

  void Commit() {
    if (waiting_.empty()) return;
    const std::vector<Mutation> group = Group();
    HOURCELL_KILL_POINT("series:before_commit");
    const absl::Status committed = table_.parts_.tables->Apply(group, table_.sync_);
    if (!committed.ok()) {
      for (Parsed<SeriesRef>* const result : waiting_)
        *result = NameError(committed, "series");
      return;
    }
    HOURCELL_KILL_POINT("series:after_commit");
    assignment_.Publish();
    table_.created_.fetch_add(last_number_ - table_.last_number_, std::memory_order_relaxed);
    table_.last_number_ = last_number_;
  }

 private:
  // The number of a series: of this group, of the store (another creation may have made it while
  // this one waited for the lock), or a new one.
  absl::StatusOr<SeriesNumber> NumberOf(const std::string& tsuid) {
    if (const auto found = in_group_.find(tsuid); found != in_group_.end()) return found->second;
    HOURCELL_ASSIGN_OR_RETURN(const std::optional<SeriesNumber> existing, table_.NumberOf(tsuid));
    const SeriesNumber number = existing.has_value() ? *existing : ++last_number_;
    in_group_.emplace(tsuid, number);
    if (!existing.has_value()) AddRows(tsuid, number);
    return number;
  }

  void AddRows(const std::string& tsuid, SeriesNumber number) {
    series_.push_back(SetSeries(SeriesNumberKey(number), tsuid));
    series_.push_back(SetSeries(SeriesTsuidKey(tsuid), EncodeU64(number)));
    const SeriesUids uids = *ParseTsuid(table_.layout_, tsuid);
    postings_.push_back(AddPosting(MetricPostingPrefix(table_.layout_, uids.metric), number));
    for (const TagUids& tag : uids.tags) {
      postings_.push_back(AddPosting(TagPostingPrefix(table_.layout_, uids.metric, tag), number));
    }
  }

  // In the order that is safe to be cut anywhere: counters, names, series, postings.
  std::vector<Mutation> Group() {
    std::vector<Mutation> group;
    if (last_number_ != table_.last_number_) {
      group.push_back(SetSeries(SeriesCounterKey(), EncodeU64(last_number_)));
    }
    table_.parts_.uid_store->AppendMutations(assignment_.changes(), &group);
    std::ranges::move(series_, std::back_inserter(group));
    std::ranges::move(postings_, std::back_inserter(group));
    return group;
  }

  SeriesTable& table_;
  UidAssignment assignment_;
  SeriesNumber last_number_;
  StringMap<SeriesNumber> in_group_;
  std::vector<Mutation> series_;
  std::vector<Mutation> postings_;
  std::vector<Parsed<SeriesRef>*> waiting_;
};

void SeriesTable::Create(std::span<const Missing> missing) {
  Creation creation(this);
  for (const Missing& one : missing)
    creation.Add(one);
  creation.Commit();
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
