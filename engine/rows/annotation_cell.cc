#include "engine/rows/annotation_cell.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <absl/status/status.h>
#include <fmt/format.h>

#include "codec/base/json_writer.h"
#include "codec/base/strings.h"

namespace hourcell {
namespace {

void AppendField(std::string_view name, std::string_view text, std::string* out) {
  AppendJsonString(name, out);
  out->push_back(':');
  AppendJsonString(text, out);
}

// The character of an escape, a backslash and this letter; 0 for an invalid escape.
char EscapedChar(char letter) {
  constexpr std::string_view kLetters = "\"\\/bfnrt";
  constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
  const size_t at = kLetters.find(letter);
  return at == std::string_view::npos ? '\0' : kMeanings[at];
}

// Takes JSON off the front of its text. Every Take returns false if the expected token is missing;
// the text is unusable then.
class CellReader {
 public:
  explicit CellReader(std::string_view bytes) : bytes_(bytes), rest_(bytes) {}

  bool TakeAnnotation(Annotation* annotation) {
    const auto field = [this, annotation](const std::string& name) {
      if (name == "tsuid") return TakeText(&annotation->tsuid);
      if (name == "startTime") return TakeInteger(&annotation->start_time);
      if (name == "endTime") return TakeInteger(&annotation->end_time);
      if (name == "description") return TakeText(&annotation->description);
      if (name == "notes") return TakeText(&annotation->notes);
      if (name == "custom") return TakeCustom(annotation);
      return SkipScalar();
    };
    SkipBlanks();
    return TakeObject(field) && rest_.empty();
  }

  size_t offset() const { return bytes_.size() - rest_.size(); }

 private:
  bool Take(std::string_view token) {
    if (!rest_.starts_with(token)) return false;
    rest_.remove_prefix(token.size());
    SkipBlanks();
    return true;
  }

  void SkipBlanks() {
    const size_t blanks = rest_.find_first_not_of(" \t\r\n");
    rest_.remove_prefix(blanks == std::string_view::npos ? rest_.size() : blanks);
  }

  // `field(name)` takes the value of the field `name`.
  template <typename Field>
  bool TakeObject(const Field& field) {
    if (!Take("{")) return false;
    if (Take("}")) return true;
    do {
      std::string name;
      if (!TakeText(&name) || !Take(":") || !field(name)) return false;
    } while (Take(","));
    return Take("}");
  }

  bool TakeCustom(Annotation* annotation) {
    annotation->custom.clear();
    if (Take("null")) return true;
    return TakeObject([this, annotation](const std::string& name) {
      auto& entry = annotation->custom.emplace_back(name, "");
      return TakeText(&entry.second);
    });
  }

  bool TakeText(std::string* text) {
    text->clear();
    if (!rest_.starts_with('"')) return false;
    rest_.remove_prefix(1);
    while (!rest_.empty() && rest_.front() != '"') {
      const char c = rest_.front();
      if (static_cast<uint8_t>(c) < 0x20) return false;
      if (c == '\\') {
        if (!TakeEscape(text)) return false;
      } else {
        text->push_back(c);
        rest_.remove_prefix(1);
      }
    }
    return Take("\"") && IsUtf8(*text);
  }

  bool TakeEscape(std::string* text) {
    if (rest_.size() < 2) return false;
    const char letter = rest_[1];
    if (letter != 'u') {
      const char meaning = EscapedChar(letter);
      if (meaning == '\0') return false;
      text->push_back(meaning);
      rest_.remove_prefix(2);
      return true;
    }
    std::optional<uint32_t> code = TakeUnit();
    if (code.has_value() && *code >= 0xD800 && *code < 0xE000) {
      // Half of a surrogate pair: it must be the first half, and the second must follow.
      const std::optional<uint32_t> low = *code < 0xDC00 ? TakeUnit() : std::nullopt;
      if (!low.has_value() || *low < 0xDC00 || *low >= 0xE000) return false;
      code = 0x10000 + ((*code & 0x3FFU) << 10 | (*low & 0x3FFU));
    }
    if (!code.has_value()) return false;
    AppendUtf8(*code, text);
    return true;
  }

  // \uXXXX
  std::optional<uint32_t> TakeUnit() {
    constexpr size_t kSize = 6;
    if (rest_.size() < kSize || !rest_.starts_with("\\u")) return std::nullopt;
    uint32_t unit = 0;
    const char* const end = rest_.data() + kSize;
    const auto [stop, error] = std::from_chars(rest_.data() + 2, end, unit, 16);
    if (error != std::errc() || stop != end) return std::nullopt;
    rest_.remove_prefix(kSize);
    return unit;
  }

  bool TakeInteger(int64_t* number) {
    const auto [stop, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), *number);
    if (error != std::errc()) return false;
    rest_.remove_prefix(static_cast<size_t>(stop - rest_.data()));
    SkipBlanks();
    return true;
  }

  bool SkipScalar() {
    if (rest_.starts_with('"')) {
      std::string ignored;
      return TakeText(&ignored);
    }
    const size_t end = std::min(rest_.find_first_of(",} \t\r\n"), rest_.size());
    constexpr std::string_view kScalar = "0123456789+-.eEaflnrstu";  // numbers, true, false, null
    if (end == 0 || rest_.substr(0, end).find_first_not_of(kScalar) != std::string_view::npos) {
      return false;
    }
    rest_.remove_prefix(end);
    SkipBlanks();
    return true;
  }

  const std::string_view bytes_;
  std::string_view rest_;
};

}  // namespace

void AppendAnnotationCell(const Annotation& annotation, std::string* out) {
  out->push_back('{');
  if (!annotation.tsuid.empty()) {
    AppendField("tsuid", annotation.tsuid, out);
    out->push_back(',');
  }
  fmt::format_to(std::back_inserter(*out), "\"startTime\":{},\"endTime\":{},",
                 annotation.start_time, annotation.end_time);
  AppendField("description", annotation.description, out);
  out->push_back(',');
  AppendField("notes", annotation.notes, out);
  out->append(",\"custom\":");
  if (annotation.custom.empty()) {
    out->append("null}");
    return;
  }
  char before = '{';
  for (const auto& [name, text] : annotation.custom) {
    out->push_back(std::exchange(before, ','));
    AppendField(name, text, out);
  }
  out->append("}}");
}

absl::StatusOr<Annotation> ParseAnnotationCell(std::string_view bytes) {
  Annotation annotation;
  CellReader reader(bytes);
  if (reader.TakeAnnotation(&annotation)) return annotation;
  return absl::DataLossError(fmt::format("annotation {}: no annotation's JSON at byte {} of {}",
                                         QuoteForMessage(bytes), reader.offset(), bytes.size()));
}

}  // namespace hourcell
