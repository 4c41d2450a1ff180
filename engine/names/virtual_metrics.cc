#include "engine/names/virtual_metrics.h"

#include <algorithm>
#include <optional>

#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>

#include "codec/base/bytes.h"
#include "codec/base/check.h"
#include "codec/base/kill_point.h"
#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "engine/rows/key_range.h"

// Why expressions have UIDs and not names: a rename then needs no second write, which a crash could
// separate from the first, and it cannot make a cycle (docs/decisions/0041).

namespace hourcell {
namespace {

constexpr std::string_view kVirtualPrefix = "virtual/";

using VirtualMap = absl::flat_hash_map<Uid, VirtualMetrics::Expression>;

// The number of virtual metrics from `metric` down to the stored ones; more than kVirtualLevelsMax
// if there are too many, or a cycle. `known`: those of metrics that were counted.
size_t LevelsOf(const VirtualMap& map,
                Uid metric,
                size_t above,
                absl::flat_hash_map<Uid, size_t>* known) {
  const auto found = map.find(metric);
  if (found == map.end()) return 0;
  if (const auto counted = known->find(metric); counted != known->end()) return counted->second;
  if (above >= kVirtualLevelsMax) return 1;
  size_t below = 0;
  for (const StoredExpression::Names& input : found->second->names)
    below = std::max(below, LevelsOf(map, input.metric, above + 1, known));
  // A count that was cut off at the limit holds for this path alone.
  if (above + 1 + below <= kVirtualLevelsMax) known->emplace(metric, below + 1);
  return below + 1;
}

bool IsInputOf(const StoredExpression& stored, Uid metric) {
  return std::ranges::find(stored.names, metric, &StoredExpression::Names::metric) !=
         stored.names.end();
}

// Whether `metric` is calculated from `input`, on any level. `seen`: metrics that were followed.
bool IsCalculatedFrom(const VirtualMap& map,
                      Uid metric,
                      Uid input,
                      absl::flat_hash_set<Uid>* seen) {
  const auto found = map.find(metric);
  if (found == map.end() || !seen->insert(metric).second) return false;
  return IsInputOf(*found->second, input) ||
         std::ranges::any_of(found->second->names, [&](const StoredExpression::Names& below) {
           return IsCalculatedFrom(map, below.metric, input, seen);
         });
}

bool HasTagKey(const StoredExpression& stored, Uid tagk) {
  return std::ranges::any_of(stored.names, [tagk](const StoredExpression::Names& input) {
    return std::ranges::find(input.tagks, tagk) != input.tagks.end();
  });
}

}  // namespace

absl::Status VisitVirtualMetrics(
    const Layout& layout,
    Tables* tables,
    const std::function<void(Uid metric, StoredExpression stored)>& visit) {
  absl::Status fault;
  const auto visit_row = [&](std::string_view key, std::string_view value) {
    const absl::StatusOr<std::string> uid = FromHex(key.substr(kVirtualPrefix.size()));
    absl::StatusOr<StoredExpression> stored = DecodeExpression(layout, value);
    if (uid.ok() && uid->size() == layout.metric_width && stored.ok()) {
      visit(LoadBigEndian(uid->data(), uid->size()), *std::move(stored));
      return true;
    }
    fault = absl::DataLossError(fmt::format("meta {}: {}", QuoteForMessage(key),
                                            stored.ok() ? "expected the UID of a metric in hex"
                                                        : std::string(stored.status().message())));
    return false;
  };
  HOURCELL_RETURN_IF_ERROR(
      tables->Snapshot()->Scan(TableId::kSystem, PrefixRange(kVirtualPrefix), visit_row));
  return fault;
}

std::string VirtualMetrics::RowKeyOf(Uid metric) const {
  std::string uid;
  AppendBigEndian(metric, layout_.metric_width, &uid);
  return fmt::format("{}{}", kVirtualPrefix, ToUpperHex(uid));
}

absl::Status VirtualMetrics::Load() {
  MutexLock lock(&edit_);
  auto map = std::make_shared<Map>();
  HOURCELL_RETURN_IF_ERROR(
      VisitVirtualMetrics(layout_, tables_, [&map](Uid metric, StoredExpression stored) {
        (*map)[metric] = std::make_shared<const StoredExpression>(std::move(stored));
      }));
  Publish(std::move(map));
  return absl::OkStatus();
}

void VirtualMetrics::Publish(std::shared_ptr<const Map> map) {
  WriterLock lock(&map_mutex_);
  map_ = std::move(map);
  count_.store(map_->size(), std::memory_order_release);
}

VirtualMetrics::Expression VirtualMetrics::Find(Uid metric) const {
  if (is_empty()) return nullptr;
  const std::shared_ptr<const Map> metrics = map();
  const auto found = metrics->find(metric);
  return found == metrics->end() ? nullptr : found->second;
}

std::vector<std::pair<Uid, VirtualMetrics::Expression>> VirtualMetrics::All() const {
  const std::shared_ptr<const Map> metrics = map();
  std::vector<std::pair<Uid, Expression>> all(metrics->begin(), metrics->end());
  std::ranges::sort(all, {}, &std::pair<Uid, Expression>::first);
  return all;
}

absl::StatusOr<StoredExpression> VirtualMetrics::Resolve(const MetricExpression& expression) const {
  StoredExpression stored{.expression = expression, .names = {}};
  for (SubQuery& input : stored.expression.inputs) {
    StoredExpression::Names& names = stored.names.emplace_back();
    HOURCELL_ASSIGN_OR_RETURN(names.metric, uids_.Get(UidKind::kMetric, input.metric));
    input.metric.clear();
    for (TagFilterSpec& filter : input.filters) {
      HOURCELL_ASSIGN_OR_RETURN(names.tagks.emplace_back(), uids_.Get(UidKind::kTagk, filter.tagk));
      filter.tagk.clear();
    }
  }
  return stored;
}

absl::StatusOr<std::string> VirtualMetrics::NameOf(UidKind kind, Uid uid) const {
  absl::StatusOr<std::string> name = uids_.NameOf(kind, uid);
  if (!absl::IsNotFound(name.status())) return name;
  std::string bytes;
  AppendBigEndian(uid, layout_.width(kind), &bytes);
  return ToUpperHex(bytes);
}

absl::StatusOr<MetricExpression> VirtualMetrics::Named(const StoredExpression& stored) const {
  MetricExpression named = stored.expression;
  for (size_t i = 0; i < named.inputs.size(); ++i) {
    SubQuery& input = named.inputs[i];
    HOURCELL_ASSIGN_OR_RETURN(input.metric, NameOf(UidKind::kMetric, stored.names[i].metric));
    for (size_t at = 0; at < input.filters.size(); ++at) {
      HOURCELL_ASSIGN_OR_RETURN(input.filters[at].tagk,
                                NameOf(UidKind::kTagk, stored.names[i].tagks[at]));
    }
  }
  return named;
}

absl::StatusOr<std::optional<std::string>> VirtualMetrics::UserIn(const Map& map,
                                                                  UidKind kind,
                                                                  Uid uid) const {
  for (const auto& [user, expression] : map) {
    if (kind == UidKind::kMetric ? !IsInputOf(*expression, uid) : !HasTagKey(*expression, uid))
      continue;
    HOURCELL_ASSIGN_OR_RETURN(std::string name, NameOf(UidKind::kMetric, user));
    return std::optional<std::string>(std::move(name));
  }
  return std::optional<std::string>();
}

absl::StatusOr<std::optional<std::string>> VirtualMetrics::UserOf(UidKind kind, Uid uid) const {
  HOURCELL_DCHECK(kind != UidKind::kTagv);
  return UserIn(*map(), kind, uid);
}

absl::Status VirtualMetrics::CheckLevels(const Map& map, Uid metric, std::string_view name) {
  absl::flat_hash_map<Uid, size_t> known;
  for (const auto& [uid, expression] : map) {
    if (LevelsOf(map, uid, /*above=*/0, &known) <= kVirtualLevelsMax) continue;
    absl::flat_hash_set<Uid> seen;
    const bool is_of_itself = IsCalculatedFrom(map, metric, metric, &seen);
    return absl::InvalidArgumentError(fmt::format(
        "metric {}: {}; expected at most {} levels of virtual metrics, without a cycle",
        QuoteForMessage(name), is_of_itself ? "calculated from itself" : "too many levels",
        kVirtualLevelsMax));
  }
  return absl::OkStatus();
}

absl::Status VirtualMetrics::Define(Uid metric, std::string_view name, StoredExpression stored) {
  MutexLock lock(&edit_);
  auto next = std::make_shared<Map>(*map());
  const Mutation row{TableId::kSystem, Mutation::Kind::kSet, RowKeyOf(metric),
                     EncodeExpression(layout_, stored)};
  (*next)[metric] = std::make_shared<const StoredExpression>(std::move(stored));
  if (next->size() > kVirtualMetricsMax) {
    return absl::ResourceExhaustedError(
        fmt::format("metric {}: too many virtual metrics; expected at most {}",
                    QuoteForMessage(name), kVirtualMetricsMax));
  }
  HOURCELL_RETURN_IF_ERROR(CheckLevels(*next, metric, name));
  HOURCELL_KILL_POINT("virtual:before_write");
  HOURCELL_RETURN_IF_ERROR(tables_->Apply({&row, 1}, /*sync=*/true));
  HOURCELL_KILL_POINT("virtual:written");
  Publish(std::move(next));
  return absl::OkStatus();
}

absl::Status VirtualMetrics::Drop(Uid metric, std::string_view name) {
  MutexLock lock(&edit_);
  auto next = std::make_shared<Map>(*map());
  if (next->erase(metric) == 0) {
    return absl::NotFoundError(fmt::format("metric {}: not virtual; expected one that was defined",
                                           QuoteForMessage(name)));
  }
  HOURCELL_ASSIGN_OR_RETURN(const std::optional<std::string> user,
                            UserIn(*next, UidKind::kMetric, metric));
  if (user.has_value()) {
    return absl::FailedPreconditionError(
        fmt::format("metric {}: {} is calculated from it; drop that first", QuoteForMessage(name),
                    QuoteForMessage(*user)));
  }
  const Mutation row{TableId::kSystem, Mutation::Kind::kDelete, RowKeyOf(metric), ""};
  HOURCELL_RETURN_IF_ERROR(tables_->Apply({&row, 1}, /*sync=*/true));
  HOURCELL_KILL_POINT("virtual:dropped");
  Publish(std::move(next));
  return absl::OkStatus();
}

}  // namespace hourcell
