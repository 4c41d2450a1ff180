#include "server/ports/input_ports.h"

#include <string_view>
#include <utility>

#include <absl/status/status.h>

#include "codec/base/status_macros.h"
#include "server/access/access_rights.h"
#include "server/inputs/graphite/graphite_input.h"
#include "server/inputs/graphite/graphite_session.h"
#include "server/inputs/input_settings.h"
#include "server/inputs/name_rule.h"
#include "server/inputs/series_allowance.h"
#include "server/inputs/statsd/statsd_input.h"
#include "server/inputs/statsd/statsd_settings.h"
#include "server/inputs/statsd/statsd_socket.h"
#include "server/log/log.h"
#include "server/net/session.h"
#include "server/ports/connection.h"
#include "server/ports/listener.h"

namespace hourcell {

class InputPorts::Impl {
 public:
  Impl(const Parts& parts, InputSettings settings, StatsdSettings statsd)
      : parts_(parts),
        settings_(std::move(settings)),
        names_(parts.tsdb->layout().names, parts.config->text("tsd.core.tag.allow_specialchars")),
        allowance_(
            parts.config->integer("tsd.inputs.new_series"), parts.clock, &parts.tsdb->stats()),
        graphite_({.tsdb = parts.tsdb,
                   .names = &names_,
                   .clock = parts.clock,
                   .new_series = allowance_.quota()},
                  settings_),
        graphite_context_({.input = &graphite_, .pool = parts.pool}),
        graphite_connections_(*parts.connections),
        statsd_({.tsdb = parts.tsdb,
                 .names = &names_,
                 .clock = parts.clock,
                 .new_series = allowance_.quota()},
                settings_,
                std::move(statsd)) {
    graphite_connections_.start = [this](Transport* transport, AccessRights rights) {
      return StartGraphiteSession(transport, &graphite_context_, rights);
    };
  }

  absl::Status OpenGraphite() {
    const ListenAddress& first = parts_.access->listeners().front();
    const int64_t port = parts_.config->integer("tsd.graphite.port");
    if (port < 0) return absl::OkStatus();
    ListenOptions address = ListenOptionsOf(*parts_.config, first);
    address.port = static_cast<uint16_t>(port);
    HOURCELL_ASSIGN_OR_RETURN(ListenSocket socket, ListenSocket::Open(address));
    listener_ = Listener::Open(std::move(socket),
                               ListenerOptionsOf(*parts_.config, first.rights, /*is_first=*/false),
                               parts_.io, &graphite_connections_, &parts_.tsdb->stats());
    LogInfo("listening on {} port {} for Graphite's lines; without credentials: {}", first.bind,
            listener_->port(), first.rights.role());
    return absl::OkStatus();
  }

  // The rights of a sender are looked up for each datagram, since no connection keeps them.
  absl::Status OpenStatsd() {
    const ListenAddress& first = parts_.access->listeners().front();
    const int64_t port = parts_.config->integer("tsd.statsd.port");
    if (port < 0) return absl::OkStatus();
    const auto may_write = [access = parts_.access, rights = first.rights](std::string_view from) {
      return (rights | access->RightsAt(from)).Covers(AccessRights::Write());
    };
    HOURCELL_ASSIGN_OR_RETURN(
        statsd_socket_,
        StatsdSocket::Open(
            first.bind, static_cast<uint16_t>(port),
            {.input = &statsd_, .io = parts_.io, .pool = parts_.pool, .may_write = may_write}));
    LogInfo("listening on {} port {} for StatsD's datagrams; without credentials: {}", first.bind,
            statsd_socket_->port(), first.rights.role());
    return absl::OkStatus();
  }

  Listener* listener() const { return listener_.get(); }
  StatsdSocket* statsd_socket() const { return statsd_socket_.get(); }

 private:
  const Parts parts_;
  const InputSettings settings_;
  const NameRule names_;
  SeriesAllowance allowance_;
  const GraphiteInput graphite_;
  const GraphiteContext graphite_context_;
  ConnectionContext graphite_connections_;
  std::unique_ptr<Listener> listener_;
  StatsdInput statsd_;
  std::unique_ptr<StatsdSocket> statsd_socket_;
};

absl::StatusOr<std::unique_ptr<InputPorts>> InputPorts::Open(const Parts& parts) {
  HOURCELL_ASSIGN_OR_RETURN(InputSettings settings, InputSettingsOf(*parts.config));
  HOURCELL_ASSIGN_OR_RETURN(StatsdSettings statsd, StatsdSettingsOf(*parts.config));
  auto impl = std::make_unique<Impl>(parts, std::move(settings), std::move(statsd));
  if (parts.config->text("tsd.mode") != "ro") {
    HOURCELL_RETURN_IF_ERROR(impl->OpenGraphite());
    HOURCELL_RETURN_IF_ERROR(impl->OpenStatsd());
  }
  return std::unique_ptr<InputPorts>(new InputPorts(std::move(impl)));
}

InputPorts::InputPorts(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
InputPorts::~InputPorts() = default;

uint16_t InputPorts::graphite() const {
  return impl_->listener() == nullptr ? uint16_t{0} : impl_->listener()->port();
}

uint16_t InputPorts::statsd() const {
  return impl_->statsd_socket() == nullptr ? uint16_t{0} : impl_->statsd_socket()->port();
}

size_t InputPorts::Stop(int64_t grace_ms) {
  if (impl_->statsd_socket() != nullptr) impl_->statsd_socket()->Stop();
  return impl_->listener() == nullptr ? 0 : impl_->listener()->Stop(grace_ms);
}

void InputPorts::SkipDrain() {
  if (impl_->listener() != nullptr) impl_->listener()->SkipDrain();
}

}  // namespace hourcell
