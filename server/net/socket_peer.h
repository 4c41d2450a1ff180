// The other end of a socket, by the socket's file descriptor.
//
// Thread-safe.

#pragma once

#include <string>

namespace hourcell {

// "127.0.0.1" or "::1"; empty if the socket is closed.
std::string PeerAddress(int fd);

// "127.0.0.1:50000" or "[::1]:50000"; empty if the socket is closed.
std::string PeerText(int fd);

// Whether the other side has closed, or has ended its output: they cannot be distinguished.
bool PeerHungUp(int fd);

// Enables TCP keepalive, so that a peer that vanished is dropped after kProbeAfterS + kProbes *
// kProbeEveryS seconds; the system's default is hours.
void ProbePeer(int fd);
inline constexpr int kProbeAfterS = 60;
inline constexpr int kProbeEveryS = 10;
inline constexpr int kProbes = 6;

}  // namespace hourcell
