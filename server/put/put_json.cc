#include "server/put/put_json.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include <fmt/format.h>
#include <simdjson.h>

#include "codec/base/check.h"
#include "codec/text/number.h"
#include "codec/text/point_text.h"
#include "server/put/put_writer.h"
#include "server/text/json_scalar.h"
#include "server/text/json_text.h"

namespace hourcell {
namespace {

namespace ondemand = simdjson::ondemand;

constexpr std::string_view kBlanks = " \t\r\n";

// An estimate of the bytes of one point in a body, to reserve memory.
constexpr size_t kBytesPerPoint = 100;

// A timestamp's integer; 0, which is not a valid time of a point, for other text.
int64_t TimestampNumber(std::string_view text) {
  const Parsed<int64_t> number = ParseInteger(text);
  return number.ok() ? *number : 0;
}

// The timestamp of a JSON number: Jackson cuts a fraction off, for example of Python's time.time().
int64_t TimestampOfNumber(std::string_view text) {
  if (LooksLikeInteger(text)) return TimestampNumber(text);
  const Parsed<double> number = ParseDouble(text);
  const bool fits = number.ok() && *number > 0 && *number <= static_cast<double>(kTimestampMsMax);
  return fits ? static_cast<int64_t>(*number) : 0;
}

// A bit that distinguishes most keys.
inline uint64_t KeyMark(std::string_view key) {
  if (key.empty()) return 1;
  const auto byte = [&key](size_t i) { return static_cast<size_t>(static_cast<uint8_t>(key[i])); };
  return uint64_t{1} << ((byte(0) + 5 * byte(key.size() - 1) + 11 * key.size()) % 64);
}

// gcc makes a loop of single bytes of std::count, which took a third of a put's instructions.
size_t CountBraces(std::string_view body) {
  const char* at = body.data();
  const char* const end = at + body.size();
  size_t braces = 0;
#ifdef __SSE2__
  constexpr ptrdiff_t kVectorsMax = 255;  // that a byte can count
  const __m128i brace = _mm_set1_epi8('{');
  while (end - at >= 16) {
    const char* const stop = at + std::min((end - at) / 16, kVectorsMax) * 16;
    __m128i counts = _mm_setzero_si128();
    for (; at != stop; at += 16) {
      const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
      counts = _mm_sub_epi8(counts, _mm_cmpeq_epi8(bytes, brace));
    }
    const __m128i sums = _mm_sad_epu8(counts, _mm_setzero_si128());
    braces += static_cast<size_t>(_mm_cvtsi128_si64(sums) +
                                  _mm_cvtsi128_si64(_mm_unpackhi_epi64(sums, sums)));
  }
#endif
  return braces + static_cast<size_t>(std::count(at, end, '{'));
}

// The end of a string's plain characters: the first quote, backslash, control character or byte
// beyond ASCII from `at` on, or `end`.
[[gnu::always_inline]] inline const char* PlainTextEnd(const char* at, const char* end) {
#ifdef __SSE2__
  for (; end - at >= 16; at += 16) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
    const __m128i quote = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('"'));
    const __m128i backslash = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\'));
    const __m128i low = _mm_cmplt_epi8(bytes, _mm_set1_epi8(' '));  // signed: beyond ASCII, too
    const int found = _mm_movemask_epi8(_mm_or_si128(_mm_or_si128(quote, backslash), low));
    if (found != 0) return at + std::countr_zero(static_cast<unsigned>(found));
  }
#endif
  while (at < end && *at != '"' && *at != '\\' && static_cast<signed char>(*at) >= ' ')
    ++at;
  return at;
}

