#include "server/translate/grafana/json_tree.h"

#include <algorithm>
#include <utility>

#include <absl/status/status.h>
#include <fmt/format.h>
#include <simdjson.h>

#include "codec/base/check.h"
#include "codec/base/json_writer.h"
#include "server/text/json_cursor.h"
#include "server/text/json_scalar.h"

namespace hourcell {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";

std::string_view LeadingBlanks(std::string_view text) {
  return text.substr(0, std::min(text.find_first_not_of(kBlanks), text.size()));
}

std::string_view TrailingBlanks(std::string_view text) {
  const size_t last = text.find_last_not_of(kBlanks);
  return last == std::string_view::npos ? text : text.substr(last + 1);
}

absl::Status NotADashboardText(std::string_view problem) {
  return absl::InvalidArgumentError(
      fmt::format("dashboard: not JSON; expected an object in UTF-8, got {}", problem));
}

void AppendNode(const JsonNode& node, std::string* out) {
  if (!node.is_object() && !node.is_array()) {
    *out += node.raw;
    return;
  }
  out->push_back(node.is_object() ? '{' : '[');
  for (size_t i = 0; i < node.items.size(); ++i) {
    const JsonItem& item = node.items[i];
    if (i > 0) {
      *out += node.items[i - 1].comma_blanks;
      out->push_back(',');
    }
    *out += item.blanks;
    *out += item.raw_key;
    *out += item.colon;
    AppendNode(item.value, out);
  }
  *out += node.end_blanks;
  out->push_back(node.is_object() ? '}' : ']');
}

std::string JsonStringOf(std::string_view text) {
  std::string json;
  AppendJsonString(text, &json);
  return json;
}

}  // namespace

// Builds the nodes, with the blanks that the cursor skipped.
class JsonTreeReader {
 public:
  explicit JsonTreeReader(std::string_view text) : cursor_(text) {}

  void Read(std::string_view text, JsonTree* tree) {
    tree->begin_blanks_ = LeadingBlanks(text);
    ReadNode(&tree->root_, 0);
    tree->end_blanks_ = text.substr(static_cast<size_t>(cursor_.at() - text.data()));
    cursor_.End();
  }

 private:
  void ReadNode(JsonNode* node, int depth) {
    if (depth > kJsonDepthMax) {
      throw JsonSyntaxFault(fmt::format("more than {} nested values", kJsonDepthMax));
    }
    const char first = cursor_.Peek();
    const char* const begin = cursor_.at();
    if (first == '{') {
      node->kind = JsonNode::Kind::kObject;
      end_ = begin + 1;
      cursor_.Object([&](std::string_view key) { ReadMember(key, node, depth); });
      FinishContainer(node);
    } else if (first == '[') {
      node->kind = JsonNode::Kind::kArray;
      end_ = begin + 1;
      cursor_.Array([&] { ReadItem(node, depth); });
      FinishContainer(node);
    } else {
      if (first == '"') {
        node->kind = JsonNode::Kind::kString;
        cursor_.RawString();
      } else {
        cursor_.Skip();
      }
      node->raw = Since(begin);
    }
    end_ = cursor_.at();
  }

  void ReadMember(std::string_view key, JsonNode* node, int depth) {
    JsonItem& item = node->items.emplace_back();
    item.key = key;
    cursor_.Peek();
    const std::string_view before = Before(node);  // `  "key" : `
    item.blanks = LeadingBlanks(before);
    const std::string_view blanks_after = TrailingBlanks(before);
    const std::string_view to_colon =
        before.substr(0, before.size() - blanks_after.size() - 1);  // without the colon
    const std::string_view blanks_before = TrailingBlanks(to_colon);
    const size_t key_end = to_colon.size() - blanks_before.size();
    item.raw_key = before.substr(item.blanks.size(), key_end - item.blanks.size());
    item.colon = before.substr(key_end);
    ReadValueOf(node, depth);
  }

  void ReadItem(JsonNode* node, int depth) {
    node->items.emplace_back();
    cursor_.Peek();
    node->items.back().blanks = Before(node);
    ReadValueOf(node, depth);
  }

  void ReadValueOf(JsonNode* node, int depth) {
    JsonNode value;
    ReadNode(&value, depth + 1);
    node->items.back().value = std::move(value);
  }

  // The text from the value before, or the opening bracket, to the cursor, without the comma.
  std::string_view Before(JsonNode* node) {
    std::string_view text = Since(end_);
    if (node->items.size() > 1) {
      JsonItem& last = node->items[node->items.size() - 2];
      last.comma_blanks = LeadingBlanks(text);
      text.remove_prefix(last.comma_blanks.size() + 1);
    }
    return text;
  }

