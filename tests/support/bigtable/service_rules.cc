#include "tests/support/bigtable/service_rules.h"

#include <algorithm>
#include <cctype>

#include <absl/strings/escaping.h>
#include <fmt/format.h>

namespace hourcell {
namespace {

namespace api = google::bigtable::v2;

constexpr int64_t kMicrosOfMs = 1000;

grpc::Status Invalid(const std::string& what) {
  return {grpc::StatusCode::INVALID_ARGUMENT, what};
}

grpc::Status CheckShape(const api::RowFilter& filter);

// A chain's filters, or an interleave's.
grpc::Status CheckSeveral(const google::protobuf::RepeatedPtrField<api::RowFilter>& filters,
                          std::string_view name) {
  if (filters.size() < 2) {
    return Invalid(fmt::format("{} must contain at least two RowFilters", name));
  }
  for (const api::RowFilter& filter : filters) {
    if (const grpc::Status status = CheckShape(filter); !status.ok()) return status;
  }
  return grpc::Status::OK;
}

bool IsWholeMs(int64_t micros) {
  return micros >= 0 && micros % kMicrosOfMs == 0;
}

grpc::Status CheckTimes(const api::TimestampRange& range) {
  if (!IsWholeMs(range.start_timestamp_micros()) || !IsWholeMs(range.end_timestamp_micros())) {
    return Invalid("a time range of no whole milliseconds");
  }
  const bool has_end = range.end_timestamp_micros() > 0;
  return has_end && range.end_timestamp_micros() <= range.start_timestamp_micros()
             ? Invalid("a time range that ends before it begins")
             : grpc::Status::OK;
}

grpc::Status CheckShape(const api::RowFilter& filter) {
  const auto at_least_one = [](int count, std::string_view name) {
    return count > 0 ? grpc::Status::OK
                     : Invalid(fmt::format("Error in field '{}' : argument must be > 0", name));
  };
  switch (filter.filter_case()) {
    case api::RowFilter::FILTER_NOT_SET:
      return Invalid("a filter that is none");
    case api::RowFilter::kChain:
      return CheckSeveral(filter.chain().filters(), "Chain");
    case api::RowFilter::kInterleave:
      return CheckSeveral(filter.interleave().filters(), "Interleave");
    case api::RowFilter::kFamilyNameRegexFilter: {
      // Plain names only: the fake supports no other expressions.
      const bool is_name = CheckFamilyName(filter.family_name_regex_filter()).ok();
      return is_name ? grpc::Status::OK : Invalid("Error in field 'family_name_regex_filter'");
    }
    case api::RowFilter::kTimestampRangeFilter:
      return CheckTimes(filter.timestamp_range_filter());
    case api::RowFilter::kCellsPerColumnLimitFilter:
      return at_least_one(filter.cells_per_column_limit_filter(), "cells_per_column_limit_filter");
    case api::RowFilter::kCellsPerRowLimitFilter:
      return at_least_one(filter.cells_per_row_limit_filter(), "cells_per_row_limit_filter");
    case api::RowFilter::kStripValueTransformer:
      return filter.strip_value_transformer() ? grpc::Status::OK
                                              : Invalid("strip_value_transformer must be true");
  }
  return Invalid("no such filter");
}

bool EndsBeforeItBegins(const api::RowRange& range) {
  const std::string& begin =
      range.has_start_key_open() ? range.start_key_open() : range.start_key_closed();
  const std::string& end =
      range.has_end_key_closed() ? range.end_key_closed() : range.end_key_open();
  return !end.empty() && end < begin;
}

grpc::Status CheckName(std::string_view name, size_t bytes_max) {
  const auto may_be_in = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_' || c == '.';
  };
  const bool is_good = !name.empty() && name.size() <= bytes_max && name[0] != '-' &&
                       name[0] != '.' && std::ranges::all_of(name, may_be_in);
  return is_good ? grpc::Status::OK : Invalid(fmt::format("a name like {}", name));
}

grpc::Status CheckCell(const api::Mutation::SetCell& cell,
                       const std::set<std::string>& families,
                       const ServiceLimits& limits) {
  if (!families.contains(cell.family_name())) return Invalid("no such family");
  if (!IsWholeMs(cell.timestamp_micros())) return Invalid("a timestamp of no whole millisecond");
  if (cell.column_qualifier().size() > limits.qualifier_bytes_max) {
    return Invalid("a longer qualifier than a cell may have");
  }
  return cell.value().size() > limits.value_bytes_max
             ? Invalid("a longer value than a cell may have")
             : grpc::Status::OK;
}

}  // namespace

bool AnnouncesReverseScans(std::string_view header) {
  constexpr size_t kCharactersOfGroup = 4;
  std::string bytes;
  api::FeatureFlags flags;
  return header.size() % kCharactersOfGroup == 0 &&
         absl::WebSafeBase64Unescape(std::string(header), &bytes) && flags.ParseFromString(bytes) &&
         flags.reverse_scans();
}

grpc::Status CheckRead(const api::ReadRowsRequest& request,
                       bool announces_reverse_scans,
                       const ServiceLimits& limits) {
  if (request.reversed() && !announces_reverse_scans) {
    return {grpc::StatusCode::UNIMPLEMENTED, "Client doesn't support reverse scans yet"};
  }
  if (request.rows_limit() < 0) return Invalid("a negative limit of rows");
  for (const api::RowRange& range : request.rows().row_ranges()) {
    if (EndsBeforeItBegins(range)) return Invalid("a range that ends before it begins");
  }
  return request.has_filter() ? CheckSentFilter(request.filter(), limits) : grpc::Status::OK;
}

grpc::Status CheckSentFilter(const api::RowFilter& filter, const ServiceLimits& limits) {
  return filter.ByteSizeLong() > limits.filter_bytes_max
             ? Invalid("a longer filter than a request may have")
             : CheckShape(filter);
}

grpc::Status CheckWrite(const std::string& key, int64_t mutations, const ServiceLimits& limits) {
  if (key.empty()) return Invalid("Row keys must be non-empty");
  if (key.size() > limits.key_bytes_max) return Invalid("a longer key than a row may have");
  if (mutations <= 0) return Invalid("No mutations provided");
  return static_cast<size_t>(mutations) > limits.mutations_max
             ? Invalid("more mutations than a request may have")
             : grpc::Status::OK;
}

grpc::Status CheckMutation(const api::Mutation& mutation,
                           const std::set<std::string>& families,
                           const ServiceLimits& limits) {
  if (mutation.has_set_cell()) return CheckCell(mutation.set_cell(), families, limits);
  if (mutation.has_delete_from_column()) {
    const api::Mutation::DeleteFromColumn& removal = mutation.delete_from_column();
    if (!families.contains(removal.family_name())) return Invalid("no such family");
    return removal.has_time_range() ? CheckTimes(removal.time_range()) : grpc::Status::OK;
  }
  return mutation.has_delete_from_row() ? grpc::Status::OK : Invalid("no such mutation");
}

grpc::Status CheckTableName(std::string_view name) {
  constexpr size_t kBytesMax = 50;
  return CheckName(name, kBytesMax);
}

grpc::Status CheckFamilyName(std::string_view name) {
  constexpr size_t kBytesMax = 64;
  return CheckName(name, kBytesMax);
}

}  // namespace hourcell
