// BigtableJournalTail: reads the journal of a store on Cloud Bigtable (bigtable_journal.h) in a
// process that does not write to it.
//
// A writer writes a block after all earlier blocks and acknowledges it once it is written. So a row
// that is absent in a scan was not acknowledged when the scan began, unless it was deleted. Rows
// are deleted only below the log start, which is stored first: if the log start read after the scan
// is not above the absent row, nothing was missed.

#pragma once

#include <cstdint>
#include <string>

#include <absl/status/statusor.h>

#include "engine/bigtable/api/bigtable_client.h"
#include "engine/storage/journal_tail.h"

namespace hourcell {

class BigtableJournalTail : public JournalTail {
 public:
  // `client` is borrowed.
  explicit BigtableJournalTail(BigtableClient* client);
  ~BigtableJournalTail() override = default;

  // One ReadRows call if there are few blocks. kDataLoss: a row is neither a block nor a fence.
  absl::StatusOr<uint64_t> Read(uint64_t from, const Journal::Visit& visit) override;

  // One ReadRows call. kDataLoss: a row of the cluster table does not decode.
  absl::StatusOr<StoreMoment> Look() override;

 private:
  BigtableClient& client_;
  const std::string table_;
  const std::string system_;
};

}  // namespace hourcell
