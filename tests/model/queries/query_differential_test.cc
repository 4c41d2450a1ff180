// Random queries to random stores, compared with a naive store of maps: the same series, tags and
// points, bit for bit, however the points are stored and whichever plan reads them. A difference is
// made small and printed as a text for a FixedCaseTest.
//
//   HOURCELL_TEST_SEED=<n>      the first seed
//   HOURCELL_DIFF_SEEDS=<n>     stores of each variant
//   HOURCELL_DIFF_SECONDS=<n>   instead: as many stores of each variant as fit

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <map>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "codec/base/bytes.h"
#include "codec/base/clock.h"
#include "codec/base/random.h"
#include "engine/region_admin.h"
#include "engine/tsdb.h"
#include "tests/model/queries/answer_difference.h"
#include "tests/model/queries/case_regions.h"
#include "tests/model/queries/naive_query.h"
#include "tests/model/queries/query_case.h"
#include "tests/model/queries/random_query_case.h"
#include "tests/support/builders.h"
#include "tests/support/sanitizers.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace hourcell::query_differential_test {
namespace {

constexpr int kReadMethods = 4;
constexpr int kQueriesAStore = 40;
constexpr uint64_t kStoresEveryday = 3;
constexpr uint64_t kStoresDefault = kIsSanitized ? 1 : kStoresEveryday;
constexpr int kShrinkTriesMax = 400;

// The plan to read by: 0 is the engine's own choice.
template <typename Spec>
void ForceReadMethod([[maybe_unused]] int method, [[maybe_unused]] Spec* spec) {
  if constexpr (requires { spec->read_method; }) {
    spec->read_method = static_cast<decltype(spec->read_method)>(method);
  }
}

// A case as a store of the engine and as a naive one.
class CaseStore {
 public:
  explicit CaseStore(const QueryCase& stored) {
    Options options = TinyOptions(directory_.path() + "/store");
    options.clock = &clock_;
    options.seal_in_background = false;
    options.write_buffer_bytes = 1 << 20;
    options.open_hours_bytes = 4 << 20;
    options.journal_segment_bytes = 1 << 20;
    options.lanes = 2;
    options.active_from_series = 0;  // every plan looks up active series
    options.names_from_series = 0;   // and looks for names that begin alike
    options.cell_encoding = stored.cells;
    options.day_row_points = stored.day_points;
    options.layout.salt_width = stored.salt_width;
    options.layout.salt_buckets = stored.salt_buckets;
    auto opened = Tsdb::Open(options);
    if (Failed(opened.status())) return;
    tsdb_ = *std::move(opened);
    for (const auto& [kind, name] : stored.names) {
      const auto row = tsdb_->names().AssignUid(kind, name);
      if (Failed(row.status())) return;
      naive_.AddName(kind, name, row->uid_bytes);
      if (kind == UidKind::kMetric) {
        metrics_[name] = LoadBigEndian(row->uid_bytes.data(), row->uid_bytes.size());
      }
    }
    if (stored.regions == CaseRegions::kEight) Cut(stored, 7);
    std::vector<OwnedPoint> batch;
    for (size_t i = 0; i < stored.steps.size(); ++i) {
      if (stored.regions == CaseRegions::kChanging) ChangeBefore(stored, i, &batch);
      Take(stored.steps[i], &batch);
    }
    Append(&batch);
  }

  size_t regions() {
    const auto listed = tsdb_->maintenance().regions()->List("data", ListDetail::kPlain);
    return listed.ok() ? listed->size() : 0;
  }

  NaiveAnswer NaiveQuery(const QuerySpec& spec) const { return naive_.Query(spec); }

  // The fault in the answers to `spec` by all plans; empty: no fault.
  std::string FaultOf(const QuerySpec& spec, const NaiveAnswer& want) {
    if (!failure_.empty()) return failure_;
    for (int method = 0; method < kReadMethods; ++method) {
      for (const ReadDivision division : {ReadDivision::kByBucket, ReadDivision::kBySeries}) {
        QuerySpec forced = spec;
        ForceReadMethod(method, &forced);
        forced.read_division = division;
        const std::string fault = AnswerDifference(spec, want, tsdb_->queries().Query(forced));
        if (!fault.empty()) {
          return fmt::format("read method {}, division {}: {}", method, static_cast<int>(division),
                             fault);
        }
        if (tsdb_->layout().salt_width == 0) break;  // there is but one division
      }
    }
    return QuickFaultOf(spec, want);
  }

