#include "server/inputs/metric_metadata.h"

#include <algorithm>
#include <array>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "codec/base/status_macros.h"
#include "codec/limits.h"

namespace hourcell {
namespace {

constexpr std::array<std::string_view, 8> kTypeTexts = {
    "unknown", "counter", "gauge", "histogram", "gaugehistogram", "summary", "info", "stateset"};

size_t TextHash(std::string_view text) {
  return std::hash<std::string_view>()(text);
}

// The text up to a whole character.
std::string_view CutUtf8(std::string_view text, size_t bytes_max) {
  if (text.size() <= bytes_max) return text;
  size_t size = bytes_max;
  while (size > 0 && (static_cast<uint8_t>(text[size]) & 0xC0) == 0x80)
    --size;
  return text.substr(0, size);
}

}  // namespace

std::string_view MetadataTypeText(MetadataType type) {
  return kTypeTexts[static_cast<size_t>(type)];
}

MetadataType MetadataTypeOf(uint64_t number) {
  return number < kTypeTexts.size() ? static_cast<MetadataType>(number) : MetadataType::kUnknown;
}

std::string_view FamilyOf(std::string_view series, MetadataType type) {
  static constexpr std::array<std::string_view, 3> kOfHistogram = {"_bucket", "_sum", "_count"};
  static constexpr std::array<std::string_view, 3> kOfGauges = {"_bucket", "_gsum", "_gcount"};
  std::span<const std::string_view> suffixes;
  if (type == MetadataType::kHistogram) suffixes = kOfHistogram;
  if (type == MetadataType::kSummary) suffixes = std::span(kOfHistogram).subspan(1);
  if (type == MetadataType::kGaugeHistogram) suffixes = kOfGauges;
  for (const std::string_view suffix : suffixes) {
    if (series.size() > suffix.size() && series.ends_with(suffix))
      return series.substr(0, series.size() - suffix.size());
  }
  return series;
}

// A unit is one line.
std::optional<std::string> MetadataTextOf(const MetricMetadata& metadata) {
  const std::string_view unit = CutUtf8(metadata.unit, kMetadataUnitMax);
  const std::string_view help = CutUtf8(metadata.help, kMetadataHelpMax);
  if (!IsUtf8(unit) || !IsUtf8(help)) return std::nullopt;
  std::string text(MetadataTypeText(metadata.type));
  text += '\n';
  const size_t unit_at = text.size();
  text += unit;
  std::replace(text.begin() + static_cast<ptrdiff_t>(unit_at), text.end(), '\n', ' ');
  text += '\n';
  text += help;
  return text;
}

MetricMetadata MetadataOfText(std::string_view metric, std::string_view text) {
  MetricMetadata metadata{.metric = metric};
  const auto type = std::ranges::find(kTypeTexts, text.substr(0, text.find('\n')));
  if (type == kTypeTexts.end()) {
    metadata.help = text;
    return metadata;
  }
  metadata.type = MetadataTypeOf(static_cast<uint64_t>(type - kTypeTexts.begin()));
  text.remove_prefix(std::min(type->size() + 1, text.size()));
  metadata.unit = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(metadata.unit.size() + 1, text.size()));
  metadata.help = text;
  return metadata;
}

MetadataKeeper::MetadataKeeper(Tsdb* tsdb, size_t metrics_max)
    : tsdb_(*tsdb),
      metrics_max_(metrics_max),
      dropped_(tsdb->stats().counter("rpc.inputs.dropped",
                                     {{"type", "metadata"}, {"reason", "metadata"}})) {}

absl::Status MetadataKeeper::Visit(const std::function<bool(const MetricMetadata&)>& visit) const {
  return tsdb_.names().VisitMetadata([&](std::string_view metric, std::string_view text) {
    return visit(MetadataOfText(metric, text));
  });
}

