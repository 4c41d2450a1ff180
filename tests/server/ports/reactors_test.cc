#include "server/ports/reactors.h"

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <thread>
#include <utility>

#include <boost/asio/post.hpp>
#include <gtest/gtest.h>

#include "server/net/asio.h"

namespace hourcell {
namespace {

namespace asio = boost::asio;

constexpr std::chrono::seconds kPatience{60};

// Runs `step` in a loop and returns its result.
template <typename Step>
auto ResultIn(IoContext& io, Step step) {
  std::packaged_task<decltype(step())()> task(std::move(step));
  auto result = task.get_future();
  asio::post(io.context, std::move(task));
  EXPECT_EQ(result.wait_for(kPatience), std::future_status::ready);
  return result.get();
}

TEST(ReactorsTest, ASocketEntersTheReactorWithTheFewest) {
  Reactors reactors(3);
  EXPECT_EQ(reactors.Enter(), 0U);
  EXPECT_EQ(reactors.Enter(), 1U);
  EXPECT_EQ(reactors.Enter(), 2U);
  reactors.Leave(1);
  EXPECT_EQ(reactors.Enter(), 1U);
  reactors.Leave(2);
  reactors.Leave(0);
  EXPECT_EQ(reactors.Enter(), 0U);
  EXPECT_EQ(reactors.Enter(), 2U);
}

TEST(ReactorsTest, EachLoopHasOneThread) {
  Reactors reactors(2);
  reactors.Start();
  const auto thread_of = [](IoContext& io) {
    return ResultIn(io, [] { return std::this_thread::get_id(); });
  };
  const std::thread::id first = thread_of(reactors.at(0));
  EXPECT_EQ(thread_of(reactors.at(0)), first);
  EXPECT_NE(thread_of(reactors.at(1)), first);
  EXPECT_NE(thread_of(reactors.acceptor()), first);
  EXPECT_NE(thread_of(reactors.acceptor()), thread_of(reactors.at(1)));
}

TEST(ReactorsTest, AFreeReactorRunsWorkOnceWhileAnotherIsBusy) {
  Reactors reactors(2);
  reactors.Start();
  std::promise<void> may_end;
  asio::post(reactors.at(0).context, [held = may_end.get_future().share()] { held.wait(); });
  std::promise<void> ran;
  std::atomic<int> runs = 0;
  reactors.Post([&] {
    if (runs.fetch_add(1) == 0) ran.set_value();
  });
  EXPECT_EQ(ran.get_future().wait_for(kPatience), std::future_status::ready);
  may_end.set_value();
  ResultIn(reactors.at(0), [] { return 0; });  // its step for the work has run by then
  EXPECT_EQ(runs, 1);
}

TEST(ReactorsTest, TheAcceptorRunsWhileAllReactorsAreBusy) {
  Reactors reactors(1);
  reactors.Start();
  std::promise<void> may_end;
  asio::post(reactors.at(0).context, [held = may_end.get_future().share()] { held.wait(); });
  EXPECT_EQ(ResultIn(reactors.acceptor(), [] { return 1; }), 1);
  may_end.set_value();
}

TEST(ReactorsTest, StopDropsStepsThatAreLeft) {
  const auto held = std::make_shared<int>(0);
  {
    Reactors reactors(2);
    reactors.Start();
    reactors.Stop();
    asio::post(reactors.at(1).context, [held] {});
    asio::post(reactors.acceptor().context, [held] {});
    EXPECT_EQ(held.use_count(), 3);
  }
  EXPECT_EQ(held.use_count(), 1);
}

}  // namespace
}  // namespace hourcell
