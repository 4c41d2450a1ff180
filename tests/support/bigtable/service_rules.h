// ServiceRules: the requests that the service refuses, according to its documents and to Google's
// emulator. ServiceRulesTest holds the same rules on both.

#pragma once

#include <grpcpp/support/status.h>

#include <bigtable_proto/bigtable.pb.h>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>

namespace hourcell {

// The largest requests that the service takes and rows that it sends, as it documents them.
struct ServiceLimits {
  size_t mutations_max = 100'000;              // of a request
  size_t filter_bytes_max = 20 << 10;          // of a request
  size_t key_bytes_max = 4 << 10;              // of a row that is written
  size_t qualifier_bytes_max = 16 << 10;       // of a cell that is written
  size_t value_bytes_max = size_t{100} << 20;  // of a cell that is written
  size_t row_bytes_max = size_t{256} << 20;    // of a row that is read
};

// Whether the metadata `bigtable-features` announces reversed reads: FeatureFlags, serialized, in
// base64 for URLs with its padding.
bool AnnouncesReverseScans(std::string_view header);

// UNIMPLEMENTED: reversed, and the client did not announce that. INVALID_ARGUMENT: the filter, a
// range that ends before it begins, or a negative limit.
grpc::Status CheckRead(const google::bigtable::v2::ReadRowsRequest& request,
                       bool announces_reverse_scans,
                       const ServiceLimits& limits);

// INVALID_ARGUMENT: a filter that is sent must be one. It is not too long, a chain or an interleave
// has at least two, and so on.
grpc::Status CheckSentFilter(const google::bigtable::v2::RowFilter& filter,
                             const ServiceLimits& limits);

// INVALID_ARGUMENT: a key that no row can have, no mutations, or more than a request may have.
grpc::Status CheckWrite(const std::string& key, int64_t mutations, const ServiceLimits& limits);

// INVALID_ARGUMENT: a mutation of a table of these families that the service refuses.
grpc::Status CheckMutation(const google::bigtable::v2::Mutation& mutation,
                           const std::set<std::string>& families,
                           const ServiceLimits& limits);

// INVALID_ARGUMENT: an invalid name of a table or family. A name has letters, digits, `-`, `_` and
// `.`, but neither `-` nor `.` first; at most 50 of a table and 64 of a family.
grpc::Status CheckTableName(std::string_view name);
grpc::Status CheckFamilyName(std::string_view name);

}  // namespace hourcell
