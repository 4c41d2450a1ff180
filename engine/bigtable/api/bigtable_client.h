// BigtableClient: the data API calls that a store makes. Each has a deadline. Idempotent calls are
// retried (retry.h); others report their outcome.
//
// Thread-safe. Calls block. Errors: kUnavailable (the service is down, overloaded or slow; retry),
// kInvalidArgument (a limit of the service), and other errors of the service.

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

// Selects rows by keys or by range.
struct ReadSelection {
  std::vector<std::string> keys = {};  // ascending, distinct; if set, `range` is ignored
  ScanRange range = {};
  bool reversed = false;  // ranges only: from the last row to the first
  google::bigtable::v2::RowFilter filter = {};
  // Limits of one read, in rows and in bytes; 0: the page of the options.
  size_t rows_max = 0;
};

struct BigtablePage {
  std::vector<BigtableRow> rows;  // in reading order
  bool is_complete = false;       // false: more rows may follow the last one
};

struct TabletEnd {
  std::string key;  // end of a tablet's key range, which starts at the sample before; empty: no end
  int64_t offset_bytes = 0;
};

class BigtableClient {
 public:
  BigtableClient(BigtableOptions options, const BigtableChannels& channels);
  BigtableClient(const BigtableClient&) = delete;
  BigtableClient& operator=(const BigtableClient&) = delete;

  // `table` is the name without its path: "<prefix>-data".
  absl::StatusOr<BigtablePage> Read(const std::string& table, const ReadSelection& selection);

  // Writes rows in any order, each atomically. Retries rows until an answer confirms them, so each
  // mutation must be idempotent: with explicit timestamps. Not OK: some rows may have been written.
  absl::Status Mutate(const std::string& table, std::vector<RowMutations> rows);

  // Writes the row if it has no cells yet; returns false if it has some. Not retried: after
  // kUnavailable the row may have been written; read it to find out.
  absl::StatusOr<bool> SetIfAbsent(const std::string& table, const RowMutations& row);

  // Writes the row unless a cell has a timestamp of `from_micros` or later; then returns false. Not
  // retried, like SetIfAbsent.
  absl::StatusOr<bool> SetIfNoneSince(const std::string& table,
                                      const RowMutations& row,
                                      int64_t from_micros);

  // Adds to a counter and returns the new value. Retried, so it may add twice.
  absl::StatusOr<uint64_t> Increment(const std::string& table,
                                     const std::string& row,
                                     const std::string& family,
                                     uint64_t amount);

  // The tablets of a table, ascending by key; the last one ends the table.
  absl::StatusOr<std::vector<TabletEnd>> SampleKeys(const std::string& table);

  // Creates a table with one family unless it exists.
  absl::Status CreateTable(const std::string& table, const std::string& family);

  // Current and later calls soon fail with kCancelled. For a process that stops while the service
  // does not answer. Requests that were sent may still take effect.
  void EndCalls();

  // Adds a family to a table unless it exists. kNotFound: no such table.
  absl::Status AddFamily(const std::string& table, const std::string& family);

  const BigtableOptions& options() const { return options_; }

 private:
  // One attempt of a call; EndCalls cancels it.
  class Context;
  using Attempt = std::function<grpc::Status(grpc::ClientContext* context)>;

  // Makes attempts until one succeeds or cannot be retried.
  grpc::Status Repeat(const Attempt& attempt);
  std::string PathOf(const std::string& table) const;
  std::string InstancePath() const;
  // Sets the headers: the table and app profile that the call is for, and this client's features.
  void Route(const std::string& path, grpc::ClientContext* context) const;
  void SetDeadline(grpc::ClientContext* context) const;
  grpc::Status MutateOnce(const std::string& table,
                          std::vector<RowMutations>* rows,
                          grpc::ClientContext* context);
  // Writes the row if none of its cells passes `filter`.
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
