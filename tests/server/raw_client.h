// A blocking TCP client for tests of the server. Receiving gives up after 60 s, sending after
// 10 s.

#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <gtest/gtest.h>

#include "codec/base/check.h"

namespace hourcell {

class RawClient {
 public:
  // `receive_bytes`: the size of the socket's receive buffer; 0 = the system's. `from`: the address
  // to come from, one of 127.0.0.0/8; null = the system's choice.
  explicit RawClient(uint16_t port, int receive_bytes = 0, const char* from = nullptr)
      : fd_(socket(AF_INET, SOCK_STREAM, 0)) {
    HOURCELL_CHECK(fd_ >= 0);
    if (from != nullptr) {
      sockaddr_in local{};
      local.sin_family = AF_INET;
      HOURCELL_CHECK(inet_pton(AF_INET, from, &local.sin_addr) == 1);
      HOURCELL_CHECK(bind(fd_, reinterpret_cast<sockaddr*>(&local), sizeof local) == 0);
    }
    if (receive_bytes > 0) {
      setsockopt(fd_, SOL_SOCKET, SO_RCVBUF, &receive_bytes, sizeof receive_bytes);
    }
    // An answer may wait for the disk, and a sanitizer makes the server some ten times slower.
    const timeval receive_patience{.tv_sec = 60, .tv_usec = 0};
    const timeval send_patience{.tv_sec = 10, .tv_usec = 0};
    setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &receive_patience, sizeof receive_patience);
    setsockopt(fd_, SOL_SOCKET, SO_SNDTIMEO, &send_patience, sizeof send_patience);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    HOURCELL_CHECK(connect(fd_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
  }
  ~RawClient() { Close(); }
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;

  void Send(std::string_view bytes) {
    HOURCELL_CHECK(send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL) ==
                   static_cast<ssize_t>(bytes.size()));
  }
  // Until the other side takes no more for 10 s, or closes.
  void SendAsFarAsItGoes(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return;
      bytes.remove_prefix(static_cast<size_t>(sent));
    }
  }
  void EndInput() { shutdown(fd_, SHUT_WR); }
  void Close() {
    if (fd_ >= 0) close(std::exchange(fd_, -1));
  }

  // Reads up to and with `end`; later bytes are kept. Returns all bytes if the server closes.
  std::string ReadUntil(std::string_view end) {
    while (true) {
      const size_t at = received_.find(end, searched_ < end.size() ? 0 : searched_ - end.size());
      searched_ = received_.size();
      if (at != std::string::npos) return TakeBytes(at + end.size());
      if (!ReadSome()) return TakeBytes(received_.size());
    }
  }
  // Everything until the server closes. Fails the test if it does not.
  std::string ReadAll() {
    while (ReadSome()) {
    }
    if (gave_up_) ADD_FAILURE() << "the server did not close the connection";
    return TakeBytes(received_.size());
  }
  // The bytes of one read; empty if the server closed.
  std::string ReadAvailable() {
    if (received_.empty()) ReadSome();
    return TakeBytes(received_.size());
  }
  // True if the server ended the connection by a reset.
  bool was_reset() const { return was_reset_; }

 private:
  std::string TakeBytes(size_t size) {
    std::string bytes = received_.substr(0, size);
    received_.erase(0, size);
    searched_ = 0;
    return bytes;
  }
  bool ReadSome() {
    char buffer[64 * 1024];
    const ssize_t got = recv(fd_, buffer, sizeof buffer, 0);
    gave_up_ = got < 0 && errno == EAGAIN;
    if (got < 0) was_reset_ = errno == ECONNRESET;
    if (got > 0) received_.append(buffer, static_cast<size_t>(got));
    return got > 0;
  }

  int fd_;
  std::string received_;
  size_t searched_ = 0;
  bool gave_up_ = false;
  bool was_reset_ = false;
};

// Sends a datagram to a port of this machine.
inline void SendDatagram(uint16_t port, std::string_view bytes) {
  const int fd = socket(AF_INET, SOCK_DGRAM, 0);
  HOURCELL_CHECK(fd >= 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  HOURCELL_CHECK(sendto(fd, bytes.data(), bytes.size(), 0, reinterpret_cast<sockaddr*>(&address),
                        sizeof address) == static_cast<ssize_t>(bytes.size()));
  close(fd);
}

}  // namespace hourcell
