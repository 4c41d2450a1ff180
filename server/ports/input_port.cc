#include "server/ports/input_port.h"

#include <utility>

#include <absl/status/statusor.h>

#include "codec/base/status_macros.h"
#include "server/net/listen_socket.h"

namespace hourcell {

TcpInputPort::TcpInputPort(const InputParts& parts, std::unique_ptr<TcpProtocol> protocol)
    : parts_(parts), protocol_(std::move(protocol)), connections_(*parts.connections) {
  connections_.start = [this](Transport* transport, AccessRights rights) {
    return protocol_->StartSession(transport, rights);
  };
}

absl::Status TcpInputPort::Open(const ListenAddress& address, uint16_t port) {
  ListenOptions options = ListenOptionsOf(*parts_.config, address);
  options.port = port;
  HOURCELL_ASSIGN_OR_RETURN(ListenSocket socket, ListenSocket::Open(options));
  listener_ = Listener::Open(std::move(socket),
                             ListenerOptionsOf(*parts_.config, address.rights, /*is_first=*/false),
                             parts_.reactors, &connections_, &parts_.tsdb->stats());
  return absl::OkStatus();
}

uint16_t TcpInputPort::port() const {
  return listener_ == nullptr ? uint16_t{0} : listener_->port();
}

size_t TcpInputPort::Stop(int64_t grace_ms) {
  return listener_ == nullptr ? 0 : listener_->Stop(grace_ms);
}

void TcpInputPort::SkipDrain() {
  if (listener_ != nullptr) listener_->SkipDrain();
}

}  // namespace hourcell