  // Answers that were quick, until now.
  size_t quick_answers() const { return quick_answers_; }

 private:
  // A quick query gives the same answer, or none.
  std::string QuickFaultOf(const QuerySpec& spec, const NaiveAnswer& want) {
    QuerySpec quick = spec;
    quick.quick =
        QuickBounds{.series = 1000, .rows = 1000, .points = 10'000'000, .bytes = 64 << 20};
    auto got = tsdb_->queries().Query(quick);
    if (absl::IsAborted(got.status())) return "";
    ++quick_answers_;
    const std::string fault = AnswerDifference(spec, want, std::move(got));
    return fault.empty() ? "" : "quick: " + fault;
  }

  bool Failed(const absl::Status& status) {
    if (!status.ok()) failure_ = fmt::format("making the store: {}", status.ToString());
    return !status.ok();
  }

  // Cuts the data table at up to `cuts` keys.
  void Cut(const QueryCase& stored, size_t cuts) {
    std::string keys;
    for (const std::string& key : CutKeys(stored, tsdb_->layout(), metrics_, cuts))
      keys += (keys.empty() ? "keys:" : ",") + KeyText(key);
    if (!keys.empty()) Failed(tsdb_->maintenance().regions()->RollingSplit("data", keys).status());
  }

  // A split after a third of the steps, a merge after two.
  void ChangeBefore(const QueryCase& stored, size_t step, std::vector<OwnedPoint>* batch) {
    if (step == stored.steps.size() / 3) {
      Append(batch);
      Cut(stored, 1);
    } else if (step == stored.steps.size() * 2 / 3 && regions() == 2) {
      Append(batch);
      const auto listed = tsdb_->maintenance().regions()->List("data", ListDetail::kPlain);
      Failed(tsdb_->maintenance()
                 .regions()
                 ->Merge("data", {std::to_string((*listed)[0].id), std::to_string((*listed)[1].id)})
                 .status());
    }
  }

  void Take(const CaseStep& step, std::vector<OwnedPoint>* batch) {
    if (step.kind == CaseStep::Kind::kPut) {
      naive_.Put(step.metric, step.tags, step.time.ms, step.value);
      std::string tags;
      for (const auto& [key, value] : step.tags)
        tags += fmt::format("{}{}={}", tags.empty() ? "" : " ", key, value);
      batch->emplace_back(step.metric, tags, step.time, step.value);
      return;
    }
    Append(batch);
    Failed(step.kind == CaseStep::Kind::kSeal ? tsdb_->maintenance().Seal()
                                              : tsdb_->maintenance().Flush());
  }

  void Append(std::vector<OwnedPoint>* batch) {
    std::vector<PointView> views;
    views.reserve(batch->size());
    for (OwnedPoint& point : *batch)
      views.push_back(point.view());
    std::vector<RefusedPoint> refused;
    Failed(tsdb_->points().Append(views, &refused).Wait());
    if (!refused.empty()) failure_ = "making the store: a point was refused";
    batch->clear();
  }

  TempDir directory_;
  ManualClock clock_{kTimestampMsMax};
  std::unique_ptr<Tsdb> tsdb_;
  size_t quick_answers_ = 0;
  NaiveStore naive_;
  std::map<std::string, Uid> metrics_;
  std::string failure_;
};

std::string FaultOf(const QueryCase& stored, const QuerySpec& spec) {
  CaseStore store(stored);
  return store.FaultOf(spec, store.NaiveQuery(spec));
}

// Removes parts that the fault does not need: parts of the query, then steps in ever smaller
// pieces.
class Shrinker {
 public:
  Shrinker(QueryCase* stored, QuerySpec* spec) : stored_(*stored), spec_(*spec) {}

  void Run() {
    for (size_t i = spec_.queries.size(); i-- > 0 && spec_.queries.size() > 1;) {
      TryQuery([&](QuerySpec* spec) { Erase(i, &spec->queries); });
    }
    for (size_t i = 0; i < spec_.queries.size(); ++i)
      DropFromSubQuery(i);
    for (size_t piece = stored_.steps.size() / 2; piece > 0; piece /= 2)
      DropSteps(piece);
  }

