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

// The first byte of a TLS connection: a handshake record. Commands never begin with it.
inline constexpr char kTlsFirstByte = 0x16;

class TlsSession {
 public:
  explicit TlsSession(const TlsContext& context);

  // Takes bytes as they arrive. Appends the decrypted text to `*plain`, and output that they cause,
  // of the handshake or an alert, to `*wire`. kInvalidArgument: bytes that are not TLS, are of an
  // unsupported version or are damaged; the session then cannot take or send more.
  absl::Status Take(std::string_view bytes, std::string* plain, std::string* wire);

  // Appends the encrypted form of `plain`. False before the end of the handshake or after an error.
  bool Send(std::string_view plain, std::string* wire);

  // Appends the alert that ends the output, so that the client can distinguish the end from a cut.
  void Finish(std::string* wire);

  // The handshake is done.
  bool is_established() const;

  // The client has ended its output.
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
