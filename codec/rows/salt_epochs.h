// SaltEpochs: the number of salt buckets, by time, so that the count can change on a store that has
// rows. An epoch's buckets salt the rows of its hours permanently; a query reads only the buckets
// of its hours' epochs.
//
//   from 0           20 buckets   rows of hours before 2026-01-01 00:00:00 stay where they are
//   from 2026-01-01  64 buckets   later ones are spread wider
//
// As text, one `from=buckets` an epoch, from in seconds: "0=20,1767225600=64". The first begins at
// 0, so that every hour has one. An epoch may not begin in hours that have rows: the caller appends
// one that begins later. Immutable except for Append; thread-compatible.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

namespace hourcell {

struct SaltEpoch {
  uint64_t from_s = 0;   // base time of its first row: a whole hour since 1970
  uint32_t buckets = 1;  // at least 1

  friend bool operator==(const SaltEpoch&, const SaltEpoch&) = default;
};

// Seconds [begin_s, end_s) that are in one epoch.
struct SaltSpan {
  uint64_t begin_s = 0;
  uint64_t end_s = 0;
  uint32_t buckets = 1;

  friend bool operator==(const SaltSpan&, const SaltSpan&) = default;
};

class SaltEpochs {
 public:
  static constexpr size_t kEpochsMax = 256;
  // Bytes of the text: 256 epochs of two numbers.
  static constexpr size_t kTextBytesMax = 256 * 32;

  // kInvalidArgument: no epoch or more than kEpochsMax, a first one that does not begin at 0, times
  // that do not ascend or are not whole hours, or buckets of 0 or more than `salt_width` bytes can
  // number.
  static absl::StatusOr<SaltEpochs> Make(std::vector<SaltEpoch> epochs, size_t salt_width);

  // Reads ToText's text. kInvalidArgument: other text, or epochs that Make rejects.
  static absl::StatusOr<SaltEpochs> Parse(std::string_view text, size_t salt_width);
  std::string ToText() const;

  // Adds an epoch after the last. kInvalidArgument as Make. kFailedPrecondition: it does not begin
  // after the last or has the same bucket count, or there are kEpochsMax. On an error nothing
  // changes.
  absl::Status Append(const SaltEpoch& epoch);

  // The buckets of the row with this base time, or with any second of its hour.
  uint32_t BucketsAt(uint64_t time_s) const;

  // The maximum over the seconds of [begin_s, end_s); 1 for an empty range.
  uint32_t BucketsMaxIn(uint64_t begin_s, uint64_t end_s) const;

  // The parts of [begin_s, end_s) by epoch, ascending, without a gap; empty if end_s <= begin_s.
  std::vector<SaltSpan> SpansOf(uint64_t begin_s, uint64_t end_s) const;

  const std::vector<SaltEpoch>& epochs() const { return epochs_; }

 private:
  SaltEpochs(std::vector<SaltEpoch> epochs, size_t salt_width)
      : epochs_(std::move(epochs)), salt_width_(salt_width) {}

  // The last epoch that begins at or before `time_s`.
  size_t IndexAt(uint64_t time_s) const;

  std::vector<SaltEpoch> epochs_;
  size_t salt_width_;
};

}  // namespace hourcell