 private:
  template <typename T>
  static void Erase(size_t i, std::vector<T>* items) {
    items->erase(items->begin() + static_cast<ptrdiff_t>(i));
  }

  // Keeps what `change` makes of the query if the fault is still there.
  template <typename Change>
  void TryQuery(Change change) {
    QuerySpec less = spec_;
    change(&less);
    if (StillFails(stored_, less)) spec_ = less;
  }

  void DropFromSubQuery(size_t i) {
    for (size_t f = spec_.queries[i].filters.size(); f-- > 0;)
      TryQuery([&](QuerySpec* spec) { Erase(f, &spec->queries[i].filters); });
    for (size_t t = spec_.queries[i].tsuids.size(); t-- > 0 && spec_.queries[i].tsuids.size() > 1;)
      TryQuery([&](QuerySpec* spec) { Erase(t, &spec->queries[i].tsuids); });
    for (size_t f = spec_.queries[i].functions.size(); f-- > 0;)
      TryQuery([&](QuerySpec* spec) { Erase(f, &spec->queries[i].functions); });
    TryQuery([&](QuerySpec* spec) { spec->queries[i].rate.reset(); });
    TryQuery([&](QuerySpec* spec) { spec->queries[i].downsample.reset(); });
    TryQuery([&](QuerySpec* spec) { spec->queries[i].explicit_tags = false; });
    TryQuery([&](QuerySpec* spec) { spec->keep_scanned = false; });
  }

  void DropSteps(size_t piece) {
    size_t begin = 0;
    while (begin < stored_.steps.size()) {
      const size_t end = std::min(begin + piece, stored_.steps.size());
      QueryCase less = stored_;
      less.steps.erase(less.steps.begin() + static_cast<ptrdiff_t>(begin),
                       less.steps.begin() + static_cast<ptrdiff_t>(end));
      if (StillFails(less, spec_)) {
        stored_ = std::move(less);
      } else {
        begin = end;
      }
    }
  }

  bool StillFails(const QueryCase& stored, const QuerySpec& spec) {
    return ++tries_ <= kShrinkTriesMax && !FaultOf(stored, spec).empty();
  }

  QueryCase& stored_;
  QuerySpec& spec_;
  int tries_ = 0;
};

uint64_t NumberOfEnvironment(const char* name, uint64_t otherwise) {
  const char* const text = std::getenv(name);
  return text != nullptr ? std::strtoull(text, nullptr, 10) : otherwise;
}

struct Variant {
  size_t salt_width = 0;
  uint32_t salt_buckets = 1;
  CellEncoding cells = CellEncoding::kPacked;
  Sealing sealing = Sealing::kNothing;
  CaseRegions regions = CaseRegions::kOne;
  uint32_t day_points = QueryCase().day_points;

