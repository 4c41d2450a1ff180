#include "engine/hours/tsuid_list.h"

#include "codec/base/bytes.h"
#include "codec/base/check.h"

// Why a row has several tsuids: the numbers of series that are made together follow each other, so
// they share a row, and a log row of a thousand new series is one insert into a memtable instead of
// a thousand (docs/decisions/0009).

namespace hourcell {
namespace {

constexpr size_t kLengthBytes = 2;

}  // namespace

void AppendToTsuidList(std::string_view tsuid, std::string* list) {
  HOURCELL_CHECK(tsuid.size() <= UINT16_MAX);
  AppendBigEndian(tsuid.size(), kLengthBytes, list);
  list->append(tsuid);
}

bool TakeTsuid(std::string_view* list, std::string_view* tsuid) {
  if (list->size() < kLengthBytes) return false;
  const uint64_t length = LoadBigEndian(list->data(), kLengthBytes);
  if (list->size() - kLengthBytes < length) return false;
  *tsuid = list->substr(kLengthBytes, length);
  list->remove_prefix(kLengthBytes + length);
  return true;
}

}  // namespace hourcell
