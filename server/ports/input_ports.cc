#include "server/ports/input_ports.h"

#include <algorithm>
#include <ranges>
#include <utility>
#include <vector>

#include <absl/status/status.h>

#include "codec/base/check.h"
#include "codec/base/status_macros.h"
#include "server/access/access_rights.h"
#include "server/access/series_allowance.h"
#include "server/inputs/input_settings.h"
#include "server/inputs/name_rule.h"
#include "server/log/log.h"
#include "server/ports/input_port.h"
#include "server/ports/port_table.h"

namespace hourcell {

class InputPorts::Impl {
 public:
  Impl(const Parts& parts, InputSettings settings)
      : config_(*parts.config),
        access_(*parts.access),
        settings_(std::move(settings)),
        names_(parts.tsdb->layout().names, config_.text("tsd.core.tag.allow_specialchars")),
        allowance_(config_.integer("tsd.inputs.new_series"), parts.clock, &parts.tsdb->stats()),
        parts_({.config = parts.config,
                .tsdb = parts.tsdb,
                .access = parts.access,
                .connections = parts.connections,
                .reactors = parts.reactors,
                .pool = parts.pool,
                .clock = parts.clock,
                .settings = &settings_,
                .names = &names_,
                .new_series = allowance_.quota()}) {}

  absl::Status Make() {
    for (const PortRow& row : PortTable()) {
      HOURCELL_ASSIGN_OR_RETURN(std::unique_ptr<InputPort> port, row.make(parts_));
      ports_.push_back({.row = &row, .port = std::move(port)});
    }
    return absl::OkStatus();
  }

  absl::Status Open() {
    const ListenAddress& first = access_.listeners().front();
    for (const OnePort& one : ports_) {
      const int64_t number = config_.integer(one.row->setting);
      if (number < 0) continue;
      HOURCELL_RETURN_IF_ERROR(one.port->Open(first, static_cast<uint16_t>(number)));
      LogInfo("listening on {} port {} for {}; without credentials: {}", first.bind,
              one.port->port(), one.row->carries, first.rights.role());
    }
    return absl::OkStatus();
  }

  uint16_t port(std::string_view protocol) const {
    const auto one =
        std::ranges::find(ports_, protocol, [](const OnePort& each) { return each.row->protocol; });
    HOURCELL_CHECK(one != ports_.end());
    return one->port->port();
  }

  // The last port of the table first: the ports of datagrams, which stop at once, are below those
  // of connections, which may take until the end of the grace period.
  size_t Stop(int64_t grace_ms) {
    size_t cut = 0;
    for (const OnePort& one : std::views::reverse(ports_))
      cut += one.port->Stop(grace_ms);
    return cut;
  }

  void SkipDrain() {
    for (const OnePort& one : ports_)
      one.port->SkipDrain();
  }

 private:
  struct OnePort {
    const PortRow* row = nullptr;
    std::unique_ptr<InputPort> port;
  };

  const Config& config_;
  const AccessPolicy& access_;
  const InputSettings settings_;
  const NameRule names_;
  SeriesAllowance allowance_;
  const InputParts parts_;
  std::vector<OnePort> ports_;  // in the order of the table
};

absl::StatusOr<std::unique_ptr<InputPorts>> InputPorts::Open(const Parts& parts) {
  HOURCELL_ASSIGN_OR_RETURN(InputSettings settings, InputSettingsOf(*parts.config));
  auto impl = std::make_unique<Impl>(parts, std::move(settings));
  HOURCELL_RETURN_IF_ERROR(impl->Make());
  if (parts.config->text("tsd.mode") != "ro") HOURCELL_RETURN_IF_ERROR(impl->Open());
  return std::unique_ptr<InputPorts>(new InputPorts(std::move(impl)));
}

InputPorts::InputPorts(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
InputPorts::~InputPorts() = default;

uint16_t InputPorts::port(std::string_view protocol) const {
  return impl_->port(protocol);
}

size_t InputPorts::Stop(int64_t grace_ms) {
  return impl_->Stop(grace_ms);
}

void InputPorts::SkipDrain() {
  impl_->SkipDrain();
}

}  // namespace hourcell
