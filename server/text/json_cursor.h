// JsonCursor: reads a JSON text from its beginning to its end, value by value, without a tree and
// without an index. It stores nothing of the text but an escaped key. For bodies that may be large;
// server/put reads put bodies.
//
//   JsonCursor json(text);
//   json.Object([&](std::string_view key) {
//     if (key == "name") name = json.String(&buffer);
//     else json.Skip();
//   });
//   json.End();
//
// Skip checks the value as the readers do. A skipped value may be read later, from `at()`.
// Thread-compatible.
//
// Errors are thrown, as JsonSyntaxFault, because readers of nested objects then need one exit.

#pragma once

#include <cstddef>
#include <exception>
#include <string>
#include <string_view>

namespace hourcell {

// The maximum depth of nested arrays and objects.
inline constexpr size_t kJsonCursorDepthMax = 1024;

// "an unexpected byte at byte 17".
class JsonSyntaxFault : public std::exception {
 public:
  explicit JsonSyntaxFault(std::string text) : text_(std::move(text)) {}
  const char* what() const noexcept override { return text_.c_str(); }

 private:
  std::string text_;
};

class JsonCursor {
 public:
  // `text` is borrowed; it must be UTF-8.
  explicit JsonCursor(std::string_view text)
      : begin_(text.data()), at_(text.data()), end_(text.data() + text.size()) {}

  // The first byte of the next value; '\0' at the end of the text.
  char Peek();

  // Calls `member` for each member of an object, with its key, which is valid until the value is
  // read; `member` reads or skips the value. REQUIRES: Peek gave '{'.
  template <typename Member>
  void Object(const Member& member) {
    Enter('{');
    if (TakeIf('}')) return;
    do {
      const std::string_view key = Key();
      member(key);
    } while (Next('}'));
  }

  // Calls `item` for each item of an array; it reads or skips it. REQUIRES: Peek gave '['.
  template <typename Item>
  void Array(const Item& item) {
    Enter('[');
    if (TakeIf(']')) return;
    do {
      item();
    } while (Next(']'));
  }

  // A string's text: a view of the body if it is unescaped, otherwise of `*buffer`.
  // REQUIRES: Peek gave '"'.
  std::string_view String(std::string* buffer) { return Unescaped(RawString(), buffer); }
  // A string with its escapes, which are checked.
  std::string_view RawString();
  static std::string_view Unescaped(std::string_view raw, std::string* buffer);

  // The text of a number, true, false or null.
  std::string_view Scalar();

  // Reads past a value and checks it.
  void Skip();

  // The beginning of the next value, to return to it. REQUIRES: set_at gets a result of at().
  const char* at() const { return at_; }
  void set_at(const char* at) { at_ = at; }

  // Checks that only blanks follow.
  void End();

 private:
  void SkipBlanks();
  bool TakeIf(char c);
  void Enter(char open);
  std::string_view Key();
  bool Next(char close);
  void SkipScalar();
  const char* SkipEscape(const char* at) const;
  [[noreturn]] void Fail() const;

  const char* const begin_;
  const char* at_;
  const char* const end_;
  size_t depth_ = 0;
  std::string key_;  // if it has escapes
};

}  // namespace hourcell
