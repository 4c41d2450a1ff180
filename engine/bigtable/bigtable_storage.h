// BigtableStorage: a store on Cloud Bigtable: tables (bigtable_table_store.h), journal
// (bigtable_journal.h) and writer lease (writer_lease.h).

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <absl/status/statusor.h>

#include "engine/bigtable/api/bigtable_client.h"
#include "engine/bigtable/api/bigtable_options.h"
#include "engine/bigtable/writer/secret_rows.h"
#include "engine/bigtable/writer/writer_lease.h"
#include "engine/storage/storage_engine.h"

namespace hourcell {

// The rows of OpenTSDB's data table, in a store that shares it.
enum class SharedRows : uint8_t {
  kAdopted,  // the store opens only after they were adopted (engine/opentsdb/adoption.h)
  kToAdopt,  // the store is opened to adopt them, and does not read them yet
};

class BigtableStorage : public StorageEngine, public SharedStorage {
 public:
  BigtableStorage(BigtableOptions options,
                  LeaseOptions lease,
                  SharedRows shared_rows = SharedRows::kAdopted)
      : options_(std::move(options)), lease_(std::move(lease)), shared_rows_(shared_rows) {}

  std::string_view name() const override { return "bigtable"; }

  // Creates the tables if they do not exist. kFailedPrecondition: the tables have another format,
  // or another process kept the writer lease for longer than the configured wait. kInvalidArgument,
  // kUnauthenticated: the options are invalid. kUnavailable: retry.
  absl::StatusOr<OpenedStorage> Open(
      const std::function<void(std::string_view message)>& warn) override;

  SharedStorage* shared() override { return this; }
  absl::StatusOr<SharedSecrets> Join(const std::string& address, StorageEvents events) override;
  absl::StatusOr<SharedSecrets> RefreshSecrets() override;
  absl::StatusOr<FollowedStorage> Follow(
      const std::function<void(std::string_view message)>& warn) override;

 private:
  const BigtableOptions options_;
  LeaseOptions lease_;
  const SharedRows shared_rows_;
  // Set by Join.
  std::unique_ptr<BigtableClient> secret_client_;
  std::unique_ptr<SecretRows> secrets_;
};

// The OpenTSDB data table that this store shares; empty: the store has its own. kNotFound: no store
// exists. Other errors as Open.
absl::StatusOr<std::string> SharedDataTableOf(const BigtableOptions& options);

// True if a store without a shared table creates a table with this name.
bool IsTableOfStore(const BigtableOptions& options, std::string_view name);

}  // namespace hourcell
