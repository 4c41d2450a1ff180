#include "server/cli/cluster/top.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cctype>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string_view>
#include <utility>

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <fmt/format.h>

#include "server/cli/cluster/key_input.h"
#include "server/cli/cluster/top_sample.h"
#include "server/cli/cluster/top_text.h"
#include "server/cli/command_line.h"
#include "server/cli/store_flags.h"

namespace hourcell {
namespace {

constexpr std::string_view kTopCommand = "top";
constexpr double kDelayMinS = 0.1;
constexpr double kDelayMaxS = 3600;
constexpr int kSignalExit = 128;

// ANSI: go to the upper left corner; erase the rest of the line, and of the screen; switch to the
// alternate screen, and back.
constexpr std::string_view kHome = "\x1b[H";
constexpr std::string_view kEraseLine = "\x1b[K";
constexpr std::string_view kEraseBelow = "\x1b[J";
constexpr std::string_view kOwnScreen = "\x1b[?1049h";
constexpr std::string_view kOldScreen = "\x1b[?1049l";

TopSize ScreenSize() {
  winsize size = {};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_row < 2 || size.ws_col == 0) {
    return {.rows = 24, .width = 80};
  }
  return {.rows = size.ws_row, .width = size.ws_col};
}

// Shows snapshots on a terminal, and below them the input or a message.
class TopScreen {
 public:
  explicit TopScreen(Terminal& terminal) : terminal_(terminal) {
    PrintTo(terminal_.out, "{}", kOwnScreen);
  }
  ~TopScreen() {
    PrintTo(terminal_.out, "{}", kOldScreen);
    std::fflush(terminal_.out);
  }
  TopScreen(const TopScreen&) = delete;
  TopScreen& operator=(const TopScreen&) = delete;

  void Show(const TopView& view) {
    view_ = view;
    Draw();
  }
  void Say(std::string message) {
    message_ = std::move(message);
    Draw();
  }

 private:
  void Draw() {
    TopSize size = ScreenSize();
    --size.rows;  // for the message
    std::string screen(kHome);
    for (const char c : TopText(view_, size)) {
      if (c == '\n') screen += kEraseLine;
      screen += c;
    }
    screen += message_.substr(0, size.width);
    PrintTo(terminal_.out, "{}{}{}", screen, kEraseLine, kEraseBelow);
    std::fflush(terminal_.out);
  }

  Terminal& terminal_;
  TopView view_;
  std::string message_ = "q: quit   k: cancel a query";
};

std::string CancelQuery(std::string_view id, HttpClient* client) {
  if (id.empty()) return "";
  const absl::StatusOr<HttpReply> reply =
      client->Delete(fmt::format("/api/stats/query?id={}", EscapeParam(id)));
  if (!reply.ok()) return std::string(StatusText(reply.status()));
  return reply->status == kHttpOk ? fmt::format("query {} is cancelled", id)
                                  : HttpErrorText(*reply);
}

// Handles keys until the next snapshot is due. False: the user quits.
class TopKeys {
 public:
  TopKeys(KeyInput* keys, HttpClient* client, TopScreen* screen)
      : keys_(*keys), client_(*client), screen_(*screen) {}

  bool WaitUntil(int64_t until_ms, MonotonicClock* clock) {
    // The screen does not change while the user types an id.
    for (int64_t left_ms = until_ms - clock->MonotonicMs(); left_ms > 0 || id_.has_value();
         left_ms = until_ms - clock->MonotonicMs()) {
      const std::optional<char> key = keys_.Wait(id_.has_value() ? 1000 : left_ms);
      if (KeyInput::signal() != 0) return false;
      if (key.has_value() && !Press(*key)) return false;
    }
    return true;
  }

 private:
  bool Press(char key) {
    if (!id_.has_value()) {
      if (key == 'k') {
        id_.emplace();
        Ask();
      }
      return key != 'q';
    }
    if (key == '\n' || key == '\r') {
      screen_.Say(CancelQuery(*id_, &client_));
      id_.reset();
      return true;
    }
    constexpr char kEscape = '\x1b';
    constexpr char kDelete = '\x7f';
    if (key == kEscape || key == 'q') {
      id_.reset();
      screen_.Say("");
      return true;
    }
    if ((key == kDelete || key == '\b') && !id_->empty()) id_->pop_back();
    if (std::isdigit(static_cast<unsigned char>(key)) != 0) *id_ += key;
    Ask();
    return true;
  }
  void Ask() { screen_.Say(fmt::format("cancel the query with the id (Enter, or Esc): {}", *id_)); }

