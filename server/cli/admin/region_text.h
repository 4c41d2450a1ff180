// Regions as a table for people.
//
//   id  encoded name  start         end           state  files     size  memory  references  pinned
//    7  f2d4a9...     -             \x00\x00\x02  OPEN       3  1.2 GiB   4 KiB  no          -
//
// Pure; thread-safe.

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace hourcell {

// A row of the table.
struct RegionRow {
  uint64_t id = 0;
  std::string encoded_name = {};
  std::string start = {};  // printable; empty = below all keys
  std::string end = {};
  std::string state = {};
  uint64_t files = 0;
  uint64_t file_bytes = 0;
  uint64_t memory_bytes = 0;
  bool has_references = false;
  uint64_t pinned_until_ms = 0;
  std::string explained = {};  // the start in words
};

// A daughter of a split that was not made.
struct PlanRow {
  std::string start = {};  // as RegionRow has them
  std::string explained = {};
  uint64_t bytes = 0;
  std::optional<double> write_share = {};  // 0 to 1; nothing: not known
};

// "512 B", "1.5 KiB", "20 GiB": rounded to the nearest, with three or four digits.
std::string SizeText(uint64_t bytes);

// Lines, each with its end; fields are aligned. `now_ms` decides which pins have expired. With
// `with_words`, the last field is the start in words.
std::string RegionTable(std::span<const RegionRow> regions, int64_t now_ms, bool with_words);

// As RegionTable, of daughters: size, share of the writes, start, and the start in words.
std::string PlanTable(std::span<const PlanRow> rows);

}  // namespace hourcell
