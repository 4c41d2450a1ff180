// A server of one test: takes connections, keeps the requests it gets, answers each with the next
// text of its script. Binds a free port of the loopback.

#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "codec/base/check.h"
#include "codec/base/mutex.h"

namespace hourcell {

struct ScriptedReply {
  std::string bytes = {};  // as sent; empty = none
  bool close = false;      // end the connection after it
};

class ScriptedServer {
 public:
  explicit ScriptedServer(std::vector<ScriptedReply> script) : script_(std::move(script)) {
    listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    auto* const generic = reinterpret_cast<sockaddr*>(&address);
    HOURCELL_CHECK(::bind(listener_, generic, size) == 0);
    HOURCELL_CHECK(::listen(listener_, 8) == 0);
    HOURCELL_CHECK(::getsockname(listener_, generic, &size) == 0);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { Serve(); });
  }
  ~ScriptedServer() {
    ::shutdown(listener_, SHUT_RDWR);  // ends accept
    thread_.join();
    ::close(listener_);
  }
  ScriptedServer(const ScriptedServer&) = delete;
  ScriptedServer& operator=(const ScriptedServer&) = delete;

  uint16_t port() const { return port_; }
  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }
  std::vector<std::string> requests() {
    const MutexLock lock(&mutex_);
    return requests_;
  }

 private:
  void Serve() {
    while (next_ < script_.size()) {
      const int peer = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
      if (peer < 0) return;
      ServePeer(peer);
      ::close(peer);
    }
  }

  void ServePeer(int peer) {
    while (next_ < script_.size()) {
      const std::string request = ReadRequest(peer);
      if (request.empty()) return;
      {
        const MutexLock lock(&mutex_);
        requests_.push_back(request);
      }
      const ScriptedReply& reply = script_[next_++];
      if (::send(peer, reply.bytes.data(), reply.bytes.size(), MSG_NOSIGNAL) < 0) return;
      if (reply.close) return;
    }
  }

  // Head and body; empty when the peer closed.
  static std::string ReadRequest(int peer) {
    std::string bytes;
    size_t want = std::string::npos;
    while (bytes.size() < want) {
      char piece[4096];
      const ssize_t got = ::recv(peer, piece, sizeof(piece), 0);
      if (got <= 0) return {};
      bytes.append(piece, static_cast<size_t>(got));
      const size_t head = bytes.find("\r\n\r\n");
      const size_t length = bytes.find("Content-Length: ");
      if (want == std::string::npos && head != std::string::npos) {
        want = head + 4 + (length < head ? std::stoul(bytes.substr(length + 16)) : 0);
      }
    }
    return bytes;
  }

  const std::vector<ScriptedReply> script_;
  size_t next_ = 0;  // of the thread
  int listener_ = -1;
  uint16_t port_ = 0;
  Mutex mutex_;
  std::vector<std::string> requests_ ABSL_GUARDED_BY(mutex_);
  std::thread thread_;
};

// A reply with a Content-Length.
inline std::string HttpReplyText(int status, std::string_view body, std::string_view header = {}) {
  return "HTTP/1.1 " + std::to_string(status) + " Text\r\n" + std::string(header) +
         "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + std::string(body);
}

}  // namespace hourcell
