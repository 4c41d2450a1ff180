// ImportState: the file of what an import from a server has finished, so that it is not done again.
//
//   hourcell import 1
//   source http://tsdb:4242
//   target --data /var/lib/store
//   slice <start_s> <end_s> <points> <sum> <metric> <crc32c in hex>
//
// A line is one write at the file's end, then an fdatasync; its checksum is that of the line before
// the last blank. A line that a crash has cut is dropped when the file is opened again, with what
// follows it. Thread-safe.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "codec/base/mutex.h"
#include "codec/base/strings.h"
#include "server/cli/transfer/time_slices.h"

namespace hourcell {

// Points of a metric and slice that are in the target.
struct FinishedSlice {
  std::string metric;
  TimeSlice time;
  uint64_t points = 0;
  double sum = 0;  // of their values
  friend bool operator==(const FinishedSlice&, const FinishedSlice&) = default;
};

class ImportState {
 public:
  // Opens or creates the file; an empty path keeps nothing on disk. kFailedPrecondition: it is of
  // another source or target, or no such file. kUnavailable, with the system's words.
  static absl::StatusOr<std::unique_ptr<ImportState>> Open(const std::string& path,
                                                           std::string_view source,
                                                           std::string_view target);
  ~ImportState();
  ImportState(const ImportState&) = delete;
  ImportState& operator=(const ImportState&) = delete;

  // Keeps a slice. REQUIRES: the target has acknowledged its points, and
  // synced them.
  absl::Status Add(FinishedSlice slice);

  // Of a metric, in the order of Add.
  std::vector<FinishedSlice> SlicesOf(std::string_view metric) const;

 private:
  explicit ImportState(int file) : file_(file) {}
  absl::Status Append(const std::string& text) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // What a file holds; the length of what is whole.
  absl::StatusOr<size_t> Read(std::string_view text, std::string_view head);

  const int file_;  // -1 = none
  mutable Mutex mutex_;
  StringMap<std::vector<FinishedSlice>> slices_ ABSL_GUARDED_BY(mutex_);  // by metric
};

// A line of the file without its end, and what it says. Nothing: it is no such line, or its
// checksum is another.
std::string FinishedSliceText(const FinishedSlice& slice);
std::optional<FinishedSlice> ParseFinishedSlice(std::string_view line);

}  // namespace hourcell
