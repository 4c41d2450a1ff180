// Annotation: a note at an instant or over a range of time, of one series or global; and the edit
// that creates or changes one.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace hourcell {

struct Annotation {
  std::string tsuid;       // upper-case hex; empty = global
  int64_t start_time = 0;  // as given: seconds or milliseconds
  int64_t end_time = 0;    // 0 = an instant
  std::string description = {};
  std::string notes = {};
  std::vector<std::pair<std::string, std::string>> custom = {};  // by name
  friend bool operator==(const Annotation&, const Annotation&) = default;
};

// A write to the annotation of a series, or to the global one, at an instant. All texts are UTF-8.
struct AnnotationEdit {
  std::string tsuid;       // hex in either case; empty = global
  int64_t start_time = 0;  // seconds, or milliseconds if it does not fit 32 bits
  // The fields to set; nullopt: as stored, or as the default of Annotation if it is new.
  std::optional<int64_t> end_time = {};
  std::optional<std::string> description = {};
  std::optional<std::string> notes = {};
  std::optional<std::vector<std::pair<std::string, std::string>>> custom = {};

  bool sets_nothing() const { return !end_time && !description && !notes && !custom; }
  friend bool operator==(const AnnotationEdit&, const AnnotationEdit&) = default;
};

enum class AnnotationWrite : uint8_t {
  kMerge,    // unset fields keep their stored value
  kReplace,  // unset fields become empty
};

}  // namespace hourcell