  std::string Name() const {
    constexpr const char* kSealings[] = {"Open", "Sealed", "HalfSealed"};
    constexpr const char* kRegions[] = {"", "EightRegions", "ChangingRegions"};
    const std::string days = day_points == QueryCase().day_points
                                 ? std::string()
                                 : fmt::format("DayPoints{}", day_points);
    return fmt::format("Salt{}Buckets{}{}{}{}{}", salt_width, salt_buckets,
                       cells == CellEncoding::kPacked ? "Packed" : "OpenTsdb",
                       kSealings[static_cast<size_t>(sealing)],
                       kRegions[static_cast<size_t>(regions)], days);
  }
  friend void PrintTo(const Variant& variant, std::ostream* out) { *out << variant.Name(); }
};

std::vector<Variant> AllVariants() {
  std::vector<Variant> variants;
  for (const auto& [width, buckets] : {std::pair<size_t, uint32_t>{0, 1}, {1, 1}, {1, 20}}) {
    for (const CellEncoding cells : {CellEncoding::kPacked, CellEncoding::kOpenTsdb}) {
      for (const Sealing sealing : {Sealing::kNothing, Sealing::kAll, Sealing::kHalf}) {
        variants.push_back(
            {.salt_width = width, .salt_buckets = buckets, .cells = cells, .sealing = sealing});
      }
    }
  }
  // After the others, whose seeds go by their place.
  for (const auto& [width, buckets] : {std::pair<size_t, uint32_t>{0, 1}, {1, 20}}) {
    for (const Sealing sealing : {Sealing::kAll, Sealing::kHalf}) {
      for (const CaseRegions regions : {CaseRegions::kEight, CaseRegions::kChanging}) {
        variants.push_back(
            {.salt_width = width, .salt_buckets = buckets, .sealing = sealing, .regions = regions});
      }
    }
  }
  for (const uint32_t day_points : {0u, 3u}) {
    for (const Sealing sealing : {Sealing::kAll, Sealing::kHalf}) {
      variants.push_back(
          {.salt_width = 1, .salt_buckets = 20, .sealing = sealing, .day_points = day_points});
    }
  }
  return variants;
}

class QueryDifferentialTest : public testing::TestWithParam<Variant> {
 protected:
  // One store and its queries.
  void Run(uint64_t seed) {
    Random random(seed);
    QueryCase stored = RandomCase(GetParam().sealing, &random);
    stored.salt_width = GetParam().salt_width;
    stored.salt_buckets = GetParam().salt_buckets;
    stored.cells = GetParam().cells;
    stored.day_points = GetParam().day_points;
    stored.regions = GetParam().regions;
    CaseStore store(stored);
    regions_max_ = std::max(regions_max_, store.regions());
    for (int i = 0; i < kQueriesAStore; ++i) {
      QuerySpec spec = RandomQuery(stored, &random);
      const NaiveAnswer want = store.NaiveQuery(spec);
      Count(want);
      const std::string fault = store.FaultOf(spec, want);
      quick_answers_ = std::max(quick_answers_, store.quick_answers());
      if (fault.empty()) continue;
      Shrinker(&stored, &spec).Run();
      FAIL() << "HOURCELL_TEST_SEED=" << seed << " query " << i << ": " << fault
             << "\nmade small: " << FaultOf(stored, spec) << "\n"
             << ToText(stored) << ToText(spec);
    }
  }

  void Count(const NaiveAnswer& answer) {
    ++queries_;
    if (!answer.errors.empty()) ++errors_;
    bool has_points = false;
    for (const ResultSeries& series : answer.series) {
      has_points |= !series.points.empty();
      if (series.tsuids.size() > 1 && series.points.size() > 1) ++merges_;
    }
    if (has_points) ++answers_with_points_;
  }

  // The coverage of the run.
  uint64_t queries_ = 0;
  uint64_t errors_ = 0;
  uint64_t answers_with_points_ = 0;
  uint64_t merges_ = 0;  // series of several members and points
  size_t regions_max_ = 0;
  size_t quick_answers_ = 0;  // of a store, at most
};

TEST_P(QueryDifferentialTest, AnswersAreThoseOfANaiveStore) {
  // Every variant has different seeds.
  const auto variants = AllVariants();
  const std::string name = GetParam().Name();
  const auto index = std::ranges::find(variants, name, &Variant::Name) - variants.begin();
  const uint64_t first =
      NumberOfEnvironment("HOURCELL_TEST_SEED", 1'000'000 * static_cast<uint64_t>(index + 1));
  const uint64_t seconds = NumberOfEnvironment("HOURCELL_DIFF_SECONDS", 0);
  const uint64_t stores = NumberOfEnvironment("HOURCELL_DIFF_SEEDS", kStoresDefault);
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
  const auto goes_on = [&](uint64_t done) {
    return seconds > 0 ? std::chrono::steady_clock::now() < deadline : done < stores;
  };
  for (uint64_t done = 0; goes_on(done); ++done)
    ASSERT_NO_FATAL_FAILURE(Run(first + done));
  fmt::print("{} queries: {} refused, {} with points, {} groups merged\n", queries_, errors_,
             answers_with_points_, merges_);
  const bool has_eight = GetParam().regions == CaseRegions::kEight;
  EXPECT_GT(regions_max_, has_eight ? 1u : 0u);
  // A few stores, as under the sanitizers, may have met none by chance, or have few places to be
  // cut at.
  if (stores < kStoresEveryday && seconds == 0) return;
  EXPECT_EQ(regions_max_, has_eight ? 8u : 1u);
  EXPECT_GT(answers_with_points_ * 6, queries_) << "the run tells little: most answers are empty";
  EXPECT_GT(merges_, 0u) << "the run tells nothing of groups";
  EXPECT_GT(quick_answers_, 0u) << "the run tells nothing of quick queries";
}

INSTANTIATE_TEST_SUITE_P(Stores,
                         QueryDifferentialTest,
                         testing::ValuesIn(AllVariants()),
                         [](const auto& param_info) { return param_info.param.Name(); });

// Cases by hand: those that a random test found, and those that it rarely meets.
void ExpectAgreement(std::string_view stored, std::string_view query) {
  EXPECT_EQ(FaultOf(ParseCase(stored), ParseQuery(query)), "");
}

TEST(FixedCaseTest, APointPutAgainInASealedHourIsTheOneThatCounts) {
  ExpectAgreement(R"(
    store salt=1/20 cells=packed
    names metric m
    names tagk host
    names tagv a b
    put m host=a 1356998400s:1 1356998410s:2 1356998420s:3
    seal
    put m host=a 1356998410500ms:2.5f 1356998410s:20f
    flush
    put m host=b 1356998410s:7 1356998430s:9)",
                  "query start=1356998400000 end=1356998430000 agg=sum metric=m");
}

