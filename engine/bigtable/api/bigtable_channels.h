// BigtableChannels: the connections to the data API and to the administration of tables, with the
// credentials of the options.

#pragma once

#include <grpcpp/channel.h>

#include <memory>

#include <absl/status/statusor.h>

#include "engine/bigtable/api/bigtable_options.h"

namespace hourcell {

struct BigtableChannels {
  std::shared_ptr<grpc::Channel> data;
  std::shared_ptr<grpc::Channel> admin;
};

// Connects with the first call, not here. kInvalidArgument: the options' check.
// kUnauthenticated: there are no Application Default Credentials, or gRPC does not take the key of
// the service account.
absl::StatusOr<BigtableChannels> OpenBigtableChannels(const BigtableOptions& options);

}  // namespace hourcell
