#include "engine/bigtable/writer/writer_seat.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "codec/base/status_macros.h"
#include "engine/bigtable/rows/stored_row.h"

namespace hourcell {
namespace {

// Of the lease: a writer at whose address nothing listens is waited for so long.
constexpr int64_t kGoneFraction = 5;

// How often a process that waits looks.
int64_t LookMs(int64_t lease_ms) {
  return std::clamp<int64_t>(lease_ms / 10, 1, 1000);
}

// After a death, those who do not get the seat soon see who has it, and tell their clients.
constexpr int kQuickLooks = 20;
constexpr int64_t kQuickLookMs = 50;

std::string NameOf(const ActiveNode& node) {
  return node.address.empty() ? fmt::format("process {}", node.writer)
                              : fmt::format("process {} at {}", node.writer, node.address);
}

}  // namespace

WriterSeat::WriterSeat(BigtableClient* client, const SeatOptions& options)
    : client_(*client),
      options_(options),
      clock_(options.clock != nullptr ? *options.clock : *Clock::System()),
      system_(SystemTable(client->options().table_prefix)),
      journal_table_(JournalTable(client->options().table_prefix)),
      loss_(options.events.on_lost),
      registry_(client, &clock_, options.address) {}

absl::StatusOr<std::unique_ptr<WriterSeat>> WriterSeat::Take(BigtableClient* client,
                                                             const SeatOptions& options) {
  std::unique_ptr<WriterSeat> seat(new WriterSeat(client, options));
  for (;;) {
    HOURCELL_ASSIGN_OR_RETURN(const Seen seen, seat->WaitUntilFree());
    // After the wait: among those that wait, the greatest number is the last that was drawn.
    HOURCELL_ASSIGN_OR_RETURN(seat->writer_,
                              client->Increment(seat->system_, std::string(kWritersRow),
                                                std::string(kBigtableFamily), 1));
    absl::StatusOr<std::unique_ptr<BigtableJournal>> journal =
        BigtableJournal::Open(client, seat->writer_, seen.greatest(), &seat->loss_);
    if (absl::IsAborted(journal.status())) continue;  // another one was quicker
    HOURCELL_RETURN_IF_ERROR(journal.status());
    seat->journal_ = *std::move(journal);
    seat->has_clean_past_ = seen.IsFree();
    break;
  }
  {
    MutexLock lock(&seat->beat_mutex_);
    // Before anything is acknowledged: from now on, Check of the writer before fails.
    HOURCELL_RETURN_IF_ERROR(seat->WriteActive(/*has_left=*/false));
  }
  seat->registry_.Withdraw().IgnoreError();  // it is forgotten otherwise
  seat->beater_ =
      std::make_unique<Background>("hc-beat", options.beat_ms, [it = seat.get()] { it->Beat(); });
  return seat;
}

absl::StatusOr<ActiveNode> WriterSeat::ReadActive() {
  HOURCELL_ASSIGN_OR_RETURN(const BigtablePage page,
                            client_.Read(system_, {.keys = {std::string(kActiveRow)}}));
  if (page.rows.empty() || page.rows[0].cells.empty()) return ActiveNode();
  return DecodeActiveNode(page.rows[0].cells[0].value);
}

absl::StatusOr<WriterSeat::Seen> WriterSeat::Look() {
  Seen seen;
  HOURCELL_ASSIGN_OR_RETURN(seen.active, ReadActive());
  ReadSelection last{.range = {}, .reversed = true, .rows_max = 1};
  last.filter.set_strip_value_transformer(true);
  HOURCELL_ASSIGN_OR_RETURN(const BigtablePage page, client_.Read(journal_table_, last));
  if (!page.rows.empty() && !page.rows[0].cells.empty()) {
    seen.last_writer = static_cast<uint64_t>(page.rows[0].cells[0].timestamp_micros / 1000);
  }
  return seen;
}

bool WriterSeat::IsTakenForDead(const Seen& seen, int64_t quiet_ms) const {
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

// What is seen first decides whether there is a store to wait for. After that, a service that is
// away says nothing of the writer: its beats do not arrive either, so the time of that does not
// count.
absl::StatusOr<WriterSeat::Seen> WriterSeat::WaitUntilFree() {
  const int64_t began_ms = clock_.MonotonicMs();
  HOURCELL_ASSIGN_OR_RETURN(Seen seen, Look());
  std::string dead;  // the address of a process that died
  for (int64_t seen_ms = began_ms; !seen.IsFree();) {
    const int64_t now_ms = clock_.MonotonicMs();
    if (IsTakenForDead(seen, now_ms - seen_ms)) return seen;
    if (options_.wait_ms >= 0 && now_ms - began_ms > options_.wait_ms + options_.lease_ms) {
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
    absl::StatusOr<Seen> next = Look();
    if (!next.ok() && !absl::IsUnavailable(next.status())) return next.status();
    if (next.ok() && !dead.empty()) {
      if (next->IsOf(dead)) return next;
      dead.clear();
    }
    if (next.ok() && *next == seen) continue;
    if (next.ok()) seen = *std::move(next);
    seen_ms = clock_.MonotonicMs();
  }
  return seen;
}

absl::Status WriterSeat::WriteActive(bool has_left) {
  const uint64_t beat = ++beats_;
  const ActiveNode node{
      .writer = writer_, .beat = beat, .has_left = has_left, .address = options_.address};
  return client_.Mutate(system_, {SystemCell(kActiveRow, kSystemQualifier,
                                             FirstVersionOf(writer_) + beat, EncodeActiveNode(node),
                                             /*replace=*/true)});
}

void WriterSeat::Beat() {
  // An answer that does not come is no reason to give up: the fence decides.
  if (absl::IsFailedPrecondition(Check())) return;
  {
    MutexLock lock(&beat_mutex_);
    if (!has_left_) WriteActive(/*has_left=*/false).IgnoreError();
  }
  registry_.Look().IgnoreError();
}

std::vector<ClusterNode> WriterSeat::Nodes() const {
  std::vector<ClusterNode> nodes = registry_.nodes();
  nodes.insert(nodes.begin(), {.address = options_.address, .is_writer = true, .quiet_ms = 0});
  return nodes;
}

absl::Status WriterSeat::Check() {
  HOURCELL_ASSIGN_OR_RETURN(const ActiveNode active, ReadActive());
  if (active.writer == writer_) return absl::OkStatus();
  const absl::Status lost = absl::FailedPreconditionError(
      fmt::format("{} writes to this store; this process does not any more", NameOf(active)));
  loss_.Lose(lost);
  return lost;
}

absl::Status WriterSeat::Leave() {
  beater_.reset();
  MutexLock lock(&beat_mutex_);
  if (has_left_) return absl::OkStatus();
  has_left_ = true;
  return WriteActive(/*has_left=*/true);
}

}  // namespace hourcell
