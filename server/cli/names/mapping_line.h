// Reads a line of the answer of /api/admin/uid (server/admin/dump_handler.cc): a mapping as a JSON
// object, or the object that ends the answer.
//
//   {"kind":"metrics","name":"cpu","uid":"000001"}   uid: its bytes in hex
//   {"lines":1}                                      the end: the number of mappings
//   {"error":"..."}                                  the end, after a failure
//
// Thread-compatible; one object reads all lines of an answer.

#pragma once

#include <optional>
#include <string_view>

#include <absl/status/statusor.h>
#include <simdjson.h>

#include "codec/rows/uid.h"
#include "engine/tsdb.h"

namespace hourcell {

class MappingLine {
 public:
  // `kind`: of the requested mappings.
  explicit MappingLine(UidKind kind) : kind_(kind) {}

  // nullopt: the end of the answer. kUnavailable: the server reports an error. kDataLoss: the line
  // is neither a mapping nor an end.
  absl::StatusOr<std::optional<UidRow>> Read(std::string_view line);

 private:
  const UidKind kind_;
  simdjson::dom::parser parser_;
};

}  // namespace hourcell
