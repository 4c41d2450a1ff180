#include "tests/support/bigtable/fake_bigtable.h"

#include <grpcpp/security/server_credentials.h>
#include <grpcpp/server_builder.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "codec/base/bytes.h"
#include "codec/base/check.h"
#include "tests/support/bigtable/row_chunks.h"

namespace hourcell {
namespace {

namespace api = google::bigtable::v2;
using Chunk = api::ReadRowsResponse::CellChunk;

grpc::Status CutStream() {
  return {grpc::StatusCode::UNAVAILABLE, "the stream is cut on demand"};
}
grpc::Status Unanswered() {
  return {grpc::StatusCode::DEADLINE_EXCEEDED, "the answer is lost on demand"};
}
grpc::Status Invalid(const std::string& what) {
  return {grpc::StatusCode::INVALID_ARGUMENT, what};
}

// Tablets of a table, so that its keys are several, as those of the service are.
constexpr size_t kTabletsMax = 3;

void ApplyMutation(const api::Mutation& mutation, FakeBigtable::Row* row) {
  if (mutation.has_set_cell()) {
    const api::Mutation::SetCell& cell = mutation.set_cell();
    (*row)[{cell.family_name(), cell.column_qualifier()}][cell.timestamp_micros()] = cell.value();
  } else if (mutation.has_delete_from_column()) {
    const api::Mutation::DeleteFromColumn& removal = mutation.delete_from_column();
    const auto found = row->find({removal.family_name(), removal.column_qualifier()});
    if (found == row->end()) return;
    const int64_t start = removal.time_range().start_timestamp_micros();
    const int64_t end = removal.time_range().end_timestamp_micros();
    std::erase_if(found->second, [&](const auto& version) {
      return version.first >= start && (end == 0 || version.first < end);
    });
    if (found->second.empty()) row->erase(found);
  } else {
    row->clear();
  }
}

FakeTable::const_iterator BeginOf(const api::RowRange& range, const FakeTable& table) {
  return range.has_start_key_open() ? table.upper_bound(range.start_key_open())
                                    : table.lower_bound(range.start_key_closed());
}

FakeTable::const_iterator EndOf(const api::RowRange& range, const FakeTable& table) {
  if (range.has_end_key_closed()) return table.upper_bound(range.end_key_closed());
  const bool has_end = range.has_end_key_open() && !range.end_key_open().empty();
  return has_end ? table.lower_bound(range.end_key_open()) : table.end();
}

using VisitRow = std::function<bool(const std::string& key, const FakeRow& row)>;

// Visits the rows of a range until the visitor returns false.
void VisitRange(const api::RowRange& range,
                bool reversed,
                const FakeTable& table,
                const VisitRow& visit) {
  const auto begin = BeginOf(range, table);
  const auto end = EndOf(range, table);
  // A range that ends before it begins is empty.
  if (end != table.end() && (begin == table.end() || end->first <= begin->first)) return;
  if (reversed) {
    for (auto row = end; row != begin;) {
      --row;
      if (!visit(row->first, row->second)) return;
    }
  } else {
    for (auto row = begin; row != end; ++row) {
      if (!visit(row->first, row->second)) return;
    }
  }
}

// Visits the rows that are selected, in order.
void VisitSelected(const api::ReadRowsRequest& request,
                   const FakeTable& table,
                   const VisitRow& visit) {
  const api::RowSet& set = request.rows();
  if (set.row_keys_size() == 0 && set.row_ranges_size() <= 1) {
    const api::RowRange all;
    VisitRange(set.row_ranges_size() == 1 ? set.row_ranges(0) : all, request.reversed(), table,
               visit);
    return;
  }
  FakeTable selected;
  for (const std::string& key : set.row_keys()) {
    const auto row = table.find(key);
    if (row != table.end()) selected.insert(*row);
  }
  for (const api::RowRange& range : set.row_ranges()) {
    VisitRange(range, false, table, [&](const std::string& key, const FakeRow& row) {
      selected.emplace(key, row);
      return true;
    });
  }
  VisitRange(api::RowRange(), request.reversed(), selected, visit);
}

// "": the client did not send it.
std::string MetadataOf(const grpc::ServerContext& context, const std::string& name) {
  const auto found = context.client_metadata().find(name);
  if (found == context.client_metadata().end()) return {};
  return {found->second.data(), found->second.size()};
}

// Where tablets of about as many rows end, and the end of the table.
std::vector<api::SampleRowKeysResponse> SamplesOf(const FakeTable& table) {
  const size_t step = table.size() / kTabletsMax + 1;
  std::vector<api::SampleRowKeysResponse> samples;
  int64_t bytes = 0;
  size_t rows = 0;
  for (const auto& [key, row] : table) {
    if (rows > 0 && rows % step == 0) {
      samples.emplace_back().set_row_key(key);
      samples.back().set_offset_bytes(bytes);
    }
    for (const FakeCell& cell : CellsOf(row))
      bytes += static_cast<int64_t>(key.size() + cell.value.size());
    ++rows;
  }
  samples.emplace_back().set_offset_bytes(bytes);
  return samples;
}

size_t BytesOf(const std::vector<FakeCell>& cells) {
  size_t bytes = 0;
  for (const FakeCell& cell : cells)
    bytes += cell.value.size();
  return bytes;
}

// The response to a read, chosen under the lock and sent without it.
struct ReadAnswer {
  std::vector<Chunk> chunks;
  size_t chunks_per_message = 0;
  bool is_cut = false;  // the last chunks are left out, and the stream fails
};

grpc::Status Send(const ReadAnswer& answer, grpc::ServerWriter<api::ReadRowsResponse>* writer) {
  size_t end = answer.chunks.size();
  if (answer.is_cut && end > 0) --end;  // the last chunk is the one that commits
  const size_t step =
      answer.chunks_per_message == 0 ? std::max<size_t>(end, 1) : answer.chunks_per_message;
  for (size_t from = 0; from < end; from += step) {
    api::ReadRowsResponse message;
    for (size_t i = from; i < std::min(end, from + step); ++i)
      *message.add_chunks() = answer.chunks[i];
    if (!writer->Write(message)) return grpc::Status::CANCELLED;
  }
  return answer.is_cut ? CutStream() : grpc::Status::OK;
}

}  // namespace

class FakeBigtable::DataService final : public api::Bigtable::Service {
 public:
  explicit DataService(FakeBigtable* fake) : fake_(*fake) {}

