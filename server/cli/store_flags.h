// The flags of commands that work on a store: on its directory, or on a running server that has it
// open.

#pragma once

#include <string>

#include "server/cli/command_line.h"
#include "server/cli/http_client.h"
#include "server/cli/local_store.h"

namespace hourcell {

// --data, --config and --set.
void AddStoreOptions(CommandLine* line, StoreOptions* store);

// --url, --ca-file and --insecure.
void AddUrl(CommandLine* line, std::string* url, TlsTrust* trust);

// Commands that need the directory itself say so when they are pointed at a server.
void RefuseUrl(CommandLine* line);

}  // namespace hourcell
