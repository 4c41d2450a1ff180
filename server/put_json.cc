#include "server/put_json.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <simdjson.h>

#include "codec/base/check.h"
#include "codec/number.h"
#include "codec/point_text.h"
#include "server/json_scalar.h"
#include "server/json_text.h"

namespace hourcell {
namespace {

namespace ondemand = simdjson::ondemand;

constexpr std::string_view kBlanks = " \t\r\n";

// A guess at the bytes of one point in a body, to reserve room.
constexpr size_t kBytesPerPoint = 100;

// "{host=web01, dc=lga}", as OpenTSDB prints a map of tags.
std::string TagMapText(std::span<const TagView> tags) {
  std::string text = "{";
  for (const TagView& tag : tags) {
    if (text.size() > 1) text += ", ";
    text.append(tag.key).append("=").append(tag.value);
  }
  return text + "}";
}

// A timestamp's integer; 0, which no point may have, if the text is none.
int64_t TimestampNumber(std::string_view text) {
  const Parsed<int64_t> number = ParseInteger(text);
  return number.ok() ? *number : 0;
}

}  // namespace

class PutJson::Reader {
 public:
  explicit Reader(PutJson* out) : out_(out) {}

  // Fills sent_ and tags_ of the PutJson.
  simdjson::error_code ReadBody(const std::string& body);

 private:
  simdjson::error_code ReadArray(ondemand::array array);
  simdjson::error_code ReadObject(ondemand::object object);
  simdjson::error_code ReadField(std::string_view key, ondemand::value value, Sent* sent);
  simdjson::error_code ReadTags(ondemand::value value, Sent* sent);

  PutJson* const out_;       // owns this object
  ondemand::parser parser_;  // owns the decoded strings
  std::string padded_;       // the body, if it came without room behind it
};

simdjson::error_code PutJson::Reader::ReadBody(const std::string& body) {
  // The reader looks up to 64 bytes past the end, without minding what is there.
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
    const simdjson::error_code error = ReadJsonText(value, &text);
    sent->timestamp = TimestampNumber(text);
    return error;
  }
  if (key == "value") {
    const std::string_view token = JsonToken(&value);
    if (!IsBareNonNumber(token)) return ReadJsonText(value, &sent->value);
    sent->value = token;
    return simdjson::SUCCESS;
  }
  return SkipJsonValue(value, /*depth=*/3);
}

simdjson::error_code PutJson::Reader::ReadTags(ondemand::value value, Sent* sent) {
  sent->first_tag = out_->tags_.size();
  sent->tag_count = 0;
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
  points_.clear();
  index_of_point_.clear();
  errors_.clear();

  if (body.empty()) return PutBodyError{"Missing request content", ""};
  const size_t start = body.find_first_not_of(kBlanks);
  if (start == std::string::npos || (body[start] != '{' && body[start] != '[')) {
    return PutBodyError{"The JSON must start as an object or an array", ""};
  }
  if (const simdjson::error_code error = reader_->ReadBody(body)) {
    sent_.clear();
    if (error == simdjson::CAPACITY) {
      return PutBodyError{fmt::format("Too many datapoints: want at most {}", kPutPointsMax), ""};
    }
    return PutBodyError{"Unable to parse the given JSON", simdjson::error_message(error)};
  }
  if (sent_.empty()) return PutBodyError{"No datapoints found in content", ""};

  // Only when no tag is added any more may points borrow them.
  if (rules.extra_tag) AddExtraTag(*rules.extra_tag);
  points_.reserve(sent_.size());
  index_of_point_.reserve(sent_.size());
  for (size_t index = 0; index < sent_.size(); ++index)
    Judge(index, rules);
  return std::nullopt;
}

void PutJson::AddTag(const TagView& tag, Sent* sent) {
  // A point with more tags than any store takes is refused anyway: looking for repeats among them
  // would only give a hostile body quadratic time.
  if (sent->tag_count <= kTagsMax) {
    const auto first = tags_.begin() + static_cast<ptrdiff_t>(sent->first_tag);
    const auto same_key = [&tag](const TagView& other) { return other.key == tag.key; };
    if (const auto found = std::find_if(first, tags_.end(), same_key); found != tags_.end()) {
      found->value = tag.value;
      return;
    }
  }
  tags_.push_back(tag);
  ++sent->tag_count;
}

void PutJson::AddExtraTag(const TagView& tag) {
  const std::vector<TagView> sent_tags = std::exchange(tags_, {});
  tags_.reserve(sent_tags.size() + sent_.size());
  for (Sent& sent : sent_) {
    const auto tags = std::span(sent_tags).subspan(sent.first_tag, sent.tag_count);
    sent.first_tag = tags_.size();
    sent.tag_count = 0;
    for (const TagView& own : tags)
      AddTag(own, &sent);
    AddTag(tag, &sent);
  }
}

void PutJson::Judge(size_t index, const PutRules& rules) {
  PointView point;
  if (auto fault = FaultOf(index, rules, &point)) {
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
  const auto illegal = [index](std::string text) {
    return PutPointError{index, PointErrorKind::kIllegalArgument, std::move(text)};
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
    return illegal(fmt::format("Too many tags: {} maximum allowed: {}, tags: {}", tags.size(),
                               rules.tags_max, TagMapText(tags)));
  }
  *point = {.metric = sent.metric, .tags = tags, .timestamp = *timestamp, .value = *value};
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
  out->append("}}");
}

}  // namespace hourcell
