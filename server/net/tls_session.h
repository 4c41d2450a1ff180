// TlsSession: the server's side of one TLS connection, without the socket: bytes of the network in,
// plain bytes and bytes for the network out.
//
// Thread-compatible.

#pragma once

#include <memory>
#include <string>
#include <string_view>

#include <absl/status/status.h>

#include "server/net/tls_context.h"

struct ssl_st;  // OpenSSL's SSL

namespace hourcell {

// The first byte of a TLS connection: a record of the handshake. No command begins with it.
inline constexpr char kTlsFirstByte = 0x16;

class TlsSession {
 public:
  explicit TlsSession(const TlsContext& context);

  // Takes bytes as they came. Appends what they say to `*plain`, and what is to be sent because of
  // them to `*wire`: of the handshake, or an alert. kInvalidArgument: this is no TLS, none that is
  // spoken here, or was tampered with; nothing more can be taken or sent.
  absl::Status Take(std::string_view bytes, std::string* plain, std::string* wire);

  // Appends what is to be sent for `plain`. False if nothing can be: the handshake is not done, or
  // an error came.
  bool Send(std::string_view plain, std::string* wire);

  // Appends the alert that says that nothing more comes, so that the client can tell the end from a
  // cut.
  void Finish(std::string* wire);

  // The handshake is done.
  bool is_established() const;

  // The client said that it sends no more.
  bool client_finished() const;

 private:
  struct Free {
    void operator()(ssl_st* session) const;
  };

  absl::Status ReadPlain(std::string* plain);
  void TakeWire(std::string* wire);

  const std::unique_ptr<ssl_st, Free> session_;
  bool failed_ = false;
};

}  // namespace hourcell
