// Reactors: the threads that serve sockets, each with a separate event loop. A connection belongs
// to one reactor until it is closed: all its steps run on that thread, without locks, and wake no
// other thread. One more thread accepts connections, so that clients are accepted and spread over
// the reactors while all of these are busy.
//
//   Reactors reactors(4);
//   const size_t reactor = reactors.Enter();   // for a new socket
//   tcp::socket socket(reactors.at(reactor).context);
//   reactors.Start();
//   ... reactors.Leave(reactor);               // when it is closed
//
// Work that takes long is not for these threads: the other connections of the reactor wait for it.
//
// Thread-safe, except Start and Stop.

#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

namespace hourcell {

struct IoContext;

class Reactors {
 public:
  // REQUIRES: count > 0.
  explicit Reactors(size_t count);
  // Calls Stop.
  ~Reactors();
  Reactors(const Reactors&) = delete;
  Reactors& operator=(const Reactors&) = delete;

  // Starts the threads. Call at most once.
  void Start();
  // Ends the threads after their current steps; pending steps are dropped with the object, and so
  // may be sockets, which must not outlive it. Idempotent.
  void Stop();

  // The loop that accepts connections.
  IoContext& acceptor() const;

  // Chooses the reactor with the fewest sockets for one more, which leaves it later.
  size_t Enter();
  void Leave(size_t reactor);
  // Its loop.
  IoContext& at(size_t reactor) const;

  // Calls `work` once, on the first reactor that is free; not after Stop.
  void Post(const std::function<void()>& work);

 private:
  struct Loop;
  const std::unique_ptr<Loop> acceptor_;  // declared first: no step of another holds its sockets
  std::vector<std::unique_ptr<Loop>> loops_;
};

}  // namespace hourcell
