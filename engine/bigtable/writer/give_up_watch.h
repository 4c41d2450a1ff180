// GiveUpWatch: ends the calls of a client a short time after the process was told to stop. A call
// is repeated for a minute, and the process would wait for it.
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
  // How long calls may still take: those that a service answers end before that.
  static constexpr int64_t kGraceMs = 500;

  // `client` is borrowed. A thread of the object calls `gives_up`, which may be null.
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

  // On the thread of asker_.
  void Ask() {
    if (gives_up_() && ++asks_ == asks_max_) client_.EndCalls();
  }

  BigtableClient& client_;
  const std::function<bool()> gives_up_;
  const int64_t asks_max_;
  int64_t asks_ = 0;  // that were answered with yes
  Background asker_;
};

}  // namespace hourcell
