// The names and UIDs that `hourcell uid` works on: of the store in a directory, or of a running
// server. Thread-compatible.

#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "codec/rows/uid.h"
#include "engine/tsdb.h"
#include "server/cli/http_client.h"

namespace hourcell {

// What the subcommands do. Errors are Tsdb's; of a server also kUnavailable: it refuses or does not
// answer.
class MappingSource {
 public:
  virtual ~MappingSource() = default;
  virtual absl::Status Grep(UidKind kind,
                            std::string_view expression,
                            bool ignore_case,
                            const std::function<bool(UidRow row)>& visit) = 0;
  virtual absl::StatusOr<UidRow> FindUid(UidKind kind, std::string_view name) = 0;
  virtual absl::StatusOr<UidRow> FindName(UidKind kind, Uid uid) = 0;
  virtual absl::StatusOr<UidRow> Assign(UidKind kind, std::string_view name) = 0;
  virtual absl::Status Rename(UidKind kind, std::string_view name, std::string_view new_name) = 0;
  virtual absl::Status Delete(UidKind kind, std::string_view name) = 0;
};

// A fault of NameFault with the name: `name "b c": illegal character " "`.
std::string NameFaultText(std::string_view name, std::string_view fault);

// `tsdb` is borrowed.
std::unique_ptr<MappingSource> MappingsOf(Tsdb* tsdb);
std::unique_ptr<MappingSource> MappingsOf(const HttpUrl& url);

}  // namespace hourcell
