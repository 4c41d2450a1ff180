// SharedServe: `hourcell serve` on a store that several nodes share. One node is the writer. A
// standby forwards its clients' connections to the writer (relay.h), and becomes the writer when
// that one has ended. A writer that is replaced after a pause or a network failure answers its
// clients with errors and becomes a standby again.

#pragma once

#include <functional>
#include <string>

#include "engine/options.h"
#include "server/cli/serve/signal_watch.h"
#include "server/cli/terminal.h"
#include "server/config/config.h"

namespace hourcell {

// Serves until a signal to stop; `watch` is borrowed. `say_where` is called once, when the process
// listens, with the port of the first listener. Prints errors; returns the exit code. REQUIRES:
// options.storage.
int ServeShared(const Config& config,
                const Options& options,
                const std::function<void(int port)>& say_where,
                SignalWatch* watch,
                Terminal& terminal);

// The address under which other nodes reach this one: tsd.network.advertise; else the address of
// the first listener, or the host name if that is a wildcard. `port`: of the first listener.
std::string AdvertisedAddress(const Config& config, int port);

}  // namespace hourcell
