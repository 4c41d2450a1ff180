#include "engine/annotations/annotation_store.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "codec/base/bytes.h"
#include "codec/base/kill_point.h"
#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "codec/rows/tsuid.h"
#include "codec/text/point_text.h"
#include "engine/rows/annotation_cell.h"
#include "engine/rows/annotation_key.h"

namespace hourcell {
namespace {

// Rows that one write of a range delete removes.
constexpr size_t kDeleteGroupMax = 1000;

absl::StatusOr<Timestamp> ParseInstant(int64_t time) {
  const Parsed<Timestamp> instant = TimestampFromInteger(time);
  if (!instant.ok()) return absl::InvalidArgumentError(instant.error().text);
  return *instant;
}

// True if a series of any store could have it: no UID is zero, and tag keys ascend.
bool IsPossible(const SeriesUids& series) {
  if (series.metric == kNoUid) return false;
  Uid before = kNoUid;
  for (const TagUids& tag : series.tags) {
    if (tag.tagk <= before || tag.tagv == kNoUid) return false;
    before = tag.tagk;
  }
  return true;
}

// The bytes of a tsuid in hex; empty stays empty.
absl::StatusOr<std::string> ParseTsuidText(const Layout& layout, std::string_view hex) {
  if (hex.empty()) return std::string();
  const absl::StatusOr<std::string> bytes = UidBytesFromHex(hex, 0);
  if (!bytes.ok()) {
    return absl::InvalidArgumentError(fmt::format(
        "tsuid {}: not hex digits; expected a tsuid of this store", QuoteForMessage(hex)));
  }
  HOURCELL_ASSIGN_OR_RETURN(const SeriesUids series, ParseTsuid(layout, *bytes));
  if (IsPossible(series)) return *bytes;
  return absl::InvalidArgumentError(fmt::format(
      "tsuid {}: no series can have it; expected UIDs that are not zero and tag keys that ascend",
      ToUpperHex(*bytes)));
}

// The annotation in a row. kDataLoss: it does not match the row's key.
absl::StatusOr<Annotation> ParseRow(std::string_view value,
                                    std::string_view tsuid,
                                    int64_t start_ms) {
  HOURCELL_ASSIGN_OR_RETURN(Annotation annotation, ParseAnnotationCell(value));
  const Parsed<Timestamp> start = TimestampFromInteger(annotation.start_time);
  if (annotation.tsuid == ToUpperHex(tsuid) && start.ok() && start->ms == start_ms) {
    return annotation;
  }
  return absl::DataLossError(fmt::format("annotation {}: got it under the key of tsuid {} at {} ms",
                                         QuoteForMessage(value),
                                         tsuid.empty() ? "(global)" : ToUpperHex(tsuid), start_ms));
}

// Sorts by name; the last entry of a name counts.
std::vector<std::pair<std::string, std::string>> SortedCustom(
    const std::vector<std::pair<std::string, std::string>>& custom) {
  std::map<std::string, std::string> sorted;
  for (const auto& [name, text] : custom)
    sorted[name] = text;
  return {sorted.begin(), sorted.end()};
}

void ApplyTo(const AnnotationEdit& edit, Annotation* annotation) {
  if (edit.end_time) annotation->end_time = *edit.end_time;
  if (edit.description) annotation->description = *edit.description;
  if (edit.notes) annotation->notes = *edit.notes;
  if (edit.custom) annotation->custom = SortedCustom(*edit.custom);
}

bool HasOnlyUtf8(const AnnotationEdit& edit) {
  bool is_utf8 = IsUtf8(edit.description.value_or("")) && IsUtf8(edit.notes.value_or(""));
  if (edit.custom) {
    for (const auto& [name, text] : *edit.custom)
      is_utf8 = is_utf8 && IsUtf8(name) && IsUtf8(text);
  }
  return is_utf8;
}

// Memory of an annotation in a result, for three copies: by series, in a group, and printed; or to
// be written, in the stored form, and printed.
size_t BytesOfAnswer(std::string_view value) {
  constexpr size_t kCopies = 3;
  return kCopies * (sizeof(Annotation) + value.size());
}

// A start or an end as an instant; 0 if it is not set.
int64_t InstantMs(int64_t time) {
  const Parsed<Timestamp> instant = TimestampFromInteger(time);
  return instant.ok() ? instant->ms : 0;
}

}  // namespace

void SortByStart(std::vector<Annotation>* annotations) {
  std::ranges::sort(*annotations, [](const Annotation& a, const Annotation& b) {
    const int64_t a_ms = InstantMs(a.start_time);
    const int64_t b_ms = InstantMs(b.start_time);
    return std::tie(a_ms, a.tsuid) < std::tie(b_ms, b.tsuid);
  });
}

// The location of an annotation.
struct AnnotationStore::Place {
  std::string tsuid;  // bytes; empty: global
  Timestamp start;
  std::string key;
};

// Collects the rows of a scan into a result.
class AnnotationStore::Reading {
 public:
  // `memory` may be null.
  Reading(const AnnotationStore& store, MemoryAccount* memory) : store_(store), memory_(memory) {}

