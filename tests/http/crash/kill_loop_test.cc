// C1, C4 and C5 under everything at once: a server with puts by telnet, HTTP, InfluxDB lines and
// imports, with splits, merges, seals, flushes, LSM compactions, backups and TTLs is killed at any
// moment or at a kill point, again and again. Each time all that was acknowledged is found with its
// value and nothing that was never sent; regions tile; and now and then fsck and the backups are
// clean.

#include <signal.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/base/random.h"
#include "tests/http/crash/kill_points.h"
#include "tests/http/crash/region_changes.h"
#include "tests/http/load_writer.h"
#include "tests/http/server_process.h"
#include "tests/support/temp_dir.h"

namespace hourcell::kill_loop_test {
namespace {

using testing::AnyOf;
using testing::HasSubstr;
using Outcome = LoadWriter::Outcome;

constexpr uint64_t kRoundsOfAStore = 20;
constexpr uint64_t kRoundsToFsck = 5;

// The events of all rounds. The load's threads count together.
struct Happened {
  std::atomic<int64_t> region_changes = 0;
  std::atomic<int64_t> seals = 0;
  std::atomic<int64_t> flushes = 0;
  std::atomic<int64_t> lsm_compactions = 0;
  std::atomic<int64_t> backups = 0;
  std::atomic<int64_t> ttls = 0;
  std::atomic<int64_t> expiries = 0;
  int64_t batches = 0;
  int64_t imports = 0;
  int64_t kill_points = 0;  // that were reached
  int64_t checks = 0;       // fsck and backups
};

class KillLoopTest : public testing::Test {
 protected:
  KillLoopTest() {
    std::printf("HOURCELL_TEST_SEED=%llu\n", static_cast<unsigned long long>(seed_));
#ifdef HOURCELL_KILL_POINTS
    // Of the protocols that this program runs.
    for (const std::string& point : DeclaredKillPoints()) {
      const std::string protocol = point.substr(0, point.find(':'));
      constexpr std::array kProtocols = {"backup", "checkpoint", "input", "journal",
                                         "merge",  "region",     "seal",  "series",
                                         "split",  "trim",       "ttl"};
      if (std::ranges::find(kProtocols, protocol) != kProtocols.end()) {
        kill_points_.push_back(point);
      }
    }
#endif
  }

  std::string store() const { return directory_->file("store"); }
  std::string backups() const { return directory_->file("backups"); }

  void Renew() {
    using Protocol = LoadWriter::Protocol;
    constexpr std::array kProtocols = {Protocol::kTelnet, Protocol::kHttp, Protocol::kTelnet,
                                       Protocol::kInflux, Protocol::kImport};
    directory_ = std::make_unique<TempDir>();
    CountBatches();
    for (size_t i = 0; i < writers_.size(); ++i) {
      writers_[i] =
          std::make_unique<LoadWriter>(kProtocols[i], fmt::format("m_{}", i), random_.Next());
    }
    mortal_ = std::make_unique<LoadWriter>(Protocol::kHttp, "mortal", random_.Next());
    mortal_->Forget();
    is_mortal_ = false;
    backups_of_others_ = happened_.backups;
  }

  void RunRound(uint64_t round) {
    if (round % kRoundsOfAStore == 0) Renew();
    series_ = 3 + round % kRoundsOfAStore;
    std::vector<std::string> arguments = TinyBudgets(
        std::array{"never", "interval", "always"}[round % 3], static_cast<int>(round % 2));
    arguments.insert(arguments.end(), {"--set", "tsd.storage.backup.directory=" + backups(),
                                       "--set", "tsd.http.ttl.allow_shorter=true"});
    KillTools(arguments);

    const bool draws_point = round > 0 && !kill_points_.empty() && random_.Below(3) == 0;
    const std::string point =
        draws_point
            ? fmt::format("HOURCELL_KILL_AT={}#{}",
                          kill_points_[random_.Below(kill_points_.size())], 1 + random_.Below(4))
            : "";
    SCOPED_TRACE(point);
    ServerProcess server(store(), arguments, point);
    if (server.port() == 0) {
      EXPECT_TRUE(draws_point) << "does not start: " << server.first_line();
      EXPECT_EQ(server.Wait(), -SIGKILL);
      ++happened_.kill_points;
      return;
    }
    Settle(server);
    if (HasFailure()) return;
    Load(server, round);
    if (server.HasEnded(0)) ++happened_.kill_points;
    EXPECT_TRUE(draws_point || !server.HasEnded(0)) << "ended by itself";
    EXPECT_EQ(server.End(SIGKILL), -SIGKILL);
    for (std::jthread& thread : threads_)
      thread.join();
    threads_.clear();
  }

