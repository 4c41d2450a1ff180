// Every way to an answer, once for each growth that counts in tsd.query.memory, with just that
// growth refused. The result is an error or the whole answer, with nothing left in the account;
// changes are made only in whole rows.

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/base/bytes.h"
#include "engine/tsdb.h"
#include "tests/support/builders.h"
#include "tests/support/sanitizers.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace hourcell::query_refusal_test {
namespace {

using testing::HasSubstr;

constexpr int64_t kHour = 1356998400;
constexpr int kHosts = 60;

// Refuses the n-th growth.
class Refusal {
 public:
  void Arm(uint64_t n) {
    growths_ = 0;
    refused_ = n;
  }
  uint64_t growths() const { return growths_; }
  bool operator()() { return ++growths_ == refused_; }

 private:
  std::atomic<uint64_t> growths_{0};
  std::atomic<uint64_t> refused_{0};  // 0: none
};

class QueryRefusalTest : public testing::Test {
 protected:
  // Answers in text.
  using Path = std::function<absl::StatusOr<std::string>()>;

  void SetUp() override {
    options_.query_threads = 1;  // the same growths in the same order each time
    options_.active_from_series = 16;
    options_.seal_in_background = false;
    options_.refuse_query_memory = [this] { return refusal_(); };
    tsdb_ = *Tsdb::Open(options_);
    PutAll();
    ASSERT_OK(tsdb_->maintenance().Seal());
    for (int host = 0; host < kHosts; host += 2)
      ASSERT_OK(tsdb_->points().Put(Point(host, 7300).view()));
  }

  static OwnedPoint Point(int host, int64_t second) {
    return OwnedPoint("m", fmt::format("host=h{:03} rack=r{}", host, host % 4), kHour + second,
                      1000 * second + host);
  }

  void PutAll() {
    for (int host = 0; host < kHosts; ++host) {
      for (const int64_t second : {10, 20, 3610, 3620})
        ASSERT_OK(tsdb_->points().Put(Point(host, second).view()));
    }
  }

