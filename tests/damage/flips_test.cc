// Single bits of the files of a closed store, flipped at random: the store does not open, or every
// answer is as before or an error. A different answer without an error is a silent loss, which must
// not occur (crash contract C6). The same for the journal of a killed store, where the undetectable
// flips are known to the block.

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/file_system.h>

#include "codec/base/random.h"
#include "engine/journal/journal_block.h"
#include "engine/journal/journal_segment.h"
#include "engine/journal/journal_synced.h"
#include "engine/tsdb.h"
#include "tests/damage/full_store.h"
#include "tests/engine/journal/journal_testing.h"
#include "tests/support/builders.h"
#include "tests/support/status_matchers.h"
#include "tests/support/store_copy.h"
#include "tests/support/temp_dir.h"

namespace hourcell::flips_test {
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

// The reaction of a store.
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

  // Half of the flips are in any byte, so mostly in rows. The others are in any file, often in a
  // small one, and every second one is in the file's last bytes, where indexes, footers and newest
  // records are.
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

// A scan that met a damaged block and continued after it answered without that block's rows.
TEST_F(FlipsTest, EveryPartOfTheRowsIsReadOrTold) {
  constexpr uint64_t kStep = 2048;  // less than a block
  for (const auto& [file, bytes] : files_) {
    if (!file.ends_with(".sst")) continue;
    for (uint64_t offset = 300; offset < bytes; offset += kStep)
      EXPECT_NE(Try({file, 8 * offset}), Outcome::kLost);
  }
}

// A header or a block of a segment of the journal, in its file.
struct JournalPlace {
  std::string file;
  uint64_t begin = 0;
  uint64_t end = 0;
  uint64_t sequence = 0;      // its own, or of a segment's first block
  uint64_t synced_below = 0;  // as the place states it
};

// Flips in the journal of a killed store. Each point is a separate block, and every kSyncedEvery
// blocks are synced: so it is known for each bit whether its flip is damage or looks like a torn
// tail.
class JournalFlipsTest : public testing::Test {
 protected:
  static constexpr int kPoints = 400;
  static constexpr int kSyncedEvery = 16;
  static constexpr int64_t kFrom = 1356998400;

  static Options KilledOptions(const std::string& path) {
    Options options = FullStoreOptions(path);
    options.journal_segment_bytes = 4 << 10;
    return options;
  }

  void SetUp() override {
    // The committer, which runs every 20 ms, may write the definition of an Append's new series
    // before its point. That makes one block more, and the store is made again.
    for (int i = 0; i < 20 && (places_.empty() || places_.back().sequence != kPoints); ++i)
      ASSERT_NO_FATAL_FAILURE(MakeKilledStore(dir_.file(fmt::format("store{}", i))));
    ASSERT_EQ(places_.back().sequence, uint64_t{kPoints});
    const auto noted = ReadSyncedNote(rocksdb::FileSystem::Default().get(), killed_ + "/journal");
    ASSERT_OK(noted);
    noted_ = *noted;
    ASSERT_GT(noted_, 1U);
  }

  void MakeKilledStore(const std::string& path) {
    const auto tsdb = Tsdb::Open(KilledOptions(path));
    ASSERT_OK(tsdb);
    for (int i = 0; i < kPoints; ++i) {
      OwnedPoint point("m", fmt::format("host=h{}", i % 5), kFrom + i, i);
      const bool sync = i % kSyncedEvery == 0;
      ASSERT_OK((*tsdb)
                    ->points()
                    .Append({&point.view(), 1}, nullptr, AppendOptions{.sync = sync})
                    .Wait());
    }
    killed_ = CopyStore(path, dir_);
    places_.clear();
    FindPlaces();
  }

  void FindPlaces() {
    uint64_t sequence = 1;
    for (const std::string& name : FilesIn(killed_ + "/journal")) {
      if (!name.ends_with(".log")) continue;
      const std::string bytes = ReadFile(killed_ + "/journal/" + name);
      const uint64_t number = SegmentNumberOf(name).value();
      const SegmentHeader header = DecodeSegmentHeader(bytes, number).value();
      places_.push_back({name, 0, kSegmentHeaderBytes, sequence, header.synced_below});
      for (uint64_t at = kSegmentHeaderBytes; at < bytes.size(); at = places_.back().end) {
        const auto block = DecodeJournalBlock(std::string_view(bytes).substr(at), number, sequence);
        ASSERT_OK(block);
        places_.push_back({name, at, at + block->size(), sequence, block->synced_below});
        ++sequence;
      }
    }
  }

