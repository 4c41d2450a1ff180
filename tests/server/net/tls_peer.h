// The client's side of a TLS connection, in memory, and certificates made for one test.

#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace hourcell {

// Writes a certificate for localhost that vouches for itself, and its key, as PEM.
void WriteCertificate(const std::string& certificate_file, const std::string& key_file);

class TlsPeer {
 public:
  // `newest_version`: 2 or 3 of TLS 1.x; 1 is obsolete.
  explicit TlsPeer(int newest_version = 3);
  ~TlsPeer();
  TlsPeer(const TlsPeer&) = delete;
  TlsPeer& operator=(const TlsPeer&) = delete;

  // Takes bytes from the network; returns the bytes to send. Without bytes: begins.
  std::string Take(std::string_view bytes);
  // The bytes to send for `plain`. REQUIRES: is_established().
  std::string Send(std::string_view plain);
  // The bytes that close the connection.
  std::string Finish();

  bool is_established() const;
  bool server_finished() const;
  bool failed() const;
  // All that was said, and the server's certificate by its serial number.
  const std::string& received() const;
  std::string certificate_serial() const;

 private:
  struct Session;
  std::unique_ptr<Session> session_;
};

}  // namespace hourcell
