#include "engine/bigtable/writer/writer_lease.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "codec/base/check.h"
#include "codec/base/kill_point.h"
#include "codec/base/status_macros.h"
#include "engine/bigtable/rows/stored_row.h"
#include "engine/bigtable/writer/system_rows.h"

namespace hourcell {
namespace {

// If nothing listens at the writer's address, the wait is this fraction of the lease.
constexpr int64_t kGoneFraction = 5;

// Polling interval of a standby.
int64_t LookMs(int64_t lease_ms) {
  return std::clamp<int64_t>(lease_ms / 10, 1, 1000);
}

// Reads up to this long count as quick, however short the heartbeat interval is.
constexpr int64_t kQuickMs = 100;

// After a failover, losers poll fast so that clients soon learn the new writer.
constexpr int kQuickReads = 20;
constexpr int64_t kQuickReadMs = 50;

}  // namespace

WriterLease::WriterLease(BigtableClient* client, const LeaseOptions& options)
    : client_(*client),
      options_(options),
      clock_(options.clock != nullptr ? *options.clock : *Clock::System()),
      system_(ClusterTable(client->options().table_prefix)),
      loss_(options.events.on_lost),
      registry_(client, &clock_, options.address) {}

absl::StatusOr<std::unique_ptr<WriterLease>> WriterLease::Acquire(BigtableClient* client,
                                                                  const LeaseOptions& options) {
  std::unique_ptr<WriterLease> lease(new WriterLease(client, options));
  for (;;) {
    HOURCELL_ASSIGN_OR_RETURN(const LeaseState seen, lease->WaitUntilFree());
    const absl::Status taken = lease->TryToAcquire(seen);
    if (absl::IsAborted(taken)) continue;
    HOURCELL_RETURN_IF_ERROR(taken);
    lease->has_clean_past_ = seen.IsFree();
    lease->registry_.Withdraw().IgnoreError();  // else the row expires
    return lease;
  }
}

absl::Status WriterLease::TryToAcquire(const LeaseState& seen) {
  HOURCELL_DCHECK(journal_ == nullptr);
  // After the wait: the highest number goes to the standby that drew last.
  HOURCELL_ASSIGN_OR_RETURN(
      const uint64_t writer,
      client_.Increment(system_, std::string(kWritersRow), std::string(kBigtableFamily), 1));
  heartbeats_.reset();
  row_ = std::make_unique<LeaseRow>(&client_, writer, options_.address, &loss_);
  HOURCELL_RETURN_IF_ERROR(row_->Acquire(seen));
  HOURCELL_KILL_POINT("takeover:lease_taken");
  {
    // Replaying a long journal must not cost the lease.
    const Background while_opening("hc-heartbeat", options_.heartbeat_ms,
                                   [this] { row_->Heartbeat().IgnoreError(); });
    HOURCELL_ASSIGN_OR_RETURN(journal_, BigtableJournal::Open(&client_, row_.get(), &loss_));
  }
  heartbeats_ =
      std::make_unique<Background>("hc-heartbeat", options_.heartbeat_ms, [this] { Heartbeat(); });
  return absl::OkStatus();
}

absl::StatusOr<WriterLease::Look> WriterLease::LookNow() {
  Look look;
  look.began_ms = clock_.MonotonicMs();
  HOURCELL_ASSIGN_OR_RETURN(look.state, ReadLease(&client_));
  look.ended_ms = clock_.MonotonicMs();
  HOURCELL_DCHECK(look.ended_ms >= look.began_ms);
  return look;
}

bool WriterLease::WasQuick(const Look& look) const {
  return look.ended_ms - look.began_ms <= std::max(2 * options_.heartbeat_ms, kQuickMs);
}

bool WriterLease::HasExpired(const LeaseState& seen, int64_t quiet_ms) const {
  HOURCELL_DCHECK(quiet_ms >= 0 && !seen.IsFree());
  if (quiet_ms >= options_.lease_ms) return true;
  return quiet_ms >= options_.lease_ms / kGoneFraction && options_.events.is_gone &&
         !seen.active.address.empty() && options_.events.is_gone(seen.active.address);
}

absl::Status WriterLease::TooLong(const ActiveNode& active) const {
  return absl::FailedPreconditionError(fmt::format(
      "{} writes to this store; stop it first, or use it through its address", NameOf(active)));
}

std::string WriterLease::Pause() {
  int64_t ms = LookMs(options_.lease_ms);
  if (quick_reads_left_ > 0) {
    --quick_reads_left_;
    ms = std::min(ms, kQuickReadMs);
  }
  if (options_.events.await_death) return options_.events.await_death(ms);
  std::this_thread::sleep_for(std::chrono::milliseconds(ms));
  return {};
}

void WriterLease::ReportWriter(const ActiveNode& active) {
  if (reported_address_ == active.address) return;
  reported_address_ = active.address;
  if (options_.warn) {
    options_.warn(
        fmt::format("{} writes to this store; waiting until it stops, or has not beaten for {} ms",
                    NameOf(active), options_.lease_ms));
  }
  if (options_.events.on_waiting) options_.events.on_waiting(active.address);
}

// The first read fails if there is no store to wait for. After that, a failed or slow read proves
// nothing about the writer, so the quiet time restarts at its end. A quick read counts from its
// beginning: its result was true then, or later.
absl::StatusOr<LeaseState> WriterLease::WaitUntilFree() {
  HOURCELL_ASSIGN_OR_RETURN(Look look, LookNow());
  const int64_t began_ms = look.began_ms;
  // An expired lease is noticed one or two polls later.
  const int64_t wait_max_ms = options_.wait_ms + options_.lease_ms + 2 * LookMs(options_.lease_ms);
  LeaseState seen = look.state;
  std::string dead;  // the address of a failed process
  for (int64_t quiet_since_ms = look.ended_ms; !seen.IsFree();) {
    const int64_t quiet_ms = std::max<int64_t>(look.began_ms - quiet_since_ms, 0);
    if (HasExpired(seen, quiet_ms)) return seen;
    if (options_.wait_ms >= 0 && clock_.MonotonicMs() - began_ms > wait_max_ms) {
      return TooLong(seen.active);
    }
    ReportWriter(seen.active);
    if (options_.events.gives_up && options_.events.gives_up()) {
      registry_.Withdraw().IgnoreError();
      return absl::CancelledError("this process ends, and does not wait to write any more");
    }
    registry_.Heartbeat().IgnoreError();
    if (std::string address = Pause(); !address.empty()) {
      dead = std::move(address);
      quick_reads_left_ = kQuickReads;
    }
    absl::StatusOr<Look> next = LookNow();
    if (!next.ok() && !absl::IsUnavailable(next.status())) return next.status();
    if (!next.ok()) {
      quiet_since_ms = clock_.MonotonicMs();
      continue;
    }
    look = *std::move(next);
    if (!dead.empty() && look.state.active.address == dead) return look.state;
    dead.clear();
    if (look.state != seen || !WasQuick(look)) quiet_since_ms = look.ended_ms;
    seen = look.state;
  }
  return seen;
}

void WriterLease::Heartbeat() {
  // A missing answer does not end the lease; only the row does.
  if (absl::IsFailedPrecondition(CheckHeld())) return;
  {
    MutexLock lock(&heartbeat_mutex_);
    if (!is_released_) row_->Heartbeat().IgnoreError();
  }
  registry_.Look().IgnoreError();
}

std::vector<ClusterNode> WriterLease::Nodes() const {
  std::vector<ClusterNode> nodes = registry_.nodes();
  nodes.insert(nodes.begin(), {.address = options_.address, .is_writer = true, .quiet_ms = 0});
  return nodes;
}

absl::Status WriterLease::CheckHeld() {
  return row_->CheckHeld();
}

absl::Status WriterLease::Release() {
  heartbeats_.reset();
  MutexLock lock(&heartbeat_mutex_);
  if (is_released_) return absl::OkStatus();
  is_released_ = true;
  return row_->Release();
}

}  // namespace hourcell
