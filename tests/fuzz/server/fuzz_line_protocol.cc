#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "codec/base/check.h"
#include "codec/base/clock.h"
#include "codec/limits.h"
#include "codec/text/number.h"
#include "engine/stats.h"
#include "server/access/access_rights.h"
#include "server/telnet/line_protocol.h"
#include "tests/fuzz/fuzz_input.h"
#include "tests/server/rollups/rollup_test_rules.h"

namespace hourcell {
namespace {

using Need = LineProtocol::Need;

// The points of a store, as text; it refuses metrics that begin with 'r'.
class RecordedStore {
 public:
  CommitTicket Append(std::span<const LinePoint> points, std::vector<RefusedPoint>* refused) {
    for (size_t i = 0; i < points.size(); ++i) {
      const LinePoint& point = points[i];
      if (point.metric.starts_with('r')) {
        refused->push_back({.index = i, .error = {.text = "refused"}});
        continue;
      }
      text_.append(point.metric).append("|").append(point.tags);
      text_ += fmt::format("|{}{}|{}\n", point.timestamp.ms, point.timestamp.is_ms ? "ms" : "s",
                           point.value.is_integer() ? std::to_string(point.value.integer())
                                                    : JavaDouble(point.value.floating()));
    }
    return {};
  }
  std::string* text() { return &text_; }

 private:
  std::string text_;
};

// Shared by all sessions, because the counters are many.
struct Host {
  Host() {
    settings.clock = &clock;
    settings.rollups = MakeTestRules();
    settings.append = [this](std::span<const LinePoint> points,
                             std::vector<RefusedPoint>* refused) {
      return store.Append(points, refused);
    };
  }

  RecordedStore store;
  Stats stats;
  TelnetCounters counters{&stats};
  ManualClock clock{1'356'998'400'000};
  TelnetSettings settings;
};

Host* TheHost() {
  static Host host;
  return &host;
}

// The replies and stored points of one session.
struct Transcript {
  std::string replies;
  std::string stored;
  bool is_closed = false;
  friend bool operator==(const Transcript&, const Transcript&) = default;
};

class Talk {
 public:
  Talk() { host_->store.text()->clear(); }

  void Send(std::string_view bytes) {
    if (!session_.closed()) session_.Take(bytes, 0, &transcript_.replies);
    Meet();
  }

  Transcript End() {
    if (!session_.closed()) session_.Finish();
    Meet();
    HOURCELL_CHECK(session_.closed());
    transcript_.stored = *host_->store.text();
    return transcript_;
  }

 private:
  void Meet() {
    while (session_.need() != Need::kInput) {
      HOURCELL_CHECK(session_.need() == Need::kCommit);
      session_.WaitForCommits();
      session_.Resume(0, &transcript_.replies);
    }
  }

  Host* const host_ = TheHost();
  // May put, and may ask for nothing that needs a store.
  LineProtocol session_{nullptr, &host_->settings, &host_->counters, AccessRights::Write()};
  Transcript transcript_;
};

}  // namespace
}  // namespace hourcell

// A connection's bytes in one piece, in two that are cut anywhere, or byte by byte: the same points
// are stored and the same is answered. Runs make lines as long as the longest, and longer.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace hourcell;
  const std::string text = WithRuns(InputText(data, size), 3 * kLineBytesMax);
  const std::string_view input = text;
  Talk whole;
  whole.Send(input);
  const Transcript want = whole.End();
  for (const size_t cut : CutsOf(input.size())) {
    Talk cut_in_two;
    cut_in_two.Send(input.substr(0, cut));
    cut_in_two.Send(input.substr(cut));
    HOURCELL_CHECK(cut_in_two.End() == want);
  }
  Talk in_bytes;
  for (size_t i = 0; i < input.size(); i += SmallPieceAt(i))
    in_bytes.Send(input.substr(i, SmallPieceAt(i)));
  HOURCELL_CHECK(in_bytes.End() == want);
  return 0;
}
