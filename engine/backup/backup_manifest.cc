#include "engine/backup_manifest.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <optional>
#include <system_error>

#include <absl/status/status.h>
#include <fmt/format.h>

#include "codec/base/crc32c.h"
#include "codec/base/status_macros.h"
#include "codec/base/strings.h"

namespace hourcell {
namespace {

constexpr std::string_view kManifestMagic = "hourcell-backup ";
constexpr std::string_view kVersion = "1";
constexpr std::string_view kCrcWord = "crc32c ";
constexpr size_t kCrcDigits = 8;
constexpr size_t kCrcLineBytes = kCrcWord.size() + kCrcDigits + 1;

absl::Status Damaged(std::string_view what) {
  return absl::DataLossError(fmt::format("backup manifest: {}", what));
}

absl::Status BadLine(std::string_view got, std::string_view want) {
  return Damaged(fmt::format("expected {}, got the line {}", want, QuoteForMessage(got)));
}

// The error for a manifest whose first line is not of kVersion.
absl::Status OtherVersion(std::string_view line) {
  const std::string_view found = line.substr(kManifestMagic.size());
  const std::optional<uint64_t> version = ParseUnsigned(found);
  if (!version.has_value() || *version < *ParseUnsigned(kVersion)) {
    return BadLine(line, fmt::format("{}{}", kManifestMagic, kVersion));
  }
  return absl::FailedPreconditionError(
      NewerFormatMessage(fmt::format("backup format {}", found), kVersion));
}

// Only the form that EncodeBackupManifest writes: without a sign or leading zeros.
template <typename T>
std::optional<T> TakeDecimal(std::string_view text) {
  T number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  if (text.front() == '-' || (text.front() == '0' && text.size() > 1)) return std::nullopt;
  return number;
}

std::optional<uint32_t> TakeCrc(std::string_view text) {
  if (text.size() != kCrcDigits) return std::nullopt;
  if (text.find_first_not_of("0123456789abcdef") != text.npos) return std::nullopt;
  uint32_t crc = 0;
  std::from_chars(text.data(), text.data() + text.size(), crc, 16);
  return crc;
}

// Removes and returns the first word, and removes the blank after it.
std::string_view TakeWord(std::string_view* text) {
  const std::string_view word = text->substr(0, text->find(' '));
  text->remove_prefix(std::min(word.size() + 1, text->size()));
  return word;
}

bool IsPath(std::string_view path) {
  for (const std::string_view folder : {"db/", "journal/"}) {
    if (!path.starts_with(folder)) continue;
    constexpr std::string_view kAlphabet =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
    const std::string_view name = path.substr(folder.size());
    return name.find_first_not_of(kAlphabet) == name.npos &&
           name.find_first_not_of('.') != name.npos;
  }
  return false;
}

// Reads a text line by line.
class Lines {
 public:
  explicit Lines(std::string_view text) : rest_(text) {}

  bool done() const { return rest_.empty(); }
  // The next line without its end; empty at the end of the text.
  std::string_view Next() {
    const std::string_view line = rest_.substr(0, rest_.find('\n'));
    rest_.remove_prefix(std::min(line.size() + 1, rest_.size()));
    return line;
  }

  // Reads the line "<name> <number>".
  template <typename T>
  absl::Status TakeNumber(std::string_view name, T* number) {
    const std::string_view line = Next();
    std::string_view rest = line;
    if (TakeWord(&rest) == name) {
      if (const std::optional<T> taken = TakeDecimal<T>(rest)) {
        *number = *taken;
        return absl::OkStatus();
      }
    }
    return BadLine(line, fmt::format("{} and a number", name));
  }

