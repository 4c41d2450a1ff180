#include "bench/lab/simulate/input/site_file.h"

#include <expat.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include <absl/status/status.h>
#include <fmt/format.h>

#include "codec/base/check.h"
#include "codec/base/strings.h"

namespace hourcell {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";
constexpr std::array<std::string_view, 6> kPropertyParts = {"name",  "value",  "description",
                                                            "final", "source", "tag"};
constexpr size_t kPropertyDepth = 2;  // <configuration><property>
constexpr size_t kPartDepth = 3;

std::string_view WithoutBlanks(std::string_view text) {
  const size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return "";
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

// The handlers that expat calls for tags and texts, in order. expat may still call them for a
// moment after a stop, so calls after a fault have no effect.
class SiteReader {
 public:
  explicit SiteReader(XML_Parser parser) : parser_(parser) {
    XML_SetUserData(parser, this);
    XML_SetElementHandler(
        parser,
        [](void* self, const char* name, const char** attributes) {
          static_cast<SiteReader*>(self)->Open(name, attributes);
        },
        [](void* self, const char* /*name*/) { static_cast<SiteReader*>(self)->Close(); });
    XML_SetCharacterDataHandler(parser, [](void* self, const char* text, int size) {
      static_cast<SiteReader*>(self)->AddText({text, static_cast<size_t>(size)});
    });
    // Stops before the DOCTYPE is read: nothing is expanded or fetched.
    XML_SetStartDoctypeDeclHandler(
        parser, [](void* self, const char* /*name*/, const char* /*system*/, const char* /*pub*/,
                   int /*has_subset*/) {
          static_cast<SiteReader*>(self)->Refuse("a DOCTYPE", "<configuration>");
        });
  }

  absl::StatusOr<SettingMap> Run(std::string_view text) {
    const XML_Status read =
        XML_Parse(parser_, text.data(), static_cast<int>(text.size()), /*isFinal=*/1);
    if (!fault_.ok()) return fault_;
    if (read != XML_STATUS_OK) {
      return absl::InvalidArgumentError(
          fmt::format("line {}: {}", line(), XML_ErrorString(XML_GetErrorCode(parser_))));
    }
    return std::move(settings_);
  }

 private:
  uint64_t line() const {
#if XML_MAJOR_VERSION * 100 + XML_MINOR_VERSION >= 209  // which deprecates the other one
    return XML_GetCurrentLineNumber64(parser_);
#else
    return XML_GetCurrentLineNumber(parser_);
#endif
  }

  void Refuse(std::string_view got, std::string_view want) {
    if (!fault_.ok()) return;
    fault_ =
        absl::InvalidArgumentError(fmt::format("line {}: expected {}, got {}", line(), want, got));
    XML_StopParser(parser_, /*resumable=*/XML_FALSE);
  }

  void Open(std::string_view name, const char** attributes) {
    if (!fault_.ok()) return;
    const std::string got = QuoteForMessage(fmt::format("<{}>", name));
    if (depth_ == 0 && name != "configuration") return Refuse(got, "<configuration>");
    if (depth_ == 1 && name != "property") return Refuse(got, "<property>");
    if (depth_ == kPropertyDepth &&
        std::ranges::find(kPropertyParts, name) == kPropertyParts.end()) {
      return Refuse(got, "<name>, <value>, <description>, <final>, <source> or <tag>");
    }
    if (depth_ == kPartDepth) return Refuse(got, fmt::format("</{}>", part_));
    for (; *attributes != nullptr; attributes += 2) {
      if (!std::string_view(*attributes).starts_with("xmlns:")) {
        return Refuse(QuoteForMessage(*attributes), "no attribute");
      }
    }
    if (++depth_ == kPropertyDepth) {
      name_.reset();
      value_.reset();
    }
    part_ = name;
    text_.clear();
  }

  void Close() {
    if (!fault_.ok()) return;
    if (depth_ == kPartDepth) {
      TakePart();
    } else if (depth_ == kPropertyDepth) {
      TakeProperty();
    }
    --depth_;
  }

  void TakePart() {
    std::optional<std::string>* const into = part_ == "name"    ? &name_
                                             : part_ == "value" ? &value_
                                                                : nullptr;
    if (into == nullptr) return;
    if (into->has_value()) return Refuse("another", fmt::format("one <{}> in a property", part_));
    *into = std::string(WithoutBlanks(text_));
  }

  void TakeProperty() {
    if (!name_.has_value() || name_->empty()) return Refuse("</property>", "a <name> before it");
    // A property without a value counts as unset.
    if (value_.has_value()) settings_.insert_or_assign(*std::move(name_), *std::move(value_));
  }

  void AddText(std::string_view text) {
    if (depth_ == kPartDepth) {
      text_ += text;
    } else if (!WithoutBlanks(text).empty()) {
      Refuse(QuoteForMessage(WithoutBlanks(text)), depth_ == 1 ? "<property>" : "</property>");
    }
  }

  const XML_Parser parser_;
  SettingMap settings_;
  absl::Status fault_;
  size_t depth_ = 0;  // number of open elements
  std::string part_;  // in a property: the innermost element
  std::string text_;  // its text
  std::optional<std::string> name_;
  std::optional<std::string> value_;
};

}  // namespace

absl::StatusOr<SettingMap> ParseSiteFile(std::string_view text) {
  if (text.size() > kSiteFileBytesMax) {
    return absl::InvalidArgumentError(
        fmt::format("expected at most {} bytes, got {}", kSiteFileBytesMax, text.size()));
  }
  // Ignores the declared encoding: Hadoop's files are UTF-8.
  const std::unique_ptr<std::remove_pointer_t<XML_Parser>, decltype(&XML_ParserFree)> parser(
      XML_ParserCreate("UTF-8"), &XML_ParserFree);
  HOURCELL_CHECK(parser != nullptr);
  return SiteReader(parser.get()).Run(text);
}

bool LooksLikeXml(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  return WithoutBlanks(text).starts_with('<');
}

}  // namespace hourcell
