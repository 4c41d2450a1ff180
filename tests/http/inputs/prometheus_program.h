// The real Prometheus, of Debian's package, as a child process.

#pragma once

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/http/inputs/peer_program.h"
#include "tests/http/server_process.h"

namespace hourcell {

inline constexpr const char* kPrometheusProgram = "/usr/bin/prometheus";

// A Prometheus with a separate store and configuration, which may name its port as {port}.
class Prometheus {
 public:
  Prometheus(const std::string& directory,
             std::string config,
             const std::vector<std::string>& flags = {})
      : port_(FreePort()),
        program_(ArgumentsOf(directory, std::move(config), flags), directory + ".log") {
    EXPECT_TRUE(Eventually([&] { return HttpCall(port_, "GET", "/-/ready").status == 200; }));
  }

  uint16_t port() const { return port_; }

  // The answer to a query of PromQL, its text percent-encoded.
  std::string Query(std::string_view encoded) const {
    return HttpCall(port_, "GET", fmt::format("/api/v1/query?query={}", encoded)).body;
  }

 private:
  std::vector<std::string> ArgumentsOf(const std::string& directory,
                                       std::string config,
                                       const std::vector<std::string>& flags) const {
    constexpr std::string_view kPort = "{port}";
    if (const size_t at = config.find(kPort); at != config.npos)
      config.replace(at, kPort.size(), std::to_string(port_));
    const std::string file = directory + ".yml";
    std::ofstream(file) << config;
    std::vector<std::string> arguments = {kPrometheusProgram, "--config.file=" + file,
                                          "--storage.tsdb.path=" + directory, "--log.level=warn",
                                          fmt::format("--web.listen-address=127.0.0.1:{}", port_)};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    return arguments;
  }

  const uint16_t port_;
  PeerProgram program_;
};

// Percent-encoded.
inline std::string Encoded(std::string_view text) {
  std::string encoded;
  for (const char c : text)
    encoded += fmt::format("%{:02X}", static_cast<uint8_t>(c));
  return encoded;
}

}  // namespace hourcell
