#include "server/inputs/point_batch.h"

#include <algorithm>

#include "codec/base/check.h"

namespace hourcell {
namespace {

constexpr size_t kChunkBytes = 256 * 1024;
// The chunks that a cleared batch keeps: as many as a full batch uses.
constexpr size_t kChunksKept = kBatchTextBytes / kChunkBytes + 1;

}  // namespace

char* PointBatch::Reserve(size_t bytes) {
  if (chunks_used_ > 0) {
    const Chunk& last = chunks_[chunks_used_ - 1];
    if (last.size - used_ >= bytes) return last.bytes.get() + used_;
  }
  if (chunks_used_ == chunks_.size() || chunks_[chunks_used_].size < bytes) {
    const size_t size = std::max(bytes, kChunkBytes);
    chunks_.resize(chunks_used_);
    chunks_.push_back({.bytes = std::make_unique_for_overwrite<char[]>(size), .size = size});
  }
  used_ = 0;
  return chunks_[chunks_used_++].bytes.get();
}

std::string_view PointBatch::Keep(const char* begin, const char* end) {
  HOURCELL_DCHECK(chunks_used_ > 0 && begin == chunks_[chunks_used_ - 1].bytes.get() + used_);
  const auto bytes = static_cast<size_t>(end - begin);
  HOURCELL_DCHECK(bytes <= chunks_[chunks_used_ - 1].size - used_);
  used_ += bytes;
  text_bytes_ += bytes;
  return {begin, bytes};
}

void PointBatch::Add(const LinePoint& point, size_t item) {
  points_.push_back(point);
  points_.back().has_any_names = true;
  items_.push_back(item);
}

void PointBatch::Clear() {
  points_.clear();
  items_.clear();
  if (chunks_.size() > kChunksKept) chunks_.resize(kChunksKept);
  chunks_used_ = 0;
  used_ = 0;
  text_bytes_ = 0;
}

std::string_view KeepTags(const NameRule& names, std::span<const TagView> tags, PointBatch* batch) {
  size_t bytes = 0;
  for (const TagView& tag : tags)
    bytes += tag.key.size() + tag.value.size() + 2 + 2 * kNameSuffixBytes;
  char* const begin = batch->Reserve(bytes);
  char* out = begin;
  for (const TagView& tag : tags) {
    *out++ = kTagSeparator;
    out = names.Write(tag.key, out);
    *out++ = kTagSeparator;
    out = names.Write(tag.value, out);
  }
  return batch->Keep(begin, out);
}

}  // namespace hourcell
