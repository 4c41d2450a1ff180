// LineProtocol: one connection of OpenTSDB's line protocol, without the socket: bytes in, reply
// bytes out.
//
//   put <metric> <timestamp> <value> <tagk=tagv> ...    no reply, or one error line
//   version, stats, help, dropcaches                    replies; barriers: sent after every earlier
//                                                       line is committed
//   exit                                                closes, after the same
//   auth <user> <secret>, auth <token>                  AUTH_SUCCESS or AUTH_FAIL; a barrier; only
//                                                       where the server has users
//
// Who may not put, or ask for `stats` or `dropcaches`, is answered with an error line.
//
// A line that is the first of an HTTP request with a method in small letters ends the session.
//
// Lines end in \n or \r\n. The points of one Take go to Tsdb::Append together; error lines come in
// the order of their lines.
//
// A session never waits: a Take of puts leaves their commits under way, and only where one must be
// waited for does the session say so and take no more lines until that is done:
//
//   session.Take(bytes, queued, &replies);
//   while (session.need() == LineProtocol::Need::kCommit) {
//     session.WaitForCommits();            // blocks; on any thread
//     session.Resume(queued, &replies);
//   }
//
// A login that has to be checked is waited for in the same way: kLogin, CheckLogin, Resume.
//
// Thread-compatible.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/status.h>

#include "codec/base/clock.h"
#include "codec/point.h"
#include "codec/text/point_text.h"
#include "engine/stats.h"
#include "engine/tsdb.h"
#include "server/access/access_rights.h"
#include "server/access/authenticator.h"
#include "server/access/credentials.h"
#include "server/text/stats_text.h"

namespace hourcell {

// Reply bytes a connection may have waiting for a client that does not read. Error lines beyond the
// first limit are dropped and counted; a reply to a command beyond the second ends the connection.
inline constexpr size_t kErrorBytesQueuedMax = 64 * 1024;
inline constexpr size_t kReplyBytesQueuedMax = 1024 * 1024;

// Points handed to one Append.
inline constexpr size_t kAppendPointsMax = 4096;

// Commits a session leaves under way before it waits for the older half of them.
inline constexpr size_t kCommitsUnderWayMax = 16;

// Logins that a session may have refused; then it ends.
inline constexpr int kLoginsRefusedMax = 3;

// What all sessions of a server share. Immutable while sessions use it.
struct TelnetSettings {
  PointLimits point_limits;
  bool puts_allowed = true;                // not with tsd.mode=ro
  bool return_errors = true;               // tsd.rpc.telnet.return_errors
  bool dropcaches_allowed = false;         // tsd.rpc.allow_dropcaches
  StatOrigin origin;                       // for `stats`
  Clock* clock = nullptr;                  // for `stats`; borrowed
  Authenticator* authenticator = nullptr;  // for `auth`; borrowed; null = the server has no users
  // Takes points in place of Tsdb::Append; for tests of stores that fail.
  std::function<CommitTicket(std::span<const LinePoint>, std::vector<RefusedPoint>*)> append = {};
};

// Counters of the line protocol; borrowed from the registry.
struct TelnetCounters {
  explicit TelnetCounters(Stats* stats);

  Counter* lines;            // rpc.received type=telnet
  Counter* puts;             // rpc.received type=put
  Counter* points;           // rpc.put.points: points whose commit was waited for
  Counter* put_errors[5];    // rpc.put.errors, by PointErrorKind
  Counter* unknown_command;  // rpc.errors type=...
  Counter* unauthorized;
  Counter* line_too_long;
  Counter* line_unfinished;
  Counter* replies_overflow;
  Counter* replies_dropped;  // rpc.telnet.replies_dropped: error lines
};

class LineProtocol {
 public:
  // What a session waits for.
  enum class Need : uint8_t {
    kInput,   // Take or Finish
    kCommit,  // WaitForCommits, then Resume
    kPause,   // the store asks for patience: Resume after some milliseconds
    kLogin,   // CheckLogin, then Resume
  };

  // All are borrowed and outlive the session. `rights`: of the connection, before any login.
  LineProtocol(Tsdb* tsdb,
               const TelnetSettings* settings,
               const TelnetCounters* counters,
               AccessRights rights);

  // Takes bytes as they came and appends what to answer to `*replies`. `queued_bytes` is what
  // earlier calls answered and the client has not read. When it returns, every point of a whole
  // line is in the store or refused, but for lines from the one on that the session waits with.
  // Bytes after the end of the session are ignored. REQUIRES: need() == kInput.
  void Take(std::string_view bytes, size_t queued_bytes, std::string* replies);

