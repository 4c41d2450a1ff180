// BigtableJournalTail: the journal of a store on Cloud Bigtable (bigtable_journal.h) as a process
// reads it that does not write to it.
//
// A writer acknowledges a block once it is written, and writes it after all blocks before it. So a
// row that was absent when a scan came by was not acknowledged when the scan began, unless it was
// deleted. Rows are deleted below the log start, which is stored before the first of them goes: if
// the log start that is read after the scan is not above the absent row, nothing was missed.

#pragma once

#include <cstdint>
#include <string>

#include <absl/status/statusor.h>

#include "engine/bigtable/api/bigtable_client.h"
#include "engine/table/storage_engine.h"

namespace hourcell {

class BigtableJournalTail : public JournalTail {
 public:
  // `client` is borrowed.
  explicit BigtableJournalTail(BigtableClient* client);
  ~BigtableJournalTail() override = default;

  // One ReadRows, if there are few blocks. kDataLoss: a row is neither a block nor a fence.
  absl::StatusOr<uint64_t> Read(uint64_t from, const Journal::Visit& visit) override;

  // One ReadRows. kDataLoss: a row of the system does not decode.
  absl::StatusOr<StoreMoment> Look() override;

 private:
  BigtableClient& client_;
  const std::string table_;
  const std::string system_;
};

}  // namespace hourcell
