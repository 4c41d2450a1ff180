// TextRows: texts that users edit, in rows of the system table whose keys have one prefix:
//
//   key           value
//   <prefix><id>  UTF-8 that the engine does not read, at most kDocumentBytesMax bytes
//
// Writes are rare: one at a time, read-modify-write under a lock that is held during the write.
// Thread-safe. Errors are the storage's.

#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "codec/base/mutex.h"
#include "engine/names.h"
#include "engine/table/tables.h"

namespace hourcell {

class TextRows {
 public:
  // `prefix` and `subject`, the word of error messages, are constants of the program. `tables` is
  // borrowed. With `sync` every write is synced before it returns.
  TextRows(std::string_view prefix, std::string_view subject, Tables* tables, bool sync)
      : prefix_(prefix), subject_(subject), tables_(tables), sync_(sync) {}

  absl::StatusOr<std::optional<std::string>> Find(std::string_view id) const;

  // Changes a text. Also kInvalidArgument: the next text is not UTF-8, or longer than
  // kDocumentBytesMax; the errors of `change`.
  absl::Status Change(std::string_view id, const DocumentChange& change);

  // Writes texts, over earlier ones, in one group. Also kInvalidArgument: one is not UTF-8 or too
  // long; nothing is written.
  absl::Status Set(std::span<const MetadataRow> rows);

  // Visits all texts by id, until `visit` returns false.
  absl::Status Visit(
      const std::function<bool(std::string_view id, std::string_view text)>& visit) const;

 private:
  std::string RowKeyOf(std::string_view id) const;
  absl::Status CheckText(std::string_view text) const;

  const std::string_view prefix_;
  const std::string_view subject_;
  Tables* const tables_;
  const bool sync_;
  Mutex edit_;  // held across a write
};

}  // namespace hourcell
