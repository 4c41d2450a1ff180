// PutJson: the body of /api/put as points.
//
//   {"metric": "cpu.user", "timestamp": 1356998400, "value": 42, "tags": {"host": "web01"}}
//
// or an array of such objects. Unknown fields are skipped; of a field given twice the last counts.
// Timestamps are integers or their text, in seconds or milliseconds by magnitude; values are
// numbers or their text, integers unless they have one of . e E. Like OpenTSDB's reader it takes
// the bare words NaN, Infinity, +Infinity, -Infinity, +INF and -INF as values, to refuse just those
// points.
//
// A body is read as a whole before anything is stored. Reading allocates per body, not per point.
// Thread-compatible; may be reused.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "codec/limits.h"
#include "codec/point.h"
#include "codec/text/point_error.h"

namespace hourcell {

// The most objects of one body: more than kBodyBytesMax has of good points, but not so many that a
// body of empty ones costs gigabytes.
inline constexpr size_t kPutPointsMax = size_t{1} << 20;

// What holds for every point of a request.
struct PutRules {
  size_t tags_max = kTagsMaxDefault;
  bool wants_texts = true;  // of the errors; else they are empty
  std::optional<TagView> extra_tag =
      std::nullopt;  // added to every point, over one of the same key; borrowed
};

// Why a whole body is refused: message and details of OpenTSDB's error JSON.
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

// About what reading and storing a body takes besides it: of one of the usual shape
// (put_json_fast.h), and of any other, of which a copy and an index are made. Reads all of it once.
size_t PutBytesFast(std::string_view body);
size_t PutBytesOther(std::string_view body);

class PutJson {
 public:
  PutJson();
  ~PutJson();
  PutJson(const PutJson&) = delete;
  PutJson& operator=(const PutJson&) = delete;

  // Reads a body. What the other members give borrows from `body`, from the rules' tag and from
  // this object, until the next Parse.
  //
  // Errors: "Missing request content", "The JSON must start as an object or an array", "Unable to
  // parse the given JSON", "No datapoints found in content", "Too many datapoints: ...". No point
  // is given then.
  std::optional<PutBodyError> Parse(const std::string& body, const PutRules& rules);

  // How many objects the body has: points().size() + errors().size().
  size_t size() const { return sent_.size(); }

  // The good points, in the body's order, and where in the body each stood.
  std::span<const PointView> points() const { return points_; }
  size_t IndexOf(size_t point) const { return index_of_point_[point]; }

  // The bad ones, ascending by index. Checked in OpenTSDB's order: metric, timestamp, value, tags,
  // then whether value is a number.
  std::span<const PutPointError> errors() const { return errors_; }

  // Appends what was sent as object `index`:
  // {"metric":...,"timestamp":...,"value":"...","tags":{...}}.
  void AppendSent(size_t index, std::string* out) const;

 private:
  // An object of the body, as sent.
  struct Sent {
    std::string_view metric = "";
    std::string_view value = "";  // the number's text or the string's content
    int64_t timestamp = 0;        // 0 if absent or no integer
    size_t first_tag = 0;         // into tags_
    size_t tag_count = 0;
    uint64_t key_marks =
        0;                 // a bit by the looks of each key: of a key without its bit none is here
    bool is_null = false;  // null in place of the object
  };

  // The part that reads JSON. Kept out of sight: the layout of simdjson's parser depends on the
  // flags a file is compiled with.
  class Reader;
  // Reads bodies of the usual shape, which are nearly all, several times as fast.
  class Scanner;

  void AddTag(const TagView& tag, Sent* sent);
  // Gives the tag of that key the new value. False if there is none.
  bool ReplaceTag(const TagView& tag, const Sent& sent);
  void AddExtraTag(const TagView& tag);
  // Sorts what was sent into points and errors. Nothing is wrong with the body any more.
  std::nullopt_t JudgeAll(const PutRules& rules);
  void Judge(size_t index, const PutRules& rules);
  std::optional<PutPointError> FaultOf(size_t index, const PutRules& rules, PointView* point) const;

  std::unique_ptr<Reader> reader_;  // owns the decoded strings
  std::vector<Sent> sent_;
  std::vector<TagView> tags_;
  std::vector<PointView> points_;
  std::vector<size_t> index_of_point_;
  std::vector<PutPointError> errors_;
};

}  // namespace hourcell
