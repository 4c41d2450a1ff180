#include "engine/bigtable/api/bigtable_client.h"

#include <grpc/support/time.h>

#include <algorithm>
#include <cctype>
#include <iterator>

#include <fmt/format.h>

#include "codec/base/bytes.h"
#include "codec/base/check.h"
#include "codec/base/clock.h"
#include "codec/base/status_macros.h"

namespace hourcell {
namespace {

namespace api = google::bigtable::v2;

// The service routes a call by this header, not by the request body.
constexpr std::string_view kRouting = "x-goog-request-params";
// The service refuses reversed reads unless the client announces them. The value is the serialized
// message FeatureFlags{reverse_scans: true} in padded URL-safe base64.
constexpr std::string_view kFeatures = "bigtable-features";
constexpr std::string_view kReverseScans = "CAE=";

RetryPolicy PolicyOf(const BigtableOptions& options) {
  return {.first_ms = options.retry_first_ms,
          .max_ms = options.retry_max_ms,
          .total_ms = options.call_timeout_ms};
}

// URL-encoded: "projects%2Fa%2F...".
std::string Escaped(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0 || c == '-' || c == '.' || c == '_' || c == '~') {
      escaped += c;
    } else {
      fmt::format_to(std::back_inserter(escaped), "%{:02X}", byte);
    }
  }
  return escaped;
}

size_t BytesOf(const BigtableRow& row) {
  size_t bytes = row.key.size();
  for (const BigtableCell& cell : row.cells)
    bytes += cell.qualifier.size() + cell.value.size();
  return bytes;
}

// One read and its retries. Each retry requests only the rest.
class RowsRead {
 public:
  RowsRead(const ReadSelection& selection, const BigtableOptions& options)
      : selection_(selection),
        rows_max_(selection.rows_max == 0 ? options.page_rows : selection.rows_max),
        bytes_max_(options.page_bytes),
        next_key_(selection.keys.begin()),
        range_(selection.range) {
    HOURCELL_DCHECK(rows_max_ > 0 && bytes_max_ > 0);
    HOURCELL_DCHECK(selection.keys.empty() || !selection.reversed);
    HOURCELL_DCHECK(selection.keys.empty() || selection.keys.front() <= selection.keys.back());
  }

  // False: nothing is left to read.
  bool FillRequest(api::ReadRowsRequest* request) const {
    if (page_.rows.size() >= rows_max_) return false;
    request->set_rows_limit(static_cast<int64_t>(rows_max_ - page_.rows.size()));
    request->set_reversed(selection_.reversed);
    // The service rejects an empty filter.
    if (selection_.filter.filter_case() != api::RowFilter::FILTER_NOT_SET) {
      *request->mutable_filter() = selection_.filter;
    }
    api::RowSet& set = *request->mutable_rows();
    if (!selection_.keys.empty()) {
      for (auto key = next_key_; key != selection_.keys.end(); ++key)
        set.add_row_keys(*key);
      return next_key_ != selection_.keys.end();
    }
    if (!range_.end.empty() && range_.end <= range_.begin) return false;
    api::RowRange& range = *set.add_row_ranges();
    range.set_start_key_closed(range_.begin);
    if (!range_.end.empty()) range.set_end_key_open(range_.end);
    return true;
  }

  // Consumes a stream. OK with is_full(): the page is full and the rest of the stream was not read.
  absl::Status Take(grpc::ClientReader<api::ReadRowsResponse>* stream) {
    RowAssembler assembler(selection_.reversed);
    api::ReadRowsResponse message;
    absl::Status taken;
    while (taken.ok() && !is_full() && stream->Read(&message)) {
      const size_t before = page_.rows.size();
      taken = assembler.Add(message, &page_.rows);
      for (size_t i = before; i < page_.rows.size(); ++i)
        bytes_ += BytesOf(page_.rows[i]);
    }
    if (!assembler.last_key().empty()) MoveAfter(assembler.last_key());
    return taken.ok() && !is_full() ? assembler.Finish() : taken;
  }

  bool is_full() const { return page_.rows.size() >= rows_max_ || bytes_ >= bytes_max_; }
  size_t row_count() const { return page_.rows.size(); }

  BigtablePage TakePage(bool is_complete) {
    // The next read begins after the last row, so a page needs rows.
    HOURCELL_DCHECK(is_complete || !page_.rows.empty());
    page_.is_complete = is_complete;
    return std::move(page_);
  }