MetadataKeeper::State MetadataKeeper::StateLocked(std::string_view metric,
                                                  std::string_view text) const {
  const auto found = hashes_.find(TextHash(metric));
  if (found == hashes_.end()) return hashes_.size() < metrics_max_ ? State::kNew : State::kNoRoom;
  return found->second == TextHash(text) ? State::kStored : State::kNew;
}

MetadataKeeper::State MetadataKeeper::StateOf(std::string_view metric,
                                              std::string_view text) const {
  MutexLock lock(&hashes_mutex_);
  return StateLocked(metric, text);
}

absl::Status MetadataKeeper::LoadLocked() {
  if (is_loaded_) return absl::OkStatus();
  absl::flat_hash_map<size_t, size_t> hashes;
  HOURCELL_RETURN_IF_ERROR(
      tsdb_.names().VisitMetadata([&hashes](std::string_view metric, std::string_view text) {
        hashes.insert_or_assign(TextHash(metric), TextHash(text));
        return true;
      }));
  MutexLock lock(&hashes_mutex_);
  hashes_ = std::move(hashes);
  is_loaded_ = true;
  return absl::OkStatus();
}

std::vector<MetadataRow> MetadataKeeper::ChangedOf(const StringMap<std::string>& texts,
                                                   size_t* without_room) const {
  std::vector<MetadataRow> changed;
  size_t added = 0;
  MutexLock lock(&hashes_mutex_);
  for (const auto& [metric, text] : texts) {
    if (StateLocked(metric, text) == State::kStored) continue;
    const bool is_added = !hashes_.contains(TextHash(metric));
    if (is_added && hashes_.size() + added >= metrics_max_) {
      ++*without_room;
      continue;
    }
    added += is_added ? 1 : 0;
    changed.push_back({.metric = metric, .text = text});
  }
  return changed;
}

absl::Status MetadataKeeper::Store(const StringMap<std::string>& texts, size_t* without_room) {
  MutexLock lock(&mutex_);
  HOURCELL_RETURN_IF_ERROR(LoadLocked());
  const std::vector<MetadataRow> changed = ChangedOf(texts, without_room);
  HOURCELL_RETURN_IF_ERROR(tsdb_.names().WriteMetadata(changed));
  MutexLock hashes_lock(&hashes_mutex_);
  for (const MetadataRow& row : changed)
    hashes_.insert_or_assign(TextHash(row.metric), TextHash(row.text));
  return absl::OkStatus();
}

void NewMetadata::Add(const MetricMetadata& metadata) {
  if (keeper_ == nullptr || (!last_.empty() && metadata.metric == last_)) return;
  const bool has_name = !metadata.metric.empty() && metadata.metric.size() <= kNameBytesMax;
  const std::optional<std::string> text = has_name ? MetadataTextOf(metadata) : std::nullopt;
  const std::string metric = text.has_value() ? names_->Apply(metadata.metric) : std::string();
  if (!text.has_value() || metric.size() > kNameBytesMax) {
    ++dropped_;
    return;
  }
  const MetadataKeeper::State state = keeper_->StateOf(metric, *text);
  const size_t bytes = metric.size() + text->size();
  const bool is_too_much =
      texts_.size() == kMetadataAtOnce || bytes_ + bytes > kMetadataBytesAtOnce;
  if (state == MetadataKeeper::State::kNoRoom ||
      (state == MetadataKeeper::State::kNew && is_too_much)) {
    ++dropped_;
    return;
  }
  last_ = metadata.metric;
  if (state == MetadataKeeper::State::kStored) return;
  bytes_ += bytes;
  texts_.insert_or_assign(metric, *text);
}

void NewMetadata::Store() {
  size_t without_room = 0;
  const bool is_stored = keeper_->Store(texts_, &without_room).ok();
  dropped_ += is_stored ? without_room : texts_.size();
  texts_.clear();
  bytes_ = 0;
}

void NewMetadata::CountDropped() const {
  if (dropped_ > 0) keeper_->dropped_->Add(dropped_);
}

}  // namespace hourcell
