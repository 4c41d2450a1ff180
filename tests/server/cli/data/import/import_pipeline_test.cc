#include "server/cli/data/import/import_pipeline.h"

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/base/random.h"
#include "tests/server/cli/recording_sink.h"

namespace hourcell::import_pipeline_test {
namespace {

using testing::Le;

constexpr int kChunkLines = 50;

class ImportPipelineTest : public testing::TestWithParam<size_t> {
 protected:
  // Runs chunks through a pipeline as an import does; the chunks that came back are given to
  // `visit`, which says whether to go on.
  template <typename Visit>
  void Run(const std::vector<std::vector<std::string>>& chunks,
           bool skip_errors,
           const Visit& visit) {
    ImportPipeline pipeline({.limits = {}, .skip_errors = skip_errors},
                            RecordingSinks(GetParam(), &record_));
    const auto take = [&](bool wait) {
      while (std::unique_ptr<ImportChunk> chunk = pipeline.TakeWritten(wait || pipeline.IsFull())) {
        if (!visit(*chunk)) return false;
        pipeline.GiveBack(std::move(chunk));
      }
      return true;
    };
    uint64_t number = 1;
    for (const std::vector<std::string>& lines : chunks) {
      std::unique_ptr<ImportChunk> chunk = pipeline.NewChunk();
      chunk->Begin(1, "in");
      for (const std::string& line : lines)
        chunk->AddLine({.text = line, .number = number++, .too_long = false});
      pipeline.Add(std::move(chunk));
      if (!take(false)) return;
    }
    take(true);
  }

  SinkRecord record_;
};

// Times count the lines.
std::vector<std::vector<std::string>> Chunks(int chunks) {
  Random random(7);
  std::vector<std::vector<std::string>> all;
  int line = 0;
  for (int chunk = 0; chunk < chunks; ++chunk) {
    std::vector<std::string>& lines = all.emplace_back();
    for (int i = 0; i < kChunkLines; ++i)
      lines.push_back(fmt::format("m {} 1 h=h{}", ++line, random.Below(30)));
  }
  return all;
}

TEST_P(ImportPipelineTest, EverySeriesComesInTheOrderOfLinesAndChunkAfterChunk) {
  uint64_t points = 0;
  Run(Chunks(200), false, [&](const ImportChunk& chunk) {
    points += chunk.points_taken();
    return true;
  });
  EXPECT_EQ(points, 200u * kChunkLines);

  std::map<std::string, int64_t> last_ms;
  int64_t last_chunk = 0;
  int64_t seen = 0;
  for (const SinkRecord::Write& write : record_.writes()) {
    for (size_t i = 0; i < write.times_ms.size(); ++i) {
      int64_t& last = last_ms[write.series[i]];
      ASSERT_LT(last, write.times_ms[i]) << write.series[i];
      last = write.times_ms[i];
      const int64_t chunk = (write.times_ms[i] / 1000 - 1) / kChunkLines;
      ASSERT_LE(last_chunk, chunk) << "a chunk before the one before it was done";
      last_chunk = chunk;
      ++seen;
    }
  }
  EXPECT_EQ(seen, 200 * kChunkLines);
}

TEST_P(ImportPipelineTest, ChunksComeBackInTheOrderTheyWereAdded) {
  auto chunks = Chunks(40);
  for (auto& lines : chunks)
    lines[0] = "no point";
  uint64_t want = 1;
  Run(chunks, true, [&](const ImportChunk& chunk) {
    const auto bad = chunk.BadLines();
    EXPECT_EQ(bad.size(), 1u);
    EXPECT_EQ(bad.at(0).number, want);
    want += kChunkLines;
    return true;
  });
  EXPECT_EQ(want, 40u * kChunkLines + 1);
}

TEST_P(ImportPipelineTest, NothingAfterTheChunkOfABadLineIsWritten) {
  for (const char* const bad : {"no point", "refused 1 1 h=h1", "failing 1 1 h=h1"}) {
    SCOPED_TRACE(bad);
    record_.Clear();
    auto chunks = Chunks(40);
    chunks[20][10] = bad;
    uint64_t came_back = 0;
    Run(chunks, false, [&](const ImportChunk& chunk) {
      ++came_back;
      return chunk.status().ok() && !chunk.has_bad_lines();
    });
    EXPECT_EQ(came_back, 21u);
    for (const SinkRecord::Write& write : record_.writes())
      EXPECT_THAT(write.times_ms, testing::Each(Le(21 * kChunkLines * 1000)));
  }
}

TEST_P(ImportPipelineTest, WhatIsLeftWhenItGoesIsDropped) {
  {
    ImportPipeline pipeline({}, RecordingSinks(GetParam(), &record_));
    EXPECT_EQ(pipeline.TakeWritten(/*wait=*/true), nullptr) << "there is none";
    while (!pipeline.IsFull()) {
      std::unique_ptr<ImportChunk> chunk = pipeline.NewChunk();
      chunk->Begin(1, "in");
      chunk->AddLine({.text = "m 1 1 h=a", .number = 1, .too_long = false});
      pipeline.Add(std::move(chunk));
    }
  }
  EXPECT_LE(record_.writes().size(), GetParam() + 2);
}

INSTANTIATE_TEST_SUITE_P(Workers, ImportPipelineTest, testing::Values(1, 2, 5));

}  // namespace
}  // namespace hourcell::import_pipeline_test
