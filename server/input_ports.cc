#include "server/input_ports.h"

#include <utility>

#include "codec/base/status_macros.h"
#include "server/connection.h"
#include "server/inputs/graphite/graphite_input.h"
#include "server/inputs/graphite/graphite_session.h"
#include "server/inputs/input_settings.h"
#include "server/inputs/name_rule.h"
#include "server/listener.h"
#include "server/log/log.h"
#include "server/net/session.h"

namespace hourcell {

class InputPorts::Impl {
 public:
  Impl(const Parts& parts, InputSettings settings)
      : parts_(parts),
        settings_(std::move(settings)),
        names_(parts.tsdb->layout().names, parts.config->text("tsd.core.tag.allow_specialchars")),
        graphite_({.tsdb = parts.tsdb, .names = &names_, .clock = parts.clock}, settings_),
        graphite_context_({.input = &graphite_, .pool = parts.pool}),
        graphite_connections_(*parts.connections) {
    graphite_connections_.start = [this](Transport* transport, AccessRights rights) {
      return StartGraphiteSession(transport, &graphite_context_, rights);
    };
  }

  absl::Status OpenGraphite() {
    const ListenAddress& first = parts_.access->listeners().front();
    const int64_t port = parts_.config->integer("tsd.graphite.port");
    if (port < 0) return absl::OkStatus();
    ListenerOptions options = ListenerOptionsOf(*parts_.config, first, /*is_first=*/false);
    options.port = static_cast<uint16_t>(port);
    HOURCELL_ASSIGN_OR_RETURN(listener_, Listener::Open(options, parts_.io, &graphite_connections_,
                                                        &parts_.tsdb->stats()));
    LogInfo("listening on {} port {} for Graphite's lines; without credentials: {}", first.bind,
            listener_->port(), first.rights.role());
    return absl::OkStatus();
  }

  Listener* listener() const { return listener_.get(); }

 private:
  const Parts parts_;
  const InputSettings settings_;
  const NameRule names_;
  const GraphiteInput graphite_;
  const GraphiteContext graphite_context_;
  ConnectionContext graphite_connections_;
  std::unique_ptr<Listener> listener_;
};

absl::StatusOr<std::unique_ptr<InputPorts>> InputPorts::Open(const Parts& parts) {
  HOURCELL_ASSIGN_OR_RETURN(InputSettings settings, InputSettingsOf(*parts.config));
  auto impl = std::make_unique<Impl>(parts, std::move(settings));
  if (parts.config->text("tsd.mode") != "ro") HOURCELL_RETURN_IF_ERROR(impl->OpenGraphite());
  return std::unique_ptr<InputPorts>(new InputPorts(std::move(impl)));
}

InputPorts::InputPorts(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
InputPorts::~InputPorts() = default;

uint16_t InputPorts::graphite() const {
  return impl_->listener() == nullptr ? uint16_t{0} : impl_->listener()->port();
}

size_t InputPorts::Stop(int64_t grace_ms) {
  return impl_->listener() == nullptr ? 0 : impl_->listener()->Stop(grace_ms);
}

void InputPorts::Hurry() {
  if (impl_->listener() != nullptr) impl_->listener()->Hurry();
}

}  // namespace hourcell