 private:
  std::string_view rest_;
};

absl::StatusOr<BackupFile> ParseFile(std::string_view line) {
  std::string_view rest = line;
  const bool is_file = TakeWord(&rest) == "file";
  const std::optional<uint32_t> crc = TakeCrc(TakeWord(&rest));
  const std::optional<uint64_t> bytes = TakeDecimal<uint64_t>(TakeWord(&rest));
  if (is_file && crc.has_value() && bytes.has_value() && IsPath(rest)) {
    return BackupFile{.path = std::string(rest), .bytes = *bytes, .crc = *crc};
  }
  return BadLine(line, "file, a CRC, a size and a path in db/ or journal/");
}

absl::Status ParseCopied(std::string_view line, BackupManifest* manifest) {
  std::string_view rest = line;
  const bool is_copied = TakeWord(&rest) == "copied";
  const std::optional<uint64_t> files = TakeDecimal<uint64_t>(TakeWord(&rest));
  const std::optional<uint64_t> bytes = TakeDecimal<uint64_t>(rest);
  if (!is_copied || !files.has_value() || !bytes.has_value()) {
    return BadLine(line, "copied, a number of files and one of bytes");
  }
  manifest->copied_files = *files;
  manifest->copied_bytes = *bytes;
  return absl::OkStatus();
}

// The text before the line of the CRC, if the CRC is correct.
absl::StatusOr<std::string_view> CheckCrc(std::string_view text) {
  const std::string_view line = text.substr(text.size() - std::min(text.size(), kCrcLineBytes));
  const std::string_view body = text.substr(0, text.size() - line.size());
  if (line.size() != kCrcLineBytes || !line.starts_with(kCrcWord) || !line.ends_with('\n') ||
      !body.ends_with('\n')) {
    return Damaged(fmt::format("ends with {}; expected a line crc32c and eight digits",
                               QuoteForMessage(line)));
  }
  const uint32_t want = Crc32c(body);
  const std::string_view digits = line.substr(kCrcWord.size(), kCrcDigits);
  if (TakeCrc(digits) != want) {
    return Damaged(fmt::format("CRC: expected {:08x}, got {}", want, QuoteForMessage(digits)));
  }
  return body;
}

}  // namespace

std::string BackupFile::StoredPrefix(std::string_view path, uint64_t bytes) {
  return fmt::format("{}-{}-", path.substr(path.rfind('/') + 1), bytes);
}

std::string BackupFile::StoredName() const {
  return fmt::format("{}{:08x}", StoredPrefix(path, bytes), crc);
}

uint64_t BackupManifest::bytes() const {
  uint64_t sum = 0;
  for (const BackupFile& file : files)
    sum += file.bytes;
  return sum;
}

std::string EncodeBackupManifest(const BackupManifest& manifest) {
  std::string text =
      fmt::format("{}{}\nid {}\nmade_ms {}\nlow_mark {}\nnext_block {}\ncopied {} {}\n",
                  kManifestMagic, kVersion, manifest.id, manifest.made_ms, manifest.low_mark,
                  manifest.next_block, manifest.copied_files, manifest.copied_bytes);
  for (const BackupFile& file : manifest.files)
    text += fmt::format("file {:08x} {} {}\n", file.crc, file.bytes, file.path);
  return fmt::format("{}{}{:08x}\n", text, kCrcWord, Crc32c(text));
}

absl::StatusOr<BackupManifest> DecodeBackupManifest(std::string_view text) {
  HOURCELL_ASSIGN_OR_RETURN(const std::string_view body, CheckCrc(text));
  Lines lines(body);
  const std::string_view first = lines.Next();
  if (!first.starts_with(kManifestMagic)) return BadLine(first, "hourcell-backup and a version");
  if (first.substr(kManifestMagic.size()) != kVersion) return OtherVersion(first);
  BackupManifest manifest;
  HOURCELL_RETURN_IF_ERROR(lines.TakeNumber("id", &manifest.id));
  HOURCELL_RETURN_IF_ERROR(lines.TakeNumber("made_ms", &manifest.made_ms));
  HOURCELL_RETURN_IF_ERROR(lines.TakeNumber("low_mark", &manifest.low_mark));
  HOURCELL_RETURN_IF_ERROR(lines.TakeNumber("next_block", &manifest.next_block));
  HOURCELL_RETURN_IF_ERROR(ParseCopied(lines.Next(), &manifest));
  while (!lines.done()) {
    const std::string_view line = lines.Next();
    HOURCELL_ASSIGN_OR_RETURN(BackupFile file, ParseFile(line));
    if (!manifest.files.empty() && manifest.files.back().path >= file.path) {
      return BadLine(line, fmt::format("a path after {}", manifest.files.back().path));
    }
    manifest.files.push_back(std::move(file));
  }
  return manifest;
}

}  // namespace hourcell
