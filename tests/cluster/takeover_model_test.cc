// The protocol by which one process at a time writes, with the real code and an engine that makes
// one call at a time. A writer appends, seals a part of its blocks and deletes them, changes names,
// and checks that it still writes; other processes replace it at once; one follows. Tested are
// every order of their calls with up to a number of switches between processes, and random orders
// with calls that fail.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/base/mutex.h"
#include "codec/base/random.h"
#include "engine/bigtable/api/bigtable_channels.h"
#include "engine/bigtable/api/bigtable_client.h"
#include "engine/bigtable/writer/bigtable_journal.h"
#include "engine/bigtable/writer/bigtable_journal_tail.h"
#include "engine/bigtable/writer/system_rows.h"
#include "engine/bigtable/writer/writer_lease.h"
#include "tests/cluster/call_schedule.h"
#include "tests/engine/bigtable/bigtable_engine.h"
#include "tests/support/status_matchers.h"

namespace hourcell::takeover_model_test {
namespace {

constexpr int64_t kNeverMs = 3'600'000;
constexpr std::string_view kNames = "hourcell-uid";

// One world: an engine, and the answers that its processes received.
class World {
 public:
  explicit World(size_t processes) : schedule_(&fake_) {
    for (size_t i = 0; i < processes; ++i)
      clients_.push_back(MakeClient(std::to_string(i)));
    client_ = MakeClient("");
    for (const std::string& table :
         {ClusterTable("hourcell"), JournalTable("hourcell"), std::string(kNames)})
      EXPECT_OK(client_->CreateTable(table, "h"));
  }

  // The writer at first; not held.
  void TakeFirst() { lease_ = AcquireLease(clients_[0].get()); }

  void Run(const CallSchedule::Choose& choose) {
    std::vector<std::function<void()>> processes = {[this] { WriteOn(); }};
    for (size_t i = 1; i < clients_.size(); ++i)
      processes.emplace_back([this, i] { TakeOver(i); });
    if (has_follower_) processes.back() = [this] { Follow(clients_.size() - 1); };
    schedule_.Run(processes, choose);
  }
  // Makes the last process a follower, which never takes over.
  void LetLastFollow() { has_follower_ = true; }

  // Empty: all promises hold. Late calls have happened by then.
  std::string Faults();

 private:
  // An answer: the time of the question, in calls, and the content.
  struct Answer {
    std::string by;
    size_t asked = 0;
    std::set<std::string> known;
    bool reads_cells = true;  // else it must know the contents of cells, too
  };
  // A writer's memory: the blocks by number, and other changes.
  struct Memory {
    std::map<uint64_t, std::string> blocks;
    std::set<std::string> changes;

    std::set<std::string> All() const {
      std::set<std::string> all = changes;
      for (const auto& [sequence, payload] : blocks)
        all.insert(payload);
      return all;
    }
  };

  std::unique_ptr<BigtableClient> MakeClient(const std::string& profile) {
    BigtableOptions options = QuickBigtableOptions(fake_);
    options.app_profile = profile;
    options.call_timeout_ms = 60'000;
    return std::make_unique<BigtableClient>(options, *OpenBigtableChannels(options));
  }

  // Every other process counts as failed at once.
  static std::unique_ptr<WriterLease> AcquireLease(BigtableClient* client) {
    auto lease = WriterLease::Acquire(client, {.lease_ms = 0, .heartbeat_ms = kNeverMs});
    EXPECT_OK(lease);
    return lease.ok() ? *std::move(lease) : nullptr;
  }

  void Acknowledge(const std::string& what) {
    MutexLock lock(&mutex_);
    acknowledged_[what] = schedule_.calls();
  }

  // Adds an acknowledged block to the memory of its process.
  void Append(BigtableJournal* journal, const std::string& payload, Memory* memory) {
    const std::string_view parts[] = {payload};
    const uint64_t sequence = journal->next_sequence();
    if (!journal->Write(parts).ok()) return;
    memory->blocks[sequence] = payload;
    Acknowledge(payload);
  }

  // A rename or a deletion: rows of a table that others have in memory. It is acknowledged if this
  // process is the writer after it.
  void Change(WriterLease* lease, BigtableClient* client, const std::string& name, Memory* memory) {
    RowMutations row =
        SystemCell(name, "n", FirstVersionOf(lease->writer()) + 1, "", /*replace=*/false);
    if (!client->Mutate(std::string(kNames), {row}).ok() || !lease->CheckHeld().ok()) return;
    memory->changes.insert(name);
    Acknowledge(name);
  }

