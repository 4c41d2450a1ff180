// ImportState: a file that records the finished slices of an import from a server, so that a
// repeated import skips them.
//
//   hourcell import 1
//   source http://tsdb:4242
//   target --data /var/lib/store
//   slice <start_s> <end_s> <points> <sum> <metric> <crc32c in hex>
//
// Each line is one write at the end of the file, then an fdatasync; its checksum covers the text
// before the last blank. Open truncates the file at the first invalid line. Thread-safe.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "codec/base/mutex.h"
#include "codec/base/strings.h"
#include "server/cli/data/time_slices.h"

namespace hourcell {

// Points of a metric and slice that the target has.
struct FinishedSlice {
  std::string metric;
  TimeSlice time;
  uint64_t points = 0;
  double sum = 0;  // of their values
  friend bool operator==(const FinishedSlice&, const FinishedSlice&) = default;
};

class ImportState {
 public:
  // Opens the file if it exists, else checks that it can be made. An empty path keeps the state in
  // memory only.
  // kFailedPrecondition: the file belongs to another source or target, or is not a state file.
  // kUnavailable, with the system's message.
  static absl::StatusOr<std::unique_ptr<ImportState>> Open(const std::string& path,
                                                           std::string_view source,
                                                           std::string_view target);
  ~ImportState();
  ImportState(const ImportState&) = delete;
  ImportState& operator=(const ImportState&) = delete;

  // Creates the file, if it does not exist, as the first Add does.
  absl::Status Begin();

  // Records a slice. REQUIRES: the target has acknowledged and synced its points.
  absl::Status Add(FinishedSlice slice);

  // Slices of a metric, in the order of Add.
  std::vector<FinishedSlice> SlicesOf(std::string_view metric) const;

 private:
  ImportState(std::string path, std::string head)
      : path_(std::move(path)), head_(std::move(head)) {}
  // Creates the file with its head, unless it has one.
  absl::Status MakeFile() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Takes the slices of an open file, and truncates it to its valid part.
  absl::Status ReadFile() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status Append(const std::string& text) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Reads a file's text. Returns the length of its valid part.
  absl::StatusOr<size_t> Read(std::string_view text) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const std::string path_;  // empty = none
  const std::string head_;
  mutable Mutex mutex_;
  int file_ ABSL_GUARDED_BY(mutex_) = -1;  // -1 = not open
  bool has_head_ ABSL_GUARDED_BY(mutex_) = false;
  StringMap<std::vector<FinishedSlice>> slices_ ABSL_GUARDED_BY(mutex_);  // by metric
};

// A line of the file without its end, and its slice. nullopt: the line has another format, or the
// checksum differs.
std::string FinishedSliceText(const FinishedSlice& slice);
std::optional<FinishedSlice> ParseFinishedSlice(std::string_view line);

}  // namespace hourcell
