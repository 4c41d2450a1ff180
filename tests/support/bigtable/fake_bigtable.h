// FakeBigtable: the Bigtable data API over gRPC, for tests: a server on a free port of this machine
// whose rows are in memory, below one lock. Every call is linearizable, and each row is written and
// read as a whole. It refuses the same requests as the service (service_rules.h). Faults happen on
// demand. With a directory the rows outlive the process: answered writes are there after kill -9
// (kept_tables.h), and late ones never happen then.

#pragma once

#include <grpcpp/server.h>

#include <atomic>
#include <bigtable_proto/bigtable.grpc.pb.h>
#include <bigtable_proto/table_admin.grpc.pb.h>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "codec/base/mutex.h"
#include "codec/base/random.h"
#include "tests/support/bigtable/fake_row.h"
#include "tests/support/bigtable/kept_tables.h"
#include "tests/support/bigtable/service_rules.h"

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
  size_t chunk_bytes = 0;         // values are cut into chunks of this size; 0: never
  size_t chunks_per_message = 0;  // 0: all in one message
  int64_t latency_ms = 0;         // before each answer
  // The error of refused calls.
  grpc::StatusCode refused_as = grpc::StatusCode::UNAVAILABLE;
};

// A bit of everything, for histories over real programs.
BigtableFaults MixedFaults(uint64_t seed);

// Calls that reached the server, by method, faults included.
struct BigtableCalls {
  std::atomic<int> read_rows{0};
  std::atomic<int> mutate_rows{0};
  std::atomic<int> check_and_mutate{0};
  std::atomic<int> read_modify_write{0};
  std::atomic<int> sample_row_keys{0};
  std::atomic<int> create_table{0};
  // Totals of all writing calls: rows, and changes of rows.
  std::atomic<int64_t> rows_written{0};
  std::atomic<int64_t> mutations{0};
};

// "read_rows=1 mutate_rows=0 ...", one line without its end.
std::string CallsText(const BigtableCalls& calls);

// Thread-safe, except where a comment says otherwise.
class FakeBigtable {
 public:
  using Column = FakeColumn;
  using Row = FakeRow;
  using Table = FakeTable;

  // On a port of 127.0.0.1; 0: any free one. `directory` has the rows; empty: memory only.
  explicit FakeBigtable(int port = 0, const std::string& directory = {});
  ~FakeBigtable();
  FakeBigtable(const FakeBigtable&) = delete;
  FakeBigtable& operator=(const FakeBigtable&) = delete;

  // "127.0.0.1:<port>"
  const std::string& address() const { return address_; }
  BigtableCalls* calls() { return &calls_; }

  void SetFaults(const BigtableFaults& faults);
  void SetLimits(const ServiceLimits& limits);
  // After `skipped` MutateRows, refuses the next `count` with `faults.refused`.
  void RefuseMutateRows(int skipped, int count);
  // The outcome of a call, decided before it does anything. A read is answered or refused.
  enum class Fate : uint8_t { kAnswered, kRefused, kUnanswered, kLate, kDoubled };
  // Each call passes its app profile to `gate` and waits for the outcome; kAnswered: the faults
  // decide. Null: no gate.
  using Gate = std::function<Fate(const std::string& app_profile)>;
  void SetGate(Gate gate);
  // The header by which the service finds the node of a table, of the last ReadRows.
  std::string last_routing();
  // Writes all that is late.
  void SettleLateWrites();

  // A copy of a table, by the last part of its name; empty if it does not exist.
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

  Fate FateOf(bool is_write, Fate gated) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  grpc::Status Refused() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool Happens(double chance) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void ApplyLate(bool all) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  grpc::Status ApplyConditional(const google::bigtable::v2::CheckAndMutateRowRequest& request,
                                bool* is_matched) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  grpc::Status ApplyTo(const std::string& table, const std::string& row, const Mutations& mutations)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Writes the families of a table that changed to the directory.
  void KeepFamilies(const std::string& table) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Writes a row that changed to the directory.
  void Keep(const std::string& table, const std::string& key, const Row& row)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Returns the decision of the gate.
  Fate Pause(const std::string& app_profile);

  std::string address_;
  BigtableCalls calls_;
  std::atomic<int64_t> latency_ms_{0};
  Mutex mutex_;
  Gate gate_ ABSL_GUARDED_BY(mutex_);
  FakeTables tables_ ABSL_GUARDED_BY(mutex_);
  const std::unique_ptr<KeptTables> kept_;  // null: memory only
  std::map<std::string, std::set<std::string>> families_ ABSL_GUARDED_BY(mutex_);
  std::string last_routing_ ABSL_GUARDED_BY(mutex_);
  std::vector<LateWrite> late_ ABSL_GUARDED_BY(mutex_);
  BigtableFaults faults_ ABSL_GUARDED_BY(mutex_);
  ServiceLimits limits_ ABSL_GUARDED_BY(mutex_);
  Random random_ ABSL_GUARDED_BY(mutex_){1};
  int mutate_rows_let_through_ ABSL_GUARDED_BY(mutex_) = 0;
  int mutate_rows_refused_ ABSL_GUARDED_BY(mutex_) = 0;

  std::unique_ptr<DataService> data_;
  std::unique_ptr<AdminService> admin_;
  std::unique_ptr<grpc::Server> server_;
};

}  // namespace hourcell
