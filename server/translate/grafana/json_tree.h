// JsonTree: a JSON text that can be changed in places. What is not changed keeps its bytes: blanks,
// the order of members, repeated members, the form of numbers.
//
//   HOURCELL_ASSIGN_OR_RETURN(const std::unique_ptr<JsonTree> tree, JsonTree::Parse(text));
//   tree->Set(&tree->root(), "title", "\"Web\"");
//   std::string changed = tree->Text();
//
// Thread-compatible.

#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/statusor.h>

namespace hourcell {

inline constexpr size_t kJsonTreeBytesMax = size_t{4} << 20;

struct JsonItem;

// A value. Its tree owns the texts of its views.
struct JsonNode {
  enum class Kind : uint8_t { kScalar, kString, kArray, kObject };
  Kind kind = Kind::kScalar;
  std::string_view raw = {};  // of a scalar, and of a string with its quotes
  std::vector<JsonItem> items;
  std::string_view end_blanks = {};  // before the closing bracket

  bool is_object() const { return kind == Kind::kObject; }
  bool is_array() const { return kind == Kind::kArray; }
  bool is_string() const { return kind == Kind::kString; }

  // The last member of that name, as other readers take it; null: it is missing, or the node is not
  // an object.
  JsonNode* Find(std::string_view key);
  const JsonNode* Find(std::string_view key) const;
  // As Find, but null also for a value that is not an array (an object).
  JsonNode* FindArray(std::string_view key);
  JsonNode* FindObject(std::string_view key);

  // A string without its escapes; the text of a number, true or false; else empty.
  std::string ValueText() const;
  // The same of a member; empty: it is missing.
  std::string TextOf(std::string_view key) const;
  // True for a member true, "true" or a number other than 0.
  bool IsTrue(std::string_view key) const;
};

// A member of an object, or an item of an array, whose key is empty.
struct JsonItem {
  std::string_view blanks = {};  // before it
  std::string key = {};          // without its escapes
  std::string_view raw_key = {};
  std::string_view colon = {};  // with the blanks around it
  JsonNode value;
  std::string_view comma_blanks = {};  // before the comma after it
};

class JsonTree {
  struct Key {};

 public:
  // Copies `text`. kInvalidArgument: not JSON in UTF-8, longer than kJsonTreeBytesMax, or deeper
  // than kJsonDepthMax.
  static absl::StatusOr<std::unique_ptr<JsonTree>> Parse(std::string_view text);

  JsonTree(Key, std::string_view text);  // for Parse only: Key is private

  JsonNode& root() { return root_; }

  // Replaces the value of a member, or adds it as the last one. `json` is one value.
  // REQUIRES: `object` is an object.
  void Set(JsonNode* object, std::string_view key, std::string_view json);
  // The same with a string.
  void SetText(JsonNode* object, std::string_view key, std::string_view text);
  // Removes the members of that name.
  static void Remove(JsonNode* object, std::string_view key);
  // Adds an item at the end. REQUIRES: `array` is an array.
  void Append(JsonNode* array, std::string_view json);
  // Replaces a value.
  void Replace(JsonNode* node, std::string_view json);

  std::string Text() const;
  static std::string TextOf(const JsonNode& node);

 private:
  friend class JsonTreeReader;

  std::string_view Keep(std::string text) { return kept_.emplace_back(std::move(text)); }
  JsonItem NewItem(const JsonNode& in) const;

  std::deque<std::string> kept_;
  std::string_view text_;
  JsonNode root_;
  std::string_view begin_blanks_;
  std::string_view end_blanks_;
};

}  // namespace hourcell