  grpc::Status ReadRows(grpc::ServerContext* context,
                        const api::ReadRowsRequest* request,
                        grpc::ServerWriter<api::ReadRowsResponse>* writer) override {
    ++fake_.calls_.read_rows;
    const Fate gated = fake_.Pause(request->app_profile_id());
    NoteRouting(*context);
    const bool reverses = AnnouncesReverseScans(MetadataOf(*context, "bigtable-features"));
    ReadAnswer answer;
    const grpc::Status status = Answer(*request, reverses, gated, &answer);
    if (!status.ok()) return status;
    return Send(answer, writer);
  }

  grpc::Status SampleRowKeys(grpc::ServerContext*,
                             const api::SampleRowKeysRequest* request,
                             grpc::ServerWriter<api::SampleRowKeysResponse>* writer) override {
    ++fake_.calls_.sample_row_keys;
    const Fate gated = fake_.Pause(request->app_profile_id());
    std::vector<api::SampleRowKeysResponse> samples;
    {
      MutexLock lock(&fake_.mutex_);
      if (fake_.FateOf(/*is_write=*/false, gated) != Fate::kAnswered) return fake_.Refused();
      const auto table = fake_.tables_.find(request->table_name());
      if (table == fake_.tables_.end()) return NoTable(request->table_name());
      samples = SamplesOf(table->second);
    }
    for (const api::SampleRowKeysResponse& sample : samples)
      writer->Write(sample);
    return grpc::Status::OK;
  }

