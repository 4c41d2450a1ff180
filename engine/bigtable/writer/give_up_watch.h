// GiveUpWatch: cancels a client's calls shortly after the process was asked to stop. Otherwise the
// process would wait for retries, which take up to a minute.
//
// Thread-safe.

#pragma once

#include <cstdint>
#include <functional>
#include <utility>

#include "engine/bigtable/api/bigtable_client.h"
#include "engine/threads/background.h"

namespace hourcell {

class GiveUpWatch {
 public:
  // Grace period, long enough for calls that the service answers.
  static constexpr int64_t kGraceMs = 500;

  // `client` is borrowed. The object's own thread calls `gives_up`, which may be null.
  GiveUpWatch(BigtableClient* client, std::function<bool()> gives_up, int64_t grace_ms = kGraceMs)
      : client_(*client),
        gives_up_(std::move(gives_up)),
        asks_max_(grace_ms / kAskMs),
        asker_("hc-give-up", gives_up_ ? kAskMs : 0, [this] { Ask(); }) {}
  ~GiveUpWatch() = default;
  GiveUpWatch(const GiveUpWatch&) = delete;
  GiveUpWatch& operator=(const GiveUpWatch&) = delete;

 private:
  static constexpr int64_t kAskMs = 50;

  // Runs on the thread of asker_.
  void Ask() {
    if (gives_up_() && ++asks_ == asks_max_) client_.EndCalls();
  }

  BigtableClient& client_;
  const std::function<bool()> gives_up_;
  const int64_t asks_max_;
  int64_t asks_ = 0;  // calls that returned true
  Background asker_;
};

}  // namespace hourcell
