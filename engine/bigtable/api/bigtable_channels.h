// BigtableChannels: the connections to the data API and to the table admin API, with the
// credentials from the options.

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

// Does not connect; the first call does. kInvalidArgument: CheckBigtableOptions failed.
// kUnauthenticated: there are no Application Default Credentials, or gRPC rejects the service
// account key.
absl::StatusOr<BigtableChannels> OpenBigtableChannels(const BigtableOptions& options);

}  // namespace hourcell
