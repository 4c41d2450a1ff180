#include "engine/series_cache.h"

namespace hourcell {

void SeriesCache::MakeKey(const PointView& point, std::string* key) {
  // No legal name holds a zero byte, so two different points cannot have one key.
  key->assign(point.metric);
  for (const TagView& tag : point.tags) {
    key->push_back('\0');
    key->append(tag.key);
    key->push_back('\0');
    key->append(tag.value);
  }
}

bool SeriesCache::Find(std::string_view key, SeriesRef* ref) {
  {
    ReaderLock lock(&mutex_);
    if (const auto found = young_.find(key); found != young_.end()) {
      *ref = found->second;
      hits_.fetch_add(1, std::memory_order_relaxed);
      return true;
    }
    if (!old_.contains(key)) {
      misses_.fetch_add(1, std::memory_order_relaxed);
      return false;
    }
  }
  WriterLock lock(&mutex_);
  const auto found = old_.find(key);
  if (found == old_.end()) {  // another thread moved or cleared it meanwhile
    misses_.fetch_add(1, std::memory_order_relaxed);
    return false;
  }
  *ref = found->second;
  InsertLocked(key, *ref);
  hits_.fetch_add(1, std::memory_order_relaxed);
  return true;
}

void SeriesCache::Insert(std::string_view key, const SeriesRef& ref, uint64_t epoch) {
  WriterLock lock(&mutex_);
  if (epoch == epoch_.load()) InsertLocked(key, ref);
}

void SeriesCache::InsertLocked(std::string_view key, const SeriesRef& ref) {
  if (young_.size() >= generation_max_) {
    old_ = std::move(young_);
    young_ = {};
  }
  young_.insert_or_assign(std::string(key), ref);
}

void SeriesCache::Clear() {
  WriterLock lock(&mutex_);
  epoch_.fetch_add(1);
  young_ = {};
  old_ = {};
}

size_t SeriesCache::size() {
  ReaderLock lock(&mutex_);
  return young_.size() + old_.size();
}

}  // namespace hourcell