bool IsJsonBlank(char c) {
  return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

// The cursors below point into a std::string, whose '\0' ends every loop; nullptr = unusual.

[[gnu::always_inline]] inline const char* SkipBlanks(const char* at) {
  while (IsJsonBlank(*at)) [[unlikely]]
    ++at;
  return at;
}

[[gnu::always_inline]] inline const char* TakeChar(const char* at, char c) {
  if (at == nullptr) return nullptr;
  at = SkipBlanks(at);
  return *at == c ? at + 1 : nullptr;
}

[[gnu::always_inline]] inline const char* TakeString(const char* at,
                                                     const char* end,
                                                     std::string_view* text) {
  at = TakeChar(at, '"');
  if (at == nullptr) return nullptr;
  const char* const close = PlainTextEnd(at, end);
  if (*close != '"') return nullptr;
  *text = {at, static_cast<size_t>(close - at)};
  return close + 1;
}

bool IsNumberChar(char c) {
  return (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '+' || c == 'e' || c == 'E';
}

void AppendTarget(const RollupTarget& target, std::string* out) {
  const std::pair<std::string_view, std::string_view> fields[] = {
      {"interval", target.interval},
      {"aggregator", target.aggregator},
      {"groupByAggregator", target.group_by}};
  for (const auto& [name, text] : fields) {
    if (text.empty()) continue;
    fmt::format_to(std::back_inserter(*out), ",\"{}\":", name);
    AppendJsonString(text, out);
  }
}

const char* TakeNumber(const char* at, std::string_view* text) {
  at = SkipBlanks(at);
  const char* const begin = at;
  while (IsNumberChar(*at))
    ++at;
  *text = {begin, static_cast<size_t>(at - begin)};
  return IsJsonNumber(*text) ? at : nullptr;
}

}  // namespace

size_t PutBytesFast(std::string_view body) {
  constexpr size_t kBytesOfPoint = 256;  // in the scan, 72, and while the store takes it
  const size_t braces = CountBraces(body);
  return body.size() + std::min(braces / 2 + 1, kPutPointsMax) * kBytesOfPoint;
}

size_t PutBytesRollups(std::string_view body) {
  // Three short texts of the target, and the names of the level: the metric and the tags.
  constexpr size_t kBytesOfLevel = 3 * sizeof(std::string) + 200;
  const size_t braces = CountBraces(body);
  return PutBytesOther(body) + 2 * body.size() +
         std::min(braces / 2 + 1, kPutPointsMax) * kBytesOfLevel;
}

size_t PutBytesOther(std::string_view body) {
  // As sent; as a point or an error; and in the response with ?details.
  constexpr size_t kBytesOfObject = 600;
  size_t objects = 0;
  size_t marks = 0;   // of 4 bytes in the index
  size_t colons = 0;  // of tags, among others
  for (const char c : body) {
    objects += c == '{' ? 1 : 0;
    colons += c == ':' ? 1 : 0;
    marks += c == '{' || c == '}' || c == '[' || c == ']' || c == ':' || c == ',' || c == '"';
  }
  return 2 * body.size() + 4 * marks + colons * sizeof(TagView) +
         std::min(objects, kPutPointsMax) * kBytesOfObject;
}

[[gnu::always_inline]] inline void PutJson::AddTag(const TagView& tag, Sent* sent) {
  const uint64_t mark = KeyMark(tag.key);
  if ((sent->key_marks & mark) != 0 && ReplaceTag(tag, *sent)) return;
  sent->key_marks |= mark;
  tags_.push_back(tag);
  ++sent->tag_count;
}

bool PutJson::ReplaceTag(const TagView& tag, const Sent& sent) {
  // A point with more tags than any store takes is refused anyway; a search for repeats among them
  // would only cost quadratic time for a hostile body.
  if (sent.tag_count > kTagsMax) return false;
  const auto first = tags_.begin() + static_cast<ptrdiff_t>(sent.first_tag);
  const auto same_key = [&tag](const TagView& other) { return other.key == tag.key; };
  const auto found = std::find_if(first, tags_.end(), same_key);
  if (found == tags_.end()) return false;
  found->value = tag.value;
  return true;
}

// The usual shape: an array or one object, with only metric, timestamp (a number), value (a number
// or a string) and tags (strings), all strings in ASCII without escapes. The Reader gives the same
// result for all bodies that a Scanner accepts, and reads all others from the beginning.
class PutJson::Scanner {
 public:
  // Fills sent_ and tags_ of the PutJson. False if the body is not of that shape; their contents
  // are then undefined.
  static bool ScanBody(const std::string& body, PutJson* out) {
    const Scanner scanner(body, out);
    return scanner.Scan(body.data());
  }

 private:
  Scanner(const std::string& body, PutJson* out) : out_(out), end_(body.data() + body.size()) {}

  bool Scan(const char* at) const {
    out_->sent_.reserve(static_cast<size_t>(end_ - at) / kBytesPerPoint + 1);
    at = SkipBlanks(at);
    if (*at != '[') {
      at = ScanObject(at);
      return at != nullptr && SkipBlanks(at) == end_;
    }
    do {
      if (out_->sent_.size() == kPutPointsMax) return false;
      at = ScanObject(at + 1);
      if (at == nullptr) return false;
      at = SkipBlanks(at);
    } while (*at == ',');
    return *at == ']' && SkipBlanks(at + 1) == end_;
  }

  const char* ScanObject(const char* at) const {
    Sent& sent = out_->sent_.emplace_back();
    sent.first_tag = out_->tags_.size();
    at = SkipBlanks(at);
    if (*at != '{') return nullptr;
    do {
      std::string_view key;
      at = TakeChar(TakeString(at + 1, end_, &key), ':');
      if (at == nullptr) return nullptr;
      at = ScanField(at, key, &sent);
      if (at == nullptr) return nullptr;
      at = SkipBlanks(at);
    } while (*at == ',');
    return *at == '}' ? at + 1 : nullptr;
  }

  const char* ScanField(const char* at, std::string_view key, Sent* sent) const {
    if (key == "metric") return TakeString(at, end_, &sent->metric);
    if (key == "timestamp") {
      std::string_view text;
      at = TakeNumber(at, &text);
      sent->timestamp = TimestampOfNumber(text);
      return at;
    }
    if (key == "value") {
      at = SkipBlanks(at);
      return *at == '"' ? TakeString(at, end_, &sent->value) : TakeNumber(at, &sent->value);
    }
    return key == "tags" ? ScanTags(at, sent) : nullptr;
  }

  const char* ScanTags(const char* at, Sent* sent) const {
    sent->first_tag = out_->tags_.size();
    sent->tag_count = 0;
    sent->key_marks = 0;
    at = SkipBlanks(at);
    if (*at != '{') return nullptr;
    do {
      TagView tag;
      at = TakeChar(TakeString(at + 1, end_, &tag.key), ':');
      if (at == nullptr) return nullptr;
      at = TakeString(at, end_, &tag.value);
      if (at == nullptr) return nullptr;
      out_->AddTag(tag, sent);
      at = SkipBlanks(at);
    } while (*at == ',');
    return *at == '}' ? at + 1 : nullptr;
  }

  PutJson* const out_;
  const char* const end_;
};

class PutJson::Reader {
 public:
  explicit Reader(PutJson* out) : out_(out) {}

  // Fills sent_ and tags_ of the PutJson, and targets_ if the body has rollups.
  simdjson::error_code ReadBody(const std::string& body, bool has_rollups);

 private:
  simdjson::error_code ReadArray(ondemand::array array);
  simdjson::error_code ReadObject(ondemand::object object);
  simdjson::error_code ReadField(std::string_view key, ondemand::value value, Sent* sent);
  simdjson::error_code ReadTags(ondemand::value value, Sent* sent);
  // The field of the target; null: `key` is another.
  static std::string* TargetField(std::string_view key, RollupTarget* target);

  PutJson* const out_;  // owns this object
  bool has_rollups_ = false;
  ondemand::parser parser_;  // owns the decoded strings
  std::string padded_;       // a copy of the body, if it lacks room after its end
};

simdjson::error_code PutJson::Reader::ReadBody(const std::string& body, bool has_rollups) {
  has_rollups_ = has_rollups;
  // The reader loads up to 64 bytes past the end, and ignores them.
  const std::string* text = &body;
  if (body.capacity() - body.size() < simdjson::SIMDJSON_PADDING) {
    padded_.clear();
    padded_.reserve(body.size() + simdjson::SIMDJSON_PADDING);
    padded_ = body;
    text = &padded_;
  }
  out_->sent_.reserve(body.size() / kBytesPerPoint + 1);

  ondemand::document document;
  const simdjson::padded_string_view view(text->data(), text->size(), text->capacity());
  if (const auto error = parser_.iterate(view).get(document)) return error;
  if (body[body.find_first_not_of(kBlanks)] == '[') {
    ondemand::array array;
    if (const auto error = document.get_array().get(array)) return error;
    if (const auto error = ReadArray(array)) return error;
  } else {
    ondemand::object object;
    if (const auto error = document.get_object().get(object)) return error;
    if (const auto error = ReadObject(object)) return error;
  }
  const bool at_end = document.current_location().error() == simdjson::OUT_OF_BOUNDS;
  return at_end ? simdjson::SUCCESS : simdjson::TRAILING_CONTENT;
}

simdjson::error_code PutJson::Reader::ReadArray(ondemand::array array) {
  for (auto item : array) {
    ondemand::value element;
    if (const auto error = std::move(item).get(element)) return error;
    if (out_->sent_.size() == kPutPointsMax) return simdjson::CAPACITY;
    if (JsonToken(&element) == "null") {
      out_->sent_.push_back({.is_null = true});
      if (has_rollups_) out_->targets_.emplace_back();
      continue;
    }
    ondemand::object object;
    if (const auto error = element.get_object().get(object)) return error;
    if (const auto error = ReadObject(object)) return error;
  }
  return simdjson::SUCCESS;
}

simdjson::error_code PutJson::Reader::ReadObject(ondemand::object object) {
  Sent sent{.first_tag = out_->tags_.size()};
  if (has_rollups_) out_->targets_.emplace_back();
  for (auto item : object) {
    ondemand::field field;
    if (const auto error = std::move(item).get(field)) return error;
    std::string_view key;
    if (const auto error = ReadJsonKey(&field, &key)) return error;
    if (const auto error = ReadField(key, field.value(), &sent)) return error;
  }
  out_->sent_.push_back(sent);
  return simdjson::SUCCESS;
}

simdjson::error_code PutJson::Reader::ReadField(std::string_view key,
                                                ondemand::value value,
                                                Sent* sent) {
  if (key == "metric") return ReadJsonText(value, &sent->metric);
  if (key == "tags") return ReadTags(value, sent);
  if (key == "timestamp") {
    std::string_view text;
    const bool is_string = JsonToken(&value).starts_with('"');
    const simdjson::error_code error = ReadJsonText(value, &text);
    sent->timestamp = is_string ? TimestampNumber(text) : TimestampOfNumber(text);
    return error;
  }
  if (key == "value") {
    const std::string_view token = JsonToken(&value);
    if (!IsBareNonNumber(token)) return ReadJsonText(value, &sent->value);
    sent->value = token;
    return simdjson::SUCCESS;
  }
  std::string* const field = has_rollups_ ? TargetField(key, &out_->targets_.back()) : nullptr;
  if (field == nullptr) return SkipJsonValue(value, /*depth=*/3);
  std::string_view text;
  const simdjson::error_code error = ReadJsonText(value, &text);
  *field = text;
  return error;
}

std::string* PutJson::Reader::TargetField(std::string_view key, RollupTarget* target) {
  if (key == "interval") return &target->interval;
  if (key == "aggregator") return &target->aggregator;
  if (key == "groupByAggregator") return &target->group_by;
  return nullptr;
}

simdjson::error_code PutJson::Reader::ReadTags(ondemand::value value, Sent* sent) {
  sent->first_tag = out_->tags_.size();
  sent->tag_count = 0;
  sent->key_marks = 0;
  if (JsonToken(&value) == "null") return simdjson::SUCCESS;
  ondemand::object object;
  if (const auto error = value.get_object().get(object)) return error;
  for (auto item : object) {
    ondemand::field field;
    if (const auto error = std::move(item).get(field)) return error;
    TagView tag;
    if (const auto error = ReadJsonKey(&field, &tag.key)) return error;
    if (const auto error = ReadJsonText(field.value(), &tag.value)) return error;
    out_->AddTag(tag, sent);
  }
  return simdjson::SUCCESS;
}

PutJson::PutJson() : reader_(std::make_unique<Reader>(this)) {}

PutJson::~PutJson() = default;

std::optional<PutBodyError> PutJson::Parse(const std::string& body, const PutRules& rules) {
  sent_.clear();
  tags_.clear();
  targets_.clear();
  levels_.clear();
  points_.clear();
  index_of_point_.clear();
  errors_.clear();

  if (body.empty()) return PutBodyError{"Missing request content", ""};
  const size_t start = body.find_first_not_of(kBlanks);
  if (start == std::string::npos || (body[start] != '{' && body[start] != '[')) {
    return PutBodyError{"The JSON must start as an object or an array", ""};
  }
  const bool has_rollups = rules.rollups != nullptr;
  if (!has_rollups && Scanner::ScanBody(body, this)) return JudgeAll(rules);
  sent_.clear();
  tags_.clear();
  if (const simdjson::error_code error = reader_->ReadBody(body, has_rollups)) {
    sent_.clear();
    if (error == simdjson::CAPACITY) {
      return PutBodyError{fmt::format("Too many datapoints: expected at most {}", kPutPointsMax),
                          ""};
    }
    return PutBodyError{"Unable to parse the given JSON", simdjson::error_message(error)};
  }
  if (sent_.empty()) return PutBodyError{"No datapoints found in content", ""};
  return JudgeAll(rules);
}

std::nullopt_t PutJson::JudgeAll(const PutRules& rules) {
  // Points borrow tags, so all tags must be added before.
  if (rules.extra_tag) AddExtraTag(*rules.extra_tag);
  points_.reserve(sent_.size());
  index_of_point_.reserve(sent_.size());
  for (size_t index = 0; index < sent_.size(); ++index)
    Judge(index, rules);
  return std::nullopt;
}

void PutJson::AddExtraTag(const TagView& tag) {
  const std::vector<TagView> sent_tags = std::exchange(tags_, {});
  tags_.reserve(sent_tags.size() + sent_.size());
  for (Sent& sent : sent_) {
    const auto tags = std::span(sent_tags).subspan(sent.first_tag, sent.tag_count);
    sent.first_tag = tags_.size();
    sent.tag_count = 0;
    sent.key_marks = 0;
    for (const TagView& own : tags)
      AddTag(own, &sent);
    AddTag(tag, &sent);
  }
}

void PutJson::Judge(size_t index, const PutRules& rules) {
  PointView point;
  std::optional<PutPointError> fault = FaultOf(index, rules, &point);
  if (!fault && rules.rollups != nullptr) fault = ToLevel(index, rules, &point);
  if (fault) {
    errors_.push_back(*std::move(fault));
    return;
  }
  points_.push_back(point);
  index_of_point_.push_back(index);
}

std::optional<PutPointError> PutJson::FaultOf(size_t index,
                                              const PutRules& rules,
                                              PointView* point) const {
  const Sent& sent = sent_[index];
  const auto illegal = [&](std::string_view text) {
    return PutPointError{index, PointErrorKind::kIllegalArgument,
                         rules.wants_texts ? std::string(text) : std::string()};
  };
  if (sent.is_null) return illegal("Unexpected null datapoint encountered in set.");
  if (sent.metric.empty()) return illegal("Metric name was empty");
  if (sent.timestamp <= 0) return illegal("Invalid timestamp");
  if (sent.value.empty()) return illegal("Empty value");
  if (sent.tag_count == 0) return illegal("Missing tags");

  const Parsed<Timestamp> timestamp = TimestampFromInteger(sent.timestamp);
  if (!timestamp.ok()) return PutPointError{index, timestamp.error().kind, timestamp.error().text};
  const Parsed<Value> value = ParseValueText(sent.value);
  if (!value.ok()) {
    const PointError& error = value.error();
    const bool not_a_number = error.kind == PointErrorKind::kInvalidValue;
    return PutPointError{index, error.kind,
                         not_a_number ? "Unable to parse value to a number" : error.text};
  }
  const std::span<const TagView> tags = std::span(tags_).subspan(sent.first_tag, sent.tag_count);
  if (tags.size() > rules.tags_max) {
    if (!rules.wants_texts) return illegal("");
    return illegal(fmt::format("Too many tags: {} maximum allowed: {}, tags: {}", tags.size(),
                               rules.tags_max, TagsText(tags)));
  }
  *point = {.metric = sent.metric, .tags = tags, .timestamp = *timestamp, .value = *value};
  return std::nullopt;
}

std::optional<PutPointError> PutJson::ToLevel(size_t index,
                                              const PutRules& rules,
                                              PointView* point) {
  HOURCELL_DCHECK(rules.rollups != nullptr);
  const Parsed<LevelPoint> level = LevelPointOf(*rules.rollups, targets_[index], *point);
  if (!level.ok()) {
    return PutPointError{index, level.error().kind,
                         rules.wants_texts ? RefusalText(level.error()) : std::string()};
  }
  LevelNames& names =
      levels_.emplace_back(LevelNames{.metric = level->metric, .aggregate = level->aggregate});
  point->metric = names.metric;
  point->timestamp = level->timestamp;
  if (names.aggregate.empty()) return std::nullopt;
  for (const TagView& tag : point->tags) {
    if (tag.key != rules.rollups->aggregate_tagk) names.tags.push_back(tag);
  }
  names.tags.push_back({.key = rules.rollups->aggregate_tagk, .value = names.aggregate});
  point->tags = names.tags;
  return std::nullopt;
}

void PutJson::AppendSent(size_t index, std::string* out) const {
  HOURCELL_CHECK(index < sent_.size());
  const Sent& sent = sent_[index];
  if (sent.is_null) {
    out->append("null");
    return;
  }
  out->append("{\"metric\":");
  AppendJsonString(sent.metric, out);
  fmt::format_to(std::back_inserter(*out), ",\"timestamp\":{},\"value\":", sent.timestamp);
  AppendJsonString(sent.value, out);
  out->append(",\"tags\":{");
  const std::span<const TagView> tags = std::span(tags_).subspan(sent.first_tag, sent.tag_count);
  for (size_t i = 0; i < tags.size(); ++i) {
    if (i > 0) out->push_back(',');
    AppendJsonString(tags[i].key, out);
    out->push_back(':');
    AppendJsonString(tags[i].value, out);
  }
  out->append("}");
  if (!targets_.empty()) AppendTarget(targets_[index], out);
  out->append("}");
}

}  // namespace hourcell
