// SharedServe: `hourcell serve` on a store that several processes share. One of them writes; this
// one passes its clients' connections on to that one while it waits (relay.h), and becomes the
// writer when the other has ended. A writer that is replaced, since it was paused or cut off,
// answers its clients with errors that say so, and waits again.

#pragma once

#include <functional>
#include <string>

#include "engine/options.h"
#include "server/cli/serve/signal_watch.h"
#include "server/cli/terminal.h"
#include "server/config/config.h"

namespace hourcell {

// Serves until a signal says to stop; `watch` is borrowed. `say_where` is called once, when the
// process listens, with the port of the first listener. Returns the exit code; errors are printed.
// REQUIRES: options.storage.
int ServeShared(const Config& config,
                const Options& options,
                const std::function<void(int port)>& say_where,
                SignalWatch* watch,
                Terminal& terminal);

// Where other processes find this one: tsd.network.advertise; else what the first listener is bound
// to, or the name of this machine if that is every address. `port`: of the first listener.
std::string AdvertisedAddress(const Config& config, int port);

}  // namespace hourcell
