// SpellingTexts: byte strings that are kept once, however many use them. A sender sends many
// metrics with the same tags, so that the tags of a host are the tail of hundreds of spellings.
//
// Thread-compatible.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <absl/container/flat_hash_set.h>

namespace hourcell {

class SpellingTexts {
 public:
  // A string that is kept. Its bytes follow it in one piece of memory.
  struct Text {
    uint32_t size;
    uint32_t uses;
    const char* data() const { return reinterpret_cast<const char*>(this + 1); }
    bool Is(std::string_view bytes) const { return std::string_view(data(), size) == bytes; }
  };

  SpellingTexts() = default;
  ~SpellingTexts();
  SpellingTexts(const SpellingTexts&) = delete;
  SpellingTexts& operator=(const SpellingTexts&) = delete;

  // The string with these bytes, which keeps its address until each of its Takes was followed by a
  // Release. REQUIRES: less than 4 GiB, and less than 2^32 uses.
  const Text* Take(std::string_view bytes);
  void Release(const Text* text);

  // How many different strings are kept, and the memory of the strings and their table.
  size_t size() const { return size_; }
  size_t bytes() const { return bytes_; }

 private:
  struct Slot {
    uint64_t hash;
    Text* text;
  };
  struct Key {
    uint64_t hash;
    std::string_view bytes;
  };
  struct Hash {
    using is_transparent = void;
    size_t operator()(const Slot& slot) const { return slot.hash; }
    size_t operator()(const Key& key) const { return key.hash; }
  };
  struct Same {
    using is_transparent = void;
    bool operator()(const Slot& a, const Slot& b) const { return a.text == b.text; }
    bool operator()(const Slot& a, const Key& b) const {
      return a.hash == b.hash && a.text->Is(b.bytes);
    }
    bool operator()(const Key& a, const Slot& b) const { return (*this)(b, a); }
  };
  using Table = absl::flat_hash_set<Slot, Hash, Same>;
  // Many small tables, so that growing one is quick.
  static constexpr unsigned kTableBits = 6;
  static constexpr size_t kTables = size_t{1} << kTableBits;

  static Key KeyOf(std::string_view bytes);
  Table& TableOf(uint64_t hash) { return tables_[hash >> (64 - kTableBits)]; }

  std::array<Table, kTables> tables_;
  size_t size_ = 0;
  size_t bytes_ = 0;
};

}  // namespace hourcell
