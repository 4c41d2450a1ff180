// PutJson: parses the body of /api/put into points.
//
//   {"metric": "cpu.user", "timestamp": 1356998400, "value": 42, "tags": {"host": "web01"}}
//
// or an array of such objects. Unknown fields are skipped; the last of repeated fields counts. The
// body of /api/rollup has more fields (RollupTarget):
//
//   {..., "interval": "1h", "aggregator": "sum", "groupByAggregator": "max"}
//
// Timestamps are integers or their text, in seconds or milliseconds by magnitude; values are
// numbers or their text, integers unless they contain one of . e E. Like OpenTSDB's reader, it
// accepts the bare words NaN, Infinity, +Infinity, -Infinity, +INF and -INF as values, so that only
// those points are refused.
//
// A body is read as a whole before anything is stored. Reading allocates per body, not per point.
// Thread-compatible; may be reused.

#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "codec/limits.h"
#include "codec/point.h"
#include "codec/rollups/rollup_config.h"
#include "codec/text/point_error.h"
#include "server/rollups/rollup_rules.h"

namespace hourcell {

// The most objects of one body: more than the good points that fit in kBodyBytesMax, yet few enough
// that a body of empty objects does not cost gigabytes.
inline constexpr size_t kPutPointsMax = size_t{1} << 20;

// Rules for all points of a request.
struct PutRules {
  size_t tags_max = kTagsMaxDefault;
  bool wants_texts = true;  // of the errors; otherwise empty
  std::optional<TagView> extra_tag =
      std::nullopt;  // added to every point, replacing one with the same key; borrowed
  // The body has rollups, and the points are those of their levels; borrowed. Null: points.
  const RollupRules* rollups = nullptr;
};

// The reason to refuse a whole body: message and details of OpenTSDB's error JSON.
struct PutBodyError {
  std::string message;
  std::string details;
};

// A point that was refused. `index` counts the objects of the body from 0.
struct PutPointError {
  size_t index = 0;
  PointErrorKind kind = PointErrorKind::kIllegalArgument;
  std::string text;
};

// Estimates the memory to read and store a body, in addition to it: for one of the usual shape
// (put_json_fast.h), and for any other, which needs a copy and an index. Reads the whole body once.
size_t PutBytesFast(std::string_view body);
size_t PutBytesOther(std::string_view body);
// The same for a body of rollups, with the names of their levels.
size_t PutBytesRollups(std::string_view body);

class PutJson {
 public:
  PutJson();
  ~PutJson();
  PutJson(const PutJson&) = delete;
  PutJson& operator=(const PutJson&) = delete;

  // Reads a body. Results borrow from `body`, from the rules' tag and from this object, until the
  // next Parse.
  //
  // Errors: "Missing request content", "The JSON must start as an object or an array", "Unable to
  // parse the given JSON", "No datapoints found in content", "Too many datapoints: ...". points()
  // is then empty.
  std::optional<PutBodyError> Parse(const std::string& body, const PutRules& rules);

  // The number of objects in the body: points().size() + errors().size().
  size_t size() const { return sent_.size(); }

  // The good points in the body's order, and the index of each in the body.
  std::span<const PointView> points() const { return points_; }
  size_t IndexOf(size_t point) const { return index_of_point_[point]; }

  // The bad points, ascending by index. Checked in OpenTSDB's order: metric, timestamp, value,
  // tags, then whether value is a number.
  std::span<const PutPointError> errors() const { return errors_; }

  // Appends object `index` as sent:
  // {"metric":...,"timestamp":...,"value":"...","tags":{...}}. A rollup has its fields after that.
  void AppendSent(size_t index, std::string* out) const;

 private:
  // The names of a level's point.
  struct LevelNames {
    std::string metric;
    std::string aggregate;
    std::vector<TagView> tags = {};
  };
  // An object of the body, as sent.
  struct Sent {
    std::string_view metric = "";
    std::string_view value = "";  // the number's text or the string's content
    int64_t timestamp = 0;        // 0 if absent or not an integer
    size_t first_tag = 0;         // into tags_
    size_t tag_count = 0;
    uint64_t key_marks = 0;  // a bit per key by its hash: a key whose bit is clear is new
    bool is_null = false;    // null in place of the object
  };

  // Reads JSON. Declared only, because the layout of simdjson's parser depends on the compiler
  // flags of the file.
  class Reader;
  // Reads bodies of the usual shape, which are nearly all, several times faster.
  class Scanner;

  void AddTag(const TagView& tag, Sent* sent);
  // Gives the tag with that key the new value. False if the key is new.
  bool ReplaceTag(const TagView& tag, const Sent& sent);
  void AddExtraTag(const TagView& tag);
  // Sorts the sent objects into points and errors. Always returns nullopt: the body itself is
  // accepted.
  std::nullopt_t JudgeAll(const PutRules& rules);
  void Judge(size_t index, const PutRules& rules);
  std::optional<PutPointError> FaultOf(size_t index, const PutRules& rules, PointView* point) const;
  // Makes `*point`, as sent, the point of its level. REQUIRES: the body has rollups.
  std::optional<PutPointError> ToLevel(size_t index, const PutRules& rules, PointView* point);

  std::unique_ptr<Reader> reader_;  // owns the decoded strings
  std::vector<Sent> sent_;
  std::vector<RollupTarget> targets_;  // of each sent object, if the body has rollups
  std::deque<LevelNames> levels_;      // points borrow them
  std::vector<TagView> tags_;
  std::vector<PointView> points_;
  std::vector<size_t> index_of_point_;
  std::vector<PutPointError> errors_;
};

}  // namespace hourcell