  // Whether something after a place, or the note of the last sync, records that the block there was
  // synced.
  bool IsToldAsSynced(size_t place) const {
    const uint64_t sequence = places_[place].sequence;
    if (places_[place].begin == 0) return false;  // a header, by which no block is lost
    if (sequence < noted_) return true;
    return std::any_of(places_.begin() + static_cast<ptrdiff_t>(place) + 1, places_.end(),
                       [&](const JournalPlace& one) { return one.synced_below > sequence; });
  }

  // The values there are; those of the first points have to be 0, 1 and so on.
  static std::vector<int64_t> Values(Tsdb* tsdb) {
    std::vector<int64_t> values;
    const auto result =
        tsdb->queries().Query(MakeQuery(Aggregator::kNone, "m", {}, kFrom, kFrom + kPoints));
    EXPECT_OK(result);
    if (!result.ok()) return values;
    for (const ResultSeries& series : result->series) {
      for (const ResultPoint& point : series.points)
        values.push_back(point.value.integer());
    }
    std::ranges::sort(values);
    return values;
  }

  // After a flip in a place: damage is refused, and of unsynced blocks only that one is lost.
  void Check(size_t index, uint64_t bit) {
    const JournalPlace& place = places_[index];
    SCOPED_TRACE(fmt::format("{} bit {}, block {}", place.file, bit, place.sequence));
    CopyFiles(killed_, copy_);
    const std::string path = copy_ + "/journal/" + place.file;
    std::string content = ReadFile(path);
    content[bit / 8] = static_cast<char>(content[bit / 8] ^ (1 << bit % 8));
    ReplaceFile(path, content);
    const auto tsdb = Tsdb::Open(KilledOptions(copy_));
    if (IsToldAsSynced(index)) {
      ++refused_;
      EXPECT_THAT(tsdb.status(),
                  StatusIs(absl::StatusCode::kDataLoss, testing::HasSubstr("it was synced")));
      return;
    }
    ++cut_;
    ASSERT_OK(tsdb);
    std::vector<int64_t> want(kPoints);
    std::iota(want.begin(), want.end(), 0);
    if (place.begin > 0) want.erase(want.begin() + static_cast<ptrdiff_t>(place.sequence) - 1);
    EXPECT_GT((*tsdb)->stats().counter("journal.cut_bytes")->value(), 0U);
    EXPECT_EQ(Values(tsdb->get()), want);
  }

  TempDir dir_;
  const std::string copy_ = dir_.file("flipped");
  std::string killed_;
  std::vector<JournalPlace> places_;
  uint64_t noted_ = 0;  // below it all is noted as synced
  uint64_t refused_ = 0;
  uint64_t cut_ = 0;
};

TEST_F(JournalFlipsTest, WhatWasSyncedIsRefusedAndOfTheRestOneBlockIsLost) {
  const uint64_t flips = NumberOf("HOURCELL_FLIPS", 60);
  const uint64_t seed = NumberOf("HOURCELL_TEST_SEED", 1);
  Random random(seed);
  for (uint64_t i = 0; i < flips; ++i) {
    // Every other one is in the newest blocks, some unsynced.
    const size_t among =
        i % 2 == 0 ? places_.size() : std::min<size_t>(places_.size(), 2 * kSyncedEvery);
    const size_t index = places_.size() - 1 - random.Below(among);
    const JournalPlace& place = places_[index];
    Check(index, 8 * place.begin + random.Below(8 * (place.end - place.begin)));
  }
  fmt::print("seed {}: {} refused, {} cut\n", seed, refused_, cut_);
  EXPECT_GT(refused_, 0U);
  EXPECT_GT(cut_, 0U);
}

// The last synced blocks, and all after them, bit by bit of their headers.
TEST_F(JournalFlipsTest, TheNewestSyncedBlockIsTheLastThatIsTold) {
  for (size_t i = places_.size() - 2 * kSyncedEvery; i < places_.size(); ++i)
    Check(i, 8 * places_[i].begin + i % 64);
  EXPECT_GT(refused_, 0U);
  EXPECT_GT(cut_, 0U);
}

}  // namespace
}  // namespace hourcell::flips_test
