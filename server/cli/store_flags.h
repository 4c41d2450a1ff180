// Flags of commands that work on a store: on its directory, or on a running server that has it
// open.

#pragma once

#include <string>

#include "server/cli/command_line.h"
#include "server/cli/local_store.h"
#include "server/http/http_client.h"

namespace hourcell {

// --data, --config and --set.
void AddStoreOptions(CommandLine* line, StoreOptions* store);

// --url, --ca-file and --insecure.
void AddUrl(CommandLine* line, std::string* url, TlsTrust* trust);

// For commands that need the directory itself: a --url is an error that explains this.
void RefuseUrl(CommandLine* line);

}  // namespace hourcell