  KeyInput& keys_;
  HttpClient& client_;
  TopScreen& screen_;
  std::optional<std::string> id_;  // while the user types it
};

int ShowScreen(const TopOptions& options, HttpClient* client, TopSample first, Terminal& terminal) {
  TopScreen screen(terminal);
  KeyInput keys(STDIN_FILENO);
  TopKeys input(&keys, client, &screen);
  std::optional<TopSample> before;
  absl::StatusOr<TopSample> now = std::move(first);
  for (uint64_t shown = 1;; ++shown) {
    if (now.ok()) {
      screen.Show(MakeTopView(before.has_value() ? &*before : nullptr, *now, client->address(),
                              terminal.clock->NowMs()));
      before = *std::move(now);
    } else {
      screen.Say(std::string(StatusText(now.status())));
    }
    if (shown == options.count) return kExitOk;
    const int64_t next_ms = terminal.clock->MonotonicMs() + options.delay_ms;
    if (!input.WaitUntil(next_ms, terminal.clock)) break;
    now = TakeTopSample(client, terminal.clock->MonotonicMs());
  }
  return KeyInput::signal() == 0 ? kExitOk : kSignalExit + KeyInput::signal();
}

int PrintSnapshots(const TopOptions& options,
                   HttpClient* client,
                   TopSample first,
                   Terminal& terminal) {
  KeyInput signals(-1);
  std::optional<TopSample> before;
  absl::StatusOr<TopSample> now = std::move(first);
  for (uint64_t shown = 1; now.ok(); ++shown) {
    const TopView view = MakeTopView(before.has_value() ? &*before : nullptr, *now,
                                     client->address(), terminal.clock->NowMs());
    constexpr TopSize kAll = {.rows = SIZE_MAX, .width = SIZE_MAX};
    PrintTo(terminal.out, "{}\n", options.json ? TopJson(view) : TopText(view, kAll));
    if (std::fflush(terminal.out) != 0) return kExitOk;  // FinishOutput reports the error
    if (shown == options.count) return kExitOk;
    signals.Wait(options.delay_ms);
    if (KeyInput::signal() != 0) return kSignalExit + KeyInput::signal();
    before = *std::move(now);
    now = TakeTopSample(client, terminal.clock->MonotonicMs());
  }
  return Fail(terminal, kTopCommand, now.status());
}

}  // namespace

int RunTop(const TopOptions& options, Terminal& terminal) {
  const absl::StatusOr<HttpUrl> url = ParseHttpUrl(options.url, options.trust);
  if (!url.ok()) return FailUsage(terminal, kTopCommand, StatusText(url.status()));
  constexpr int64_t kTopTimeoutMs = 10'000;
  HttpClient client(*url, kTopTimeoutMs);
  absl::StatusOr<TopSample> first = TakeTopSample(&client, terminal.clock->MonotonicMs());
  if (!first.ok()) return Fail(terminal, kTopCommand, first.status());
  return options.is_screen && !options.json
             ? ShowScreen(options, &client, *std::move(first), terminal)
             : PrintSnapshots(options, &client, *std::move(first), terminal);
}

int TopMain(const std::vector<std::string>& args, Terminal& terminal) {
  CommandLine line("top",
                   "Shows the activity of a running server: points, queries, regions, errors.");
  TopOptions options;
  double delay_s = 1;
  AddUrl(&line, &options.url, &options.trust);
  line.AddOption("-d", &delay_s, "SECONDS", "time between two snapshots (default 1)");
  std::optional<uint64_t> count;
  line.AddOption("-n", &count, "N", "end after N snapshots (default: never)");
  line.AddFlag("--json", &options.json, "print each snapshot as a JSON object on a line");
  line.set_footer(
      "The default of --url is http://localhost:4242. On a terminal, q quits and k cancels a "
      "query\n"
      "by its id, if the user of HOURCELL_TOKEN is an administrator; only administrators see the\n"
      "regions. Elsewhere snapshots are printed one after the other. Rates are since the\n"
      "previous snapshot; the first snapshot lacks them. Regions are ordered by their writes in\n"
      "the last ten seconds.\n"
      "\nExamples:\n"
      "  hourcell top\n"
      "  hourcell top --url https://tsdb.example.org:4242 -d 5\n"
      "  hourcell top --json -n 2 | tail -n 1\n");
  if (const std::optional<int> code = line.Parse(args, terminal)) return *code;
  if (count.has_value() && *count == 0) return kExitOk;  // -n 0
  options.count = count.value_or(0);
  if (!(delay_s >= kDelayMinS && delay_s <= kDelayMaxS)) {
    return FailUsage(terminal, kTopCommand,
                     fmt::format("-d: expected {} to {}, got {}", kDelayMinS, kDelayMaxS, delay_s));
  }
  options.delay_ms = std::llround(delay_s * 1000);
  options.is_screen = isatty(STDOUT_FILENO) == 1 && isatty(STDIN_FILENO) == 1;
  return RunTop(options, terminal);
}

}  // namespace hourcell
