// CaseState: a file that records the finished cases of a run, so that a run that was interrupted
// can be resumed.
//
//   hourcell layouts 2
//   --points <value>                    one line for each option that decides the results
//   ...
//   case <tab> <name>, <n> points, round <n> <tab> <numbers> <tab> <crc32c in hex>
//
// Each case is one write at the end of the file, and its checksum covers the text before it. The
// file lists the cases in the order of the run. Thread-compatible.

#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "bench/lab/layouts/cases/case_result.h"

namespace hourcell::layouts {

class CaseState {
 public:
  // Names and values of the options that decide the results of a run, in a fixed order.
  using Options = std::vector<std::pair<std::string, std::string>>;

  // Makes the file and its directory; replaces an existing file. kUnavailable: it cannot be
  // written.
  static absl::StatusOr<CaseState> Begin(const std::string& path, const Options& options);

  // Sets `*results` to the results of the first `specs`, and truncates the file after the last
  // complete one. kNotFound: no file; kFailedPrecondition: a run with other options, and the
  // message names the first one; or not a state file.
  static absl::StatusOr<CaseState> Resume(const std::string& path,
                                          const Options& options,
                                          std::span<const CaseSpec> specs,
                                          std::vector<CaseResult>* results);

  absl::Status Add(const CaseResult& result);

 private:
  explicit CaseState(std::string path) : path_(std::move(path)) {}
  absl::Status Append(std::string_view text, bool truncates);

  std::string path_;
};

}  // namespace hourcell::layouts
