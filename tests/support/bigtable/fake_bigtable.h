// FakeBigtable: the Bigtable data API over gRPC, for tests: a server on a free port of this machine
// whose rows are in memory, below one lock. Every call is linearizable, and each row is written and
// read as a whole. Faults happen on demand.

#pragma once

#include <grpcpp/server.h>

#include <atomic>
#include <bigtable_proto/bigtable.grpc.pb.h>
#include <bigtable_proto/table_admin.grpc.pb.h>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "codec/base/mutex.h"
#include "codec/base/random.h"

namespace hourcell {

// Chances are between 0 and 1, of each call.
struct BigtableFaults {
  uint64_t seed = 1;
  double refused = 0;             // UNAVAILABLE, and nothing happened
  double unanswered = 0;          // DEADLINE_EXCEEDED after the effect
  double late = 0;                // UNAVAILABLE, and a write happens at some later call
  double doubled = 0;             // a write happens again at some later call
  double partial = 0;             // MutateRows writes some of its rows, and refuses others
  double cut_streams = 0;         // ReadRows ends with UNAVAILABLE in the middle of a row
  double resets = 0;              // of each row: it is begun, voided and sent again
  size_t chunk_bytes = 0;         // values are cut into chunks of so many bytes; 0: never
  size_t chunks_per_message = 0;  // 0: all in one message
  int64_t latency_ms = 0;         // before each answer
};

// Calls that reached the server, by method, faults included.
struct BigtableCalls {
  std::atomic<int> read_rows{0};
  std::atomic<int> mutate_rows{0};
  std::atomic<int> check_and_mutate{0};
  std::atomic<int> read_modify_write{0};
  std::atomic<int> sample_row_keys{0};
  std::atomic<int> create_table{0};
};

// Thread-safe, but for what says otherwise.
class FakeBigtable {
 public:
  // A name alone is a qualifier of the family that most tables have.
  struct Column {
    Column(const char* name) : qualifier(name) {}             // NOLINT(google-explicit-constructor)
    Column(std::string name) : qualifier(std::move(name)) {}  // NOLINT(google-explicit-constructor)
    Column(std::string of, std::string name) : family(std::move(of)), qualifier(std::move(name)) {}
    std::string family = "h";
    std::string qualifier;
    friend auto operator<=>(const Column&, const Column&) = default;
  };
  // Cells by column, then by timestamp, the newest first.
  using Row = std::map<Column, std::map<int64_t, std::string, std::greater<>>>;
  using Table = std::map<std::string, Row>;

  // On a port of 127.0.0.1; 0: any free one.
  explicit FakeBigtable(int port = 0);
  ~FakeBigtable();
  FakeBigtable(const FakeBigtable&) = delete;
  FakeBigtable& operator=(const FakeBigtable&) = delete;

  // "127.0.0.1:<port>"
  const std::string& address() const { return address_; }
  BigtableCalls* calls() { return &calls_; }

  void SetFaults(const BigtableFaults& faults);
  // The next `count` MutateRows after `skipped` of them are refused as `faults.refused` says.
  void RefuseMutateRows(int skipped, int count);
  // The header by which the service finds the node of a table, of the last ReadRows.
  std::string last_routing();
  // Writes all that is late.
  void SettleLateWrites();

  // A copy of a table, by the last part of its name; empty if there is none.
  Table TableOf(const std::string& name);
  // Writes a cell as any other program could. REQUIRES: the table is there.
  void PutCell(const std::string& table,
               const std::string& row,
               const Column& column,
               int64_t timestamp_micros,
               const std::string& value);
  // Makes a table of the project and instance of QuickBigtableOptions, as any other program could.
  void MakeTable(const std::string& table, const std::set<std::string>& families);

 private:
  class DataService;
  class AdminService;

  using Mutations = google::protobuf::RepeatedPtrField<google::bigtable::v2::Mutation>;
  struct LateWrite {
    std::string table;
    std::string row;
    Mutations mutations;
    // Of a conditional write, which is decided when it happens, and has the mutations instead.
    std::optional<google::bigtable::v2::CheckAndMutateRowRequest> conditional = {};
  };

  // What becomes of a call: decided before it does anything.
  enum class Fate : uint8_t { kAnswered, kRefused, kUnanswered, kLate, kDoubled };

  Fate FateOf(bool is_write) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool Happens(double chance) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void ApplyLate(bool all) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  grpc::Status ApplyConditional(const google::bigtable::v2::CheckAndMutateRowRequest& request,
                                bool* is_matched) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  grpc::Status ApplyTo(const std::string& table, const std::string& row, const Mutations& mutations)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Pause();

  std::string address_;
  BigtableCalls calls_;
  std::atomic<int64_t> latency_ms_{0};
  Mutex mutex_;
  std::map<std::string, Table> tables_ ABSL_GUARDED_BY(mutex_);  // by full name
  std::map<std::string, std::set<std::string>> families_ ABSL_GUARDED_BY(mutex_);
  std::string last_routing_ ABSL_GUARDED_BY(mutex_);
  std::vector<LateWrite> late_ ABSL_GUARDED_BY(mutex_);
  BigtableFaults faults_ ABSL_GUARDED_BY(mutex_);
  Random random_ ABSL_GUARDED_BY(mutex_){1};
  int mutate_rows_let_through_ ABSL_GUARDED_BY(mutex_) = 0;
  int mutate_rows_refused_ ABSL_GUARDED_BY(mutex_) = 0;

  std::unique_ptr<DataService> data_;
  std::unique_ptr<AdminService> admin_;
  std::unique_ptr<grpc::Server> server_;
};

}  // namespace hourcell
