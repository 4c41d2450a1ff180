#include "server/cli/long_work.h"

#include <fmt/format.h>

#include "codec/base/check.h"

namespace hourcell {
namespace {

constexpr int64_t kWorkRedrawMs = 200;
constexpr char kEraseWorkLine[] = "\r\x1b[K";
constexpr int kExitSignal = 128;

// Global, so that the signal handler can reach them.
std::atomic<int> signal_that_came{0};
std::atomic<bool> has_come{false};
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<bool>::is_always_lock_free);

extern "C" void NoteSignal(int signal) {
  signal_that_came.store(signal);
  has_come.store(true);
}

}  // namespace

LongWork::LongWork(Terminal& terminal, std::string_view name) : terminal_(terminal), name_(name) {
  signal_that_came.store(0);
  has_come.store(false);
  struct sigaction action = {};
  action.sa_handler = &NoteSignal;
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
  sigaction(SIGINT, &action, &interrupt_);
  sigaction(SIGTERM, &action, &terminate_);
}

LongWork::~LongWork() {
  Clear();
  sigaction(SIGINT, &interrupt_, nullptr);
  sigaction(SIGTERM, &terminate_, nullptr);
}

bool LongWork::Update(std::string_view phase,
                      uint64_t done,
                      uint64_t total,
                      std::string_view unit) {
  if (has_come.load()) return false;
  const int64_t now_ms = terminal_.clock->MonotonicMs();
  if (!terminal_.is_tty || (is_shown_ && now_ms - shown_ms_ < kWorkRedrawMs)) return true;
  std::string text = name_ + ": ";
  if (!phase.empty()) text += fmt::format("{}: ", phase);
  text += total == 0 ? fmt::format("{} {}", done, unit)
                     : fmt::format("{} of {} {} ({:.0f} %)", done, total, unit,
                                   100 * static_cast<double>(done) / static_cast<double>(total));
  PrintTo(terminal_.err, "{}{}", kEraseWorkLine, text);
  std::fflush(terminal_.err);
  shown_ms_ = now_ms;
  is_shown_ = true;
  return true;
}

void LongWork::Clear() {
  if (!is_shown_) return;
  PrintTo(terminal_.err, "{}", kEraseWorkLine);
  std::fflush(terminal_.err);
  is_shown_ = false;
}

int LongWork::signal() {
  return signal_that_came.load();
}

std::atomic<bool>* LongWork::cancelled() {
  return &has_come;
}

int LongWork::FailInterrupted(std::string_view left) {
  HOURCELL_CHECK(signal() != 0);
  Clear();
  PrintTo(terminal_.err, "hourcell {}: interrupted; {}\n", name_, left);
  return kExitSignal + signal();
}

}  // namespace hourcell