 private:
  void MoveAfter(const std::string& key) {
    next_key_ = std::upper_bound(next_key_, selection_.keys.end(), key);
    if (selection_.reversed) {
      range_.end = key;
    } else {
      range_.begin = AfterKey(key);
    }
  }

  const ReadSelection& selection_;
  const size_t rows_max_;
  const size_t bytes_max_;
  std::vector<std::string>::const_iterator next_key_;
  ScanRange range_;
  BigtablePage page_;
  size_t bytes_ = 0;
};

}  // namespace

BigtableClient::BigtableClient(BigtableOptions options, const BigtableChannels& channels)
    : options_(std::move(options)),
      data_(api::Bigtable::NewStub(channels.data)),
      admin_(google::bigtable::admin::v2::BigtableTableAdmin::NewStub(channels.admin)),
      random_(RandomSeed()),
      hooks_{.monotonic_ms = [] { return Clock::System()->MonotonicMs(); },
             .sleep = [this](int64_t ms) { Sleep(ms); },
             .random_below =
                 [this](uint64_t bound) {
                   MutexLock lock(&mutex_);
                   return random_.Below(bound);
                 }} {}

class BigtableClient::Context {
 public:
  explicit Context(BigtableClient* client) : client_(*client) {
    client_.SetDeadline(&context_);
    MutexLock lock(&client_.mutex_);
    client_.under_way_.insert(&context_);
    if (client_.is_ended_) context_.TryCancel();
  }
  ~Context() {
    MutexLock lock(&client_.mutex_);
    client_.under_way_.erase(&context_);
  }
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  grpc::ClientContext* get() { return &context_; }

 private:
  BigtableClient& client_;
  grpc::ClientContext context_;
};

void BigtableClient::EndCalls() {
  MutexLock lock(&mutex_);
  is_ended_ = true;
  for (grpc::ClientContext* const context : under_way_)
    context->TryCancel();
  has_ended_.NotifyAll();
}

void BigtableClient::Sleep(int64_t ms) {
  HOURCELL_DCHECK(ms >= 0);
  const int64_t end_ms = Clock::System()->MonotonicMs() + ms;
  MutexLock lock(&mutex_);
  while (!is_ended_) {
    const int64_t left_ms = end_ms - Clock::System()->MonotonicMs();
    if (left_ms <= 0) return;
    has_ended_.WaitFor(&mutex_, left_ms);
  }
}

std::string BigtableClient::InstancePath() const {
  return fmt::format("projects/{}/instances/{}", options_.project, options_.instance);
}

std::string BigtableClient::PathOf(const std::string& table) const {
  return fmt::format("{}/tables/{}", InstancePath(), table);
}

void BigtableClient::Route(const std::string& path, grpc::ClientContext* context) const {
  std::string parameters = "table_name=" + Escaped(path);
  if (!options_.app_profile.empty()) {
    parameters += "&app_profile_id=" + Escaped(options_.app_profile);
  }
  context->AddMetadata(std::string(kRouting), parameters);
  context->AddMetadata(std::string(kFeatures), std::string(kReverseScans));
}

void BigtableClient::SetDeadline(grpc::ClientContext* context) const {
  // Uses the monotonic clock: the wall clock may be set at any time.
  context->set_deadline(
      gpr_time_add(gpr_now(GPR_CLOCK_MONOTONIC),
                   gpr_time_from_millis(options_.attempt_timeout_ms, GPR_TIMESPAN)));
}

grpc::Status BigtableClient::Repeat(const Attempt& attempt) {
  RetryLoop loop(PolicyOf(options_), &hooks_);
  for (;;) {
    Context context(this);
    const grpc::Status status = attempt(context.get());
    if (status.ok() || !loop.WaitFor(status.error_code())) return status;
  }
}

