// BigtableOptions: which tables of which instance, how they are reached, and how long a call may
// take. Values.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include <absl/status/status.h>

namespace hourcell {

enum class BigtableCredentials : uint8_t {
  kApplicationDefault,  // TLS, with what gRPC finds by Google's rules for a program
  kServiceAccount,      // TLS, with the key of a service account
  kInsecure,            // neither TLS nor credentials: an emulator
};

struct BigtableOptions {
  std::string project;
  std::string instance;
  std::string app_profile;                // empty: the instance's default
  std::string table_prefix = "hourcell";  // tables are <prefix>-meta, <prefix>-uid and so on
  // A data table of OpenTSDB that the store shares; empty: it has one of its own, <prefix>-data.
  std::string data_table = {};
  // The store is opened to take over the rows of that table, and does not read them yet.
  bool is_adopting = false;

  // host:port of the data API, and of the administration of tables.
  std::string endpoint = "bigtable.googleapis.com:443";
  std::string admin_endpoint = "bigtableadmin.googleapis.com:443";
  BigtableCredentials credentials = BigtableCredentials::kApplicationDefault;
  std::string service_account = {};  // for kServiceAccount: its JSON key

  int64_t attempt_timeout_ms = 20'000;  // of one call
  int64_t call_timeout_ms = 60'000;     // from its first attempt until none is begun any more
  int64_t retry_first_ms = 10;          // the longest wait before the first repetition
  int64_t retry_max_ms = 2'000;         // the longest wait before any

  // What one read asks for at most, so that a scan keeps little in memory.
  size_t page_rows = 4096;
  size_t page_bytes = size_t{4} << 20;
};

// kInvalidArgument: a name or an endpoint is empty, or a time is not more than 0.
absl::Status CheckBigtableOptions(const BigtableOptions& options);

// The same options for an emulator at `host` (host:port), as BIGTABLE_EMULATOR_HOST names it: both
// endpoints, no credentials. Unchanged if `host` is empty.
BigtableOptions AtEmulator(BigtableOptions options, const std::string& host);

}  // namespace hourcell
