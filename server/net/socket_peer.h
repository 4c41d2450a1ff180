// Who is at the other end of a socket, by its file descriptor.
//
// Thread-safe.

#pragma once

#include <string>

namespace hourcell {

// "127.0.0.1" or "::1"; empty of a socket that is closed already.
std::string PeerAddress(int fd);

// "127.0.0.1:50000" or "[::1]:50000", or nothing.
std::string PeerText(int fd);

// Whether the other side has closed, or sends no more: they look the same.
bool PeerHungUp(int fd);

// Has TCP ask a silent peer whether it is still there, so that one that vanished without a word is
// given up after kProbeAfterS + kProbes * kProbeEveryS seconds; the system's own default is hours.
void ProbePeer(int fd);
inline constexpr int kProbeAfterS = 60;
inline constexpr int kProbeEveryS = 10;
inline constexpr int kProbes = 6;

}  // namespace hourcell