TEST(FixedCaseTest, ADayOf23HoursIsOneBucket) {
  ExpectAgreement(R"(
    store salt=0/1 cells=packed
    names metric m
    names tagk host
    names tagv a
    put m host=a 1364684399s:1 1364684400s:2 1364767199s:3 1364767200s:4
    seal)",
                  R"(query start=1364684400000 end=1364860000000 agg=sum metric=m
                     down=1dc-count-zero tz=Europe/Berlin)");
}

TEST(FixedCaseTest, TheLastHourThereCanBeIsReadToItsEnd) {
  ExpectAgreement(R"(
    store salt=0/1 cells=opentsdb
    names metric m
    names tagk host
    names tagv a
    put m host=a 4294965600s:1 4294967295s:2 4294967295999ms:3
    seal)",
                  R"(query start=4294965600000 end=4294967295999 agg=max metric=m down=1m-last-nan
                     rate=plain,9223372036854775807,0)");
}

TEST(FixedCaseTest, HoursBeforeTheFirstBucketOfALongIntervalAreSkipped) {
  ExpectAgreement(R"(
    store salt=1/1 cells=packed
    names metric m
    names tagk host
    names tagv a b
    put m host=a 1357002000s:1 1357005600s:2 1357009200s:3
    put m host=b 1357003800s:10f 1357007400s:20f)",
                  R"(query start=1357005000000 end=1357009200000 agg=avg metric=m
                     filter=host:regexp:a|b: down=90m-sum-zero)");
}

TEST(FixedCaseTest, ASeriesThatHasNotBegunDecidesTheTypeAndAddsNothing) {
  ExpectAgreement(R"(
    store salt=0/1 cells=packed
    names metric m
    names tagk host
    names tagv a b
    put m host=a 1356998400s:1 1356998410s:4 1356998420s:6
    put m host=b 1356998410s:2.5f 1356998415s:3)",
                  "query start=1356998400000 end=1356998420000 agg=sum metric=m");
}

TEST(FixedCaseTest, FunctionsChooseAmongGroups) {
  ExpectAgreement(R"(
    store salt=1/20 cells=packed
    names metric m
    names tagk host
    names tagv a b c d
    put m host=a 1356998400s:5 1356998410s:1
    put m host=b 1356998400s:2 1356998410s:3
    put m host=c 1356998400s:2 1356998410s:3
    put m host=d 1356998410s:4)",
                  R"(query start=1356998400000 end=1356998420000 agg=sum metric=m
                     filter=host:wildcard:*:g function=top(2,last) function=bottom(3,max))");
}

TEST(QueryCaseTest, TextsAreParsedToWhatTheyWerePrintedFrom) {
  Random random(20130101);
  for (int i = 0; i < 20; ++i) {
    const QueryCase stored = RandomCase(Sealing::kHalf, &random);
    EXPECT_EQ(ToText(ParseCase(ToText(stored))), ToText(stored));
    const QuerySpec spec = RandomQuery(stored, &random);
    const QuerySpec parsed = ParseQuery(ToText(spec));
    EXPECT_EQ(ToText(parsed), ToText(spec));
    EXPECT_EQ(parsed.queries, spec.queries);
  }
}

}  // namespace
}  // namespace hourcell::query_differential_test
