#include "server/access/series_allowance.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include <absl/container/flat_hash_map.h>

#include "codec/base/check.h"
#include "server/access/cidr.h"

namespace hourcell {
namespace {

constexpr double kMsOfAnHour = 3'600'000;
// A search of the whole table, at most once in this time.
constexpr int64_t kLookMs = 1'000;
constexpr size_t kPrefixBytes = 8;  // of an IPv6 address

std::string KeyOf(std::string_view address) {
  const std::optional<IpAddress> parsed = IpAddress::Parse(address);
  if (!parsed.has_value()) return std::string(address);
  const std::array<uint8_t, 16>& bytes = parsed->bytes;
  const size_t size = parsed->is_ipv4() ? bytes.size() : kPrefixBytes;
  return {bytes.begin(), bytes.begin() + static_cast<ptrdiff_t>(size)};
}

}  // namespace

double HourlySeries::LeftAt(int64_t now_ms) const {
  return std::min(per_hour_,
                  left_ + static_cast<double>(now_ms - filled_ms_) * per_hour_ / kMsOfAnHour);
}

size_t HourlySeries::Take(size_t wanted, int64_t now_ms) {
  left_ = LeftAt(now_ms);
  filled_ms_ = now_ms;
  const size_t allowed = std::min(wanted, static_cast<size_t>(left_));
  left_ -= static_cast<double>(allowed);
  return allowed;
}

SeriesAllowance::SeriesAllowance(int64_t per_hour, MonotonicClock* clock, Stats* stats)
    : per_hour_(per_hour),
      clock_(clock),
      created_(stats->counter("rpc.inputs.new_series", {{"result", "created"}})),
      refused_(stats->counter("rpc.inputs.new_series", {{"result", "refused"}})),
      quota_([this](size_t wanted) { return Take(wanted); }),
      series_(per_hour, clock->MonotonicMs()) {}

size_t SeriesAllowance::Take(size_t wanted) {
  MutexLock lock(&mutex_);
  const size_t allowed = series_.Take(wanted, clock_->MonotonicMs());
  created_->Add(allowed);
  refused_->Add(wanted - allowed);
  return allowed;
}

ClientAllowances::ClientAllowances(int64_t per_hour, MonotonicClock* clock, Stats* stats)
    : per_hour_(per_hour),
      clock_(clock),
      created_(stats->counter("rpc.put.new_series", {{"result", "created"}})),
      refused_(stats->counter("rpc.put.new_series", {{"result", "refused"}})),
      others_(per_hour, clock->MonotonicMs()),
      looked_ms_(clock->MonotonicMs()) {
  HOURCELL_CHECK(per_hour > 0);
}

NewSeriesQuota ClientAllowances::QuotaOf(std::string_view address) {
  return [this, key = KeyOf(address)](size_t wanted) { return Take(key, wanted); };
}

size_t ClientAllowances::Take(std::string_view key, size_t wanted) {
  MutexLock lock(&mutex_);
  const int64_t now_ms = clock_->MonotonicMs();
  const size_t allowed = Of(key, now_ms)->Take(wanted, now_ms);
  created_->Add(allowed);
  refused_->Add(wanted - allowed);
  return allowed;
}

// A full allowance is as good as none, so it is removed for a new address.
HourlySeries* ClientAllowances::Of(std::string_view key, int64_t now_ms) {
  if (const auto found = by_client_.find(key); found != by_client_.end()) return &found->second;
  if (by_client_.size() >= kAllowancesMax && now_ms - looked_ms_ >= kLookMs) {
    looked_ms_ = now_ms;
    absl::erase_if(by_client_, [now_ms](const auto& one) { return one.second.IsFull(now_ms); });
  }
  if (by_client_.size() >= kAllowancesMax) return &others_;
  return &by_client_.try_emplace(std::string(key), per_hour_, now_ms).first->second;
}

}  // namespace hourcell
