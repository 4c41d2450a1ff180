// PutJsonFast: parses the usual body of /api/put into points whose tags stay text, as in put lines.
//
// A usual body is valid and is an array of objects, or one object, each with exactly a metric, a
// timestamp of digits, a value (a number or its text) and tags; names are in ASCII without escapes,
// blanks and '='. PutJson accepts all bodies that a PutJsonFast accepts, with the same points, and
// handles the others.
//
// Bodies repeat their tags: ten metrics of a host, or a metric of each host in turns. Tags that
// repeat earlier tags of the body byte for byte are recognised and not parsed again. Memory is not
// allocated per point. Thread-compatible; may be reused.

#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "codec/limits.h"
#include "codec/point.h"

namespace hourcell {

class PutJsonFast {
 public:
  // True if the body is usual and points have at most `tags_max` tags; points() then borrows from
  // `body` and from this object until the next Scan. False does not mean that the body is invalid.
  bool Scan(const std::string& body, size_t tags_max);

  // All points in the body's order; tags as "host=web01 dc=lga". REQUIRES: Scan returned true.
  std::span<const LinePoint> points() const { return points_; }

 private:
  // Tags parsed before.
  struct Known {
    std::string_view json;  // as in the body, with their braces; empty = unused
    std::string_view line;  // in text_
  };

  // The cursors point into a std::string, whose '\0' ends every loop; nullptr = unusual.
  bool ScanBody(const char* at);
  const char* ScanObject(const char* at);
  const char* ScanField(const char* at, unsigned* fields, LinePoint* point);
  const char* ScanTags(const char* at, std::string_view* line);
  const char* ReadTags(const char* at, std::string_view* line);
  bool AddKey(std::string_view key);
  size_t KnownIndex(const char* at) const;

  const char* end_ = nullptr;  // of the body
  size_t tags_max_ = 0;
  std::vector<LinePoint> points_;
  std::vector<Known> known_;  // hashed by the first bytes of tags; size is a power of two

  std::unique_ptr<char[]> text_;  // the tags as text
  size_t text_capacity_ = 0;
  char* text_end_ = nullptr;

  std::array<std::string_view, kTagsMax> keys_;  // of the tags being read
  size_t key_count_ = 0;
  uint64_t key_marks_ = 0;  // a bit per key by its hash: a key whose bit is clear is new
};

}  // namespace hourcell
