#include "server/ports/statsd_port.h"

#include <string_view>
#include <utility>

#include "codec/base/status_macros.h"
#include "server/inputs/statsd/statsd_input.h"
#include "server/inputs/statsd/statsd_settings.h"
#include "server/inputs/statsd/statsd_socket.h"
#include "server/ports/reactors.h"

namespace hourcell {
namespace {

class StatsdPort : public InputPort {
 public:
  StatsdPort(const InputParts& parts, StatsdSettings settings)
      : parts_(parts),
        input_({.tsdb = parts.tsdb,
                .names = parts.names,
                .clock = parts.clock,
                .new_series = parts.new_series},
               *parts.settings,
               std::move(settings)) {}

  // The rights of a sender are looked up for each datagram, since no connection keeps them.
  absl::Status Open(const ListenAddress& address, uint16_t port) override {
    const auto may_write = [access = parts_.access,
                            rights = address.rights](std::string_view from) {
      return (rights | access->RightsAt(from)).Covers(AccessRights::Write());
    };
    // It stays in its reactor until the server ends.
    IoContext* const io = &parts_.reactors->at(parts_.reactors->Enter());
    HOURCELL_ASSIGN_OR_RETURN(
        socket_, StatsdSocket::Open(
                     address.bind, port,
                     {.input = &input_, .io = io, .pool = parts_.pool, .may_write = may_write}));
    return absl::OkStatus();
  }

  uint16_t port() const override { return socket_ == nullptr ? uint16_t{0} : socket_->port(); }

  size_t Stop(int64_t /*grace_ms*/) override {
    if (socket_ != nullptr) socket_->Stop();
    return 0;
  }

  void SkipDrain() override {}

 private:
  const InputParts parts_;
  StatsdInput input_;
  std::unique_ptr<StatsdSocket> socket_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<InputPort>> MakeStatsdPort(const InputParts& parts) {
  HOURCELL_ASSIGN_OR_RETURN(StatsdSettings settings, StatsdSettingsOf(*parts.config));
  return std::make_unique<StatsdPort>(parts, std::move(settings));
}

}  // namespace hourcell
