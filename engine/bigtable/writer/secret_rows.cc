#include "engine/bigtable/writer/secret_rows.h"

#include <algorithm>
#include <charconv>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "codec/base/check.h"
#include "codec/base/kill_point.h"
#include "codec/base/random.h"
#include "codec/base/status_macros.h"
#include "engine/bigtable/writer/system_rows.h"
#include "engine/rows/key_range.h"

namespace hourcell {
namespace {

constexpr size_t kDigits = 16;

// 16 random bytes from the operating system, in hexadecimal.
std::string NewSecret() {
  return fmt::format("{:016x}{:016x}", RandomSeed(), RandomSeed());
}

std::string RowOf(uint64_t number) {
  if (number == 0) return std::string(kSecretRow);
  return fmt::format("{}/{:016x}", kSecretRow, number);
}

absl::StatusOr<uint64_t> NumberOf(std::string_view row) {
  if (row == kSecretRow) return 0;
  uint64_t number = 0;
  const size_t from = kSecretRow.size() + 1;
  if (row.size() == from + kDigits) {
    const auto [end, error] =
        std::from_chars(row.data() + from, row.data() + row.size(), number, 16);
    if (error == std::errc() && end == row.data() + row.size() && RowOf(number) == row)
      return number;
  }
  return absl::DataLossError(fmt::format("bigtable: system: row {}: no number of a secret", row));
}

}  // namespace

SecretRows::SecretRows(BigtableClient* client, MonotonicClock* clock)
    : client_(*client), clock_(*clock), system_(ClusterTable(client->options().table_prefix)) {}

absl::StatusOr<std::vector<SecretRows::Secret>> SecretRows::ReadRows() {
  HOURCELL_ASSIGN_OR_RETURN(const BigtablePage page,
                            client_.Read(system_, {.range = PrefixRange(std::string(kSecretRow))}));
  std::vector<Secret> secrets;
  for (const BigtableRow& row : page.rows) {
    HOURCELL_ASSIGN_OR_RETURN(const uint64_t number, NumberOf(row.key));
    if (!row.cells.empty()) secrets.push_back({.number = number, .value = row.cells[0].value});
  }
  return secrets;
}

// Ignores lost races and unknown outcomes: the caller then reads the secret that all nodes share.
absl::Status SecretRows::Make(uint64_t number) {
  const absl::Status made =
      client_
          .SetIfAbsent(system_, SystemCell(RowOf(number), kSystemQualifier, /*version=*/1,
                                           NewSecret(), /*replace=*/false))
          .status();
  HOURCELL_KILL_POINT("create:secret");
  return made.ok() || absl::IsUnavailable(made) ? absl::OkStatus() : made;
}

absl::Status SecretRows::DeleteBelow(uint64_t number, const std::vector<Secret>& secrets) {
  std::vector<RowMutations> rows;
  for (const Secret& secret : secrets) {
    if (secret.number < number) rows.push_back(DeletedSystemRow(RowOf(secret.number)));
  }
  return rows.empty() ? absl::OkStatus() : client_.Mutate(system_, std::move(rows));
}

absl::StatusOr<SharedSecrets> SecretRows::Read() {
  HOURCELL_ASSIGN_OR_RETURN(std::vector<Secret> secrets, ReadRows());
  if (secrets.empty()) {
    HOURCELL_RETURN_IF_ERROR(Make(0));
    HOURCELL_ASSIGN_OR_RETURN(secrets, ReadRows());
  }
  if (secrets.empty()) return absl::UnavailableError("bigtable: the secret is not there");
  const uint64_t newest = secrets.back().number;
  HOURCELL_RETURN_IF_ERROR(DeleteBelow(newest < 2 ? 0 : newest - 2, secrets));
  std::erase_if(secrets, [&](const Secret& each) { return each.number + 2 < newest; });
  HOURCELL_DCHECK(!secrets.empty() && secrets.front().number <= newest);  // they ascend
  {
    MutexLock lock(&mutex_);
    if (seen_ms_ < 0 || newest != newest_) seen_ms_ = clock_.MonotonicMs();
    newest_ = newest;
    HOURCELL_DCHECK(seen_ms_ > 0);
  }
  SharedSecrets shared;
  shared.current = secrets[secrets.size() < 2 ? 0 : secrets.size() - 2].value;
  for (Secret& secret : secrets)
    shared.accepted.push_back(std::move(secret.value));
  return shared;
}

absl::StatusOr<SharedSecrets> SecretRows::Refresh() {
  HOURCELL_ASSIGN_OR_RETURN(SharedSecrets shared, Read());
  uint64_t next = 0;
  {
    MutexLock lock(&mutex_);
    if (clock_.MonotonicMs() - seen_ms_ < kPeriodMs) return shared;
    next = newest_ + 1;
  }
  HOURCELL_RETURN_IF_ERROR(Make(next));
  return Read();
}

}  // namespace hourcell
