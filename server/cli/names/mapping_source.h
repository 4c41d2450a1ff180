// Access of `hourcell uid` to names and UIDs: in the store of a directory, or in a running server.
// Thread-compatible.

#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "codec/rows/uid.h"
#include "engine/tsdb.h"
#include "server/http/http_client.h"

namespace hourcell {

// The operations of the subcommands. Errors are Tsdb's; with a server also kUnavailable: it
// refuses, does not answer, or its answer is unexpected.
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

// An error of NameFault, with the name: `name "b c": illegal character " "`.
std::string NameFaultText(std::string_view name, std::string_view fault);

// Borrows `tsdb`.
std::unique_ptr<MappingSource> MappingsOf(Tsdb* tsdb);
std::unique_ptr<MappingSource> MappingsOf(const HttpUrl& url);

}  // namespace hourcell
