#include "engine/bigtable/api/bigtable_channels.h"

#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>
#include <grpcpp/support/channel_arguments.h>

#include "codec/base/status_macros.h"

namespace hourcell {
namespace {

std::shared_ptr<grpc::ChannelCredentials> CredentialsOf(const BigtableOptions& options) {
  switch (options.credentials) {
    case BigtableCredentials::kInsecure:
      return grpc::InsecureChannelCredentials();
    case BigtableCredentials::kApplicationDefault:
      return grpc::GoogleDefaultCredentials();
  }
  return nullptr;
}

}  // namespace

absl::StatusOr<BigtableChannels> OpenBigtableChannels(const BigtableOptions& options) {
  HOURCELL_RETURN_IF_ERROR(CheckBigtableOptions(options));
  const std::shared_ptr<grpc::ChannelCredentials> credentials = CredentialsOf(options);
  if (credentials == nullptr) {
    return absl::UnauthenticatedError("bigtable: there are no Application Default Credentials");
  }
  grpc::ChannelArguments arguments;
  // gRPC's limit of 4 MiB is below one row.
  arguments.SetMaxReceiveMessageSize(-1);
  arguments.SetMaxSendMessageSize(-1);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, 30'000);
  // gRPC's own wait between two connects grows to two minutes; RetryLoop has its own waits.
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 100);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 2'000);
  return BigtableChannels{
      .data = grpc::CreateCustomChannel(options.endpoint, credentials, arguments),
      .admin = grpc::CreateCustomChannel(options.admin_endpoint, credentials, arguments)};
}

}  // namespace hourcell
