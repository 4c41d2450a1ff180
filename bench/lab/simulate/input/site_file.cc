#include "bench/lab/simulate/input/site_file.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <utility>

#include <absl/status/status.h>
#include <fmt/format.h>

#include "codec/base/status_macros.h"
#include "codec/base/strings.h"

namespace hourcell {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";

bool IsBlank(char c) {
  return kBlanks.find(c) != std::string_view::npos;
}

std::string_view WithoutBlanks(std::string_view text) {
  const size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return "";
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

void AppendUtf8(uint32_t code, std::string* out) {
  const auto put = [out](uint32_t byte) { out->push_back(static_cast<char>(byte)); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xC0 | (code >> 6));
    put(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    put(0xE0 | (code >> 12));
    put(0x80 | ((code >> 6) & 0x3F));
    put(0x80 | (code & 0x3F));
  } else {
    put(0xF0 | (code >> 18));
    put(0x80 | ((code >> 12) & 0x3F));
    put(0x80 | ((code >> 6) & 0x3F));
    put(0x80 | (code & 0x3F));
  }
}

class SiteParser {
 public:
  explicit SiteParser(std::string_view text) : all_(text), rest_(text) {}

  absl::StatusOr<SettingMap> Run() {
    HOURCELL_RETURN_IF_ERROR(SkipProlog());
    HOURCELL_RETURN_IF_ERROR(Want("configuration"));
    while (true) {
      HOURCELL_RETURN_IF_ERROR(SkipMisc());
      if (TakeEnd("configuration")) break;
      HOURCELL_RETURN_IF_ERROR(Want("property"));
      HOURCELL_RETURN_IF_ERROR(ReadProperty());
    }
    HOURCELL_RETURN_IF_ERROR(SkipMisc());
    if (!rest_.empty()) return Refuse("nothing after </configuration>");
    return std::move(settings_);
  }

 private:
  absl::Status Refuse(std::string_view want) const {
    const std::string_view before = all_.substr(0, all_.size() - rest_.size());
    const auto line = std::count(before.begin(), before.end(), '\n') + 1;
    const std::string_view got = rest_.substr(0, rest_.find('\n'));
    return absl::InvalidArgumentError(
        fmt::format("line {}: got {}; want {}", line,
                    rest_.empty() ? "the end" : QuoteForMessage(got.substr(0, 40)), want));
  }

  bool Take(std::string_view text) {
    if (!rest_.starts_with(text)) return false;
    rest_.remove_prefix(text.size());
    return true;
  }

  void SkipBlanks() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(kBlanks), rest_.size()));
  }

  // To after `end`.
  absl::Status SkipTo(std::string_view end) {
    const size_t at = rest_.find(end);
    if (at == std::string_view::npos) {
      rest_.remove_prefix(rest_.size());
      return Refuse(fmt::format("{} before the end", end));
    }
    rest_.remove_prefix(at + end.size());
    return absl::OkStatus();
  }

  // Blanks and comments.
  absl::Status SkipMisc() {
    SkipBlanks();
    while (Take("<!--")) {
      HOURCELL_RETURN_IF_ERROR(SkipTo("-->"));
      SkipBlanks();
    }
    return absl::OkStatus();
  }

  // The declaration, stylesheet instructions and comments.
  absl::Status SkipProlog() {
    Take("\xEF\xBB\xBF");
    HOURCELL_RETURN_IF_ERROR(SkipMisc());
    while (Take("<?")) {
      HOURCELL_RETURN_IF_ERROR(SkipTo("?>"));
      HOURCELL_RETURN_IF_ERROR(SkipMisc());
    }
    return absl::OkStatus();
  }

  // <name>, or <name xmlns:x="...">.
  absl::Status Want(std::string_view name) {
    const std::string want = fmt::format("<{}>", name);
    const std::string_view at = rest_;
    if (!Take("<") || !Take(name)) {
      rest_ = at;
      return Refuse(want);
    }
    while (!Take(">")) {
      if (!TakeNamespace()) {
        rest_ = at;
        return Refuse(want);
      }
    }
    return absl::OkStatus();
  }

  // One attribute of the name xmlns:..., which means nothing here.
  bool TakeNamespace() {
    if (rest_.empty() || !IsBlank(rest_.front())) return false;
    SkipBlanks();
    if (rest_.starts_with('>')) return true;
    if (!Take("xmlns:")) return false;
    const size_t quote = rest_.find('"');
    const size_t end = quote == std::string_view::npos ? quote : rest_.find('"', quote + 1);
    const std::string_view before = rest_.substr(0, quote);
    if (end == std::string_view::npos || !before.ends_with('=') ||
        before.find_first_of("<> \t\r\n") != std::string_view::npos) {
      return false;
    }
    rest_.remove_prefix(end + 1);
    return true;
  }

  // </name>.
  bool TakeEnd(std::string_view name) {
    const std::string_view at = rest_;
    if (Take("</") && Take(name)) {
      SkipBlanks();
      if (Take(">")) return true;
    }
    rest_ = at;
    return false;
  }

  absl::Status ReadProperty() {
    std::optional<std::string> name;
    std::optional<std::string> value;
    while (true) {
      HOURCELL_RETURN_IF_ERROR(SkipMisc());
      if (TakeEnd("property")) break;
      HOURCELL_RETURN_IF_ERROR(ReadElement(&name, &value));
    }
    if (!name.has_value() || name->empty()) return Refuse("a <name> in the <property> before");
    // A property without a value is one that is not set.
    if (value.has_value()) settings_.insert_or_assign(*std::move(name), *std::move(value));
    return absl::OkStatus();
  }

  absl::Status ReadElement(std::optional<std::string>* name, std::optional<std::string>* value) {
    for (const std::string_view element :
         {"name", "value", "description", "final", "source", "tag"}) {
      const std::string_view at = rest_;
      if (Take(fmt::format("<{}/>", element))) {
        if (element == "value") value->emplace();
        return absl::OkStatus();
      }
      if (!Take(fmt::format("<{}>", element))) {
        rest_ = at;
        continue;
      }
      std::string text;
      HOURCELL_RETURN_IF_ERROR(ReadText(element, &text));
      std::optional<std::string>* const into = element == "name"    ? name
                                               : element == "value" ? value
                                                                    : nullptr;
      if (into == nullptr) return absl::OkStatus();
      if (into->has_value()) return Refuse(fmt::format("one <{}> in a property", element));
      *into = std::string(WithoutBlanks(text));
      return absl::OkStatus();
    }
    return Refuse("<name>, <value>, <description>, <final>, <source> or <tag>");
  }

  // To after </element>.
  absl::Status ReadText(std::string_view element, std::string* text) {
    while (!TakeEnd(element)) {
      if (rest_.empty()) return Refuse(fmt::format("</{}>", element));
      if (Take("<!--")) {
        HOURCELL_RETURN_IF_ERROR(SkipTo("-->"));
      } else if (Take("<![CDATA[")) {
        const std::string_view from = rest_;
        HOURCELL_RETURN_IF_ERROR(SkipTo("]]>"));
        text->append(from.substr(0, from.size() - rest_.size() - 3));
      } else if (rest_.front() == '<') {
        return Refuse(fmt::format("</{}>", element));
      } else if (rest_.front() == '&') {
        HOURCELL_RETURN_IF_ERROR(ReadReference(text));
      } else {
        const size_t end = std::min(rest_.find_first_of("<&"), rest_.size());
        text->append(rest_.substr(0, end));
        rest_.remove_prefix(end);
      }
    }
    return absl::OkStatus();
  }

  absl::Status ReadReference(std::string* text) {
    constexpr std::pair<std::string_view, char> kEntities[] = {
        {"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&apos;", '\''}};
    for (const auto& [entity, c] : kEntities) {
      if (Take(entity)) {
        text->push_back(c);
        return absl::OkStatus();
      }
    }
    constexpr std::string_view kWant = "&amp; &lt; &gt; &quot; &apos; or the number of a character";
    if (!rest_.starts_with("&#")) return Refuse(kWant);
    const bool is_hex = rest_.substr(2).starts_with('x');
    const char* const begin = rest_.data() + (is_hex ? 3 : 2);
    uint32_t code = 0;
    const auto [end, error] =
        std::from_chars(begin, rest_.data() + rest_.size(), code, is_hex ? 16 : 10);
    const bool is_closed = end < rest_.data() + rest_.size() && *end == ';';
    const bool is_character = code > 0 && code <= 0x10FFFF && (code < 0xD800 || code > 0xDFFF);
    if (error != std::errc() || !is_closed || !is_character) return Refuse(kWant);
    AppendUtf8(code, text);
    rest_.remove_prefix(static_cast<size_t>(end - rest_.data()) + 1);
    return absl::OkStatus();
  }

  const std::string_view all_;
  std::string_view rest_;
  SettingMap settings_;
};

}  // namespace

absl::StatusOr<SettingMap> ParseSiteFile(std::string_view text) {
  if (text.size() > kSiteFileBytesMax) {
    return absl::InvalidArgumentError(
        fmt::format("got {} bytes; want at most {}", text.size(), kSiteFileBytesMax));
  }
  return SiteParser(text).Run();
}

bool LooksLikeXml(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  return WithoutBlanks(text).starts_with('<');
}

}  // namespace hourcell
