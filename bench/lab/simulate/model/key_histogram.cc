#include "bench/lab/simulate/model/key_histogram.h"

#include <algorithm>
#include <utility>

#include "codec/base/bytes.h"
#include "codec/base/check.h"
#include "engine/regions/split/split_point.h"

namespace hourcell {
namespace {

// Pending keys per bin before they are sorted: sorting is the main cost of an addition.
constexpr size_t kPendingPerBin = 4;

// The next key below `key`, or nearly so. REQUIRES: key is not empty.
std::string KeyBelow(std::string_view key) {
  std::string below(key);
  if (below.back() == '\0') {
    below.pop_back();
    return below;
  }
  below.back() = static_cast<char>(static_cast<uint8_t>(below.back()) - 1);
  below += '\xFF';
  return below;
}

// The bytes of a bin in [start, end).
uint64_t BytesOfBin(const KeyBin& bin, std::string_view start, std::string_view end) {
  if (bin.last < start || (!end.empty() && bin.first >= end)) return 0;
  if (bin.first >= start && (end.empty() || bin.last < end)) return bin.mass.bytes;
  const FileSpan span{.smallest = bin.first, .largest = bin.last, .bytes = bin.mass.bytes};
  return BytesOfSpans(std::span(&span, 1), start, end);
}

// The position of `key`, in [0, 1], within a bin with keys on both sides.
double ShareBelow(const KeyBin& bin, std::string_view key) {
  constexpr uint64_t kScale = 1'000'000'000;
  const FileSpan span{.smallest = bin.first, .largest = bin.last, .bytes = kScale};
  return static_cast<double>(BytesOfSpans(std::span(&span, 1), "", key)) / kScale;
}

bool ByFirst(const KeyBin& a, const KeyBin& b) {
  return a.first != b.first ? a.first < b.first : a.last < b.last;
}

template <typename Bin>
void Join(Bin* bin, const Bin& other) {
  if (other.last > bin->last) bin->last = other.last;
  bin->mass += other.mass;
  bin->oldest_ms = std::min(bin->oldest_ms, other.oldest_ms);
  bin->newest_ms = std::max(bin->newest_ms, other.newest_ms);
}

// The first 8 bytes as a number with the same order; shorter keys are padded with zeros.
uint64_t PrefixOf(std::string_view key) {
  if (key.size() >= 8) return LoadBigEndian(key.data(), 8);
  return LoadBigEndian(key.data(), key.size()) << (8 * (8 - key.size()));
}

}  // namespace

KeyMass& KeyMass::operator+=(const KeyMass& other) {
  cells += other.cells;
  rows += other.rows;
  bytes += other.bytes;
  return *this;
}

KeyMass& KeyMass::operator-=(const KeyMass& other) {
  cells -= other.cells;
  rows -= other.rows;
  bytes -= other.bytes;
  return *this;
}

KeyMass KeyMass::Share(double share) const {
  const auto part = [share](uint64_t count) {
    return std::min(count, static_cast<uint64_t>(static_cast<double>(count) * share));
  };
  return {.cells = part(cells), .rows = part(rows), .bytes = part(bytes)};
}

KeyHistogram::KeyHistogram(size_t bins_max) : bins_max_(bins_max) {
  HOURCELL_CHECK(bins_max > 1);
}

void KeyHistogram::Add(std::string_view key, const KeyMass& mass, uint64_t time_ms) {
  mass_ += mass;
  newest_ms_ = std::max(newest_ms_, time_ms);
  pending_.push_back({.begin = static_cast<uint32_t>(pending_keys_.size()),
                      .size = static_cast<uint32_t>(key.size()),
                      .mass = mass,
                      .time_ms = time_ms});
  pending_keys_.append(key);
  if (pending_.size() >= kPendingPerBin * bins_max_) Spill();
}

void KeyHistogram::Merge(const KeyHistogram& other) {
  Settle();
  other.Settle();
  mass_ += other.mass_;
  newest_ms_ = std::max(newest_ms_, other.newest_ms_);
  bins_ = JoinSets(bins_, other.bins_);
}

KeyHistogram KeyHistogram::CutFrom(std::string_view key) {
  HOURCELL_CHECK(!key.empty());
  Settle();
  KeyHistogram above(bins_max_);
  std::vector<KeyBin> below;
  for (KeyBin& bin : bins_) {
    if (bin.last < key) {
      below.push_back(std::move(bin));
      continue;
    }
    if (bin.first < key) {
      KeyBin left = bin;
      left.mass = bin.mass.Share(ShareBelow(bin, key));
      left.last = std::max(bin.first, KeyBelow(key));
      bin.mass -= left.mass;
      bin.first = std::string(key);
      below.push_back(std::move(left));
    }
    above.mass_ += bin.mass;
    above.newest_ms_ = std::max(above.newest_ms_, bin.newest_ms);
    above.bins_.push_back(std::move(bin));
  }
  // A cut bin now begins at the key, after others that begin above it.
  std::sort(above.bins_.begin(), above.bins_.end(), ByFirst);
  bins_ = std::move(below);
  mass_ -= above.mass_;
  newest_ms_ = 0;
  for (const KeyBin& bin : bins_)
    newest_ms_ = std::max(newest_ms_, bin.newest_ms);
  return above;
}

KeyMass KeyHistogram::Expire(uint64_t cutoff_ms) {
  Settle();
  KeyMass expired;
  for (KeyBin& bin : bins_) {
    if (bin.oldest_ms >= cutoff_ms) continue;
    KeyMass past = bin.mass;
    if (bin.newest_ms >= cutoff_ms) {
      const auto span_ms = static_cast<double>(bin.newest_ms - bin.oldest_ms + 1);
      past = bin.mass.Share(static_cast<double>(cutoff_ms - bin.oldest_ms) / span_ms);
    }
    bin.mass -= past;
    bin.oldest_ms = cutoff_ms;
    expired += past;
  }
  std::erase_if(bins_, [](const KeyBin& bin) { return bin.mass == KeyMass{}; });
  mass_ -= expired;
  return expired;
}

std::span<const KeyBin> KeyHistogram::bins() const {
  Settle();
  return bins_;
}

std::string KeyHistogram::smallest() const {
  Settle();
  return bins_.empty() ? "" : bins_.front().first;
}

std::string KeyHistogram::largest() const {
  Settle();
  std::string largest;
  for (const KeyBin& bin : bins_)
    largest = std::max(largest, bin.last);
  return largest;
}

std::string KeyHistogram::LargestBelow(std::string_view key) const {
  Settle();
  std::string_view largest;
  for (const KeyBin& bin : bins_) {
    if (bin.first < key) largest = std::max<std::string_view>(largest, bin.first);
    if (bin.last < key) largest = std::max<std::string_view>(largest, bin.last);
  }
  return std::string(largest);
}

uint64_t KeyHistogram::BytesBetween(std::string_view start, std::string_view end) const {
  Settle();
  uint64_t bytes = 0;
  for (const KeyBin& bin : bins_)
    bytes += BytesOfBin(bin, start, end);
  return bytes;
}

std::string KeyHistogram::FirstKeyFrom(std::string_view key) const {
  Settle();
  std::string_view best;
  for (const KeyBin& bin : bins_) {
    for (const std::string& bound : {std::cref(bin.first), std::cref(bin.last)}) {
      if (bound >= key && (best.empty() || bound < best)) best = bound;
    }
  }
  return std::string(best);
}

std::string KeyHistogram::KeyAt(double share) const {
  Settle();
  const auto wanted = static_cast<uint64_t>(static_cast<double>(mass_.bytes) * share);
  uint64_t below = 0;
  for (const KeyBin& bin : bins_) {
    below += bin.mass.bytes;
    if (below > wanted) return bin.first;
  }
  return largest();
}

std::vector<KeyHistogram::BinView> KeyHistogram::EndsOf(const Bins& bins) {
  std::vector<BinView> ends;
  ends.reserve(2 * bins.size());
  for (const KeyBin& bin : bins) {
    const BinView first{.first = bin.first,
                        .last = bin.first,
                        .mass = bin.mass,
                        .oldest_ms = bin.oldest_ms,
                        .newest_ms = bin.newest_ms};
    ends.push_back(first);
    if (bin.is_one_key()) continue;
    BinView last = first;
    last.first = last.last = bin.last;
    last.mass = bin.mass.Share(0.5);
    ends.back().mass -= last.mass;
    ends.push_back(last);
  }
  return ends;
}

std::vector<KeyHistogram::BinView> KeyHistogram::SortedPending() const {
  // Most keys differ in their first bytes, and small elements sort faster.
  struct Place {
    uint64_t prefix = 0;
    uint32_t index = 0;
  };
  std::vector<Place> places(pending_.size());
  for (uint32_t i = 0; i < places.size(); ++i)
    places[i] = {.prefix = PrefixOf(KeyOf(pending_[i])), .index = i};
  std::sort(places.begin(), places.end(), [this](const Place& a, const Place& b) {
    if (a.prefix != b.prefix) return a.prefix < b.prefix;
    return KeyOf(pending_[a.index]) < KeyOf(pending_[b.index]);
  });
  std::vector<BinView> sorted;
  sorted.reserve(places.size());
  for (const Place& place : places) {
    const Pending& pending = pending_[place.index];
    sorted.push_back({.first = KeyOf(pending),
                      .last = KeyOf(pending),
                      .mass = pending.mass,
                      .oldest_ms = pending.time_ms,
                      .newest_ms = pending.time_ms});
  }
  return sorted;
}

KeyHistogram::Bins KeyHistogram::TakePending() const {
  Bins bins = MakeBins(SortedPending(), {});
  pending_.clear();
  pending_keys_.clear();
  return bins;
}

KeyHistogram::Bins KeyHistogram::JoinSets(const Bins& some, const Bins& others) const {
  return MakeBins(EndsOf(some), EndsOf(others));
}

void KeyHistogram::Spill() const {
  Bins carried = TakePending();
  for (Bins& size : sizes_) {
    if (size.empty()) {
      size = std::move(carried);
      return;
    }
    carried = JoinSets(size, carried);
    size.clear();
  }
  sizes_.push_back(std::move(carried));
}

void KeyHistogram::Settle() const {
  if (pending_.empty() && sizes_.empty()) return;
  Bins all = TakePending();
  // Small sets first, so that the sums stay small.
  sizes_.push_back(std::move(bins_));
  for (const Bins& size : sizes_) {
    if (size.empty()) continue;
    all = all.empty() ? size : JoinSets(size, all);
  }
  sizes_.clear();
  bins_ = std::move(all);
}

KeyHistogram::Bins KeyHistogram::MakeBins(std::span<const BinView> some,
                                          std::span<const BinView> others) const {
  std::vector<BinView> keys;
  keys.reserve(some.size() + others.size());
  const auto add = [&keys](const BinView& key) {
    if (!keys.empty() && keys.back().first == key.first) {
      Join(&keys.back(), key);
    } else {
      keys.push_back(key);
    }
  };
  auto other = others.begin();
  for (const BinView& key : some) {
    for (; other != others.end() && other->first < key.first; ++other)
      add(*other);
    add(key);
  }
  for (; other != others.end(); ++other)
    add(*other);
  if (keys.size() > bins_max_) JoinNeighbours(&keys);
  Bins bins;
  bins.reserve(keys.size());
  for (const BinView& key : keys) {
    bins.push_back({.first = std::string(key.first),
                    .last = std::string(key.last),
                    .mass = key.mass,
                    .oldest_ms = key.oldest_ms,
                    .newest_ms = key.newest_ms});
  }
  return bins;
}

void KeyHistogram::JoinNeighbours(std::vector<BinView>* bins) const {
  // Of two neighbours at least one stays above half of the limit, so there are at most bins_max_
  // bins, and those of keys that are too heavy to be joined.
  uint64_t bytes = 0;
  for (const BinView& bin : *bins)
    bytes += bin.mass.bytes;
  const uint64_t bytes_max = 2 * bytes / bins_max_ + 1;
  size_t joined = 0;  // number of joined bins in place
  for (const BinView& bin : *bins) {
    BinView* const last = joined > 0 ? &(*bins)[joined - 1] : nullptr;
    if (last != nullptr && last->mass.bytes + bin.mass.bytes <= bytes_max) {
      Join(last, bin);
    } else {
      (*bins)[joined++] = bin;
    }
  }
  bins->resize(joined);
}

}  // namespace hourcell