  // An import into the store, or a server that opens it, is killed before the round.
  void KillTools(std::vector<std::string> arguments) {
    const auto after_ms = static_cast<int64_t>(random_.Below(80));
    switch (random_.Below(6)) {
      case 0:
        importer()->ImportAndKill(store(), series_, after_ms);
        break;
      case 1:
        arguments.insert(arguments.begin(), {"serve", "--port", "0", "--data", store()});
        EXPECT_EQ(RunAndKill(arguments, after_ms), -SIGKILL);
        break;
      default:
        break;
    }
  }

  // Every point is found as it was acknowledged, or as it was sent after that, and regions tile. A
  // server that reached its kill point meanwhile is checked again in its next life.
  void Settle(const ServerProcess& server) {
    std::vector<std::jthread> threads;
    const auto settle = [&server](LoadWriter* writer) {
      const std::string faults = writer->Settle(server.port());
      if (faults == LoadWriter::kNoAnswer && server.HasEnded(1000)) return;
      EXPECT_EQ(faults, "");
    };
    threads.emplace_back([&] {
      for (size_t i = 0; i < 3; ++i)
        settle(writers_[i].get());
    });
    for (size_t i = 3; i < writers_.size(); ++i)
      settle(writers_[i].get());
    settle(mortal_.get());
    const HttpResult check = HttpCall(server.port(), "GET", "/api/admin/regions/check");
    if (check.status == 0 && server.HasEnded(1000)) return;
    EXPECT_THAT(check.body, HasSubstr("\"findings\":[]"));
  }

  // Starts everything, and returns after a random time or when the server is gone; the first time,
  // once everything has happened.
  void Load(const ServerProcess& server, uint64_t round) {
    const uint16_t port = server.port();
    for (const auto& writer : writers_)
      threads_.emplace_back([&writer, port, series = series_] { writer->Run(port, series); });
    threads_.emplace_back([this, port, seed = random_.Next()] {
      happened_.region_changes += ChangeRegionsUntilGone(port, seed);
    });
    threads_.emplace_back([this, port, seed = random_.Next()] { Administer(port, seed); });
    threads_.emplace_back([this, port, seed = random_.Next()] { LetExpire(port, seed); });
    if (server.HasEnded(20 + static_cast<int64_t>(random_.Below(400))) || round > 0) return;
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (!HasAllHappened() && std::chrono::steady_clock::now() < deadline) {
      if (server.HasEnded(10)) return;
    }
  }

  bool HasAllHappened() const {
    return importer()->acknowledged() > 0 && happened_.seals > 0 && happened_.flushes > 0 &&
           happened_.lsm_compactions > 0 && happened_.backups > 0 && happened_.ttls > 0 &&
           happened_.expiries > 0;
  }

  // The manual work of an operator, in no order.
  void Administer(uint16_t port, uint64_t seed) {
    struct Work {
      std::string_view uri;
      std::string_view body;
      std::atomic<int64_t>* done;
    };
    const std::array<Work, 6> works = {
        Work{"seal", "", &happened_.seals},
        {"flush", "", &happened_.flushes},
        {"compact", "", &happened_.lsm_compactions},
        {"backup", "", &happened_.backups},
        {"ttl", R"({"metric":"m_0","ttl":"20000d"})", &happened_.ttls},
        {"ttl", R"({"metric":"m_0","ttl":"forever"})", &happened_.ttls},
    };
    Random random(seed);
    while (true) {
      const Work& work = works[random.Below(works.size())];
      const HttpResult result =
          HttpCall(port, "POST", fmt::format("/api/admin/{}?wait", work.uri), work.body);
      if (result.status == 0) return;
      // Busy, or no point of the metric was put yet.
      EXPECT_THAT(result.status, AnyOf(200, 409, 503, 404)) << work.uri << ": " << result.body;
      if (result.status == 200) ++*work.done;
      std::this_thread::sleep_for(std::chrono::milliseconds(random.Below(8)));
    }
  }

  // Puts points, has them expire, and puts them again.
  void LetExpire(uint16_t port, uint64_t seed) {
    Random random(seed);
    while (true) {
      if (is_mortal_ && !SetTtl(port, "forever")) return;
      is_mortal_ = false;
      for (uint64_t i = 0; i <= random.Below(4); ++i) {
        const Outcome outcome = mortal_->PutBatch(port, series_);
        if (outcome == Outcome::kGone || outcome == Outcome::kWrong) return;
      }
      mortal_->Forget();
      is_mortal_ = true;
      if (!SetTtl(port, "1d")) return;
      EXPECT_LE(mortal_->CountShown(port), 0) << "shown although they have expired";
      ++happened_.expiries;
    }
  }

