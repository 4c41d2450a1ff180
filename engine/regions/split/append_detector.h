// AppendDetector: are the writes to a region ascending? Then a split in its middle would leave a
// left half that gets no more writes and stays half full (HBASE-1248). The point is then above the
// largest key: the left daughter keeps everything, the right one begins empty.
//
// Called at each write: one comparison, and a copy of the key if it is the new largest.
// Thread-compatible; one for each region.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hourcell {

class AppendDetector {
 public:
  // `window`: how many writes are looked back at. `largest`: the region's largest key so far, empty
  // for an empty region. REQUIRES: window > 0.
  explicit AppendDetector(size_t window, std::string_view largest = {});

  void Record(std::string_view key);

  // The share of the last `window` writes that were above all keys before them; 0 until there were
  // `window` writes.
  double share() const;

  // Fewer writes than the window has, as yet.
  bool is_cold() const { return recorded_ < window_; }

  // The largest key there was.
  const std::string& largest() const { return largest_; }

 private:
  size_t window_;
  std::vector<uint64_t> bits_;  // a ring: was the write above the largest key?
  size_t next_ = 0;
  size_t recorded_ = 0;  // at most window_
  size_t above_ = 0;     // bits that are set
  std::string largest_;
};

}  // namespace hourcell