  grpc::Status MutateRow(grpc::ServerContext*,
                         const api::MutateRowRequest* request,
                         api::MutateRowResponse*) override {
    const Fate gated = fake_.Pause(request->app_profile_id());
    CountRow(request->mutations_size());
    MutexLock lock(&fake_.mutex_);
    const grpc::Status checked =
        CheckWrite(request->row_key(), request->mutations_size(), fake_.limits_);
    if (!checked.ok()) return checked;
    const Fate fate = fake_.FateOf(/*is_write=*/true, gated);
    return Write(fate, request->table_name(), request->row_key(), request->mutations());
  }

  grpc::Status MutateRows(grpc::ServerContext*,
                          const api::MutateRowsRequest* request,
                          grpc::ServerWriter<api::MutateRowsResponse>* writer) override {
    ++fake_.calls_.mutate_rows;
    for (const auto& entry : request->entries())
      CountRow(entry.mutations_size());
    const Fate gated = fake_.Pause(request->app_profile_id());
    api::MutateRowsResponse response;
    grpc::Status end;
    {
      MutexLock lock(&fake_.mutex_);
      if (!fake_.tables_.contains(request->table_name())) return NoTable(request->table_name());
      end = CheckEntries(*request);
      if (!end.ok()) return end;
      end = WriteAll(*request, gated, &response);
    }
    if (end.ok()) writer->Write(response);
    return end;
  }

  grpc::Status CheckAndMutateRow(grpc::ServerContext*,
                                 const api::CheckAndMutateRowRequest* request,
                                 api::CheckAndMutateRowResponse* response) override {
    ++fake_.calls_.check_and_mutate;
    CountRow(request->true_mutations_size() + request->false_mutations_size());
    const Fate gated = fake_.Pause(request->app_profile_id());
    MutexLock lock(&fake_.mutex_);
    const auto table = fake_.tables_.find(request->table_name());
    if (table == fake_.tables_.end()) return NoTable(request->table_name());
    grpc::Status checked = CheckWrite(
        request->row_key(),
        std::max(request->true_mutations_size(), request->false_mutations_size()), fake_.limits_);
    if (checked.ok() && request->has_predicate_filter()) {
      checked = CheckSentFilter(request->predicate_filter(), fake_.limits_);
    }
    if (!checked.ok()) return checked;
    const Fate fate = fake_.FateOf(/*is_write=*/true, gated);
    if (fate == Fate::kRefused) return fake_.Refused();
    if (fate == Fate::kLate || fate == Fate::kDoubled) {
      fake_.late_.push_back({.table = request->table_name(),
                             .row = request->row_key(),
                             .mutations = {},
                             .conditional = *request});
    }
    if (fate == Fate::kLate) return fake_.Refused();
    bool is_matched = false;
    const grpc::Status status = fake_.ApplyConditional(*request, &is_matched);
    response->set_predicate_matched(is_matched);
    return status.ok() && fate == Fate::kUnanswered ? Unanswered() : status;
  }

  grpc::Status ReadModifyWriteRow(grpc::ServerContext*,
                                  const api::ReadModifyWriteRowRequest* request,
                                  api::ReadModifyWriteRowResponse* response) override {
    ++fake_.calls_.read_modify_write;
    CountRow(request->rules_size());
    const Fate gated = fake_.Pause(request->app_profile_id());
    MutexLock lock(&fake_.mutex_);
    const auto table = fake_.tables_.find(request->table_name());
    if (table == fake_.tables_.end()) return NoTable(request->table_name());
    if (const grpc::Status checked = CheckRules(*request, &table->second); !checked.ok()) {
      return checked;
    }
    const Fate fate = fake_.FateOf(/*is_write=*/true, gated);
    if (fate == Fate::kRefused || fate == Fate::kLate) return fake_.Refused();
    for (const api::ReadModifyWriteRule& rule : request->rules()) {
      auto& versions =
          table->second[request->row_key()][{rule.family_name(), rule.column_qualifier()}];
      const uint64_t old = versions.empty() ? 0 : LoadBigEndian(versions.begin()->second.data(), 8);
      std::string value;
      AppendBigEndian(old + static_cast<uint64_t>(rule.increment_amount()), 8, &value);
      versions = {{1000, value}};
      fake_.Keep(table->first, request->row_key(), table->second[request->row_key()]);
      api::Column& column = *response->mutable_row()->add_families()->add_columns();
      column.set_qualifier(rule.column_qualifier());
      column.add_cells()->set_value(value);
    }
    return fate == Fate::kUnanswered ? Unanswered() : grpc::Status::OK;
  }

