#include "engine/series/series_sums.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "codec/base/bytes.h"
#include "codec/base/status_macros.h"
#include "codec/rows/tsuid.h"
#include "engine/hours/tsuid_list.h"
#include "engine/rows/key_range.h"
#include "engine/rows/series_key.h"
#include "engine/series/series_rows.h"

namespace hourcell {
namespace {

constexpr uint64_t kTickRows = 10'000;

// A statement's hash: `value` mixed into the hash so far (the finisher of SplitMix64).
uint64_t Mix(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) + 0x9e3779b97f4a7c15;
  hash = (hash ^ (hash >> 30)) * 0xbf58476d1ce4e5b9;
  hash = (hash ^ (hash >> 27)) * 0x94d049bb133111eb;
  return hash ^ (hash >> 31);
}

uint64_t HashOfTsuid(SeriesNumber number, std::string_view tsuid) {
  uint64_t hash = Mix(tsuid.size(), number);
  for (size_t at = 0; at < tsuid.size(); at += 8) {
    const std::string_view some = tsuid.substr(at, 8);
    hash = Mix(hash, LoadBigEndian(some.data(), some.size()));
  }
  return hash;
}

uint64_t HashOfTag(SeriesNumber number, const TagUids& tag) {
  return Mix(Mix(Mix(1, number), tag.tagk), tag.tagv);
}

class SeriesSummer {
 public:
  SeriesSummer(const Layout& layout, TableView* view, const std::function<absl::Status()>& tick)
      : layout_(layout), view_(*view), tick_(tick) {}

  absl::StatusOr<SeriesSums> Run() {
    HOURCELL_RETURN_IF_ERROR(ReadLog());
    HOURCELL_RETURN_IF_ERROR(Scan("m", [this](auto key, auto row) { AddSet(key, row, false); }));
    HOURCELL_RETURN_IF_ERROR(Scan("n", [this](auto key, auto row) { AddBlock(key, row); }));
    HOURCELL_RETURN_IF_ERROR(Scan("p", [this](auto key, auto row) { AddSet(key, row, true); }));
    HOURCELL_RETURN_IF_ERROR(Scan("t", [this](auto key, auto row) { AddTsuid(key, row); }));
    for (const auto& [metric, sums] : sums_) {
      if (sums.blocks != 0 || sums.all != 0 || sums.tags != 0) result_.differing.insert(metric);
    }
    result_.series += logged_.size();
    return std::move(result_);
  }

 private:
  struct Sums {
    uint64_t blocks = 0;  // of tsuid rows, less those of block rows
    uint64_t all = 0;     // of tsuid rows, less those of the metric's set
    uint64_t tags = 0;    // of tsuid rows, less those of the tags' sets
  };

  template <typename Visit>
  absl::Status Scan(std::string_view prefix, const Visit& visit) {
    ScanRange range = PrefixRange(std::string(prefix));
    range.is_large = true;
    const std::unique_ptr<RowCursor> row = view_.NewCursor(TableId::kSeries, range);
    for (row->Seek({}); row->valid(); row->Next()) {
      visit(row->key(), row->value());
      if (tick_ != nullptr && ++rows_ % kTickRows == 0) HOURCELL_RETURN_IF_ERROR(tick_());
    }
    return row->status();
  }

  // The series whose rows may be missing.
  absl::Status ReadLog() {
    HOURCELL_ASSIGN_OR_RETURN(const std::optional<std::string> row,
                              view_.Get(TableId::kSeries, IndexedKey()));
    const absl::StatusOr<SeriesNumber> indexed = DecodeU64(row.value_or(EncodeU64(0)));
    if (!indexed.ok()) result_.is_damaged = true;
    return Scan(LogRowPrefix(), [&](std::string_view key, std::string_view list) {
      const absl::StatusOr<SeriesNumber> first = DecodeU64(key.substr(1));
      SeriesNumber number = first.value_or(0);
      for (std::string_view tsuid; TakeTsuid(&list, &tsuid); ++number) {
        if (indexed.ok() && number > *indexed) logged_.try_emplace(number, tsuid);
      }
      if (!first.ok() || !list.empty()) result_.is_damaged = true;
    });
  }

  // Whether the log has the same series.
  bool IsLogged(SeriesNumber number, std::string_view tsuid) const {
    const auto found = logged_.find(number);
    return found != logged_.end() && found->second == tsuid;
  }