  // The first `count` blocks are in cells, where everybody finds them, and are not needed in the
  // journal.
  void SealSome(BigtableJournal* journal, const Memory& memory, size_t count) {
    uint64_t low_mark = 0;
    {
      MutexLock lock(&mutex_);
      for (const auto& [sequence, payload] : memory.blocks) {
        if (count-- == 0) break;
        sealed_.insert(payload);
        low_mark = sequence + 1;
      }
    }
    journal->DeleteBelow(low_mark).IgnoreError();
  }

  void Ask(WriterLease* lease, const Memory& memory) {
    const size_t asked = schedule_.calls();
    if (!lease->CheckHeld().ok()) return;
    MutexLock lock(&mutex_);
    answers_.push_back({.by = std::to_string(lease->writer()),
                        .asked = asked,
                        .known = memory.All(),
                        .reads_cells = true});
  }

  static absl::Status Load(const Journal& journal, BigtableClient* client, Memory* memory) {
    const absl::StatusOr<BigtablePage> names = client->Read(std::string(kNames), {});
    if (!names.ok()) return names.status();
    for (const BigtableRow& row : names->rows)
      memory->changes.insert(row.key);
    return journal.Replay(journal.oldest_sequence(),
                          [memory](uint64_t sequence, std::string_view payload) {
                            memory->blocks[sequence] = payload;
                            return absl::OkStatus();
                          });
  }

  void WriteOn() {
    Memory memory;
    const std::unique_ptr<BigtableJournal> journal = lease_->TakeJournal();
    Append(journal.get(), "a1", &memory);
    Append(journal.get(), "a2", &memory);
    Append(journal.get(), "a3", &memory);
    Change(lease_.get(), clients_[0].get(), "change of a", &memory);
    SealSome(journal.get(), memory, 2);
    Ask(lease_.get(), memory);
    Append(journal.get(), "a4", &memory);
  }

  void TakeOver(size_t process) {
    BigtableClient* const client = clients_[process].get();
    const std::unique_ptr<WriterLease> lease = AcquireLease(client);
    if (lease == nullptr) return;
    Memory memory;
    const std::unique_ptr<BigtableJournal> journal = lease->TakeJournal();
    // One that was replaced meanwhile may find blocks gone: it does not open its store.
    if (!Load(*journal, client, &memory).ok()) return;
    Ask(lease.get(), memory);
    Append(journal.get(), fmt::format("b{}", process), &memory);
    SealSome(journal.get(), memory, 1);
    Append(journal.get(), fmt::format("c{}", process), &memory);
    Ask(lease.get(), memory);
  }

  // As engine/role/follower.h does: blocks name series, which it knows from them, or from all rows
  // when it loads.
  void Follow(size_t process) {
    BigtableJournalTail tail(clients_[process].get());
    std::set<std::string> known;
    uint64_t next = 0;  // to be loaded
    for (int i = 0; i < 3; ++i) {
      const size_t asked = schedule_.calls();
      if (!CatchUp(&tail, &next, &known)) continue;
      MutexLock lock(&mutex_);
      answers_.push_back(
          {.by = "the follower", .asked = asked, .known = known, .reads_cells = false});
    }
  }

  bool CatchUp(BigtableJournalTail* tail, uint64_t* next, std::set<std::string>* known) {
    const bool loads = *next == 0;
    if (loads) {
      const absl::StatusOr<StoreMoment> before = tail->Look();
      if (!before.ok()) return false;
      *next = before->log_start;
      MutexLock lock(&mutex_);
      known->insert(sealed_.begin(), sealed_.end());
    }
    const uint64_t begin = *next;
    const absl::StatusOr<uint64_t> end =
        tail->Read(begin, [known](uint64_t /*sequence*/, std::string_view payload) {
          known->emplace(payload);
          return absl::OkStatus();
        });
    const absl::StatusOr<StoreMoment> after = tail->Look();
    const bool is_whole = end.ok() && after.ok() && after->log_start <= begin;
    *next = is_whole ? *end : 0;
    return is_whole;
  }