 private:
  static grpc::Status NoTable(const std::string& name) {
    return {grpc::StatusCode::NOT_FOUND, "no table " + name};
  }

  void CountRow(int mutations) {
    ++fake_.calls_.rows_written;
    fake_.calls_.mutations += mutations;
  }

  void NoteRouting(const grpc::ServerContext& context) {
    MutexLock lock(&fake_.mutex_);
    fake_.last_routing_ = MetadataOf(context, "x-goog-request-params");
  }

  grpc::Status Answer(const api::ReadRowsRequest& request,
                      bool reverses,
                      Fate gated,
                      ReadAnswer* answer) {
    MutexLock lock(&fake_.mutex_);
    if (fake_.FateOf(/*is_write=*/false, gated) != Fate::kAnswered) return fake_.Refused();
    const auto table = fake_.tables_.find(request.table_name());
    if (table == fake_.tables_.end()) return NoTable(request.table_name());
    grpc::Status status = CheckRead(request, reverses, fake_.limits_);
    if (!status.ok()) return status;
    int64_t sent = 0;
    VisitSelected(request, table->second,
                  [&](const std::string& key, const FakeRow& row)
                      ABSL_EXCLUSIVE_LOCKS_REQUIRED(fake_.mutex_) {
                        std::vector<FakeCell> cells = CellsOf(row);
                        status = FilterRow(request.filter(), &cells);
                        if (!status.ok() || cells.empty()) return status.ok();
                        if (BytesOf(cells) > fake_.limits_.row_bytes_max) {
                          status = {grpc::StatusCode::FAILED_PRECONDITION,
                                    "a row of more bytes than are read"};
                          return false;
                        }
                        AppendRow(key, cells, answer);
                        return ++sent != request.rows_limit();
                      });
    if (!status.ok()) return status;
    answer->chunks_per_message = fake_.faults_.chunks_per_message;
    answer->is_cut = fake_.Happens(fake_.faults_.cut_streams);
    return grpc::Status::OK;
  }

  void AppendRow(const std::string& key, const std::vector<FakeCell>& cells, ReadAnswer* answer)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(fake_.mutex_) {
    if (fake_.Happens(fake_.faults_.resets)) {
      AppendChunks(key, cells, fake_.faults_.chunk_bytes, &answer->chunks);
      answer->chunks.back().Clear();
      answer->chunks.back().set_reset_row(true);
      if (cells.size() == 1 && answer->chunks.size() == 1) answer->chunks.clear();
    }
    AppendChunks(key, cells, fake_.faults_.chunk_bytes, &answer->chunks);
  }

  // The fake supports only counters, no other rules.
  grpc::Status CheckRules(const api::ReadModifyWriteRowRequest& request, FakeTable* table)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(fake_.mutex_) {
    const grpc::Status status = CheckWrite(request.row_key(), request.rules_size(), fake_.limits_);
    if (!status.ok()) return status;
    const auto row = table->find(request.row_key());
    for (const api::ReadModifyWriteRule& rule : request.rules()) {
      if (rule.rule_case() != api::ReadModifyWriteRule::kIncrementAmount) {
        return Invalid("no such rule");
      }
      if (!fake_.families_[request.table_name()].contains(rule.family_name())) {
        return Invalid("no such family");
      }
      if (row == table->end()) continue;
      const auto column = row->second.find({rule.family_name(), rule.column_qualifier()});
      const bool is_counter =
          column == row->second.end() || column->second.begin()->second.size() == sizeof(uint64_t);
      if (!is_counter) return Invalid("increment on non-64-bit value");
    }
    return grpc::Status::OK;
  }

