#include "server/cli/store_flags.h"

#include <string>

#include "server/cli/command_line.h"
#include "server/cli/local_store.h"

namespace hourcell {

void AddStoreOptions(CommandLine* line, StoreOptions* store) {
  line->AddOption("--data", &store->data, "DIR",
                  "directory of the store (default ./hourcell-data)");
  line->AddOption("--config", &store->config_file, "FILE",
                  "Java properties file with settings, like OpenTSDB's");
  line->AddRepeated("--set", &store->settings, "KEY=VALUE",
                    "set one setting; also as --tsd.x.y=VALUE");
}

void AddUrl(CommandLine* line, std::string* url, TlsTrust* trust) {
  line->AddOption("--url", url, "http[s]://HOST:PORT",
                  "address of a running server, instead of a directory");
  line->AddOption("--ca-file", &trust->ca_file, "FILE",
                  "PEM file with the certificates to trust for https (default the system's)");
  line->AddFlag("--insecure", &trust->insecure,
                "accept any certificate for https: an attacker may read all, and the token");
}

void RefuseUrl(CommandLine* line) {
  line->AddRefused(
      "--url",
      "--url: this command works on the store's directory (--data) while no server has it open");
}

}  // namespace hourcell
