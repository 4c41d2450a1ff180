#include "bench/lab/simulate/model/store_model.h"

#include <algorithm>
#include <map>
#include <utility>

#include "bench/lab/simulate/model/file_reference.h"
#include "codec/base/check.h"

namespace hourcell {

StoreModel::StoreModel(size_t bins_max)
    : bins_max_(bins_max), active_(bins_max), flushing_(bins_max) {}

void StoreModel::BeginFlush() {
  HOURCELL_CHECK(!is_flushing_);
  flushing_ = std::exchange(active_, KeyHistogram(bins_max_));
  is_flushing_ = true;
}

uint64_t StoreModel::FinishFlush() {
  HOURCELL_CHECK(is_flushing_);
  is_flushing_ = false;
  const uint64_t bytes = flushing_.mass().bytes;
  if (!flushing_.empty()) {
    files_.push_back({.id = next_file_id_++, .keys = std::move(flushing_)});
  }
  flushing_ = KeyHistogram(bins_max_);
  return bytes;
}

uint64_t StoreModel::file_bytes() const {
  uint64_t bytes = 0;
  for (const File& file : files_)
    bytes += file.keys.mass().bytes;
  return bytes;
}

bool StoreModel::has_references() const {
  return std::any_of(files_.begin(), files_.end(),
                     [](const File& file) { return file.is_reference; });
}

KeyMass StoreModel::mass() const {
  KeyMass mass = active_.mass();
  mass += flushing_.mass();
  for (const File& file : files_)
    mass += file.keys.mass();
  return mass;
}

std::string StoreModel::LargestBelow(std::string_view key) const {
  std::string largest = std::max(active_.LargestBelow(key), flushing_.LargestBelow(key));
  for (const File& file : files_)
    largest = std::max(largest, file.keys.LargestBelow(key));
  return largest;
}

std::vector<FileSpan> StoreModel::Spans() const {
  std::vector<FileSpan> spans;
  for (const File& file : files_) {
    spans.push_back({.smallest = file.keys.smallest(),
                     .largest = file.keys.largest(),
                     .mid = file.keys.KeyAt(0.5),
                     .bytes = file.keys.mass().bytes});
  }
  return spans;
}

SplitProbe StoreModel::Probe() const {
  return {.bytes_between =
              [this](std::string_view start, std::string_view end) {
                uint64_t bytes = 0;
                for (const File& file : files_)
                  bytes += file.keys.BytesBetween(start, end);
                return bytes;
              },
          .first_row_from =
              [this](std::string_view key) {
                std::string first;
                for (const File& file : files_) {
                  std::string row = file.keys.FirstKeyFrom(key);
                  if (!row.empty() && (first.empty() || row < first)) first = std::move(row);
                }
                return first;
              }};
}

double StoreModel::ShareOfCellsBelow(std::string_view key) const {
  uint64_t below = 0;
  const auto add = [&](const KeyHistogram& keys) { below += keys.BytesBetween("", key); };
  add(active_);
  add(flushing_);
  for (const File& file : files_)
    add(file.keys);
  const uint64_t bytes = mass().bytes;
  return bytes == 0 ? 0 : static_cast<double>(below) / static_cast<double>(bytes);
}

StoreModel::HeavyKey StoreModel::HeaviestKey() const {
  std::map<std::string_view, uint64_t> bytes_of;
  for (const File& file : files_) {
    for (const KeyBin& bin : file.keys.bins()) {
      if (bin.is_one_key()) bytes_of[bin.first] += bin.mass.bytes;
    }
  }
  const auto heaviest =
      std::max_element(bytes_of.begin(), bytes_of.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  if (heaviest == bytes_of.end()) return {};
  return {.key = std::string(heaviest->first), .bytes = heaviest->second};
}

std::vector<uint64_t> StoreModel::SelectForMinorRewrite(const RatioSettings& settings) const {
  std::vector<uint64_t> bytes;
  for (const File& file : files_)
    bytes.push_back(file.keys.mass().bytes);
  const FileRange range = SelectForMinorLsmCompaction(bytes, settings);
  std::vector<uint64_t> ids;
  for (size_t i = range.begin; i < range.end; ++i)
    ids.push_back(files_[i].id);
  return ids;
}

std::vector<uint64_t> StoreModel::FileIds() const {
  std::vector<uint64_t> ids;
  for (const File& file : files_)
    ids.push_back(file.id);
  return ids;
}

std::vector<uint64_t> StoreModel::ReferenceIds() const {
  std::vector<uint64_t> ids;
  for (const File& file : files_) {
    if (file.is_reference) ids.push_back(file.id);
  }
  return ids;
}

uint64_t StoreModel::BytesOf(std::span<const uint64_t> ids) const {
  uint64_t bytes = 0;
  for (const File& file : files_) {
    if (std::find(ids.begin(), ids.end(), file.id) != ids.end()) bytes += file.keys.mass().bytes;
  }
  return bytes;
}

FileRewrite StoreModel::RewriteFiles(std::span<const uint64_t> ids, uint64_t cutoff_ms) {
  const auto is_taken = [&](const File& file) {
    return std::find(ids.begin(), ids.end(), file.id) != ids.end();
  };
  const auto taken = std::count_if(files_.begin(), files_.end(), is_taken);
  if (ids.empty() || static_cast<size_t>(taken) != ids.size()) return {};

  FileRewrite rewrite{.is_done = true};
  KeyHistogram keys(bins_max_);
  for (const File& file : files_) {
    if (!is_taken(file)) continue;
    rewrite.read_bytes += file.keys.mass().bytes;
    keys.Merge(file.keys);
  }
  rewrite.expired = keys.Expire(cutoff_ms);
  rewrite.written_bytes = keys.mass().bytes;

  // The new file replaces the oldest.
  const auto oldest = std::find_if(files_.begin(), files_.end(), is_taken);
  const auto at = static_cast<size_t>(oldest - files_.begin());
  std::erase_if(files_, is_taken);
  if (!keys.empty()) {
    files_.insert(files_.begin() + static_cast<std::ptrdiff_t>(at),
                  {.id = next_file_id_++, .keys = std::move(keys)});
  }
  return rewrite;
}

KeyMass StoreModel::DropExpiredFiles(uint64_t cutoff_ms) {
  KeyMass dropped;
  std::erase_if(files_, [&](const File& file) {
    const bool is_expired = file.keys.newest_ms() < cutoff_ms;
    if (is_expired) dropped += file.keys.mass();
    return is_expired;
  });
  return dropped;
}

StoreModel StoreModel::CutFrom(std::string_view key) {
  HOURCELL_CHECK(memory_bytes() == 0);
  StoreModel right(bins_max_);
  right.next_file_id_ = next_file_id_;
  std::vector<File> kept;
  for (File& file : files_) {
    const DaughterFiles shares = ShareFile(file.keys.smallest(), file.keys.largest(), key);
    if (shares.top == FileShare::kNothing) {
      kept.push_back(std::move(file));
    } else if (shares.bottom == FileShare::kNothing) {
      right.files_.push_back(std::move(file));
    } else {
      KeyHistogram top = file.keys.CutFrom(key);
      right.files_.push_back({.id = file.id, .keys = std::move(top), .is_reference = true});
      file.is_reference = true;
      kept.push_back(std::move(file));
    }
  }
  files_ = std::move(kept);
  return right;
}

void StoreModel::Absorb(StoreModel neighbour) {
  HOURCELL_CHECK(memory_bytes() == 0 && neighbour.memory_bytes() == 0);
  for (File& file : neighbour.files_) {
    file.id = next_file_id_++;
    file.is_reference = true;
    files_.push_back(std::move(file));
  }
}

}  // namespace hourcell
