#include <bigtable_proto/bigtable.pb.h>
#include <string>
#include <vector>

#include "codec/base/check.h"
#include "engine/bigtable/api/row_assembler.h"
#include "engine/bigtable/rows/stored_row.h"
#include "tests/fuzz/fuzz_input.h"

namespace hourcell {
namespace {

using Response = google::bigtable::v2::ReadRowsResponse;

struct Assembled {
  bool is_ok = false;
  std::vector<BigtableRow> rows;
};

Assembled Assemble(const std::vector<Response>& messages, bool reversed) {
  Assembled assembled;
  RowAssembler assembler(reversed);
  absl::Status status;
  for (const Response& message : messages) {
    status = assembler.Add(message, &assembled.rows);
    if (!status.ok()) break;
  }
  if (status.ok()) status = assembler.Finish();
  HOURCELL_CHECK(status.ok() || absl::IsInternal(status));
  assembled.is_ok = status.ok();
  return assembled;
}

std::vector<Response> OneChunkAMessage(const Response& message) {
  std::vector<Response> messages;
  for (const Response::CellChunk& chunk : message.chunks())
    *messages.emplace_back().add_chunks() = chunk;
  messages.emplace_back().set_last_scanned_row_key(message.last_scanned_row_key());
  return messages;
}

void CheckMessage(const Response& message, bool reversed) {
  const Assembled whole = Assemble({message}, reversed);
  const Assembled parts = Assemble(OneChunkAMessage(message), reversed);
  HOURCELL_CHECK(whole.is_ok == parts.is_ok && whole.rows.size() == parts.rows.size());
  for (size_t i = 0; i < whole.rows.size(); ++i) {
    const BigtableRow& row = whole.rows[i];
    HOURCELL_CHECK(!row.key.empty() && !row.cells.empty());
    HOURCELL_CHECK(row.key == parts.rows[i].key);
    HOURCELL_CHECK(row.cells.size() == parts.rows[i].cells.size());
    const bool is_first = i == 0;
    HOURCELL_CHECK(is_first ||
                   (reversed ? row.key < whole.rows[i - 1].key : row.key > whole.rows[i - 1].key));
    // A row that is not ours is refused, one that is has a value at any version.
    const absl::StatusOr<StoredRow> stored = DecodeStoredRow(row);
    HOURCELL_CHECK(stored.ok() || absl::IsDataLoss(stored.status()));
    for (const uint64_t version : {uint64_t{0}, uint64_t{5}, kVersionMax}) {
      if (stored.ok()) ValueOf(TableId::kSeries, *stored, {.max = version});
    }
  }
}

}  // namespace
}  // namespace hourcell

// Any message is put together to whole rows in order, or refused, however its chunks are sent.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace hourcell;
  const std::string_view input = InputText(data, size);
  Response message;
  if (!message.ParseFromArray(input.data(), static_cast<int>(input.size()))) return 0;
  CheckMessage(message, /*reversed=*/false);
  CheckMessage(message, /*reversed=*/true);
  return 0;
}