  void FinishContainer(JsonNode* node) {
    std::string_view text = Since(end_);
    text.remove_suffix(1);  // the bracket
    node->end_blanks = text;
  }

  std::string_view Since(const char* begin) const {
    return {begin, static_cast<size_t>(cursor_.at() - begin)};
  }

  JsonCursor cursor_;
  const char* end_ = nullptr;  // of the value before, or of the opening bracket
};

JsonNode* JsonNode::Find(std::string_view key) {
  return const_cast<JsonNode*>(std::as_const(*this).Find(key));
}

const JsonNode* JsonNode::Find(std::string_view key) const {
  if (!is_object()) return nullptr;
  const auto found = std::find_if(items.rbegin(), items.rend(),
                                  [key](const JsonItem& item) { return item.key == key; });
  return found == items.rend() ? nullptr : &found->value;
}

JsonNode* JsonNode::FindArray(std::string_view key) {
  JsonNode* const found = Find(key);
  return found != nullptr && found->is_array() ? found : nullptr;
}

JsonNode* JsonNode::FindObject(std::string_view key) {
  JsonNode* const found = Find(key);
  return found != nullptr && found->is_object() ? found : nullptr;
}

std::string JsonNode::ValueText() const {
  if (is_string()) {
    std::string buffer;
    return std::string(JsonCursor::Unescaped(raw.substr(1, raw.size() - 2), &buffer));
  }
  return raw == "null" ? "" : std::string(raw);
}

std::string JsonNode::TextOf(std::string_view key) const {
  const JsonNode* const found = Find(key);
  return found == nullptr ? "" : found->ValueText();
}

bool JsonNode::IsTrue(std::string_view key) const {
  const std::string text = TextOf(key);
  return !text.empty() && text != "false" && text != "0";
}

absl::StatusOr<std::unique_ptr<JsonTree>> JsonTree::Parse(std::string_view text) {
  if (text.size() > kJsonTreeBytesMax) {
    return absl::InvalidArgumentError(
        fmt::format("dashboard: too long; expected at most {} bytes, got more", kJsonTreeBytesMax));
  }
  if (!simdjson::validate_utf8(text.data(), text.size()))
    return NotADashboardText("bytes that are not UTF-8");
  auto tree = std::make_unique<JsonTree>(Key{}, text);
  try {
    JsonTreeReader(tree->text_).Read(tree->text_, tree.get());
  } catch (const JsonSyntaxFault& fault) {
    return NotADashboardText(fault.what());
  }
  return tree;
}

JsonTree::JsonTree(Key, std::string_view text) : text_(Keep(std::string(text))) {}

// With the blanks of its neighbours.
JsonItem JsonTree::NewItem(const JsonNode& in) const {
  JsonItem item;
  if (!in.items.empty()) {
    item.blanks = in.items.back().blanks;
    item.colon = in.items.back().colon;
  }
  if (item.colon.empty()) item.colon = ": ";
  return item;
}

void JsonTree::Set(JsonNode* object, std::string_view key, std::string_view json) {
  HOURCELL_CHECK(object->is_object());
  if (JsonNode* const found = object->Find(key); found != nullptr) {
    Replace(found, json);
    return;
  }
  JsonItem item = NewItem(*object);
  item.key = key;
  item.raw_key = Keep(JsonStringOf(key));
  Replace(&item.value, json);
  object->items.push_back(std::move(item));
}

void JsonTree::SetText(JsonNode* object, std::string_view key, std::string_view text) {
  Set(object, key, JsonStringOf(text));
}

void JsonTree::Remove(JsonNode* object, std::string_view key) {
  if (object->items.empty()) return;
  const std::string_view first_blanks = object->items.front().blanks;
  std::erase_if(object->items, [key](const JsonItem& item) { return item.key == key; });
  if (!object->items.empty()) object->items.front().blanks = first_blanks;
}

void JsonTree::Append(JsonNode* array, std::string_view json) {
  HOURCELL_CHECK(array->is_array());
  JsonItem item = NewItem(*array);
  item.colon = {};
  Replace(&item.value, json);
  array->items.push_back(std::move(item));
}

void JsonTree::Replace(JsonNode* node, std::string_view json) {
  const std::string_view kept = Keep(std::string(json));
  JsonTree part(Key{}, {});
  JsonTreeReader(kept).Read(kept, &part);
  *node = std::move(part.root_);
}

std::string JsonTree::Text() const {
  return fmt::format("{}{}{}", begin_blanks_, TextOf(root_), end_blanks_);
}

std::string JsonTree::TextOf(const JsonNode& node) {
  std::string text;
  AppendNode(node, &text);
  return text;
}

}  // namespace hourcell
