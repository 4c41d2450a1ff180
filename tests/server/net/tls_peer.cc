#include "tests/server/net/tls_peer.h"

#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include <atomic>
#include <cstdio>

#include "codec/base/check.h"

namespace hourcell {
namespace {

constexpr long kDayS = 86400;

}  // namespace

void WriteCertificate(const std::string& certificate_file, const std::string& key_file) {
  static std::atomic<long> next_serial = 1;
  EVP_PKEY* const key = EVP_EC_gen("P-256");
  X509* const certificate = X509_new();
  HOURCELL_CHECK(key != nullptr && certificate != nullptr);
  X509_set_version(certificate, 2);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate), next_serial++);
  X509_gmtime_adj(X509_getm_notBefore(certificate), -kDayS);
  X509_gmtime_adj(X509_getm_notAfter(certificate), kDayS);
  X509_NAME* const name = X509_get_subject_name(certificate);
  const std::string host = "localhost";
  X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC,
                             reinterpret_cast<const unsigned char*>(host.c_str()), -1, -1, 0);
  X509_set_issuer_name(certificate, name);
  X509_set_pubkey(certificate, key);
  HOURCELL_CHECK(X509_sign(certificate, key, EVP_sha256()) > 0);

  std::FILE* const certificate_out = std::fopen(certificate_file.c_str(), "w");
  std::FILE* const key_out = std::fopen(key_file.c_str(), "w");
  HOURCELL_CHECK(PEM_write_X509(certificate_out, certificate) == 1);
  HOURCELL_CHECK(PEM_write_PrivateKey(key_out, key, nullptr, nullptr, 0, nullptr, nullptr) == 1);
  std::fclose(certificate_out);
  std::fclose(key_out);
  X509_free(certificate);
  EVP_PKEY_free(key);
}

struct TlsPeer::Session {
  SSL_CTX* context = SSL_CTX_new(TLS_client_method());
  SSL* ssl = nullptr;
  std::string received;
  bool failed = false;

  std::string TakeWire() const {
    BIO* const out = SSL_get_wbio(ssl);
    std::string wire(BIO_ctrl_pending(out), '\0');
    if (!wire.empty()) BIO_read(out, wire.data(), static_cast<int>(wire.size()));
    return wire;
  }
};

TlsPeer::TlsPeer(int newest_version) : session_(std::make_unique<Session>()) {
  // The oldest need the lowest level of security, too.
  SSL_CTX_set_security_level(session_->context, 0);
  SSL_CTX_set_max_proto_version(session_->context, TLS1_VERSION + newest_version);
  session_->ssl = SSL_new(session_->context);
  SSL_set_bio(session_->ssl, BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()));
  SSL_set_connect_state(session_->ssl);
}

TlsPeer::~TlsPeer() {
  SSL_free(session_->ssl);
  SSL_CTX_free(session_->context);
}

std::string TlsPeer::Take(std::string_view bytes) {
  if (!bytes.empty()) {
    BIO_write(SSL_get_rbio(session_->ssl), bytes.data(), static_cast<int>(bytes.size()));
  }
  char piece[4096];
  int got = 0;
  while ((got = SSL_read(session_->ssl, piece, sizeof piece)) > 0)
    session_->received.append(piece, static_cast<size_t>(got));
  const int error = SSL_get_error(session_->ssl, got);
  session_->failed = error != SSL_ERROR_WANT_READ && error != SSL_ERROR_ZERO_RETURN;
  ERR_clear_error();
  return session_->TakeWire();
}

std::string TlsPeer::Send(std::string_view plain) {
  size_t sent = 0;
  HOURCELL_CHECK(SSL_write_ex(session_->ssl, plain.data(), plain.size(), &sent) == 1);
  HOURCELL_CHECK(sent == plain.size());
  return session_->TakeWire();
}

std::string TlsPeer::Finish() {
  SSL_shutdown(session_->ssl);
  return session_->TakeWire();
}

bool TlsPeer::is_established() const {
  return SSL_is_init_finished(session_->ssl) == 1;
}
bool TlsPeer::server_finished() const {
  return (SSL_get_shutdown(session_->ssl) & SSL_RECEIVED_SHUTDOWN) != 0;
}
bool TlsPeer::failed() const {
  return session_->failed;
}
const std::string& TlsPeer::received() const {
  return session_->received;
}

std::string TlsPeer::certificate_serial() const {
  X509* const certificate = SSL_get1_peer_certificate(session_->ssl);
  HOURCELL_CHECK(certificate != nullptr);
  const long serial = ASN1_INTEGER_get(X509_get_serialNumber(certificate));
  X509_free(certificate);
  return std::to_string(serial);
}

}  // namespace hourcell
