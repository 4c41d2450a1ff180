// TlsContext: the certificate and key of a server's TLS, 1.2 or newer.
//
// Thread-safe.

#pragma once

#include <memory>
#include <string>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "codec/base/mutex.h"

struct ssl_ctx_st;  // OpenSSL's SSL_CTX

namespace hourcell {

class TlsContext {
 public:
  // Files in PEM: the certificate, followed by its chain; its key, without a passphrase.
  // kInvalidArgument: a file cannot be read, or they do not match.
  static absl::StatusOr<std::unique_ptr<TlsContext>> Open(std::string certificate_file,
                                                          std::string key_file);

  TlsContext(const TlsContext&) = delete;
  TlsContext& operator=(const TlsContext&) = delete;

  // Reads both files again, for new sessions. An error leaves everything unchanged.
  absl::Status Reload();

  // The context for a new session.
  std::shared_ptr<ssl_ctx_st> current() const;

 private:
  TlsContext(std::string certificate_file, std::string key_file);

  const std::string certificate_file_;
  const std::string key_file_;

  mutable Mutex mutex_;
  std::shared_ptr<ssl_ctx_st> current_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace hourcell
