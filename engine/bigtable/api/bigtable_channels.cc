#include "engine/bigtable/api/bigtable_channels.h"

#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>
#include <grpcpp/support/channel_arguments.h>

#include "codec/base/status_macros.h"

namespace hourcell {
namespace {

// Lifetime of a token signed with the key; gRPC then makes a new one. The service allows one hour.
constexpr long kTokenSeconds = 3600;

std::shared_ptr<grpc::ChannelCredentials> CredentialsOf(const BigtableOptions& options) {
  switch (options.credentials) {
    case BigtableCredentials::kInsecure:
      return grpc::InsecureChannelCredentials();
    case BigtableCredentials::kApplicationDefault:
      return grpc::GoogleDefaultCredentials();
    case BigtableCredentials::kServiceAccount: {
      const std::shared_ptr<grpc::CallCredentials> account =
          grpc::ServiceAccountJWTAccessCredentials(options.service_account, kTokenSeconds);
      if (account == nullptr) return nullptr;
      return grpc::CompositeChannelCredentials(grpc::SslCredentials({}), account);
    }
  }
  return nullptr;
}

}  // namespace

absl::StatusOr<BigtableChannels> OpenBigtableChannels(const BigtableOptions& options) {
  HOURCELL_RETURN_IF_ERROR(CheckBigtableOptions(options));
  const std::shared_ptr<grpc::ChannelCredentials> credentials = CredentialsOf(options);
  if (credentials == nullptr) {
    return absl::UnauthenticatedError(
        options.credentials == BigtableCredentials::kServiceAccount
            ? "bigtable: expected its JSON key, as Google's console writes it, got a service "
              "account whose key cannot be used"
            : "bigtable: there are no Application Default Credentials; expected "
              "tsd.storage.bigtable.credentials, or GOOGLE_APPLICATION_CREDENTIALS in the "
              "environment, or a machine of Google's");
  }
  grpc::ChannelArguments arguments;
  // gRPC's default limit of 4 MiB is smaller than one row may be.
  arguments.SetMaxReceiveMessageSize(-1);
  arguments.SetMaxSendMessageSize(-1);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, 30'000);
  // Caps gRPC's reconnect backoff, which grows to two minutes; RetryLoop has its own backoff.
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 100);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 2'000);
  return BigtableChannels{
      .data = grpc::CreateCustomChannel(options.endpoint, credentials, arguments),
      .admin = grpc::CreateCustomChannel(options.admin_endpoint, credentials, arguments)};
}

}  // namespace hourcell
