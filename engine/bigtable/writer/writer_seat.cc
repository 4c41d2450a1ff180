#include "engine/bigtable/writer/writer_seat.h"

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
constexpr int kQuickLooks = 20;
constexpr int64_t kQuickLookMs = 50;

}  // namespace

WriterSeat::WriterSeat(BigtableClient* client, const SeatOptions& options)
    : client_(*client),
      options_(options),
      clock_(options.clock != nullptr ? *options.clock : *Clock::System()),
      system_(SystemTable(client->options().table_prefix)),
      loss_(options.events.on_lost),
      registry_(client, &clock_, options.address) {}

absl::StatusOr<std::unique_ptr<WriterSeat>> WriterSeat::Take(BigtableClient* client,
                                                             const SeatOptions& options) {
  std::unique_ptr<WriterSeat> seat(new WriterSeat(client, options));
  for (;;) {
    HOURCELL_ASSIGN_OR_RETURN(const LeaseState seen, seat->WaitUntilFree());
    const absl::Status taken = seat->TryToTake(seen);
    if (absl::IsAborted(taken)) continue;
    HOURCELL_RETURN_IF_ERROR(taken);
    seat->has_clean_past_ = seen.IsFree();
    seat->registry_.Withdraw().IgnoreError();  // else the row expires
    return seat;
  }
}

absl::Status WriterSeat::TryToTake(const LeaseState& seen) {
  HOURCELL_DCHECK(journal_ == nullptr);
  // After the wait: the highest number goes to the standby that drew last.
  HOURCELL_ASSIGN_OR_RETURN(
      const uint64_t writer,
      client_.Increment(system_, std::string(kWritersRow), std::string(kBigtableFamily), 1));
  beater_.reset();
  lease_ = std::make_unique<LeaseRow>(&client_, writer, options_.address, &loss_);
  HOURCELL_RETURN_IF_ERROR(lease_->Take(seen));
  HOURCELL_KILL_POINT("takeover:lease_taken");
  {
    // Replaying a long journal must not cost the lease.
    const Background while_opening("hc-beat", options_.beat_ms,
                                   [this] { lease_->Heartbeat().IgnoreError(); });
    HOURCELL_ASSIGN_OR_RETURN(journal_, BigtableJournal::Open(&client_, lease_.get(), &loss_));
  }
  beater_ = std::make_unique<Background>("hc-beat", options_.beat_ms, [this] { Beat(); });
  return absl::OkStatus();
}

absl::StatusOr<WriterSeat::Look> WriterSeat::LookNow() {
  Look look;
  look.began_ms = clock_.MonotonicMs();
  HOURCELL_ASSIGN_OR_RETURN(look.state, ReadLease(&client_));
  look.ended_ms = clock_.MonotonicMs();
  HOURCELL_DCHECK(look.ended_ms >= look.began_ms);
  return look;
}

bool WriterSeat::WasQuick(const Look& look) const {
  return look.ended_ms - look.began_ms <= std::max(2 * options_.beat_ms, kQuickMs);
}

bool WriterSeat::IsTakenForDead(const LeaseState& seen, int64_t quiet_ms) const {
  HOURCELL_DCHECK(quiet_ms >= 0 && !seen.IsFree());
  if (quiet_ms >= options_.lease_ms) return true;
  return quiet_ms >= options_.lease_ms / kGoneFraction && options_.events.is_gone &&
         !seen.active.address.empty() && options_.events.is_gone(seen.active.address);
}

absl::Status WriterSeat::TooLong(const ActiveNode& active) const {
  return absl::FailedPreconditionError(fmt::format(
      "{} writes to this store; stop it first, or use it through its address", NameOf(active)));
}

std::string WriterSeat::Pause() {
  int64_t ms = LookMs(options_.lease_ms);
  if (quick_looks_ > 0) {
    --quick_looks_;
    ms = std::min(ms, kQuickLookMs);
  }
  if (options_.events.await_death) return options_.events.await_death(ms);
  std::this_thread::sleep_for(std::chrono::milliseconds(ms));
  return {};
}

void WriterSeat::SayWhoWrites(const ActiveNode& active) {
  if (told_ == active.address) return;
  told_ = active.address;
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
absl::StatusOr<LeaseState> WriterSeat::WaitUntilFree() {
  HOURCELL_ASSIGN_OR_RETURN(Look look, LookNow());
  const int64_t began_ms = look.began_ms;
  // An expired lease is noticed one or two polls later.
  const int64_t wait_max_ms = options_.wait_ms + options_.lease_ms + 2 * LookMs(options_.lease_ms);
  LeaseState seen = look.state;
  std::string dead;  // the address of a failed process
  for (int64_t quiet_since_ms = look.ended_ms; !seen.IsFree();) {
    const int64_t quiet_ms = std::max<int64_t>(look.began_ms - quiet_since_ms, 0);
    if (IsTakenForDead(seen, quiet_ms)) return seen;
    if (options_.wait_ms >= 0 && clock_.MonotonicMs() - began_ms > wait_max_ms) {
      return TooLong(seen.active);
    }
    SayWhoWrites(seen.active);
    if (options_.events.gives_up && options_.events.gives_up()) {
      registry_.Withdraw().IgnoreError();
      return absl::CancelledError("this process ends, and does not wait to write any more");
    }
    registry_.Beat().IgnoreError();
    if (std::string address = Pause(); !address.empty()) {
      dead = std::move(address);
      quick_looks_ = kQuickLooks;
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

void WriterSeat::Beat() {
  // A missing answer does not end the lease; only the row does.
  if (absl::IsFailedPrecondition(Check())) return;
  {
    MutexLock lock(&beat_mutex_);
    if (!has_left_) lease_->Heartbeat().IgnoreError();
  }
  registry_.Look().IgnoreError();
}

std::vector<ClusterNode> WriterSeat::Nodes() const {
  std::vector<ClusterNode> nodes = registry_.nodes();
  nodes.insert(nodes.begin(), {.address = options_.address, .is_writer = true, .quiet_ms = 0});
  return nodes;
}

absl::Status WriterSeat::Check() {
  return lease_->CheckHeld();
}

absl::Status WriterSeat::Leave() {
  beater_.reset();
  MutexLock lock(&beat_mutex_);
  if (has_left_) return absl::OkStatus();
  has_left_ = true;
  return lease_->Leave();
}

}  // namespace hourcell
