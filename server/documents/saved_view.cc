#include "server/documents/saved_view.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <absl/status/status.h>
#include <fmt/format.h>

#include "codec/base/strings.h"
#include "engine/query/query_time.h"
#include "engine/saved_views.h"
#include "promql/text/parser.h"
#include "server/query/query_string.h"
#include "server/text/json_cursor.h"

namespace hourcell {
namespace {

constexpr size_t kViewTitleBytesMax = 200;
constexpr size_t kViewTimeBytesMax = 64;
constexpr size_t kViewQueryBytesMax = 4096;
constexpr size_t kViewQueriesMax = 26;  // each has a letter
constexpr size_t kViewLookMax = 32;
constexpr size_t kViewLookBytesMax = 256;
constexpr uint64_t kViewRefreshMaxS = 86'400;

constexpr std::array<std::string_view, 7> kViewWords = {"version", "title",   "start", "end",
                                                        "tz",      "refresh", "graphs"};
constexpr std::array<std::string_view, 4> kGraphWords = {"title", "view", "queries", "look"};
constexpr std::array<std::string_view, 1> kQueryWords = {"promql"};

// "line 3, character 12", both from 1. A character may have several bytes.
std::string PlaceIn(std::string_view text, size_t offset) {
  const std::string_view before = text.substr(0, offset);
  const auto lines = std::ranges::count(before, '\n');
  const std::string_view line = before.substr(before.rfind('\n') + 1);  // npos + 1 = 0
  const auto characters =
      std::ranges::count_if(line, [](char c) { return (static_cast<uint8_t>(c) & 0xC0U) != 0x80; });
  return fmt::format("line {}, character {}", lines + 1, characters + 1);
}

// A look is words of the page's address, which the page reads.
bool IsLookWord(std::string_view word) {
  constexpr size_t kLookWordBytesMax = 16;
  return !word.empty() && word.size() <= kLookWordBytesMax && std::ranges::all_of(word, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
  });
}

// Reads one document. A fault is thrown as JsonSyntaxFault, as JsonCursor's are.
class SavedViewReader {
 public:
  SavedViewReader(std::string_view text, int64_t now_ms)
      : text_(text), now_ms_(now_ms), json_(text) {}

  absl::StatusOr<SavedView> Read() {
    try {
      ReadDocument();
      json_.End();
    } catch (const JsonSyntaxFault& fault) {
      const char* const at = fault_at_ != nullptr ? fault_at_ : json_.at();
      const std::string place = PlaceIn(text_, static_cast<size_t>(at - text_.data()));
      return absl::InvalidArgumentError(fmt::format(
          "view: {}: {}", place, fault_at_ != nullptr ? fault.what() : "expected valid JSON"));
    }
    return std::move(view_);
  }

 private:
  // Names of the members that were read, of one object.
  using Seen = std::vector<std::string>;

  [[noreturn]] void Refuse(const char* at, std::string problem) {
    fault_at_ = at;
    throw JsonSyntaxFault(std::move(problem));
  }

  const char* NextValue() {
    json_.Peek();
    return json_.at();
  }

  // Empty: no value begins there.
  std::string_view NextType() {
    const char next = json_.Peek();
    if (next == '{') return "an object";
    if (next == '[') return "a list";
    if (next == '"') return "a text";
    if (next == 't' || next == 'f') return "true or false";
    if (next == 'n') return "null";
    return next == '-' || (next >= '0' && next <= '9') ? "a number" : "";
  }

  // Refuses a next value of another type. The cursor refuses bytes that do not begin a value.
  const char* Expect(std::string_view subject, std::string_view type) {
    const char* const at = NextValue();
    const std::string_view got = NextType();
    if (got != type && !got.empty()) {
      Refuse(at, fmt::format("{}: expected {}, got {}", subject, type, got));
    }
    return at;
  }

  std::string Text(std::string_view subject, size_t max) {
    const char* const at = Expect(subject, "a text");
    std::string buffer;
    std::string text(json_.String(&buffer));
    if (text.size() > max) {
      Refuse(at, fmt::format("{}: expected at most {} bytes, got {}", subject, max, text.size()));
    }
    return text;
  }

  uint64_t Number(std::string_view subject, uint64_t max) {
    const char* const at = Expect(subject, "a number");
    const std::string_view digits = json_.Scalar();
    const std::optional<uint64_t> number = ParseUnsigned(digits);
    if (!number.has_value() || *number > max) {
      Refuse(at, fmt::format("{}: expected 0 to {}, got {}", subject, max, digits));
    }
    return *number;
  }

  template <typename Item>
  size_t List(std::string_view subject, size_t max, const Item& item) {
    const char* const at = Expect(subject, "a list");
    size_t items = 0;
    json_.Array([&] {
      if (++items > max) Refuse(at, fmt::format("{}: expected at most {} items", subject, max));
      item(fmt::format("{}[{}]", subject, items - 1));
    });
    return items;
  }

  // The members that it has. `words` empty: any.
  template <typename Member>
  Seen Object(std::string_view subject,
              std::span<const std::string_view> words,
              const Member& member) {
    Expect(subject, "an object");
    Seen seen;
    json_.Object([&](std::string_view key) {
      const char* const at = NextValue();
      if (!words.empty() && std::ranges::find(words, key) == words.end()) {
        Refuse(at, fmt::format("{}: unknown member; expected {}", QuoteForMessage(key),
                               fmt::join(words, ", ")));
      }
      if (Has(seen, key)) Refuse(at, fmt::format("{}: repeated member", QuoteForMessage(key)));
      seen.emplace_back(key);
      member(std::string(key));
    });
    return seen;
  }

