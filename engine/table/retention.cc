#include "engine/table/retention.h"

#include <algorithm>
#include <utility>

#include "codec/base/bytes.h"
#include "codec/base/check.h"

namespace hourcell {
namespace {

// Points before this are older than the TTL; 0: none is.
int64_t OlderThanMs(int64_t ttl_s, int64_t now_ms) {
  return ttl_s == 0 ? 0 : std::max<int64_t>(0, now_ms - ttl_s * 1000);
}

bool IsTtl(int64_t ttl_s) {
  return ttl_s >= 0 && ttl_s <= kTtlMaxS;
}

}  // namespace

int64_t RetentionRules::TtlS(Uid metric) const {
  const auto own = metric_ttl_s.find(metric);
  return own == metric_ttl_s.end() ? store_ttl_s : own->second;
}

int64_t RetentionRules::FileTtlS(Uid metric) const {
  int64_t ttl_s = TtlS(metric);
  if (file_ttl_s.empty()) return ttl_s;
  const auto widen = [&](Uid of) {
    const auto longer = file_ttl_s.find(of);
    if (longer != file_ttl_s.end()) ttl_s = LongerTtl(ttl_s, longer->second);
  };
  widen(metric);
  if (!metric_ttl_s.contains(metric)) widen(kNoUid);
  return ttl_s;
}

int64_t RetentionRules::ExpiresBeforeMs(Uid metric, int64_t now_ms) const {
  return OlderThanMs(TtlS(metric), now_ms);
}

int64_t RetentionRules::FilesExpireBeforeMs(Uid metric, int64_t now_ms) const {
  return OlderThanMs(FileTtlS(metric), now_ms);
}

int64_t RetentionRules::FilesExpireBeforeMs(Uid first, Uid last, int64_t now_ms) const {
  if (first == last) return FilesExpireBeforeMs(first, now_ms);
  int64_t before_ms = OlderThanMs(FileTtlS(kNoUid), now_ms);
  for (const auto* const ttls : {&metric_ttl_s, &file_ttl_s}) {
    for (const auto& [metric, ttl_s] : *ttls) {
      if (metric >= first && metric <= last) {
        before_ms = std::min(before_ms, OlderThanMs(ttl_s, now_ms));
      }
    }
  }
  return before_ms;
}

int64_t RetentionRules::ShortestTtlS() const {
  int64_t shortest_s = store_ttl_s;
  for (const auto& [metric, ttl_s] : metric_ttl_s) {
    if (ttl_s != 0 && (shortest_s == 0 || ttl_s < shortest_s)) shortest_s = ttl_s;
  }
  return shortest_s;
}

void Retention::Set(RetentionRules rules) {
  HOURCELL_CHECK(IsTtl(rules.store_ttl_s));
  for (const auto* const ttls : {&rules.metric_ttl_s, &rules.file_ttl_s}) {
    for (const auto& [metric, ttl_s] : *ttls)
      HOURCELL_CHECK(IsTtl(ttl_s));
  }
  auto snapshot = std::make_shared<const RetentionRules>(std::move(rules));
  MutexLock lock(&mutex_);
  rules_ = std::move(snapshot);
  shortest_ttl_s_.store(rules_->ShortestTtlS());
}

std::shared_ptr<const RetentionRules> Retention::rules() const {
  MutexLock lock(&mutex_);
  return rules_;
}

int64_t Retention::MayExpireBeforeMs(int64_t now_ms) const {
  return OlderThanMs(shortest_ttl_s_.load(), now_ms);
}

RowExpiry::RowExpiry(const Layout& layout, const Retention* retention, WallClock* clock)
    : row_keys_(layout), retention_(*retention), clock_(*clock) {
  for (const RowField field : layout.fields) {
    if (field == RowField::kBaseTime) break;
    if (field == RowField::kSalt) base_time_at_ += layout.salt_width;
    if (field == RowField::kMetric) {
      base_time_at_ += layout.metric_width;
      metric_is_before_time_ = true;
    }
  }
}

int64_t RowExpiry::ExpiresBeforeMs(Uid metric) const {
  const auto rules = retention_.rules();
  return rules == nullptr ? 0 : rules->ExpiresBeforeMs(metric, clock_.NowMs());
}

int64_t RowExpiry::FilesExpireBeforeMs(Uid metric) const {
  const auto rules = retention_.rules();
  return rules == nullptr ? 0 : rules->FilesExpireBeforeMs(metric, clock_.NowMs());
}

RowExpiry::Pass::Pass(const RowExpiry& expiry)
    : expiry_(expiry), rules_(expiry.retention_.rules()), now_ms_(expiry.clock_.NowMs()) {}

bool RowExpiry::Pass::IsExpired(std::string_view key) {
  if (rules_ == nullptr) return false;
  const absl::StatusOr<RowKeyView> row = expiry_.row_keys_.ParseStored(key);
  if (!row.ok()) return false;
  if (row->metric != metric_) {
    metric_ = row->metric;
    const Uid metric = LoadBigEndian(metric_.data(), metric_.size());
    before_ms_ = rules_->FilesExpireBeforeMs(metric, now_ms_);
  }
  span_ = row->span;
  return RowIsBefore(span_, row->base_time_s, before_ms_);
}

std::string RowExpiry::Pass::EndOfExpired(std::string_view key) const {
  std::string end;
  if (!expiry_.metric_is_before_time_) return end;
  // Days that are not expired follow the hours of 1970-01-01.
  const bool is_among_days = span_ != kDaySpan && expiry_.row_keys_.BaseTimeOf(key) < kDayFieldsEnd;
  if (is_among_days) return end;
  end = key.substr(0, expiry_.base_time_at_);
  const uint32_t first_s = FirstRowFromS(span_, before_ms_);
  AppendBigEndian(span_ == kDaySpan ? DayField(first_s) : first_s, 4, &end);
  return end;
}

int64_t RowExpiry::Pass::FilesExpireBeforeMs(Uid first, Uid last) const {
  return rules_ == nullptr ? 0 : rules_->FilesExpireBeforeMs(first, last, now_ms_);
}

}  // namespace hourcell
