#include "server/ports/port_table.h"

#include "server/ports/graphite_port.h"
#include "server/ports/statsd_port.h"

namespace hourcell {
namespace {

constexpr PortRow kPortRows[] = {
    {.protocol = "graphite",
     .setting = "tsd.graphite.port",
     .transport = PortTransport::kTcp,
     .carries = "Graphite's lines",
     .make = &MakeGraphitePort},
    {.protocol = "statsd",
     .setting = "tsd.statsd.port",
     .transport = PortTransport::kUdp,
     .carries = "StatsD's datagrams",
     .make = &MakeStatsdPort},
};

}  // namespace

std::span<const PortRow> PortTable() {
  return kPortRows;
}

}  // namespace hourcell
