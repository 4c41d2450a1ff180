// SpareDescriptor: a reserved file descriptor, which is closed to refuse connections when no other
// is left. Without it, waiting connections would stay in the queue, unanswered.
//
// Thread-compatible.

#pragma once

namespace hourcell {

class SpareDescriptor {
 public:
  SpareDescriptor();
  ~SpareDescriptor();
  SpareDescriptor(const SpareDescriptor&) = delete;
  SpareDescriptor& operator=(const SpareDescriptor&) = delete;

  // Closes the connections that wait at `listener`, a non-blocking socket, and returns their
  // number, at most `connections_max`. 0 also if another thread took the descriptor.
  int RefuseWaiting(int listener, int connections_max);

 private:
  void Open();

  int fd_ = -1;
};

}  // namespace hourcell
