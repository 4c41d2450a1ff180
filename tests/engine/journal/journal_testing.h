// The common parts of the tests of the journal: writing and reading whole journals, and damaging
// files.

#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "codec/base/check.h"
#include "engine/journal/file_journal.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace hourcell {

using Blocks = std::vector<std::pair<uint64_t, std::string>>;

inline absl::Status WriteBlock(Journal* journal, std::string_view payload) {
  return journal->Write({&payload, 1});
}

inline std::string PayloadOf(uint64_t sequence) {
  return "block " + std::to_string(sequence);
}

// Writes `count` blocks with PayloadOf their sequence.
inline void WriteBlocks(Journal* journal, size_t count) {
  for (size_t i = 0; i < count; ++i)
    ASSERT_OK(WriteBlock(journal, PayloadOf(journal->next_sequence())));
}

inline absl::StatusOr<Blocks> ReplayAll(const Journal& journal, uint64_t from = 0) {
  Blocks blocks;
  const absl::Status status =
      journal.Replay(from, [&](uint64_t sequence, std::string_view payload) {
        blocks.emplace_back(sequence, payload);
        return absl::OkStatus();
      });
  if (!status.ok()) return status;
  return blocks;
}

// The blocks that WriteBlocks wrote, from sequence `first` up to before `end`.
inline Blocks BlocksOf(uint64_t first, uint64_t end) {
  Blocks blocks;
  for (uint64_t sequence = first; sequence < end; ++sequence)
    blocks.emplace_back(sequence, PayloadOf(sequence));
  return blocks;
}

inline std::string ReadFile(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  HOURCELL_CHECK(in.good());
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

inline void WriteFile(const std::string& path, std::string_view content) {
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out.write(content.data(), static_cast<std::streamsize>(content.size()));
  HOURCELL_CHECK(out.good());
}

// Inverts one byte of a file.
inline void Damage(const std::string& path, size_t offset) {
  std::string content = ReadFile(path);
  HOURCELL_CHECK(offset < content.size());
  content[offset] = static_cast<char>(~content[offset]);
  WriteFile(path, content);
}

// The names of the files in a directory, sorted.
inline std::vector<std::string> FilesIn(const std::string& directory) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(directory))
    names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace hourcell
