#include "engine/rows/uid_key.h"

#include "codec/base/bytes.h"
#include "codec/base/check.h"

namespace hourcell {
namespace {

char KindByte(UidKind kind) {
  switch (kind) {
    case UidKind::kMetric:
      return 'm';
    case UidKind::kTagk:
      return 'k';
    case UidKind::kTagv:
      return 'v';
  }
  HOURCELL_CHECK(false);
}

}  // namespace

std::string UidForwardPrefix(UidKind kind) {
  return {'i', KindByte(kind)};
}

std::string UidForwardKey(UidKind kind, std::string_view stored_name) {
  std::string key = UidForwardPrefix(kind);
  key.append(stored_name);
  return key;
}

std::string UidReversePrefix(UidKind kind) {
  return {'n', KindByte(kind)};
}

std::string UidReverseKey(const Layout& layout, UidKind kind, Uid uid) {
  std::string key = UidReversePrefix(kind);
  AppendBigEndian(uid, layout.width(kind), &key);
  return key;
}

std::string UidCounterKey(UidKind kind) {
  return {'c', KindByte(kind)};
}

}  // namespace hourcell
