// JSON as we write it: strings, and a writer that puts commas where they belong.
//
//   JsonWriter json(&out);
//   json.OpenObject();
//   json.Field("metric", name);
//   json.Field("points", 12);
//   json.Key("tags");
//   json.OpenArray();
//   json.Value("a=b");
//   json.CloseArray();
//   json.CloseObject();
//
// The only place that escapes; tests/tidy rejects another. Reals have several forms, so the caller
// prints them and passes them to RawValue().

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

namespace hourcell {

// Appends `text` as a JSON string, quotes included. Quotes, backslashes and control characters are
// escaped; every byte that is not part of valid UTF-8 becomes U+FFFD, so that the result always is
// valid JSON in UTF-8. O(text).
void AppendJsonString(std::string_view text, std::string* out);

// Thread-compatible. `out` is borrowed for the writer's life, and may be emptied meanwhile.
class JsonWriter {
 public:
  explicit JsonWriter(std::string* out) : out_(*out) {}

  void OpenObject() { Open('{'); }
  void CloseObject() { Close('}'); }
  void OpenArray() { Open('['); }
  void CloseArray() { Close(']'); }

  // The value follows.
  void Key(std::string_view key);

  // A string, a bool or an integer.
  template <typename T>
  void Value(const T& value) {
    if constexpr (std::is_convertible_v<const T&, std::string_view>) {
      AppendJsonString(value, RawValue());
    } else if constexpr (std::is_same_v<T, bool>) {
      RawValue()->append(value ? "true" : "false");
    } else if constexpr (std::is_unsigned_v<T>) {
      AppendUnsigned(value);
    } else {
      static_assert(std::is_integral_v<T>);
      AppendSigned(value);
    }
  }

  template <typename T>
  void Field(std::string_view key, const T& value) {
    Key(key);
    Value(value);
  }

  // Where the caller appends the complete next value.
  std::string* RawValue();

 private:
  void Open(char bracket);
  void Close(char bracket);
  void AppendUnsigned(uint64_t value);
  void AppendSigned(int64_t value);

  std::string& out_;
  bool is_first_ = true;  // nothing to separate the next value from
};

}  // namespace hourcell
