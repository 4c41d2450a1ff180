#include "engine/fsck_report.h"

#include <utility>

#include "codec/base/check.h"

namespace hourcell {

std::string_view FsckFaultName(FsckFault fault) {
  switch (fault) {
    case FsckFault::kTable:
      return "table";
    case FsckFault::kKey:
      return "key";
    case FsckFault::kSalt:
      return "salt";
    case FsckFault::kName:
      return "name";
    case FsckFault::kSeries:
      return "series";
    case FsckFault::kCell:
      return "cell";
    case FsckFault::kDamagedRow:
      return "damaged-row";
    case FsckFault::kFloat:
      return "float";
    case FsckFault::kAside:
      return "aside";
    case FsckFault::kIndex:
      return "index";
    case FsckFault::kUid:
      return "uid";
    case FsckFault::kRegion:
      return "region";
    case FsckFault::kAnnotation:
      return "annotation";
    case FsckFault::kJournal:
      return "journal";
    case FsckFault::kCut:
      return "cut";
    case FsckFault::kDeletion:
      return "deletion";
  }
  HOURCELL_CHECK(false);
}

void FsckReport::Add(FsckFault fault, std::string text, size_t examples_max) {
  const uint64_t count = ++counts[fault];
  if (count <= examples_max) examples.push_back({.fault = fault, .text = std::move(text)});
}

uint64_t FsckReport::faults() const {
  uint64_t sum = 0;
  for (const auto& [fault, count] : counts)
    sum += count;
  return sum;
}

}  // namespace hourcell
