#include "server/net/tls_context.h"

#include <openssl/err.h>
#include <openssl/ssl.h>

#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "codec/base/check.h"
#include "codec/base/status_macros.h"

namespace hourcell {
namespace {

// Returns the text of OpenSSL's first error, and clears its errors.
std::string TakeError() {
  const char* const reason = ERR_reason_error_string(ERR_get_error());
  ERR_clear_error();
  return reason == nullptr ? "unknown error" : reason;
}

absl::Status BadFile(std::string_view setting, const std::string& file, std::string_view want) {
  return absl::InvalidArgumentError(
      fmt::format("{}: {}: {}; expected {}", setting, file, TakeError(), want));
}

// A key with a passphrase is an error, instead of a prompt on the terminal.
int NoPassphrase(char* /*buffer*/, int /*size*/, int /*is_write*/, void* /*user*/) {
  return -1;
}

}  // namespace

absl::StatusOr<std::unique_ptr<TlsContext>> TlsContext::Open(std::string certificate_file,
                                                             std::string key_file) {
  std::unique_ptr<TlsContext> context(
      new TlsContext(std::move(certificate_file), std::move(key_file)));
  HOURCELL_RETURN_IF_ERROR(context->Reload());
  return context;
}

TlsContext::TlsContext(std::string certificate_file, std::string key_file)
    : certificate_file_(std::move(certificate_file)), key_file_(std::move(key_file)) {}

absl::Status TlsContext::Reload() {
  ERR_clear_error();
  const std::shared_ptr<SSL_CTX> fresh(SSL_CTX_new(TLS_server_method()), &SSL_CTX_free);
  HOURCELL_CHECK(fresh != nullptr);
  HOURCELL_CHECK(SSL_CTX_set_min_proto_version(fresh.get(), TLS1_2_VERSION) == 1);
  // Renegotiation and compression mostly help attackers.
  SSL_CTX_set_options(fresh.get(), SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION |
                                       SSL_OP_CIPHER_SERVER_PREFERENCE);
  SSL_CTX_set_mode(fresh.get(), SSL_MODE_RELEASE_BUFFERS);  // idle sessions stay small
  SSL_CTX_set_default_passwd_cb(fresh.get(), &NoPassphrase);
  if (SSL_CTX_use_certificate_chain_file(fresh.get(), certificate_file_.c_str()) != 1) {
    return BadFile("tsd.tls.certificate", certificate_file_, "certificates in PEM");
  }
  if (SSL_CTX_use_PrivateKey_file(fresh.get(), key_file_.c_str(), SSL_FILETYPE_PEM) != 1) {
    return BadFile("tsd.tls.key", key_file_, "the certificate's key in PEM, without a passphrase");
  }
  MutexLock lock(&mutex_);
  current_ = fresh;
  return absl::OkStatus();
}

std::shared_ptr<ssl_ctx_st> TlsContext::current() const {
  MutexLock lock(&mutex_);
  return current_;
}

}  // namespace hourcell
