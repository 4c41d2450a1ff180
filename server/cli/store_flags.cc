#include "server/cli/store_flags.h"

#include <string>

#include "server/cli/command_line.h"
#include "server/cli/store.h"

namespace hourcell {

void AddStoreOptions(CommandLine* line, StoreOptions* store) {
  line->AddOption("--data", &store->data, "DIR", "the store's directory (default ./hourcell-data)");
  line->AddOption("--config", &store->config_file, "FILE",
                  "settings, a Java properties file as OpenTSDB's");
  line->AddRepeated("--set", &store->settings, "KEY=VALUE", "one setting; also --tsd.x.y=VALUE");
}

void AddUrl(CommandLine* line, std::string* url) {
  line->AddOption("--url", url, "http://HOST:PORT", "a running server instead of a directory");
}

void RefuseUrl(CommandLine* line) {
  line->AddRefused(
      "--url",
      "--url: this command works on the store's directory (--data) while no server has it open");
}

}  // namespace hourcell
