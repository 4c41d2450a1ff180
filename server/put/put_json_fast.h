// PutJsonFast: the usual body of /api/put as points whose tags stay text, as those of a line do.
//
// Usual is an array of objects, or one object, each with a metric, a timestamp of digits, a value
// (a number or its text) and tags, each once and nothing else, in which nothing is wrong; names in
// ASCII without escapes, blanks and '='. Whatever a PutJsonFast takes PutJson takes, too, as the
// same points; what is wrong or rare is left to PutJson.
//
// Bodies repeat their tags: ten metrics of a host, or a metric of each host in turns. Tags that
// stood in the body byte for byte are recognised, not read again. Nothing is allocated per point.
// Thread-compatible; may be reused.

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
  // True if the body is usual and no point has more than `tags_max` tags; points() borrows from
  // `body` and from this object then, until the next Scan. False says nothing against the body.
  bool Scan(const std::string& body, size_t tags_max);

  // All points of the body, in its order; tags as "host=web01 dc=lga". REQUIRES: Scan was true.
  std::span<const LinePoint> points() const { return points_; }

 private:
  // Tags that were read.
  struct Known {
    std::string_view json;  // as they stand in the body, with their braces; empty = none
    std::string_view line;  // in text_
  };

  // The cursors stand in a std::string, whose '\0' ends every loop; nullptr = unusual.
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
  std::vector<Known> known_;  // by the bytes that tags begin with; a power of two

  std::unique_ptr<char[]> text_;  // the tags as text
  size_t text_capacity_ = 0;
  char* text_end_ = nullptr;

  std::array<std::string_view, kTagsMax> keys_;  // of the tags being read
  size_t key_count_ = 0;
  uint64_t key_marks_ = 0;  // a bit by the looks of each: of a key without its bit none is here
};

}  // namespace hourcell