absl::StatusOr<BigtablePage> BigtableClient::Read(const std::string& table,
                                                  const ReadSelection& selection) {
  HOURCELL_RETURN_IF_ERROR(CheckFilter(selection.filter, limits_));
  const std::string path = PathOf(table);
  RowsRead read(selection, options_);
  RetryLoop loop(PolicyOf(options_), &hooks_);
  for (;;) {
    api::ReadRowsRequest request;
    request.set_table_name(path);
    request.set_app_profile_id(options_.app_profile);
    if (!read.FillRequest(&request)) return read.TakePage(!read.is_full());
    Context context(this);
    Route(path, context.get());
    const size_t before = read.row_count();
    const auto stream = data_->ReadRows(context.get(), request);
    const absl::Status taken = read.Take(stream.get());
    const bool is_left = !taken.ok() || read.is_full();
    if (is_left) context.get()->TryCancel();
    const grpc::Status status = stream->Finish();
    if (read.is_full()) return read.TakePage(/*is_complete=*/false);
    if (status.ok() && taken.ok()) return read.TakePage(/*is_complete=*/true);
    if (read.row_count() > before) loop.Restart();
    // A stream that ended within a row is handled like a reset stream.
    const grpc::StatusCode code =
        is_left || status.ok() ? grpc::StatusCode::INTERNAL : status.error_code();
    if (!loop.WaitFor(code)) {
      return is_left || status.ok() ? absl::UnavailableError(fmt::format(
                                          "bigtable: {}: {}", path, std::string(taken.message())))
                                    : FromGrpc(status, "read " + path);
    }
  }
}

grpc::Status BigtableClient::MutateOnce(const std::string& table,
                                        std::vector<RowMutations>* rows,
                                        grpc::ClientContext* context) {
  const std::string path = PathOf(table);
  Route(path, context);
  api::MutateRowsRequest request;
  request.set_table_name(path);
  request.set_app_profile_id(options_.app_profile);
  const size_t sent = RowsThatFit(*rows, 0, limits_);
  HOURCELL_DCHECK(sent > 0 && sent <= rows->size());
  for (size_t i = 0; i < sent; ++i)
    *request.add_entries() = (*rows)[i];
  // A row counts as unwritten until an answer names it.
  std::vector<bool> is_written(sent, false);
  grpc::Status refused;
  const auto stream = data_->MutateRows(context, request);
  api::MutateRowsResponse message;
  while (stream->Read(&message)) {
    for (const auto& entry : message.entries()) {
      const auto index = static_cast<size_t>(entry.index());
      if (index >= sent) continue;
      const auto code = static_cast<grpc::StatusCode>(entry.status().code());
      is_written[index] = code == grpc::StatusCode::OK;
      // An error that is not retryable counts for all rows.
      if (!is_written[index] && (refused.ok() || !MayBeRepeated(code))) {
        refused = grpc::Status(code, entry.status().message());
      }
    }
  }
  const grpc::Status status = stream->Finish();
  std::vector<RowMutations> left;
  for (size_t i = 0; i < rows->size(); ++i) {
    if (i >= sent || !is_written[i]) left.push_back(std::move((*rows)[i]));
  }
  *rows = std::move(left);
  if (!refused.ok()) return refused;
  if (!status.ok() || std::ranges::count(is_written, false) == 0) return status;
  return {grpc::StatusCode::INTERNAL, "rows without an answer"};
}

