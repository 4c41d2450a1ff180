#include "engine/bigtable/writer/system_rows.h"

#include <utility>

#include <fmt/format.h>

#include "codec/base/bytes.h"
#include "codec/base/check.h"
#include "engine/bigtable/rows/stored_row.h"
#include "engine/rows/key_range.h"

namespace hourcell {
namespace {

constexpr size_t kActiveBytes = 8 + 8 + 1;  // before the address
constexpr size_t kWaitingBytes = 8;         // before the address
constexpr std::string_view kNodePrefix = "node/";
constexpr size_t kAdoptionBytes = 1 + 8 + 8;
constexpr char kDoneByte = '!';
constexpr char kUnderWayByte = '.';

}  // namespace

std::string ClusterTable(const std::string& prefix) {
  return prefix + "-system";
}

std::string JournalTable(const std::string& prefix) {
  return prefix + "-journal";
}

std::string IdRangePrefix(std::string_view counter) {
  HOURCELL_DCHECK(!counter.empty());
  return fmt::format("claim/{}/", counter);
}

std::string IdRangeRow(std::string_view counter, uint64_t chunk) {
  std::string row = IdRangePrefix(counter);
  AppendBigEndian(chunk, 8, &row);
  return row;
}

RowMutations SystemCell(std::string_view row,
                        std::string_view qualifier,
                        uint64_t version,
                        std::string value,
                        bool replace) {
  HOURCELL_DCHECK(!row.empty());
  RowMutations mutations;
  mutations.set_row_key(std::string(row));
  if (replace) {
    auto& removal = *mutations.add_mutations()->mutable_delete_from_column();
    removal.set_family_name(std::string(kBigtableFamily));
    removal.set_column_qualifier(std::string(qualifier));
    removal.mutable_time_range()->set_end_timestamp_micros(MicrosOf(version));
  }
  auto& cell = *mutations.add_mutations()->mutable_set_cell();
  cell.set_family_name(std::string(kBigtableFamily));
  cell.set_column_qualifier(std::string(qualifier));
  cell.set_timestamp_micros(MicrosOf(version));
  cell.set_value(std::move(value));
  return mutations;
}

RowMutations DeletedSystemRow(std::string_view row) {
  HOURCELL_DCHECK(!row.empty());
  RowMutations mutations;
  mutations.set_row_key(std::string(row));
  mutations.add_mutations()->mutable_delete_from_row();
  return mutations;
}

std::string NodeRow(uint64_t id) {
  return fmt::format("{}{:016x}", kNodePrefix, id);
}

ScanRange NodeRows() {
  return PrefixRange(kNodePrefix);
}

std::string EncodeNumber(uint64_t number) {
  std::string bytes;
  AppendBigEndian(number, 8, &bytes);
  return bytes;
}

absl::StatusOr<uint64_t> DecodeNumber(std::string_view bytes, std::string_view what) {
  if (bytes.size() == 8) return LoadBigEndian(bytes.data(), 8);
  return absl::DataLossError(
      fmt::format("bigtable: {}: expected 8 bytes, got {}", what, bytes.size()));
}

std::string EncodeIdRange(const IdRange& claim) {
  HOURCELL_DCHECK(claim.chunks > 0);
  std::string value = EncodeNumber(claim.owner);
  if (claim.chunks > 1) AppendBigEndian(claim.chunks, 8, &value);
  return value;
}

absl::StatusOr<IdRange> DecodeIdRange(std::string_view value) {
  IdRange claim;
  if (value.size() == 8 || value.size() == 16) {
    claim.owner = LoadBigEndian(value.data(), 8);
    if (value.size() == 16) claim.chunks = LoadBigEndian(value.data() + 8, 8);
    if (value.size() == 8 || claim.chunks > 1) return claim;
  }
  return absl::DataLossError(
      fmt::format("bigtable: an ID range: expected 8 bytes, or 16 with more than 1 chunk, got {}",
                  value.size()));
}

std::string EncodeActiveNode(const ActiveNode& node) {
  std::string value;
  AppendBigEndian(node.writer, 8, &value);
  AppendBigEndian(node.heartbeat, 8, &value);
  value += node.has_left ? '\1' : '\0';
  value += node.address;
  return value;
}

absl::StatusOr<ActiveNode> DecodeActiveNode(std::string_view value) {
  if (value.size() < kActiveBytes) {
    return absl::DataLossError(
        fmt::format("bigtable: the row of the active node: expected {} bytes or more, got {}",
                    kActiveBytes, value.size()));
  }
  return ActiveNode{.writer = LoadBigEndian(value.data(), 8),
                    .heartbeat = LoadBigEndian(value.data() + 8, 8),
                    .has_left = value[16] != '\0',
                    .address = std::string(value.substr(kActiveBytes))};
}

std::string EncodeWaitingNode(const WaitingNode& node) {
  std::string value;
  AppendBigEndian(node.heartbeat, 8, &value);
  value += node.address;
  return value;
}

absl::StatusOr<WaitingNode> DecodeWaitingNode(std::string_view value) {
  if (value.size() < kWaitingBytes) {
    return absl::DataLossError(
        fmt::format("bigtable: the row of a waiting node: expected {} bytes or more, got {}",
                    kWaitingBytes, value.size()));
  }
  return WaitingNode{.heartbeat = LoadBigEndian(value.data(), 8),
                     .address = std::string(value.substr(kWaitingBytes))};
}

std::string EncodeAdoptionMark(const AdoptionMark& mark) {
  std::string value(1, mark.is_done ? kDoneByte : kUnderWayByte);
  AppendBigEndian(mark.rows, 8, &value);
  AppendBigEndian(mark.points, 8, &value);
  value += mark.next;
  return value;
}

absl::StatusOr<AdoptionMark> DecodeAdoptionMark(std::string_view value) {
  if (value.size() < kAdoptionBytes || (value[0] != kDoneByte && value[0] != kUnderWayByte)) {
    return absl::DataLossError("bigtable: the row of the adoption has a form that is not ours");
  }
  return AdoptionMark{.is_done = value[0] == kDoneByte,
                      .next = std::string(value.substr(kAdoptionBytes)),
                      .rows = LoadBigEndian(value.data() + 1, 8),
                      .points = LoadBigEndian(value.data() + 9, 8)};
}

}  // namespace hourcell
