#include "engine/bigtable/writer/lease_row.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "codec/base/check.h"
#include "codec/base/kill_point.h"
#include "codec/base/status_macros.h"
#include "engine/bigtable/rows/stored_row.h"

// Writes are conditional on a version, not on a value: each writer has its own versions, greater
// than those of all earlier writers, and both columns use them. So "a later process is named" means
// "the row has a cell of a later version", which a timestamp filter can test.

namespace hourcell {
namespace {

constexpr int kLeaseTriesMax = 5;
// Value of the row `front`, in place of the 8 bytes that earlier releases stored. Those releases
// fail on it, so they do not open a store without finding its log start.
constexpr std::string_view kMovedToActive = "in `active`";

absl::Status LaterProcess(const ActiveNode& active) {
  return absl::AbortedError(
      fmt::format("{} is the writer now; this process is not any more", NameOf(active)));
}

const BigtableRow* FindRow(const std::vector<BigtableRow>& rows, std::string_view key) {
  const auto found = std::ranges::find(rows, key, &BigtableRow::key);
  return found == rows.end() || found->cells.empty() ? nullptr : &*found;
}

}  // namespace

std::string NameOf(const ActiveNode& node) {
  return node.address.empty() ? fmt::format("process {}", node.writer)
                              : fmt::format("process {} at {}", node.writer, node.address);
}

absl::StatusOr<LeaseState> LeaseStateOf(const std::vector<BigtableRow>& rows) {
  LeaseState state;
  const BigtableRow* const row = FindRow(rows, kActiveRow);
  if (row == nullptr) return state;
  bool has_active = false;
  // Within each column, the newest cell comes first.
  for (const BigtableCell& cell : row->cells) {
    state.version = std::max(state.version, static_cast<uint64_t>(cell.timestamp_micros / 1000));
    if (cell.qualifier == kSystemQualifier && !std::exchange(has_active, true)) {
      HOURCELL_ASSIGN_OR_RETURN(state.active, DecodeActiveNode(cell.value));
    }
    if (cell.qualifier == kLogStartQualifier && !state.log_start.has_value()) {
      HOURCELL_ASSIGN_OR_RETURN(state.log_start, DecodeNumber(cell.value, "the log start"));
    }
  }
  return state;
}

absl::StatusOr<uint64_t> LogStartOf(const std::vector<BigtableRow>& rows) {
  HOURCELL_ASSIGN_OR_RETURN(const LeaseState state, LeaseStateOf(rows));
  if (state.log_start.has_value()) return *state.log_start;
  const BigtableRow* const old_row = FindRow(rows, kOldLogStartRow);
  if (old_row == nullptr || old_row->cells[0].value == kMovedToActive) return 1;
  return DecodeNumber(old_row->cells[0].value, "journal: its log start");
}

absl::StatusOr<LeaseState> ReadLease(BigtableClient* client) {
  HOURCELL_ASSIGN_OR_RETURN(const BigtablePage page,
                            client->Read(ClusterTable(client->options().table_prefix),
                                         {.keys = {std::string(kActiveRow)}}));
  return LeaseStateOf(page.rows);
}

LeaseRow::LeaseRow(BigtableClient* client, uint64_t writer, std::string address, LeaseLoss* loss)
    : client_(*client),
      writer_(writer),
      address_(std::move(address)),
      system_(ClusterTable(client->options().table_prefix)),
      loss_(*loss) {
  HOURCELL_DCHECK(writer > 0);
}

uint64_t LeaseRow::NextVersion() {
  MutexLock lock(&mutex_);
  HOURCELL_DCHECK(written_ + 1 < kVersionsPerWriter);
  return FirstVersionOf(writer_) + ++written_;
}

absl::Status LeaseRow::Acquire(const LeaseState& seen) {
  const uint64_t version = NextVersion();
  const ActiveNode node{.writer = writer_, .heartbeat = 1, .has_left = false, .address = address_};
  const RowMutations row = SystemCell(kActiveRow, kSystemQualifier, version, EncodeActiveNode(node),
                                      /*replace=*/true);
  absl::Status last;
  for (int tries = 0; tries < kLeaseTriesMax; ++tries) {
    HOURCELL_KILL_POINT("lease:before_acquire");
    const absl::StatusOr<bool> is_set =
        client_.SetIfNoneSince(system_, row, MicrosOf(seen.version + 1));
    HOURCELL_KILL_POINT("lease:taken");
    if (is_set.ok() && *is_set) return absl::OkStatus();
    if (!is_set.ok() && !absl::IsUnavailable(is_set.status())) return is_set.status();
    HOURCELL_ASSIGN_OR_RETURN(const LeaseState now, ReadLease(&client_));
    if (now.version == version) return absl::OkStatus();  // written; the answer was lost
    if (now != seen || is_set.ok()) return LaterProcess(now.active);
    last = is_set.status();
  }
  return last;
}

absl::Status LeaseRow::CheckStillHeld() {
  HOURCELL_ASSIGN_OR_RETURN(const LeaseState state, ReadLease(&client_));
  return state.active.writer == writer_ ? absl::OkStatus() : LaterProcess(state.active);
}

absl::Status LeaseRow::CheckHeld() {
  const absl::Status held = CheckStillHeld();
  if (!absl::IsAborted(held)) return held;
  loss_.Lose(held);
  return loss_.status();
}

absl::Status LeaseRow::SetIfHeld(std::string_view qualifier, const std::string& value) {
  HOURCELL_DCHECK(qualifier != kSystemQualifier);  // only Take names a process
  const uint64_t version = NextVersion();
  const RowMutations row = SystemCell(kActiveRow, qualifier, version, value, /*replace=*/true);
  absl::Status last;
  for (int tries = 0; tries < kLeaseTriesMax; ++tries) {
    const absl::StatusOr<bool> is_set =
        client_.SetIfNoneSince(system_, row, MicrosOf(FirstVersionOf(writer_ + 1)));
    if (is_set.ok() && *is_set) return absl::OkStatus();
    if (!is_set.ok() && !absl::IsUnavailable(is_set.status())) return is_set.status();
    // The write may have happened. If a later process is named now, the order of the two is
    // unknown.
    HOURCELL_RETURN_IF_ERROR(CheckStillHeld());
    last =
        is_set.ok() ? absl::UnavailableError("bigtable: who writes is not known") : is_set.status();
  }
  return last;
}

absl::StatusOr<uint64_t> LeaseRow::ReadLogStart() {
  HOURCELL_ASSIGN_OR_RETURN(
      const BigtablePage page,
      client_.Read(system_, {.keys = {std::string(kActiveRow), std::string(kOldLogStartRow)}}));
  HOURCELL_ASSIGN_OR_RETURN(const LeaseState state, LeaseStateOf(page.rows));
  if (state.active.writer != writer_) return LaterProcess(state.active);
  HOURCELL_ASSIGN_OR_RETURN(const uint64_t log_start, LogStartOf(page.rows));
  if (!state.log_start.has_value()) {
    HOURCELL_RETURN_IF_ERROR(SetIfHeld(kLogStartQualifier, EncodeNumber(log_start)));
    HOURCELL_KILL_POINT("create:log_start");
  }
  const BigtableRow* const old_row = FindRow(page.rows, kOldLogStartRow);
  if (old_row == nullptr || old_row->cells[0].value != kMovedToActive) {
    HOURCELL_RETURN_IF_ERROR(
        client_.Mutate(system_, {SystemCell(kOldLogStartRow, kSystemQualifier, NextVersion(),
                                            std::string(kMovedToActive), /*replace=*/true)}));
    HOURCELL_KILL_POINT("create:old_log_start_closed");
  }
  return log_start;
}

absl::Status LeaseRow::StoreLogStart(uint64_t log_start) {
  const absl::Status stored = SetIfHeld(kLogStartQualifier, EncodeNumber(log_start));
  if (!absl::IsAborted(stored)) return stored;
  loss_.Lose(stored);
  return loss_.status();
}

absl::Status LeaseRow::WriteActive(bool has_left) {
  uint64_t heartbeat = 0;
  {
    MutexLock lock(&mutex_);
    HOURCELL_DCHECK(!has_left_);  // a heartbeat would take the lease back
    HOURCELL_DCHECK(written_ > 0 && written_ + 1 < kVersionsPerWriter);
    has_left_ = has_left;
    heartbeat = ++written_;
  }
  const ActiveNode node{
      .writer = writer_, .heartbeat = heartbeat, .has_left = has_left, .address = address_};
  return client_.Mutate(
      system_, {SystemCell(kActiveRow, kSystemQualifier, FirstVersionOf(writer_) + heartbeat,
                           EncodeActiveNode(node),
                           /*replace=*/true)});
}

absl::Status LeaseRow::Heartbeat() {
  return WriteActive(/*has_left=*/false);
}

absl::Status LeaseRow::Release() {
  return WriteActive(/*has_left=*/true);
}

}  // namespace hourcell