  FakeBigtable fake_;
  CallSchedule schedule_;
  std::vector<std::unique_ptr<BigtableClient>> clients_;
  std::unique_ptr<BigtableClient> client_;
  std::unique_ptr<WriterLease> lease_;
  bool has_follower_ = false;
  Mutex mutex_;
  std::map<std::string, size_t> acknowledged_ ABSL_GUARDED_BY(mutex_);  // when, in calls
  std::set<std::string> sealed_ ABSL_GUARDED_BY(mutex_);
  std::vector<Answer> answers_ ABSL_GUARDED_BY(mutex_);
};

std::string World::Faults() {
  fake_.SettleLateWrites();
  const std::unique_ptr<WriterLease> lease = AcquireLease(client_.get());
  if (lease == nullptr) return "nobody can write any more";
  Answer last{.by = "the last writer", .asked = schedule_.calls() + 1, .known = {}};
  const std::unique_ptr<BigtableJournal> journal = lease->TakeJournal();
  Memory memory;
  if (const absl::Status loaded = Load(*journal, client_.get(), &memory); !loaded.ok())
    return std::string(loaded.message());
  last.known = memory.All();

  MutexLock lock(&mutex_);
  answers_.push_back(std::move(last));
  std::string faults;
  for (const Answer& answer : answers_) {
    for (const auto& [what, when] : acknowledged_) {
      const bool is_change = what.starts_with("change");  // which a follower reads elsewhere
      const bool is_elsewhere = answer.reads_cells ? sealed_.contains(what) : is_change;
      if (when < answer.asked && !answer.known.contains(what) && !is_elsewhere)
        faults += fmt::format("an answer of {} lacks {}; ", answer.by, what);
    }
  }
  return faults;
}

size_t RunEveryOrder(size_t processes, int changes_max, bool has_follower = false) {
  EveryOrder order(changes_max);
  size_t runs = 0;
  while (order.Next()) {
    World world(processes);
    world.TakeFirst();
    if (has_follower) world.LetLastFollow();
    world.Run([&](const std::vector<size_t>& waiting, size_t last) {
      return order.Choose(waiting, last);
    });
    ++runs;
    EXPECT_EQ(world.Faults(), "") << order.ToString();
    if (testing::Test::HasFailure()) break;
  }
  return runs;
}

// Each of these was taken out of the code for a try, and was found: that the log start is stored
// only while the lease is held, the look at the lease after the fence and before the first answer,
// whose block it is that is present, whether a block whose answer was lost is there, and that
// fences stay.
TEST(TakeoverModelTest, EveryOrderOfAWriterAndOneThatTakesOver) {
  EXPECT_GT(RunEveryOrder(/*processes=*/2, /*changes_max=*/3), 200U);
}

TEST(TakeoverModelTest, EveryOrderOfTwoThatTakeOver) {
  EXPECT_GT(RunEveryOrder(/*processes=*/3, /*changes_max=*/1), 20U);
}

// A follower during the writer's seals, and during a takeover.
TEST(TakeoverModelTest, EveryOrderOfAWriterAndAFollower) {
  EXPECT_GT(RunEveryOrder(/*processes=*/2, /*changes_max=*/3, /*has_follower=*/true), 200U);
}

// A write that is refused, without an answer, late or doubled.
void RunRandomOrders(size_t processes, bool has_follower) {
  constexpr uint64_t kRuns = 100;
  using Fate = FakeBigtable::Fate;
  constexpr Fate kFates[] = {Fate::kRefused, Fate::kUnanswered, Fate::kLate, Fate::kDoubled};
  for (uint64_t seed = 1; seed <= kRuns; ++seed) {
    Random random(seed);
    World world(processes);
    world.TakeFirst();
    if (has_follower) world.LetLastFollow();
    world.Run([&](const std::vector<size_t>& waiting, size_t /*last*/) {
      return CallSchedule::Choice{
          .process = waiting[random.Below(waiting.size())],
          .fate = random.Below(5) == 0 ? kFates[random.Below(4)] : Fate::kAnswered};
    });
    ASSERT_EQ(world.Faults(), "") << "seed " << seed;
  }
}

TEST(TakeoverModelTest, RandomOrdersOfCallsThatFail) {
  RunRandomOrders(/*processes=*/3, /*has_follower=*/false);
}

TEST(TakeoverModelTest, RandomOrdersBesideAFollower) {
  RunRandomOrders(/*processes=*/4, /*has_follower=*/true);
}

}  // namespace
}  // namespace hourcell::takeover_model_test