absl::Status BigtableClient::Mutate(const std::string& table, std::vector<RowMutations> rows) {
  for (const RowMutations& row : rows)
    HOURCELL_RETURN_IF_ERROR(CheckRow(row, limits_));
  RetryLoop loop(PolicyOf(options_), &hooks_);
  while (!rows.empty()) {
    Context context(this);
    const size_t before = rows.size();
    const grpc::Status status = MutateOnce(table, &rows, context.get());
    if (rows.size() < before) loop.Restart();
    if (!status.ok() && !loop.WaitFor(status.error_code())) {
      return FromGrpc(status, "write " + PathOf(table));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<bool> BigtableClient::SetUnless(const api::RowFilter& filter,
                                               const std::string& table,
                                               const RowMutations& row) {
  HOURCELL_RETURN_IF_ERROR(CheckRow(row, limits_));
  const std::string path = PathOf(table);
  api::CheckAndMutateRowRequest request;
  request.set_table_name(path);
  request.set_app_profile_id(options_.app_profile);
  request.set_row_key(row.row_key());
  *request.mutable_predicate_filter() = filter;
  *request.mutable_false_mutations() = row.mutations();
  Context context(this);
  Route(path, context.get());
  api::CheckAndMutateRowResponse response;
  const grpc::Status status = data_->CheckAndMutateRow(context.get(), request, &response);
  if (!status.ok()) return FromGrpc(status, "set if absent " + path);
  return !response.predicate_matched();
}

absl::StatusOr<bool> BigtableClient::SetIfAbsent(const std::string& table,
                                                 const RowMutations& row) {
  // Reads one cell without its value, to keep the answer small.
  api::RowFilter filter;
  filter.mutable_chain()->add_filters()->set_cells_per_row_limit_filter(1);
  filter.mutable_chain()->add_filters()->set_strip_value_transformer(true);
  return SetUnless(filter, table, row);
}

absl::StatusOr<bool> BigtableClient::SetIfNoneSince(const std::string& table,
                                                    const RowMutations& row,
                                                    int64_t from_micros) {
  HOURCELL_DCHECK(from_micros > 0);  // 0 is OpenTSDB's and the service's default
  api::RowFilter filter;
  auto& since = *filter.mutable_chain()->add_filters()->mutable_timestamp_range_filter();
  since.set_start_timestamp_micros(from_micros);
  filter.mutable_chain()->add_filters()->set_cells_per_row_limit_filter(1);
  filter.mutable_chain()->add_filters()->set_strip_value_transformer(true);
  return SetUnless(filter, table, row);
}

absl::StatusOr<uint64_t> BigtableClient::Increment(const std::string& table,
                                                   const std::string& row,
                                                   const std::string& family,
                                                   uint64_t amount) {
  HOURCELL_DCHECK(amount > 0);
  const std::string path = PathOf(table);
  api::ReadModifyWriteRowRequest request;
  request.set_table_name(path);
  request.set_app_profile_id(options_.app_profile);
  request.set_row_key(row);
  api::ReadModifyWriteRule& rule = *request.add_rules();
  rule.set_family_name(family);
  rule.set_column_qualifier("n");
  rule.set_increment_amount(static_cast<int64_t>(amount));
  api::ReadModifyWriteRowResponse response;
  const grpc::Status status = Repeat([&](grpc::ClientContext* context) {
    Route(path, context);
    return data_->ReadModifyWriteRow(context, request, &response);
  });
  if (!status.ok()) return FromGrpc(status, "increment " + path);
  for (const api::Family& each : response.row().families()) {
    for (const api::Column& column : each.columns()) {
      if (column.cells_size() > 0 && column.cells(0).value().size() == 8) {
        return LoadBigEndian(column.cells(0).value().data(), 8);
      }
    }
  }
  return absl::DataLossError(fmt::format("bigtable: increment {}: no counter", path));
}

absl::StatusOr<std::vector<TabletEnd>> BigtableClient::SampleKeys(const std::string& table) {
  const std::string path = PathOf(table);
  api::SampleRowKeysRequest request;
  request.set_table_name(path);
  request.set_app_profile_id(options_.app_profile);
  std::vector<TabletEnd> samples;
  const grpc::Status status = Repeat([&](grpc::ClientContext* context) {
    samples.clear();
    Route(path, context);
    const auto stream = data_->SampleRowKeys(context, request);
    api::SampleRowKeysResponse sample;
    while (stream->Read(&sample))
      samples.push_back({.key = sample.row_key(), .offset_bytes = sample.offset_bytes()});
    return stream->Finish();
  });
  if (!status.ok()) return FromGrpc(status, "sample " + path);
  // Engines without rows may send nothing, and the service may omit the end of the table.
  if (samples.empty() || !samples.back().key.empty()) samples.emplace_back();
  return samples;
}

absl::Status BigtableClient::CreateTable(const std::string& table, const std::string& family) {
  google::bigtable::admin::v2::CreateTableRequest request;
  request.set_parent(InstancePath());
  request.set_table_id(table);
  (*request.mutable_table()->mutable_column_families())[family];
  const grpc::Status status = Repeat([&](grpc::ClientContext* context) {
    context->AddMetadata(std::string(kRouting), "parent=" + Escaped(InstancePath()));
    google::bigtable::admin::v2::Table made;
    return admin_->CreateTable(context, request, &made);
  });
  if (status.error_code() == grpc::StatusCode::ALREADY_EXISTS) return absl::OkStatus();
  return FromGrpc(status, "create " + PathOf(table));
}

absl::Status BigtableClient::AddFamily(const std::string& table, const std::string& family) {
  google::bigtable::admin::v2::ModifyColumnFamiliesRequest request;
  request.set_name(PathOf(table));
  auto& modification = *request.add_modifications();
  modification.set_id(family);
  modification.mutable_create();
  const grpc::Status status = Repeat([&](grpc::ClientContext* context) {
    context->AddMetadata(std::string(kRouting), "name=" + Escaped(request.name()));
    google::bigtable::admin::v2::Table changed;
    return admin_->ModifyColumnFamilies(context, request, &changed);
  });
  if (status.error_code() == grpc::StatusCode::ALREADY_EXISTS) return absl::OkStatus();
  return FromGrpc(status, "add a family to " + request.name());
}

}  // namespace hourcell