  // All rows count together.
  grpc::Status CheckEntries(const api::MutateRowsRequest& request)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(fake_.mutex_) {
    int64_t mutations = 0;
    for (const auto& entry : request.entries()) {
      const grpc::Status status =
          CheckWrite(entry.row_key(), entry.mutations_size(), fake_.limits_);
      if (!status.ok()) return status;
      mutations += entry.mutations_size();
    }
    return static_cast<size_t>(mutations) > fake_.limits_.mutations_max
               ? Invalid("more mutations than a request may have")
           : request.entries().empty() ? Invalid("No mutations provided")
                                       : grpc::Status::OK;
  }

  grpc::Status WriteAll(const api::MutateRowsRequest& request,
                        Fate gated,
                        api::MutateRowsResponse* response)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(fake_.mutex_) {
    if (fake_.mutate_rows_let_through_ > 0) {
      --fake_.mutate_rows_let_through_;
    } else if (fake_.mutate_rows_refused_ > 0) {
      --fake_.mutate_rows_refused_;
      return fake_.Refused();
    }
    const Fate fate = fake_.FateOf(/*is_write=*/true, gated);
    const bool is_partial = fake_.Happens(fake_.faults_.partial);
    grpc::Status end;
    for (int i = 0; i < request.entries_size(); ++i) {
      const auto& entry = request.entries(i);
      const bool is_left_out = is_partial && fake_.Happens(0.5);
      const grpc::Status status =
          is_left_out ? fake_.Refused()
                      : Write(fate, request.table_name(), entry.row_key(), entry.mutations());
      if (fate != Fate::kAnswered && fate != Fate::kDoubled) end = status;
      auto& answer = *response->add_entries();
      answer.set_index(i);
      answer.mutable_status()->set_code(static_cast<int>(status.error_code()));
      answer.mutable_status()->set_message(status.error_message());
    }
    return end;
  }

  grpc::Status Write(Fate fate,
                     const std::string& table,
                     const std::string& row,
                     const Mutations& mutations) ABSL_EXCLUSIVE_LOCKS_REQUIRED(fake_.mutex_) {
    if (fate == Fate::kRefused) return fake_.Refused();
    if (fate == Fate::kLate || fate == Fate::kDoubled) {
      fake_.late_.push_back({.table = table, .row = row, .mutations = mutations});
    }
    if (fate == Fate::kLate) return fake_.Refused();
    const grpc::Status status = fake_.ApplyTo(table, row, mutations);
    return status.ok() && fate == Fate::kUnanswered ? Unanswered() : status;
  }

