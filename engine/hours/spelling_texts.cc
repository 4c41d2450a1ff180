#include "engine/hours/spelling_texts.h"

#include <cstring>
#include <memory>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "codec/base/check.h"

// Why the hash is kept with the pointer: a table that grows reads the hash of every string, while
// threads that look for series wait. Without it, each would be a read of memory that is in no
// cache.

namespace hourcell {
namespace {

// A string's share of a table that is between a half and seven eighths full: a slot and a byte.
constexpr size_t kTableBytes = 24;

void FreeText(const SpellingTexts::Text* text) {
  const std::unique_ptr<const char[]> memory(reinterpret_cast<const char*>(text));
}

size_t BytesOf(const SpellingTexts::Text& text) {
  return sizeof(text) + text.size + kTableBytes;
}

}  // namespace

SpellingTexts::~SpellingTexts() {
  for (const Table& table : tables_) {
    for (const Slot& slot : table)
      FreeText(slot.text);
  }
}

SpellingTexts::Key SpellingTexts::KeyOf(std::string_view bytes) {
  return {.hash = XXH3_64bits(bytes.data(), bytes.size()), .bytes = bytes};
}

const SpellingTexts::Text* SpellingTexts::Take(std::string_view bytes) {
  HOURCELL_DCHECK(bytes.size() < UINT32_MAX);
  const Key key = KeyOf(bytes);
  Table& table = TableOf(key.hash);
  if (const auto found = table.find(key); found != table.end()) {
    HOURCELL_DCHECK(found->text->uses < UINT32_MAX);
    ++found->text->uses;
    return found->text;
  }
  char* const memory =
      std::make_unique_for_overwrite<char[]>(sizeof(Text) + bytes.size()).release();
  Text* const text =
      std::construct_at(reinterpret_cast<Text*>(memory),
                        Text{.size = static_cast<uint32_t>(bytes.size()), .uses = 1});
  if (!bytes.empty()) std::memcpy(memory + sizeof(Text), bytes.data(), bytes.size());
  table.insert({.hash = key.hash, .text = text});
  ++size_;
  bytes_ += BytesOf(*text);
  return text;
}

void SpellingTexts::Release(const Text* text) {
  HOURCELL_DCHECK(text->uses > 0);
  const Key key = KeyOf({text->data(), text->size});
  Table& table = TableOf(key.hash);
  const auto found = table.find(key);
  HOURCELL_CHECK(found != table.end() && found->text == text);
  if (--found->text->uses > 0) return;
  --size_;
  bytes_ -= BytesOf(*text);
  table.erase(found);
  FreeText(text);
}

}  // namespace hourcell
