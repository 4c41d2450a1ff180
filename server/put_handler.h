// /api/put: points in a JSON body to a Tsdb.
//
// A reply of 2xx means that kill -9 cannot undo the points; with ?sync, that power loss cannot
// either. A body that is no JSON stores nothing; of one with bad points the good ones are stored.
// Thread-safe.

#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/tsdb.h"
#include "server/http_message.h"

namespace hourcell {

class PutHandler {
 public:
  struct Settings {
    size_t tags_max = 0;     // tsd.storage.max_tags
    std::string tag_header;  // tsd.http.header_tag in lower case; empty = none
    // Takes points in place of Tsdb::Append; for tests of stores that fail.
    std::function<CommitTicket(
        std::span<const PointView>, std::vector<RefusedPoint>*, const AppendOptions&)>
        append = {};
  };

  // `tsdb` is borrowed and outlives the object. Counts rpc.put.points and rpc.put.errors.
  PutHandler(Tsdb* tsdb, Settings settings);

  // Answers a POST. 204 without a flag and 200 with summary or details if all is well; 400 if
  // points are refused; 503 with Retry-After when the store is full or away, 500 when it is broken.
  HttpResponse Handle(const HttpRequest& request);

 private:
  // Stores the points, waiting for their commit.
  absl::Status Store(std::span<const PointView> points,
                     bool sync,
                     std::vector<RefusedPoint>* refused) const;
  Counter* ErrorCounter(PointErrorKind kind) const;

  Tsdb* const tsdb_;
  const Settings settings_;
  Counter* const points_;
  Counter* const invalid_values_;
  Counter* const illegal_arguments_;
  Counter* const unknown_names_;
  Counter* const throttled_;
  Counter* const storage_errors_;
};

}  // namespace hourcell
