// BigtableOptions: the instance and tables to use, the connection, and the timeouts. Value types.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include <absl/status/status.h>

namespace hourcell {

enum class BigtableCredentials : uint8_t {
  kApplicationDefault,  // TLS, with Google's Application Default Credentials
  kServiceAccount,      // TLS, with a service account key
  kInsecure,            // no TLS, no credentials: an emulator
};

struct BigtableOptions {
  std::string project;
  std::string instance;
  std::string app_profile;                // empty: the instance's default
  std::string table_prefix = "hourcell";  // names: <prefix>-meta, <prefix>-uid and so on
  // An OpenTSDB data table that the store shares; empty: the store uses <prefix>-data.
  std::string data_table = {};

  // host:port of the data API and of the table admin API.
  std::string endpoint = "bigtable.googleapis.com:443";
  std::string admin_endpoint = "bigtableadmin.googleapis.com:443";
  BigtableCredentials credentials = BigtableCredentials::kApplicationDefault;
  std::string service_account = {};  // for kServiceAccount: its JSON key

  int64_t attempt_timeout_ms = 20'000;  // of one attempt
  int64_t call_timeout_ms = 60'000;     // from the first attempt until no new one starts
  int64_t retry_first_ms = 10;          // upper bound of the wait before the first retry
  int64_t retry_max_ms = 2'000;         // upper bound of the wait before any retry

  // Limits of one read, so that a scan uses little memory.
  size_t page_rows = 4096;
  size_t page_bytes = size_t{4} << 20;
};

// kInvalidArgument: a name or an endpoint is empty, or a timeout is not positive.
absl::Status CheckBigtableOptions(const BigtableOptions& options);

// Returns the options for an emulator at `host` (host:port, as in BIGTABLE_EMULATOR_HOST): both
// endpoints, no credentials. Returns them unchanged if `host` is empty.
BigtableOptions AtEmulator(BigtableOptions options, const std::string& host);

}  // namespace hourcell
