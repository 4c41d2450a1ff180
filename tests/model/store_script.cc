#include "tests/model/store_script.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "codec/base/check.h"
#include "engine/fsck_admin.h"
#include "engine/region_admin.h"
#include "engine/salt_admin.h"
#include "tests/support/builders.h"
#include "tests/support/times.h"

namespace hourcell {
namespace {

constexpr int64_t kFirstMs = 1356998400000;
constexpr uint64_t kHours = 4;
constexpr uint64_t kHosts = 5;
constexpr uint64_t kBatchMax = 12;

std::string MetricOf(uint64_t number) {
  return fmt::format("m{}", number);
}

}  // namespace

StoreScript::StoreScript(uint64_t seed, Options options)
    : random_(seed), clock_(kFirstMs + 6 * kHourMs), options_(std::move(options)) {
  options_.clock = &clock_;
}

absl::Status StoreScript::Reopen() {
  if (tsdb_ != nullptr) {
    // Acknowledged points outlive a close that fails; one that succeeds has them on disk.
    if (tsdb_->Close().ok() && options_.sync != Durability::kNever) points_.Synced();
    tsdb_.reset();
  }
  auto opened = Tsdb::Open(options_);
  if (!opened.ok()) return opened.status();
  tsdb_ = *std::move(opened);
  return absl::OkStatus();
}

void StoreScript::Step() {
  if (tsdb_ == nullptr) {
    Note("open again", Reopen());
    return;
  }
  switch (random_.Below(24)) {
    case 0:
      return Note("seal", tsdb_->maintenance().Seal());
    case 1:
      clock_.Advance(static_cast<int64_t>(random_.Below(2 * 3600)) * 1000);
      return Note("seal what is due", tsdb_->maintenance().SealDue());
    case 2:
      return Note("flush", tsdb_->maintenance().Flush());
    case 3:
      return Note("compact", tsdb_->maintenance().Compact());
    case 4:
      return Note("open", Reopen());
    case 5:
      return Delete();
    case 6:
    case 7:
      return ChangeRegions();
    case 8:
      return ChangeSalt();
    case 9:
      tsdb_->maintenance().DropCaches();
      return;
    case 10:
    case 11:
      return Read();
    default:
      return Put();
  }
}

void StoreScript::Put() {
  struct Sent {
    AckedPoints::Series series;
    int64_t ms = 0;
    ModelValue value;
  };
  std::vector<OwnedPoint> points;
  std::vector<Sent> sent;
  const uint64_t size = 1 + random_.Below(kBatchMax);
  for (uint64_t i = 0; i < size; ++i) {
    const std::string host = fmt::format("h{}", random_.Below(kHosts));
    const std::string metric = MetricOf(random_.Below(2));
    const bool is_ms = random_.Below(4) == 0;
    int64_t ms = kFirstMs + static_cast<int64_t>(random_.Below(kHours)) * kHourMs +
                 static_cast<int64_t>(random_.Below(60)) * 1000;
    if (is_ms) ms += static_cast<int64_t>(random_.Below(1000));
    const Value value = random_.Below(2) == 0
                            ? Value::Integer(static_cast<int64_t>(random_.Below(100'000)))
                            : Value::Float(static_cast<double>(random_.Below(1000)) / 4);
    points.emplace_back(metric, "host=" + host, Timestamp{.ms = ms, .is_ms = is_ms}, value);
    sent.push_back({.series = {metric, host}, .ms = ms, .value = {.value = value, .is_ms = is_ms}});
  }
  std::vector<PointView> views;
  for (OwnedPoint& point : points)
    views.push_back(point.view());
  const bool sync = random_.Below(6) == 0;
  std::vector<RefusedPoint> refused;
  const CommitTicket ticket = tsdb_->points().Append(views, &refused, {.sync = sync, .wait_ms = 5});
  const absl::Status stored = ticket.Wait();
  Note(fmt::format("put {}{}", size, sync ? " synced" : ""), stored);
  if (ticket.took_nothing()) return;
  using Outcome = AckedPoints::Outcome;
  const bool is_synced = sync || options_.sync == Durability::kAlways;
  const Outcome outcome = !stored.ok() ? Outcome::kUnknown
                          : is_synced  ? Outcome::kSynced
                                       : Outcome::kDone;
  for (size_t i = 0; i < sent.size(); ++i) {
    const bool is_refused = std::ranges::find(refused, i, &RefusedPoint::index) != refused.end();
    if (is_refused) continue;
    points_.Put(sent[i].series, sent[i].ms, sent[i].value, outcome);
  }
  // A batch whose points were all refused syncs nothing.
  if (outcome == Outcome::kSynced && refused.size() < sent.size()) points_.Synced();
}

void StoreScript::Delete() {
  const std::string metric = MetricOf(random_.Below(2));
  const int64_t start_s =
      kFirstMs / 1000 + static_cast<int64_t>(random_.Below(kHours) * 3600 + random_.Below(60));
  const int64_t end_s = start_s + static_cast<int64_t>(random_.Below(3600));
  const auto deleted =
      tsdb_->points().DeletePoints(MakeQuery(Aggregator::kNone, metric, {}, start_s, end_s));
  // Of a metric that no point has.
  if (absl::IsNotFound(deleted.status())) return;
  Note(fmt::format("delete {} from {} to {}", metric, start_s, end_s), deleted.status());
  points_.Delete(metric, start_s * 1000, end_s * 1000, deleted.ok());
}

void StoreScript::ChangeRegions() {
  const auto listed = tsdb_->maintenance().regions()->List("data", ListDetail::kPlain);
  if (!listed.ok()) return Note("list regions", listed.status());
  const size_t i = random_.Below(listed->size());
  if (listed->size() > 3 || (listed->size() > 1 && random_.Below(2) == 0)) {
    const size_t left = std::min(i, listed->size() - 2);
    const std::vector<std::string> ids = {std::to_string((*listed)[left].id),
                                          std::to_string((*listed)[left + 1].id)};
    return Note("merge", tsdb_->maintenance().regions()->Merge("data", ids).status());
  }
  const std::string at = fmt::format("\\x00\\x00\\x{:02x}\\x50\\xe2\\x{:02x}", 1 + random_.Below(2),
                                     random_.Below(256));
  Note("split at " + at, tsdb_->maintenance().regions()->Split({.region = at, .at = at}).status());
}

void StoreScript::ChangeSalt() {
  if (options_.layout.salt_width == 0) return;
  const auto buckets = static_cast<uint32_t>(1 + random_.Below(8));
  Note(fmt::format("salt of {}", buckets),
       tsdb_->maintenance().salt()->Change(buckets, std::nullopt));
}

absl::StatusOr<AckedPoints::Shown> StoreScript::ReadAll() {
  AckedPoints::Shown shown;
  const absl::Status read = tsdb_->queries().Scan({}, [&](const ScannedRow& row) {
    std::vector<ShownPoint>& points =
        shown[{std::string(row.metric), std::string(row.tags[0].value)}];
    for (size_t i = 0; i < row.times.size(); ++i) {
      points.push_back(
          {.ms = row.times[i].ms, .value = row.point_values[i], .is_ms = row.times[i].is_ms});
    }
    return true;
  });
  if (!read.ok()) return read;
  return shown;
}

void StoreScript::Read() {
  const auto shown = ReadAll();
  Note("read", shown.status());
  if (!shown.ok()) return;
  const std::string fault = points_.Fault(*shown);
  if (fault.empty()) return;
  faults_.push_back("read: " + fault);
  history_ += "; WRONG: " + fault;
}

std::string StoreScript::CheckRest() {
  const auto regions = tsdb_->maintenance().regions()->Check("data");
  if (!regions.ok()) return regions.status().ToString();
  if (!regions->empty()) return regions->front();
  const auto uids = tsdb_->names().CheckUids(/*repair=*/false);
  if (!uids.ok()) return uids.status().ToString();
  if (uids->errors != 0) return uids->lines.front();
  // Rows against names, series and active sets.
  const auto checked = tsdb_->maintenance().fsck()->Check({});
  if (!checked.ok()) return checked.status().ToString();
  // A crash may leave bytes that an open cuts off the journal.
  for (const FsckFinding& finding : checked->examples) {
    if (finding.fault != FsckFault::kCut) return finding.text;
  }
  return "";
}

void StoreScript::Note(const std::string& what, const absl::Status& status) {
  // Refused because of the request, not because of a failure.
  const bool is_refusal = absl::IsFailedPrecondition(status) || absl::IsInvalidArgument(status);
  if (!status.ok() && !is_refusal) ++failed_calls_;
  history_ += fmt::format("\n  {}{}", what,
                          status.ok() ? std::string() : ": " + std::string(status.message()));
}

}  // namespace hourcell
