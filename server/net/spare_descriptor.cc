#include "server/net/spare_descriptor.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <utility>

namespace hourcell {

SpareDescriptor::SpareDescriptor() {
  Open();
}
SpareDescriptor::~SpareDescriptor() {
  if (fd_ >= 0) close(fd_);
}

void SpareDescriptor::Open() {
  if (fd_ < 0) fd_ = open("/dev/null", O_RDONLY | O_CLOEXEC);
}

int SpareDescriptor::RefuseWaiting(int listener, int connections_max) {
  Open();
  if (fd_ < 0) return 0;
  close(std::exchange(fd_, -1));
  int refused = 0;
  while (refused < connections_max) {
    const int connection = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
    if (connection < 0) break;
    close(connection);
    ++refused;
  }
  Open();
  return refused;
}

}  // namespace hourcell
