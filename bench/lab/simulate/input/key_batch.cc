#include "bench/lab/simulate/input/key_batch.h"

#include <string_view>

namespace hourcell {

absl::Status KeyBatch::Fill(PutSource* source) {
  puts_.clear();
  bytes_.clear();
  absl::Status status;
  SourcePut put;
  while (puts_.size() < kPutsMax) {
    const absl::StatusOr<bool> more = source->Next(&put);
    status = more.status();
    if (!more.ok() || !*more) break;
    puts_.push_back(put);
    for (const std::string_view bytes : {put.parts.tsuid, put.key, put.row_key})
      bytes_.append(bytes);
  }
  // The bytes no longer move from here on.
  std::string_view rest = bytes_;
  for (SourcePut& kept : puts_) {
    for (std::string_view* const bytes : {&kept.parts.tsuid, &kept.key, &kept.row_key}) {
      *bytes = rest.substr(0, bytes->size());
      rest.remove_prefix(bytes->size());
    }
  }
  return status;
}

}  // namespace hourcell