  void AddBlock(std::string_view key, std::string_view row) {
    const absl::StatusOr<uint64_t> block = DecodeU64(key.substr(1));
    const std::optional<std::string> text(row);  // tsuids_ borrows from it
    if (!block.ok() || !ParseBlock(key, text, &tsuids_).ok()) {
      result_.is_damaged = true;
      return;
    }
    for (size_t i = 0; i < tsuids_.size(); ++i) {
      const SeriesNumber number = *block * kBlockSeries + i;
      if (tsuids_[i].empty() || IsLogged(number, tsuids_[i])) continue;
      if (tsuids_[i].size() < layout_.metric_width) {
        result_.is_damaged = true;
        continue;
      }
      SumsOf(tsuids_[i]).blocks -= HashOfTsuid(number, tsuids_[i]);
    }
  }

  void AddTsuid(std::string_view key, std::string_view row) {
    const std::string_view tsuid = key.substr(1);
    const absl::StatusOr<SeriesNumber> number = DecodeU64(row);
    const absl::StatusOr<SeriesUids> uids = ParseTsuid(layout_, tsuid);
    if (!number.ok() || !uids.ok()) {
      result_.is_damaged = true;
      return;
    }
    if (IsLogged(*number, tsuid)) return;  // counted there
    ++result_.series;
    Sums& sums = SumsOf(tsuid);
    sums.blocks += HashOfTsuid(*number, tsuid);
    sums.all += Mix(0, *number);
    for (const TagUids& tag : uids->tags)
      sums.tags += HashOfTag(*number, tag);
  }

  // A posting set of a metric, or of one of its tags.
  void AddSet(std::string_view key, std::string_view row, bool has_tag) {
    const size_t width = 1 + layout_.metric_width + (has_tag ? layout_.pair_width() : 0);
    if (key.size() < width) return;  // no lookup reads it
    const absl::StatusOr<uint64_t> chunk = PostingChunk(key, width);
    numbers_.clear();
    const std::string_view metric = key.substr(1);
    if (!chunk.ok() || !DecodePosting(row, *chunk, &numbers_).ok()) {
      result_.differing.insert(LoadBigEndian(metric.data(), layout_.metric_width));
      return;
    }
    Sums& sums = SumsOf(metric);
    TagUids tag;
    if (has_tag) {
      const char* const tagk = metric.data() + layout_.metric_width;
      tag = {.tagk = LoadBigEndian(tagk, layout_.tagk_width),
             .tagv = LoadBigEndian(tagk + layout_.tagk_width, layout_.tagv_width)};
    }
    for (const SeriesNumber number : numbers_) {
      if (IsLoggedIn(number, metric, has_tag ? &tag : nullptr)) continue;
      (has_tag ? sums.tags : sums.all) -= has_tag ? HashOfTag(number, tag) : Mix(0, number);
    }
  }

  bool IsLoggedIn(SeriesNumber number, std::string_view metric, const TagUids* tag) const {
    const auto found = logged_.find(number);
    if (found == logged_.end()) return false;
    const absl::StatusOr<SeriesUids> uids = ParseTsuid(layout_, found->second);
    if (!uids.ok()) return false;
    if (uids->metric != LoadBigEndian(metric.data(), layout_.metric_width)) return false;
    return tag == nullptr || std::ranges::find(uids->tags, *tag) != uids->tags.end();
  }

  // The sums of the metric whose UID `metric` begins with.
  Sums& SumsOf(std::string_view metric) {
    return sums_[LoadBigEndian(metric.data(), layout_.metric_width)];
  }

  const Layout& layout_;
  TableView& view_;
  const std::function<absl::Status()>& tick_;
  SeriesSums result_;
  uint64_t rows_ = 0;
  absl::flat_hash_map<Uid, Sums> sums_;  // by metric
  absl::flat_hash_map<SeriesNumber, std::string> logged_;
  std::vector<std::string_view> tsuids_;
  std::vector<SeriesNumber> numbers_;
};

}  // namespace

absl::StatusOr<SeriesSums> SumSeriesRows(const Layout& layout,
                                         TableView* view,
                                         const std::function<absl::Status()>& tick) {
  return SeriesSummer(layout, view, tick).Run();
}

}  // namespace hourcell