  // The client sends no more. A last line without its end is dropped: it may be cut in a number.
  // closed() says when all is committed and answered. REQUIRES: need() == kInput.
  void Finish();

  Need need() const { return need_; }

  // Blocks until the commits needed are done or failed; microseconds to milliseconds. Nothing else
  // may be called meanwhile. REQUIRES: need() == kCommit.
  void WaitForCommits();

  // Has the login needed checked; tens of milliseconds. `remote`: the client's address, for the
  // log. Nothing else may be called meanwhile. REQUIRES: need() == kLogin.
  void CheckLogin(std::string_view remote);

  // Goes on where the session stopped. REQUIRES: need() != kInput, and it was met.
  void Resume(size_t queued_bytes, std::string* replies);

  // Whether commits are under way that nobody has waited for. A failure among them is not yet told,
  // their points not yet counted: Settle is due within a moment.
  bool has_commits_under_way() const { return !commits_.empty(); }

  // Asks for their end: need() becomes kCommit. REQUIRES: need() == kInput.
  void Settle();

  // The client is gone: no more lines are taken, those that wait are dropped. Commits under way are
  // counted all the same: need() becomes kCommit, or closed() true at once. REQUIRES: neither
  // WaitForCommits nor CheckLogin runs.
  void Abandon();

  // The connection is to be closed once the replies are sent: after `exit` or Finish, a line over
  // kLineBytesMax, replies nobody reads, or a failed commit that the client was not told of where a
  // barrier's reply would have said that all is well.
  bool closed() const { return closed_; }

 private:
  // An answer that waits for the points before it, by the line's place in the Take.
  struct ErrorLine {
    size_t order;
    std::string text;
    bool is_loss = false;  // a good line was not stored
  };
  // Points handed to the store, by the promise it gave.
  struct Commit {
    CommitTicket ticket;
    size_t points;
    absl::Status status;  // of the ticket, once it was waited for
  };
  // Points of one Append; reused, one a thread.
  struct Batch;
  // The state of one Take.
  struct Work {
    size_t queued_bytes;
    std::string* replies;
    Batch* batch;
    size_t next_order = 0;
    size_t lines = 0;  // not yet counted
    size_t puts = 0;
    std::vector<ErrorLine> errors = {};
    std::string throttled = {};  // lines that the store did not take for now
  };
  static Batch* ThreadBatch();

  bool MayPut() const { return settings_->puts_allowed && rights_.Covers(AccessRights::Write()); }
  bool TakesLines() const { return need_ == Need::kInput && !ending_ && !closed_; }

  // Handles the whole lines of `bytes` and returns how many bytes they have; stops early when no
  // more lines are taken.
  size_t HandleLines(std::string_view bytes, Work* work);
  // False if the line is a barrier that has to wait.
  bool HandleLine(std::string_view line, Work* work);
  void RefuseHttp(Work* work);
  void HandlePut(std::string_view words, Work* work);
  bool HandleBarrier(std::string_view line, Work* work);
  void Answer(std::string_view line, Work* work);
  bool RefuseCommand(std::string_view command, Work* work);
  void StartLogin(std::string_view line, Work* work);
  void EndLogin(const LoginAnswer& answer, Work* work);
  void RefuseLongLine(Work* work);
  void EndTake(Work* work);

  // Adds the point after the batch's last, where the parser left it.
  void AddPoint(Work* work);
  void AppendBatch(Work* work);
  void KeepThrottled(const LinePoint& point, Work* work);
  // Waits for the oldest `count` commits under way, if any; else ends what is ending.
  void NeedCommits(size_t count);
  // Counts the commits that were waited for and says which failed.
  void ReportCommits(Work* work);

  void RefusePoint(const PointError& error, size_t order, Work* work);
  void AppendErrors(Work* work);
  void CountLines(Work* work);
  void Reply(std::string_view text, Work* work);

  Tsdb* const tsdb_;
  const TelnetSettings* const settings_;
  const TelnetCounters* const counters_;
  const AccessRights connection_rights_;
  AccessRights rights_;  // with those of the user who logged in
  PointText parser_;
  // Bytes not handled: of a line whose end has not come, at most kLineBytesMax, or all that came
  // after the line the session waits with.
  std::string rest_;
  std::vector<Commit> commits_;  // under way, oldest first
  size_t commits_needed_ = 0;    // how many of them are waited for, while kCommit
  Need need_ = Need::kInput;
  std::optional<Login> login_;  // to be checked, while kLogin
  LoginAnswer login_answer_;
  int logins_refused_ = 0;
  bool ending_ = false;             // no more lines; closed once all is committed
  bool failed_in_silence_ = false;  // points are lost and the client was not told
  bool closed_ = false;
};

}  // namespace hourcell