  static QuerySpec Spec(const std::function<void(SubQuery*)>& change = [](SubQuery*) {}) {
    QuerySpec spec = MakeQuery(Aggregator::kSum, "m", {}, kHour, kHour + 86'400);
    change(&spec.queries[0]);
    return spec;
  }

  int64_t Counted() {
    for (const StatSample& sample : tsdb_->stats().Snapshot()) {
      if (sample.name == "query.memory_bytes") return sample.value;
    }
    return -1;
  }

  static std::string TextOf(const Annotation& note) {
    return fmt::format("{} {} {};", note.tsuid, note.start_time, note.notes);
  }

  absl::StatusOr<std::string> Query(const QuerySpec& spec) {
    const absl::StatusOr<QueryResult> result = tsdb_->queries().Query(spec);
    if (!result.ok()) return result.status();
    std::string text;
    for (const Annotation& note : result->global_annotations)
      text += TextOf(note);
    for (const ResultSeries& series : result->series) {
      for (const auto& [key, value] : series.tags)
        text += fmt::format("{}={} ", key, value);
      for (const Annotation& note : series.annotations)
        text += TextOf(note);
      for (const ResultPoint& point : series.points)
        text += fmt::format("{}:{} ", point.ms, point.value.ToDouble());
    }
    return text;
  }

  absl::StatusOr<std::string> Last(const LastQuery& query) {
    std::string text;
    const absl::Status read = tsdb_->queries().LastPoints(query, [&](const LastPoint& point) {
      text += fmt::format("{}:{} ", ToUpperHex(point.series.tsuid), point.ms);
      for (const TagView& tag : point.series.tags)
        text += fmt::format("{}={} ", tag.key, tag.value);
    });
    if (!read.ok()) return read;
    return text;
  }

  absl::StatusOr<std::string> Lookup(const LookupQuery& query) {
    std::string text;
    const auto total = tsdb_->queries().LookupSeries(query, [&](const FoundSeries& series) {
      for (const TagView& tag : series.tags)
        text += fmt::format("{}={} ", tag.key, tag.value);
      return true;
    });
    if (!total.ok()) return total.status();
    return text + std::to_string(*total);
  }

  // Runs it with no growth refused, then with each; under a sanitizer, with some. `before` makes
  // ready for the next. Returns how many growths there are.
  uint64_t RefuseEach(
      const std::string& name,
      const Path& path,
      const std::function<void()>& before = [] {},
      const std::function<void(bool refused)>& after = [](bool) {}) {
    SCOPED_TRACE(name);
    const auto run = [&](uint64_t refused) {
      refusal_.Arm(0);
      before();
      tsdb_->maintenance().DropCaches();
      refusal_.Arm(refused);
      return path();
    };
    const absl::StatusOr<std::string> whole = run(0);
    EXPECT_OK(whole);
    const uint64_t growths = refusal_.growths();
    EXPECT_EQ(Counted(), 0);
    uint64_t refusals = 0;
    // A sanitizer takes forty times as long.
    const uint64_t every = kIsSanitized ? std::max<uint64_t>(1, growths / 10) : 1;
    for (uint64_t n = 1; whole.ok() && n <= growths; n += every) {
      const absl::StatusOr<std::string> answer = run(n);
      refusal_.Arm(0);
      if (answer.ok()) {
        EXPECT_EQ(*answer, *whole) << "growth " << n << " of " << growths;
      } else {
        ++refusals;
        EXPECT_THAT(answer.status(),
                    StatusIs(absl::StatusCode::kResourceExhausted, HasSubstr("tsd.query.memory")))
            << "growth " << n << " of " << growths;
      }
      EXPECT_EQ(Counted(), 0) << "growth " << n << " of " << growths;
      after(!answer.ok());
      if (testing::Test::HasFailure()) break;
    }
    if (growths > 0) {
      EXPECT_GT(refusals, 0u);
    }
    return growths;
  }

  TempDir directory_;
  Refusal refusal_;
  Options options_ = TinyOptions(directory_.file("store"));
  std::unique_ptr<Tsdb> tsdb_;
};

TEST_F(QueryRefusalTest, OfQueries) {
  const auto by = [](std::string tagk, FilterType type, std::string text) {
    return
        [=](SubQuery* query) { query->filters.push_back({tagk, type, text, /*group_by=*/true}); };
  };
  const std::map<std::string, QuerySpec> specs = {
      {"one group", Spec()},
      {"by host", Spec(by("host", FilterType::kWildcard, "*"))},
      {"by rack", Spec(by("rack", FilterType::kLiteralOr, "r1|r3"))},
      {"filled", Spec([&](SubQuery* query) {
         by("host", FilterType::kWildcard, "*")(query);
         query->downsample = *ParseDownsampleSpec("1m-sum-zero");
       })},
      {"percentile of rates", Spec([](SubQuery* query) {
         query->aggregator = Aggregator::kP99;
         query->rate = RateSpec{};
       })},
  };
  for (const auto& [name, spec] : specs) {
    EXPECT_GT(RefuseEach(name, [&] { return Query(spec); }), 3u) << name;
  }
}

TEST_F(QueryRefusalTest, OfLastPointsLookUpsAndNames) {
  EXPECT_GT(RefuseEach("last points of a metric",
                       [&] { return Last({.queries = {{.metric = "m"}}, .resolve = true}); }),
            1u);
  std::vector<std::string> tsuids;
  ASSERT_OK(tsdb_->queries().LookupSeries({.metric = "m"}, [&](const FoundSeries& series) {
    tsuids.push_back(ToUpperHex(series.tsuid));
    return true;
  }));
  EXPECT_GT(
      RefuseEach("last points of tsuids",
                 [&] { return Last({.queries = {{.metric = "", .tags = {}, .tsuids = tsuids}}}); }),
      2u);
  EXPECT_GT(RefuseEach("all series of a metric", [&] { return Lookup({.metric = "m"}); }), 0u);
  EXPECT_GT(
      RefuseEach("series of a tag",
                 [&] { return Lookup({.metric = "m", .tags = {{"rack", "r1"}, {"rack", "r2"}}}); }),
      2u);
  RefuseEach("series of any metric", [&] { return Lookup({.metric = ""}); });
  RefuseEach("names", [&]() -> absl::StatusOr<std::string> {
    std::string text;
    const absl::Status visited = tsdb_->names().VisitNames({.kind = UidKind::kTagv, .prefix = "h"},
                                                           [&](std::string_view name) {
                                                             text += name;
                                                             return true;
                                                           });
    if (!visited.ok()) return visited;
    return text;
  });
}

TEST_F(QueryRefusalTest, OfAnnotations) {
  std::vector<AnnotationEdit> edits;
  for (int64_t i = 0; i < 5; ++i) {
    for (const char* const tsuid : {"000001000001000001000002000002", ""})
      edits.push_back(
          {.tsuid = tsuid, .start_time = kHour + i, .notes = fmt::format("note {}", i)});
  }
  ASSERT_OK(tsdb_->annotations().Put(edits, AnnotationWrite::kMerge));
  const auto all = [&] {
    std::string text;
    EXPECT_OK(tsdb_->annotations().Visit([&](const Annotation& note) {
      text += TextOf(note);
      return absl::OkStatus();
    }));
    return text;
  };
  const std::string before = all();

  EXPECT_GE(RefuseEach("global ones",
                       [&]() -> absl::StatusOr<std::string> {
                         const auto notes =
                             tsdb_->annotations().Global(kHour * 1000, (kHour + 60) * 1000);
                         if (!notes.ok()) return notes.status();
                         std::string text;
                         for (const Annotation& note : *notes)
                           text += TextOf(note);
                         return text;
                       }),
            5u);
  QuerySpec spec = Spec();
  spec.global_annotations = true;
  EXPECT_GE(RefuseEach("of a query", [&] { return Query(spec); }), 10u);

  const std::vector<AnnotationEdit> changes = {
      {.tsuid = "", .start_time = kHour, .notes = "changed"},
      {.tsuid = "", .start_time = kHour + 1, .notes = "changed"},
      {.tsuid = "", .start_time = kHour + 100, .notes = "made"}};
  EXPECT_EQ(RefuseEach(
                "written ones",
                [&]() -> absl::StatusOr<std::string> {
                  const auto notes = tsdb_->annotations().Put(changes, AnnotationWrite::kMerge);
                  if (!notes.ok()) return notes.status();
                  return std::to_string(notes->size());
                },
                [&] {
                  ASSERT_OK(tsdb_->annotations().Delete("", kHour + 100));
                  ASSERT_OK(tsdb_->annotations().Put(edits, AnnotationWrite::kMerge));
                },
                [&](bool refused) { EXPECT_EQ(all() == before, refused); }),
            3u);
}

// A refused delete leaves a row as it was, or as the whole delete would have left it.
TEST_F(QueryRefusalTest, OfDeletes) {
  const QuerySpec spec = MakeQuery(Aggregator::kSum, "m", {}, kHour + 20, kHour + 3610);
  const auto check_rows = [&](bool refused) {
    const auto result = tsdb_->queries().Query(
        Spec([](SubQuery* query) { query->aggregator = Aggregator::kNone; }));
    ASSERT_OK(result);
    // Seconds of each host and hour.
    std::map<std::pair<std::string, int64_t>, std::vector<int64_t>> rows;
    for (const ResultSeries& series : result->series) {
      std::string host;
      for (const auto& [key, value] : series.tags)
        if (key == "host") host = value;
      for (const ResultPoint& point : series.points) {
        const int64_t second = point.ms / 1000 - kHour;
        rows[{host, second / 3600}].push_back(second);
      }
    }
    size_t whole = 0;
    for (const auto& [row, seconds] : rows) {
      if (row.second == 2) continue;
      const bool is_first = row.second == 0;
      const std::vector<int64_t> before =
          is_first ? std::vector<int64_t>{10, 20} : std::vector<int64_t>{3610, 3620};
      const std::vector<int64_t> deleted = {is_first ? 10 : 3620};
      EXPECT_TRUE(seconds == before || seconds == deleted) << row.first << " " << row.second;
      if (seconds == before) ++whole;
    }
    EXPECT_EQ(rows.size(), 2u * kHosts + kHosts / 2);
    if (!refused) {
      EXPECT_EQ(whole, 0u);
    }
  };

  const uint64_t growths = RefuseEach(
      "delete",
      [&]() -> absl::StatusOr<std::string> {
        const auto deleted = tsdb_->points().DeletePoints(spec);
        if (!deleted.ok()) return deleted.status();
        return fmt::format("{} points of {} rows", deleted->points, deleted->rows);
      },
      [&] { PutAll(); }, check_rows);

  EXPECT_GT(growths, 10u);
}

TEST_F(QueryRefusalTest, OfWhatIsMadeOfAnswers) {
  QueryControl control;
  auto lease = tsdb_->queries().LeaseQueryMemory(&control);
  ASSERT_OK(lease->Take(1000));
  EXPECT_EQ(Counted(), 1000);
  refusal_.Arm(1);
  EXPECT_THAT(lease->Take(1), StatusIs(absl::StatusCode::kResourceExhausted));
  lease.reset();
  EXPECT_EQ(Counted(), 0);
  ASSERT_OK(tsdb_->Close());
  EXPECT_EQ(tsdb_->queries().LeaseQueryMemory(&control), nullptr);
}

}  // namespace
}  // namespace hourcell::query_refusal_test