  static bool Has(const Seen& seen, std::string_view word) {
    return std::ranges::find(seen, word) != seen.end();
  }

  std::string Time(const std::string& subject) {
    const char* const at = Expect(subject, "a text");
    std::string time = Text(subject, kViewTimeBytesMax);
    const auto parsed = ParseQueryTime(time, /*timezone=*/"", now_ms_);
    if (!parsed.ok()) Refuse(at, fmt::format("{}: {}", subject, MessageOf(parsed.status())));
    return time;
  }

  std::string Zone() {
    const char* const at = Expect("tz", "a text");
    std::string zone = Text("tz", kViewTimeBytesMax);
    const auto parsed = ParseTimezone(zone);
    if (!parsed.ok()) Refuse(at, fmt::format("tz: {}", MessageOf(parsed.status())));
    return zone;
  }

  void ReadVersion() {
    const char* const at = NextValue();
    const uint64_t version = Number("version", UINT64_MAX);
    if (version != uint64_t{kSavedViewVersion}) {
      Refuse(at, fmt::format("version: expected {}, got {}", kSavedViewVersion, version));
    }
  }

  void ReadDocument() {
    const char* const at = NextValue();
    const Seen seen = Object("the document", kViewWords, [&](const std::string& word) {
      if (word == "version") return ReadVersion();
      if (word == "refresh") {
        view_.refresh_s = Number(word, kViewRefreshMaxS);
      } else if (word == "graphs") {
        view_.graphs =
            List(word, kSavedGraphsMax, [&](const std::string& item) { ReadGraph(item); });
      } else if (word == "title") {
        view_.title = Text(word, kViewTitleBytesMax);
      } else if (word == "start") {
        view_.start = Time(word);
      } else if (word == "end") {
        view_.end = Time(word);
      } else {
        view_.tz = Zone();
      }
    });
    for (const std::string_view word : {"version", "graphs"}) {
      if (!Has(seen, word)) Refuse(at, fmt::format("{}: missing", word));
    }
  }

  void ReadGraph(const std::string& subject) {
    const char* const at = Expect(subject, "an object");
    const Seen seen = Object(subject, kGraphWords, [&](const std::string& word) {
      const std::string inner = fmt::format("{}.{}", subject, word);
      if (word == "title") {
        Text(inner, kViewTitleBytesMax);
      } else if (word == "view") {
        Text(inner, kSavedViewNameBytesMax);
      } else if (word == "queries") {
        List(inner, kViewQueriesMax, [&](const std::string& item) { ReadQuery(item); });
      } else {
        ReadLook(inner);
      }
    });
    if (Has(seen, "queries") == Has(seen, "view")) {
      Refuse(at, fmt::format("{}: expected queries, or the name of a view", subject));
    }
    if (Has(seen, "view") && Has(seen, "look")) {
      Refuse(at, fmt::format("{}.look: expected none beside the name of a view", subject));
    }
  }

  // A text is a query of `m=`, an object has one in PromQL.
  void ReadQuery(const std::string& subject) {
    if (NextType() == "an object") return ReadPromql(subject);
    const char* const at = Expect(subject, "a text");
    const std::string query = Text(subject, kViewQueryBytesMax);
    const auto parsed = ParseSubQueryText(query);
    if (!parsed.ok()) Refuse(at, fmt::format("{}: {}", subject, MessageOf(parsed.status())));
  }

  void ReadPromql(const std::string& subject) {
    const char* const begin = NextValue();
    const Seen seen = Object(subject, kQueryWords, [&](const std::string& word) {
      const std::string inner = fmt::format("{}.{}", subject, word);
      const char* const at = Expect(inner, "a text");
      const std::string query = Text(inner, kViewQueryBytesMax);
      const auto parsed = promql::ParseQuery(query);
      if (!parsed.ok()) Refuse(at, fmt::format("{}: {}", inner, MessageOf(parsed.status())));
    });
    if (seen.empty()) Refuse(begin, fmt::format("{}.promql: missing", subject));
  }

  void ReadLook(const std::string& subject) {
    const char* const at = Expect(subject, "an object");
    size_t words = 0;
    Object(subject, {}, [&](const std::string& word) {
      if (!IsLookWord(word)) {
        Refuse(at, fmt::format("{}: expected words of a to z and 0 to 9, got {}", subject,
                               QuoteForMessage(word)));
      }
      if (++words > kViewLookMax) {
        Refuse(at, fmt::format("{}: expected at most {} words", subject, kViewLookMax));
      }
      Text(fmt::format("{}.{}", subject, word), kViewLookBytesMax);
    });
  }

  const std::string_view text_;
  const int64_t now_ms_;
  JsonCursor json_;
  SavedView view_;
  const char* fault_at_ = nullptr;  // of a fault of ours
};

}  // namespace

absl::StatusOr<SavedView> ParseSavedView(std::string_view json, int64_t now_ms) {
  if (json.size() > kSavedViewBytesMax) {
    return absl::InvalidArgumentError(
        fmt::format("view: expected at most {} bytes, got {}", kSavedViewBytesMax, json.size()));
  }
  if (!IsUtf8(json)) return absl::InvalidArgumentError("view: not UTF-8");
  return SavedViewReader(json, now_ms).Read();
}

}  // namespace hourcell