  // False if the server is gone. A metric without points cannot have a TTL, and needs none.
  static bool SetTtl(uint16_t port, std::string_view ttl) {
    const std::string body = fmt::format(R"({{"metric":"mortal","ttl":"{}"}})", ttl);
    const HttpResult result = HttpCall(port, "POST", "/api/admin/ttl", body);
    EXPECT_THAT(result.status, AnyOf(0, 200, 404)) << result.body;
    return result.status != 0;
  }

  // As a stopped store: fsck finds nothing, and all existing backups are whole.
  void CheckAtRest() {
    ExpectCleanStore(store());
    ++happened_.checks;
    if (!std::filesystem::exists(backups() + "/backups")) return;
    const ProgramResult verify = RunProgram({"backup", "verify", backups()});
    EXPECT_EQ(verify.exit_code, 0) << verify.out << verify.err;
    if (verify.out.empty()) return;
    const ProgramResult prune = RunProgram({"backup", "prune", backups(), "--keep", "1"});
    EXPECT_EQ(prune.exit_code, 0) << prune.out << prune.err;
  }

  // If the store has backups that were acknowledged, the newest there is becomes a store.
  void CheckRestored() {
    if (happened_.backups == backups_of_others_) return;
    const std::string restored = directory_->file("restored");
    const ProgramResult restore = RunProgram({"restore", backups(), restored});
    EXPECT_EQ(restore.exit_code, 0) << restore.err;
    ExpectCleanStore(restored);
  }

  static void ExpectCleanStore(const std::string& directory) {
    const ProgramResult fsck = RunProgram({"fsck", "--data", directory});
    EXPECT_EQ(fsck.exit_code, 0) << fsck.out << fsck.err;
  }

  // Without budgets of note, so that hours are sealed only on request.
  void EndStore() {
    {
      ServerProcess server(store());
      ASSERT_NE(server.port(), 0);
      Settle(server);
      EXPECT_EQ(HttpCall(server.port(), "POST", "/api/admin/compact?wait").status, 200);
      Settle(server);
      EXPECT_EQ(server.End(SIGTERM), 0);
    }
    CheckAtRest();
    CheckRestored();
  }

  LoadWriter* importer() const { return writers_.back().get(); }

  void CountBatches() {
    for (const auto& writer : writers_)
      happened_.batches += writer == nullptr ? 0 : writer->acknowledged();
    happened_.imports += importer() == nullptr ? 0 : importer()->acknowledged();
  }

  const uint64_t seed_ = FromEnvironment("HOURCELL_TEST_SEED", 1);
  Random random_{seed_};
  std::vector<std::string> kill_points_;
  std::unique_ptr<TempDir> directory_;
  std::array<std::unique_ptr<LoadWriter>, 5> writers_;
  std::unique_ptr<LoadWriter> mortal_;
  bool is_mortal_ = false;         // its metric may have a short TTL
  int64_t backups_of_others_ = 0;  // acknowledged by the stores before this one
  uint64_t series_ = 3;
  std::vector<std::jthread> threads_;
  Happened happened_;
};

TEST_F(KillLoopTest, WhatWasAcknowledgedIsFoundAndNothingElse) {
  const uint64_t rounds = FromEnvironment("HOURCELL_CRASH_ROUNDS", 5);
  for (uint64_t round = 0; round < rounds && !HasFailure(); ++round) {
    SCOPED_TRACE(testing::Message() << "round " << round);
    RunRound(round);
    if (HasFailure()) break;
    if (round % kRoundsToFsck == kRoundsToFsck / 2) CheckAtRest();
    if (round % kRoundsOfAStore == kRoundsOfAStore - 1 || round + 1 == rounds) EndStore();
  }
  CountBatches();
  const auto number = [](int64_t count) { return static_cast<long long>(count); };
  std::printf(
      "%llu rounds, %lld of them ended at a kill point; %lld batches acknowledged, of them %lld "
      "imports; %lld region changes, %lld seals, %lld flushes, %lld LSM compactions, %lld backups, "
      "%lld TTLs, %lld expiries; %lld times fsck\n",
      static_cast<unsigned long long>(rounds), number(happened_.kill_points),
      number(happened_.batches), number(happened_.imports), number(happened_.region_changes),
      number(happened_.seals), number(happened_.flushes), number(happened_.lsm_compactions),
      number(happened_.backups), number(happened_.ttls), number(happened_.expiries),
      number(happened_.checks));
  EXPECT_GT(happened_.batches, 0);
  EXPECT_GT(happened_.imports, 0);
  EXPECT_GT(happened_.region_changes, 0);
  EXPECT_GT(happened_.backups, 0);
  EXPECT_GT(happened_.expiries, 0);
}

}  // namespace
}  // namespace hourcell::kill_loop_test
