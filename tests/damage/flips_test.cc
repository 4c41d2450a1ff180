// Single bits of the files of a store that was closed, flipped at random: the store is not opened,
// or every question is answered as before or with an error. An answer that differs without an error
// is a silent loss; there must be none (crash contract C6).

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "codec/base/random.h"
#include "engine/tsdb.h"
#include "tests/damage/full_store.h"
#include "tests/engine/journal_testing.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace hourcell {
namespace {

uint64_t NumberOf(const char* variable, uint64_t otherwise) {
  const char* const text = std::getenv(variable);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

// What kind of file it is, for the count: "db/*.sst", "db/MANIFEST".
std::string KindOf(const std::string& file) {
  if (file.ends_with(".sst") || file.ends_with(".log")) {
    return file.substr(0, file.find('/')) + "/*" + file.substr(file.rfind('.'));
  }
  const size_t dash = file.find('-');
  return file.ends_with(".sum") ? file.substr(0, dash) + ".sum" : file.substr(0, dash);
}

struct FlippedBit {
  std::string file;
  uint64_t bit = 0;  // of the file
};

// What became of a store.
enum class Outcome : uint8_t { kRefused, kAnswersErrors, kAnswersRight, kLost };
constexpr const char* kOutcomeNames[] = {"refused", "errors", "right", "lost"};

class FlipsTest : public testing::Test {
 protected:
  void SetUp() override {
    MakeFullStore(whole_);
    // Opened and closed, as each copy is.
    LinkStore(whole_, copy_);
    auto tsdb = Tsdb::Open(FullStoreOptions(copy_));
    ASSERT_OK(tsdb);
    answers_ = AskAll(tsdb->get());
    ASSERT_OK((*tsdb)->Close());
    for (const StoreAnswer& answer : answers_)
      ASSERT_TRUE(answer.status.ok()) << answer.question << ": " << answer.status.ToString();
    for (const std::string& file : StoreFiles(whole_)) {
      const uint64_t bytes = std::filesystem::file_size(whole_ + "/" + file);
      if (bytes == 0) continue;
      files_.push_back({file, bytes});
      bytes_ += bytes;
    }
  }

  // Half of them in any byte, so mostly of rows; the others in any file, so often in a small one,
  // and half of those in the file's last bytes, where indexes, footers and newest records are.
  FlippedBit Draw(Random* random) const {
    if (random->Below(2) == 0) {
      uint64_t byte = random->Below(bytes_);
      for (const auto& [file, bytes] : files_) {
        if (byte < bytes) return {file, 8 * byte + random->Below(8)};
        byte -= bytes;
      }
    }
    const auto& [file, bytes] = files_[random->Below(files_.size())];
    const uint64_t tail = random->Below(2) == 0 ? bytes : std::min<uint64_t>(bytes, 512);
    return {file, 8 * (bytes - tail) + random->Below(8 * tail)};
  }

  Outcome Try(const FlippedBit& flip) {
    LinkStore(whole_, copy_);
    const std::string path = copy_ + "/" + flip.file;
    std::string content = ReadFile(path);
    content[flip.bit / 8] = static_cast<char>(content[flip.bit / 8] ^ (1 << flip.bit % 8));
    ReplaceFile(path, content);
    Options options = FullStoreOptions(copy_);
    options.create_if_missing = false;
    const auto tsdb = Tsdb::Open(options);
    if (!tsdb.ok()) return Outcome::kRefused;
    const std::vector<StoreAnswer> answers = AskAll(tsdb->get());
    const std::vector<std::string> wrong = WrongAnswers(answers_, answers);
    for (const std::string& line : wrong)
      ADD_FAILURE() << fmt::format("{} bit {}: {}", flip.file, flip.bit, line);
    if (!wrong.empty()) return Outcome::kLost;
    const bool has_error =
        std::ranges::any_of(answers, [](const StoreAnswer& answer) { return !answer.status.ok(); });
    return has_error ? Outcome::kAnswersErrors : Outcome::kAnswersRight;
  }

  TempDir dir_;
  const std::string whole_ = dir_.file("whole");
  const std::string copy_ = dir_.file("copy");
  std::vector<StoreAnswer> answers_;  // of the whole store
  std::vector<std::pair<std::string, uint64_t>> files_;
  uint64_t bytes_ = 0;
};

TEST_F(FlipsTest, NoFlippedBitIsEverFewerPoints) {
  const uint64_t flips = NumberOf("HOURCELL_FLIPS", 60);
  const uint64_t seed = NumberOf("HOURCELL_TEST_SEED", 1);
  fmt::print("seed {}, {} flips in {} files of {} bytes\n", seed, flips, files_.size(), bytes_);
  Random random(seed);
  std::map<std::string, std::array<uint64_t, 4>> counts;
  for (uint64_t i = 0; i < flips; ++i) {
    const FlippedBit flip = Draw(&random);
    const Outcome outcome = Try(flip);
    ++counts[KindOf(flip.file)][static_cast<size_t>(outcome)];
  }
  std::array<uint64_t, 4> all{};
  for (const auto& [kind, count] : counts) {
    fmt::print("{:16}", kind);
    for (size_t i = 0; i < all.size(); ++i) {
      fmt::print(" {} {}", kOutcomeNames[i], count[i]);
      all[i] += count[i];
    }
    fmt::print("\n");
  }
  EXPECT_EQ(all[static_cast<size_t>(Outcome::kLost)], 0U);
  // It is not for nothing: most are found.
  EXPECT_GT(2 * (all[0] + all[1]), flips);
}

// A scan that met a damaged block and went on behind it answered without that block's rows.
TEST_F(FlipsTest, EveryPartOfTheRowsIsReadOrTold) {
  constexpr uint64_t kStep = 2048;  // less than a block
  for (const auto& [file, bytes] : files_) {
    if (!file.ends_with(".sst")) continue;
    for (uint64_t offset = 300; offset < bytes; offset += kStep)
      EXPECT_NE(Try({file, 8 * offset}), Outcome::kLost);
  }
}

}  // namespace
}  // namespace hourcell