  absl::Status Add(const AnnotationRow& row) {
    const std::string_view metric =
        row.tsuid.substr(0, store_.parts_.row_keys->layout().metric_width);
    if (rows_seen_++ == 0 || metric != metric_) {
      metric_ = metric;
      expires_before_ms_ = store_.ExpiresBeforeMs(row.tsuid);
    }
    if (row.start_ms < expires_before_ms_) return absl::OkStatus();
    bytes_ += row.value.size();
    if (bytes_ > kAnnotationReadBytesMax) {
      return absl::ResourceExhaustedError(
          fmt::format("annotations of the time range: more than {} bytes; use a shorter one, "
                      "or fewer series",
                      kAnnotationReadBytesMax));
    }
    if (memory_ != nullptr) {
      HOURCELL_RETURN_IF_ERROR(memory_->Take(BytesOfAnswer(row.value)));
    }
    HOURCELL_ASSIGN_OR_RETURN(Annotation annotation, ParseRow(row.value, row.tsuid, row.start_ms));
    found_.push_back(std::move(annotation));
    return absl::OkStatus();
  }

  // The result, by start.
  std::vector<Annotation> Take() {
    SortByStart(&found_);
    return std::move(found_);
  }

 private:
  const AnnotationStore& store_;
  MemoryAccount* const memory_;
  std::string metric_;  // of the previous row
  int64_t expires_before_ms_ = 0;
  size_t rows_seen_ = 0;
  size_t bytes_ = 0;
  std::vector<Annotation> found_;
};

absl::StatusOr<std::unique_ptr<AnnotationStore>> AnnotationStore::Open(const Parts& parts,
                                                                       bool sync) {
  std::unique_ptr<AnnotationStore> store(new AnnotationStore(parts, sync));
  HOURCELL_RETURN_IF_ERROR(store->LookAgain());
  return store;
}

absl::Status AnnotationStore::LookAgain() {
  const std::unique_ptr<TableView> view = parts_.tables->Snapshot();
  const std::unique_ptr<RowCursor> row = view->NewCursor(TableId::kAnnotation, {});
  row->Seek("");
  HOURCELL_RETURN_IF_ERROR(row->status());
  has_any_.store(row->valid(), std::memory_order_release);
  return absl::OkStatus();
}

absl::StatusOr<AnnotationStore::Place> AnnotationStore::PlaceOf(std::string_view tsuid,
                                                                int64_t start_time) const {
  Place place;
  HOURCELL_ASSIGN_OR_RETURN(place.start, ParseInstant(start_time));
  HOURCELL_ASSIGN_OR_RETURN(place.tsuid, ParseTsuidText(parts_.row_keys->layout(), tsuid));
  AppendAnnotationKey(*parts_.row_keys, place.tsuid, place.start, &place.key);
  return place;
}

int64_t AnnotationStore::ExpiresBeforeMs(std::string_view tsuid) const {
  if (parts_.expiry == nullptr) return 0;
  if (tsuid.empty()) return parts_.expiry->ExpiresBeforeMs(kNoUid);
  return parts_.expiry->ExpiresBeforeMs(
      LoadBigEndian(tsuid.data(), parts_.row_keys->layout().metric_width));
}

absl::StatusOr<std::optional<Annotation>> AnnotationStore::Read(TableView* view,
                                                                const Place& place) const {
  if (place.start.ms < ExpiresBeforeMs(place.tsuid)) return std::optional<Annotation>();
  HOURCELL_ASSIGN_OR_RETURN(const std::optional<std::string> value,
                            view->Get(TableId::kAnnotation, place.key));
  if (!value.has_value()) return std::optional<Annotation>();
  HOURCELL_ASSIGN_OR_RETURN(Annotation annotation, ParseRow(*value, place.tsuid, place.start.ms));
  return std::optional(std::move(annotation));
}

absl::StatusOr<std::optional<Annotation>> AnnotationStore::Get(std::string_view tsuid,
                                                               int64_t start_time) const {
  HOURCELL_ASSIGN_OR_RETURN(const Place place, PlaceOf(tsuid, start_time));
  return Read(parts_.tables->Snapshot().get(), place);
}

absl::Status AnnotationStore::CheckEdit(const AnnotationEdit& edit, const Place& place) const {
  const auto refuse = [&edit](std::string_view fault) {
    return absl::InvalidArgumentError(fmt::format("annotation at {}: {}", edit.start_time, fault));
  };
  if (edit.sets_nothing()) {
    return refuse("nothing is set; expected an end, a description, notes or custom entries");
  }
  if (edit.end_time && *edit.end_time != 0) {
    HOURCELL_RETURN_IF_ERROR(ParseInstant(*edit.end_time).status());
  }
  if (!HasOnlyUtf8(edit)) return refuse("expected UTF-8, got text that is not UTF-8");
  if (place.start.ms < ExpiresBeforeMs(place.tsuid)) {
    return refuse("expired; expected a time that the TTL still keeps");
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<Annotation>> AnnotationStore::Put(std::span<const AnnotationEdit> edits,
                                                             AnnotationWrite write,
                                                             MemoryAccount* memory) {
  MutexLock lock(&edit_);
  const std::unique_ptr<TableView> view = parts_.tables->Snapshot();
  std::vector<Annotation> annotations;
  std::vector<Mutation> group;
  // For each key, the indexes of its last annotation and its mutation.
  StringMap<std::pair<size_t, size_t>> written;
  for (const AnnotationEdit& edit : edits) {
    HOURCELL_ASSIGN_OR_RETURN(const Place place, PlaceOf(edit.tsuid, edit.start_time));
    HOURCELL_RETURN_IF_ERROR(CheckEdit(edit, place));
    Annotation annotation{.tsuid = ToUpperHex(place.tsuid), .start_time = edit.start_time};
    const auto [entry, is_first] = written.try_emplace(place.key, annotations.size(), group.size());
    if (is_first) group.push_back({TableId::kAnnotation, Mutation::Kind::kSet, place.key, {}});
    if (write == AnnotationWrite::kMerge && is_first) {
      HOURCELL_ASSIGN_OR_RETURN(std::optional<Annotation> stored, Read(view.get(), place));
      if (stored.has_value()) annotation = *std::move(stored);
    } else if (write == AnnotationWrite::kMerge) {
      annotation = annotations[entry->second.first];
    }
    ApplyTo(edit, &annotation);
    std::string& value = group[entry->second.second].value;
    value.clear();
    AppendAnnotationCell(annotation, &value);
    if (value.size() > kAnnotationBytesMax) {
      return absl::InvalidArgumentError(
          fmt::format("annotation at {}: {} bytes; expected at most {}", edit.start_time,
                      value.size(), kAnnotationBytesMax));
    }
    if (memory != nullptr) HOURCELL_RETURN_IF_ERROR(memory->Take(BytesOfAnswer(value)));
    entry->second.first = annotations.size();
    annotations.push_back(std::move(annotation));
  }
  if (group.empty()) return annotations;
  // Before the write, so that a reader that can see the row also sees has_any().
  has_any_.store(true, std::memory_order_release);
  HOURCELL_KILL_POINT("annotation:before_write");
  HOURCELL_RETURN_IF_ERROR(parts_.tables->Apply(group, sync_));
  HOURCELL_KILL_POINT("annotation:after_write");
  return annotations;
}

absl::Status AnnotationStore::Delete(std::string_view tsuid, int64_t start_time) {
  HOURCELL_ASSIGN_OR_RETURN(Place place, PlaceOf(tsuid, start_time));
  MutexLock lock(&edit_);
  std::vector<Mutation> group = {
      {TableId::kAnnotation, Mutation::Kind::kDelete, std::move(place.key), {}}};
  return ApplyDeletes(&group);
}

absl::StatusOr<uint64_t> AnnotationStore::DeleteRange(std::span<const std::string> tsuids,
                                                      bool global,
                                                      int64_t start_ms,
                                                      int64_t end_ms) {
  std::vector<std::string> series;
  for (const std::string& tsuid : tsuids) {
    HOURCELL_ASSIGN_OR_RETURN(std::string bytes, ParseTsuidText(parts_.row_keys->layout(), tsuid));
    if (bytes.empty()) return absl::InvalidArgumentError("tsuid: empty; expected a tsuid in hex");
    series.push_back(std::move(bytes));
  }
  std::ranges::sort(series);
  series.erase(std::unique(series.begin(), series.end()), series.end());
  const std::vector<std::string_view> views(series.begin(), series.end());

  MutexLock lock(&edit_);
  const std::unique_ptr<TableView> view = parts_.tables->Snapshot();
  std::vector<Mutation> group;
  uint64_t deleted = 0;
  const AnnotationVisit visit = [&](const AnnotationRow& row) {
    group.push_back({TableId::kAnnotation, Mutation::Kind::kDelete, std::string(row.key), {}});
    ++deleted;
    return group.size() < kDeleteGroupMax ? absl::OkStatus() : ApplyDeletes(&group);
  };
  HOURCELL_RETURN_IF_ERROR(
      ScanSeriesAnnotations(*parts_.row_keys, view.get(), views, start_ms, end_ms, visit));
  if (global) {
    HOURCELL_RETURN_IF_ERROR(
        ScanGlobalAnnotations(*parts_.row_keys, view.get(), start_ms, end_ms, visit));
  }
  HOURCELL_RETURN_IF_ERROR(ApplyDeletes(&group));
  return deleted;
}

absl::Status AnnotationStore::VisitAll(
    const std::function<absl::Status(const Annotation&)>& visit) const {
  const std::unique_ptr<TableView> view = parts_.tables->Snapshot();
  const std::unique_ptr<RowCursor> row = view->NewCursor(TableId::kAnnotation, {});
  for (row->Seek(""); row->valid(); row->Next()) {
    HOURCELL_ASSIGN_OR_RETURN(const AnnotationKeyView key,
                              ParseAnnotationKey(*parts_.row_keys, row->key()));
    if (!key.is_annotation()) continue;
    const std::string tsuid = std::string(key.metric) + std::string(key.tags);
    if (key.start_ms < ExpiresBeforeMs(tsuid)) continue;
    HOURCELL_ASSIGN_OR_RETURN(const Annotation annotation,
                              ParseRow(row->value(), tsuid, key.start_ms));
    HOURCELL_RETURN_IF_ERROR(visit(annotation));
  }
  return row->status();
}

absl::Status AnnotationStore::WithoutEdits(const std::function<absl::Status()>& change) {
  MutexLock lock(&edit_);
  return change();
}

absl::Status AnnotationStore::ApplyDeletes(std::vector<Mutation>* group) const {
  if (group->empty()) return absl::OkStatus();
  HOURCELL_RETURN_IF_ERROR(parts_.tables->Apply(*group, sync_));
  HOURCELL_KILL_POINT("annotation:deleted");
  group->clear();
  return absl::OkStatus();
}

absl::StatusOr<std::vector<Annotation>> AnnotationStore::OfSeries(
    TableView* view,
    std::span<const std::string_view> tsuids,
    int64_t start_ms,
    int64_t end_ms,
    MemoryAccount* memory) const {
  if (!has_any()) return std::vector<Annotation>();
  Reading reading(*this, memory);
  HOURCELL_RETURN_IF_ERROR(
      ScanSeriesAnnotations(*parts_.row_keys, view, tsuids, start_ms, end_ms,
                            [&](const AnnotationRow& row) { return reading.Add(row); }));
  return reading.Take();
}

absl::StatusOr<std::vector<Annotation>> AnnotationStore::Global(TableView* view,
                                                                int64_t start_ms,
                                                                int64_t end_ms,
                                                                MemoryAccount* memory) const {
  if (!has_any()) return std::vector<Annotation>();
  Reading reading(*this, memory);
  HOURCELL_RETURN_IF_ERROR(
      ScanGlobalAnnotations(*parts_.row_keys, view, std::max<int64_t>(start_ms, 0) / 1000 * 1000,
                            end_ms, [&](const AnnotationRow& row) { return reading.Add(row); }));
  std::vector<Annotation> annotations = reading.Take();
  std::erase_if(annotations,
                [&](const Annotation& note) { return InstantMs(note.end_time) > end_ms; });
  return annotations;
}

}  // namespace hourcell
