// BigtableClient: the calls of the data API that a store makes, each with its deadline and its
// repetitions. A call that may happen twice is repeated (retry.h); of one that may not, the caller
// hears how it ended.
//
// Thread-safe. Calls block. Errors: kUnavailable (the service is away, full or slow; try again),
// kInvalidArgument (a limit of the service), and what the service says.

#pragma once

#include <grpcpp/client_context.h>

#include <bigtable_proto/bigtable.grpc.pb.h>
#include <bigtable_proto/table_admin.grpc.pb.h>
#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "codec/base/mutex.h"
#include "codec/base/random.h"
#include "engine/bigtable/api/bigtable_channels.h"
#include "engine/bigtable/api/bigtable_options.h"
#include "engine/bigtable/api/retry.h"
#include "engine/bigtable/api/row_assembler.h"
#include "engine/bigtable/api/row_limits.h"
#include "engine/table/table.h"

namespace hourcell {

// The rows of some keys, or of a range.
struct ReadSelection {
  std::vector<std::string> keys = {};  // ascending, no two alike; if there are any, no range
  ScanRange range = {};
  bool reversed = false;  // of a range: from its last row to its first
  google::bigtable::v2::RowFilter filter = {};
  // The read ends once it has so many rows or bytes of them; 0: the options' page.
  size_t rows_max = 0;
};

struct BigtablePage {
  std::vector<BigtableRow> rows;  // in the order of the read
  bool is_complete = false;       // else there may be more after the last of them
};

struct TabletEnd {
  std::string key;  // rows before it, from the sample before on, are one tablet's; empty: the end
  int64_t offset_bytes = 0;
};

class BigtableClient {
 public:
  BigtableClient(BigtableOptions options, const BigtableChannels& channels);
  BigtableClient(const BigtableClient&) = delete;
  BigtableClient& operator=(const BigtableClient&) = delete;

  // `table` is a name without its path: "<prefix>-data".
  absl::StatusOr<BigtablePage> Read(const std::string& table, const ReadSelection& selection);

  // Writes rows in any order, each as a whole. Repeated for the rows of which it is not known that
  // they were written, so each must be one that may happen twice: timestamps are given. Not OK: it
  // is not known which were written.
  absl::Status Mutate(const std::string& table, std::vector<RowMutations> rows);

  // Writes a row if it has no cell; false: it has one. Not repeated: after kUnavailable it may have
  // been written, and a read tells.
  absl::StatusOr<bool> SetIfAbsent(const std::string& table, const RowMutations& row);

  // Writes a row if it has no cell with a timestamp of `from_micros` or later; false: it has one.
  // Not repeated, as SetIfAbsent.
  absl::StatusOr<bool> SetIfNoneSince(const std::string& table,
                                      const RowMutations& row,
                                      int64_t from_micros);

  // Adds to a counter, and returns what it is then. Repeated, so it may be added to twice.
  absl::StatusOr<uint64_t> Increment(const std::string& table,
                                     const std::string& row,
                                     const std::string& family,
                                     uint64_t amount);

  // The tablets of a table, ascending by key; the last is the end of the table.
  absl::StatusOr<std::vector<TabletEnd>> SampleKeys(const std::string& table);

  // Makes a table with one family, unless it is there.
  absl::Status CreateTable(const std::string& table, const std::string& family);

  // Calls under way and later ones end soon, with kCancelled: for a process that ends while the
  // service does not answer. What was sent may still take effect.
  void EndCalls();

  // Gives a table a family, unless it has it. kNotFound: no such table.
  absl::Status AddFamily(const std::string& table, const std::string& family);

  const BigtableOptions& options() const { return options_; }

 private:
  // One attempt of a call: EndCalls ends it.
  class Context;
  using Attempt = std::function<grpc::Status(grpc::ClientContext* context)>;

  // Makes an attempt after the other, as long as they may be repeated.
  grpc::Status Repeat(const Attempt& attempt);
  std::string PathOf(const std::string& table) const;
  std::string InstancePath() const;
  // Says which table of the options' app profile a call is for, and what this client can do.
  void Route(const std::string& path, grpc::ClientContext* context) const;
  void SetDeadline(grpc::ClientContext* context) const;
  grpc::Status MutateOnce(const std::string& table,
                          std::vector<RowMutations>* rows,
                          grpc::ClientContext* context);
  // Writes a row if no cell of it passes `filter`.
  absl::StatusOr<bool> SetUnless(const google::bigtable::v2::RowFilter& filter,
                                 const std::string& table,
                                 const RowMutations& row);

  const BigtableOptions options_;
  const BigtableLimits limits_;
  const std::unique_ptr<google::bigtable::v2::Bigtable::Stub> data_;
  const std::unique_ptr<google::bigtable::admin::v2::BigtableTableAdmin::Stub> admin_;
  void Sleep(int64_t ms);

  Mutex mutex_;
  CondVar has_ended_;
  bool is_ended_ ABSL_GUARDED_BY(mutex_) = false;
  std::set<grpc::ClientContext*> under_way_ ABSL_GUARDED_BY(mutex_);
  Random random_ ABSL_GUARDED_BY(mutex_);
  const RetryHooks hooks_;
};

}  // namespace hourcell
