// SpareDescriptor: a file descriptor that is given up to answer when there is no other. Without it
// a connection that waits to be accepted stays where it is, and its client learns nothing.
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

  // Closes the connections that wait at `listener`, which does not block, and returns how many
  // there were: at most `connections_max`. 0 as well if somebody else took the descriptor.
  int RefuseWaiting(int listener, int connections_max);

 private:
  void Open();

  int fd_ = -1;
};

}  // namespace hourcell