  FakeBigtable& fake_;
};

class FakeBigtable::AdminService final
    : public google::bigtable::admin::v2::BigtableTableAdmin::Service {
 public:
  explicit AdminService(FakeBigtable* fake) : fake_(*fake) {}

  grpc::Status CreateTable(grpc::ServerContext*,
                           const google::bigtable::admin::v2::CreateTableRequest* request,
                           google::bigtable::admin::v2::Table* made) override {
    ++fake_.calls_.create_table;
    grpc::Status named = CheckTableName(request->table_id());
    for (const auto& [family, unused] : request->table().column_families()) {
      if (named.ok()) named = CheckFamilyName(family);
    }
    if (!named.ok()) return named;
    made->set_name(fmt::format("{}/tables/{}", request->parent(), request->table_id()));
    MutexLock lock(&fake_.mutex_);
    if (!fake_.tables_.try_emplace(made->name()).second) {
      return {grpc::StatusCode::ALREADY_EXISTS, "there is one"};
    }
    for (const auto& [family, unused] : request->table().column_families())
      fake_.families_[made->name()].insert(family);
    fake_.KeepFamilies(made->name());
    return grpc::Status::OK;
  }

  grpc::Status ModifyColumnFamilies(
      grpc::ServerContext*,
      const google::bigtable::admin::v2::ModifyColumnFamiliesRequest* request,
      google::bigtable::admin::v2::Table* changed) override {
    changed->set_name(request->name());
    MutexLock lock(&fake_.mutex_);
    if (!fake_.tables_.contains(request->name())) {
      return {grpc::StatusCode::NOT_FOUND, "no table " + request->name()};
    }
    for (const auto& modification : request->modifications()) {
      const grpc::Status named = CheckFamilyName(modification.id());
      if (!named.ok()) return named;
      if (!fake_.families_[request->name()].insert(modification.id()).second) {
        return {grpc::StatusCode::ALREADY_EXISTS, "there is one"};
      }
    }
    fake_.KeepFamilies(request->name());
    return grpc::Status::OK;
  }

 private:
  FakeBigtable& fake_;
};

BigtableFaults MixedFaults(uint64_t seed) {
  return {.seed = seed,
          .refused = 0.02,
          .unanswered = 0.02,
          .late = 0.02,
          .doubled = 0.05,
          .partial = 0.05,
          .cut_streams = 0.02,
          .latency_ms = 1};
}

std::string CallsText(const BigtableCalls& calls) {
  return fmt::format(
      "read_rows={} mutate_rows={} check_and_mutate={} read_modify_write={} sample_row_keys={} "
      "create_table={} rows_written={} mutations={}",
      calls.read_rows.load(), calls.mutate_rows.load(), calls.check_and_mutate.load(),
      calls.read_modify_write.load(), calls.sample_row_keys.load(), calls.create_table.load(),
      calls.rows_written.load(), calls.mutations.load());
}

FakeBigtable::FakeBigtable(int port, const std::string& directory)
    : kept_(directory.empty() ? nullptr : std::make_unique<KeptTables>(directory)),
      data_(std::make_unique<DataService>(this)),
      admin_(std::make_unique<AdminService>(this)) {
  if (kept_ != nullptr) {
    MutexLock lock(&mutex_);
    tables_ = kept_->Load(&families_);
  }
  grpc::ServerBuilder builder;
  builder.AddListeningPort(fmt::format("127.0.0.1:{}", port), grpc::InsecureServerCredentials(),
                           &port);
  builder.RegisterService(data_.get());
  builder.RegisterService(admin_.get());
  builder.SetMaxReceiveMessageSize(-1);
  server_ = builder.BuildAndStart();
  HOURCELL_CHECK(server_ != nullptr);
  address_ = fmt::format("127.0.0.1:{}", port);
}

FakeBigtable::~FakeBigtable() {
  server_->Shutdown();
  server_->Wait();
}

void FakeBigtable::SetFaults(const BigtableFaults& faults) {
  latency_ms_ = faults.latency_ms;
  MutexLock lock(&mutex_);
  faults_ = faults;
  random_ = Random(faults.seed);
}

void FakeBigtable::SetLimits(const ServiceLimits& limits) {
  MutexLock lock(&mutex_);
  limits_ = limits;
}

grpc::Status FakeBigtable::Refused() const {
  return {faults_.refused_as, "refused on demand"};
}

void FakeBigtable::RefuseMutateRows(int skipped, int count) {
  MutexLock lock(&mutex_);
  mutate_rows_let_through_ = skipped;
  mutate_rows_refused_ = count;
}

std::string FakeBigtable::last_routing() {
  MutexLock lock(&mutex_);
  return last_routing_;
}

void FakeBigtable::SettleLateWrites() {
  MutexLock lock(&mutex_);
  ApplyLate(/*all=*/true);
}

FakeBigtable::Table FakeBigtable::TableOf(const std::string& name) {
  MutexLock lock(&mutex_);
  for (const auto& [path, table] : tables_) {
    if (path.ends_with("/" + name)) return table;
  }
  return {};
}

void FakeBigtable::PutCell(const std::string& table,
                           const std::string& row,
                           const Column& column,
                           int64_t timestamp_micros,
                           const std::string& value) {
  MutexLock lock(&mutex_);
  const auto found = std::ranges::find_if(
      tables_, [&](const auto& each) { return each.first.ends_with("/" + table); });
  HOURCELL_CHECK(found != tables_.end());
  Row& cells = found->second[row];
  cells[column][timestamp_micros] = value;
  Keep(found->first, row, cells);
}

void FakeBigtable::MakeTable(const std::string& table, const std::set<std::string>& families) {
  const std::string path = "projects/project/instances/instance/tables/" + table;
  MutexLock lock(&mutex_);
  tables_.try_emplace(path);
  families_[path] = families;
  KeepFamilies(path);
}

void FakeBigtable::KeepFamilies(const std::string& table) {
  if (kept_ != nullptr) kept_->KeepTable(table, families_[table]);
}

void FakeBigtable::Keep(const std::string& table, const std::string& key, const Row& row) {
  if (kept_ != nullptr) kept_->KeepRow(table, key, row);
}

FakeBigtable::Fate FakeBigtable::Pause(const std::string& app_profile) {
  if (const int64_t ms = latency_ms_; ms > 0) {
    std::this_thread::sleep_for(std::chrono::milliseconds(ms));
  }
  Gate gate;
  {
    MutexLock lock(&mutex_);
    gate = gate_;
  }
  return gate ? gate(app_profile) : Fate::kAnswered;
}

void FakeBigtable::SetGate(Gate gate) {
  MutexLock lock(&mutex_);
  gate_ = std::move(gate);
}

bool FakeBigtable::Happens(double chance) {
  return chance > 0 && random_.Fraction() < chance;
}

FakeBigtable::Fate FakeBigtable::FateOf(bool is_write, Fate gated) {
  ApplyLate(/*all=*/false);
  if (gated != Fate::kAnswered) return is_write ? gated : Fate::kRefused;
  if (Happens(faults_.refused)) return Fate::kRefused;
  if (!is_write) return Fate::kAnswered;
  if (Happens(faults_.unanswered)) return Fate::kUnanswered;
  if (Happens(faults_.late)) return Fate::kLate;
  return Happens(faults_.doubled) ? Fate::kDoubled : Fate::kAnswered;
}

void FakeBigtable::ApplyLate(bool all) {
  std::vector<LateWrite> left;
  for (LateWrite& write : late_) {
    if (all || Happens(0.3)) {
      // The client no longer waits for the response.
      bool is_matched = false;
      const grpc::Status ignored = write.conditional.has_value()
                                       ? ApplyConditional(*write.conditional, &is_matched)
                                       : ApplyTo(write.table, write.row, write.mutations);
      HOURCELL_CHECK(ignored.ok());
    } else {
      left.push_back(std::move(write));
    }
  }
  late_ = std::move(left);
}

grpc::Status FakeBigtable::ApplyConditional(const api::CheckAndMutateRowRequest& request,
                                            bool* is_matched) {
  const auto table = tables_.find(request.table_name());
  if (table == tables_.end()) return {grpc::StatusCode::NOT_FOUND, "no such table"};
  const auto row = table->second.find(request.row_key());
  std::vector<FakeCell> cells;
  if (row != table->second.end()) cells = CellsOf(row->second);
  const grpc::Status filtered = FilterRow(request.predicate_filter(), &cells);
  if (!filtered.ok()) return filtered;
  *is_matched = !cells.empty();
  return ApplyTo(request.table_name(), request.row_key(),
                 *is_matched ? request.true_mutations() : request.false_mutations());
}

grpc::Status FakeBigtable::ApplyTo(const std::string& table,
                                   const std::string& row,
                                   const Mutations& mutations) {
  const auto found = tables_.find(table);
  if (found == tables_.end()) return {grpc::StatusCode::NOT_FOUND, "no table " + table};
  for (const api::Mutation& mutation : mutations) {
    const grpc::Status status = CheckMutation(mutation, families_[table], limits_);
    if (!status.ok()) return status;
  }
  Row& cells = found->second[row];
  for (const api::Mutation& mutation : mutations)
    ApplyMutation(mutation, &cells);
  if (!mutations.empty()) Keep(table, row, cells);
  if (cells.empty()) found->second.erase(row);
  return grpc::Status::OK;
}

}  // namespace hourcell
