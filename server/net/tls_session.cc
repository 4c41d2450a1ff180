#include "server/net/tls_session.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>

#include <cstddef>
#include <limits>

#include <fmt/format.h>

#include "codec/base/check.h"

namespace hourcell {
namespace {

constexpr size_t kPieceBytes = 16 * 1024;  // of a TLS record

std::string TakeErrors() {
  const char* const reason = ERR_reason_error_string(ERR_peek_last_error());
  ERR_clear_error();
  return reason == nullptr ? "closed" : reason;
}

}  // namespace

void TlsSession::Free::operator()(ssl_st* session) const {
  SSL_free(session);
}

TlsSession::TlsSession(const TlsContext& context) : session_(SSL_new(context.current().get())) {
  HOURCELL_CHECK(session_ != nullptr);
  BIO* const in = BIO_new(BIO_s_mem());
  BIO* const out = BIO_new(BIO_s_mem());
  HOURCELL_CHECK(in != nullptr && out != nullptr);
  SSL_set_bio(session_.get(), in, out);  // owns both
  SSL_set_accept_state(session_.get());
}

absl::Status TlsSession::Take(std::string_view bytes, std::string* plain, std::string* wire) {
  if (failed_) return absl::InvalidArgumentError("tls: failed before");
  // OpenSSL's queue of errors belongs to the thread, and may hold errors of another session.
  ERR_clear_error();
  while (!bytes.empty()) {
    const std::string_view piece = bytes.substr(0, std::numeric_limits<int>::max());
    const int written =
        BIO_write(SSL_get_rbio(session_.get()), piece.data(), static_cast<int>(piece.size()));
    HOURCELL_CHECK(written > 0);  // a BIO in memory takes all
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  absl::Status status = ReadPlain(plain);
  TakeWire(wire);
  return status;
}

absl::Status TlsSession::ReadPlain(std::string* plain) {
  while (true) {
    const size_t size = plain->size();
    plain->resize(size + kPieceBytes);
    size_t got = 0;
    const int result = SSL_read_ex(session_.get(), plain->data() + size, kPieceBytes, &got);
    plain->resize(size + got);
    if (result == 1) continue;
    const int error = SSL_get_error(session_.get(), result);
    if (error == SSL_ERROR_WANT_READ || error == SSL_ERROR_ZERO_RETURN) return absl::OkStatus();
    failed_ = true;
    return absl::InvalidArgumentError(fmt::format("tls: {}", TakeErrors()));
  }
}

bool TlsSession::Send(std::string_view plain, std::string* wire) {
  if (failed_ || !is_established()) return false;
  ERR_clear_error();
  while (!plain.empty()) {
    size_t sent = 0;
    if (SSL_write_ex(session_.get(), plain.data(), plain.size(), &sent) != 1) {
      failed_ = true;
      ERR_clear_error();
      return false;
    }
    plain.remove_prefix(sent);
  }
  TakeWire(wire);
  return true;
}

void TlsSession::Finish(std::string* wire) {
  if (failed_ || !is_established()) return;
  SSL_shutdown(session_.get());
  ERR_clear_error();
  TakeWire(wire);
}

bool TlsSession::is_established() const {
  return SSL_is_init_finished(session_.get()) == 1;
}

bool TlsSession::client_finished() const {
  return (SSL_get_shutdown(session_.get()) & SSL_RECEIVED_SHUTDOWN) != 0;
}

void TlsSession::TakeWire(std::string* wire) {
  BIO* const out = SSL_get_wbio(session_.get());
  const size_t size = wire->size();
  const size_t pending = BIO_ctrl_pending(out);
  if (pending == 0) return;
  wire->resize(size + pending);
  size_t got = 0;
  HOURCELL_CHECK(BIO_read_ex(out, wire->data() + size, pending, &got) == 1 && got == pending);
}

}  // namespace hourcell
