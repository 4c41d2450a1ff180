// BigtableStorage: a store on Cloud Bigtable: tables (bigtable_table_store.h), journal
// (bigtable_journal.h) and the seat of the one process that writes (writer_seat.h).

#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <absl/status/statusor.h>

#include "engine/bigtable/api/bigtable_client.h"
#include "engine/bigtable/api/bigtable_options.h"
#include "engine/bigtable/writer/secret_rows.h"
#include "engine/bigtable/writer/writer_seat.h"
#include "engine/table/storage_engine.h"

namespace hourcell {

class BigtableStorage : public StorageEngine {
 public:
  BigtableStorage(BigtableOptions options, SeatOptions seat)
      : options_(std::move(options)), seat_(std::move(seat)) {}

  std::string_view name() const override { return "bigtable"; }

  absl::StatusOr<SharedSecrets> Join(const std::string& address, StorageEvents events) override;
  absl::StatusOr<SharedSecrets> RefreshSecrets() override;

  // Makes the tables if there are none. kFailedPrecondition: the tables have another format, or
  // another process writes to them for longer than the seat's wait; kInvalidArgument,
  // kUnauthenticated: the options; kUnavailable: try again.
  absl::StatusOr<OpenedStorage> Open(
      const std::function<void(std::string_view message)>& warn) override;

  absl::StatusOr<FollowedStorage> Follow(
      const std::function<void(std::string_view message)>& warn) override;

 private:
  const BigtableOptions options_;
  SeatOptions seat_;
  // Once it has joined.
  std::unique_ptr<BigtableClient> secret_client_;
  std::unique_ptr<SecretRows> secrets_;
};

// The data table of OpenTSDB that the store in these tables shares; empty: it has one of its own.
// kNotFound: there is no store; else as Open.
absl::StatusOr<std::string> SharedDataTableOf(const BigtableOptions& options);

// Whether the store makes a table of this name if it shares none.
bool IsTableOfStore(const BigtableOptions& options, std::string_view name);

}  // namespace hourcell
