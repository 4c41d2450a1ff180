// Annotation: a note at an instant or over a range of time, of one series or global; and the edit
// that makes or changes one.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace hourcell {

struct Annotation {
  std::string tsuid;       // upper-case hex; empty = global
  int64_t start_time = 0;  // as it was given: seconds or milliseconds
  int64_t end_time = 0;    // 0 = an instant
  std::string description = {};
  std::string notes = {};
  std::vector<std::pair<std::string, std::string>> custom = {};  // by name
  friend bool operator==(const Annotation&, const Annotation&) = default;
};

// What a write says of the annotation of a series, or of the global one, at an instant. All texts
// are UTF-8.
struct AnnotationEdit {
  std::string tsuid;       // hex in either case; empty = global
  int64_t start_time = 0;  // seconds, or milliseconds if it does not fit 32 bits
  // What is set; nothing: as it is stored, or as Annotation has it if there is none.
  std::optional<int64_t> end_time = {};
  std::optional<std::string> description = {};
  std::optional<std::string> notes = {};
  std::optional<std::vector<std::pair<std::string, std::string>>> custom = {};

  bool sets_nothing() const { return !end_time && !description && !notes && !custom; }
  friend bool operator==(const AnnotationEdit&, const AnnotationEdit&) = default;
};

enum class AnnotationWrite : uint8_t {
  kMerge,    // fields that are not set stay as they are stored
  kReplace,  // they become empty
};

}  // namespace hourcell
