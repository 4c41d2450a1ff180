// LineProtocol: one connection of OpenTSDB's line protocol, without the socket: bytes in, reply
// bytes out.
//
//   put <metric> <timestamp> <value> <tagk=tagv> ...    no reply, or one error line
//   histogram <metric> <timestamp> <value> ...          the same (server/histograms)
//   rollup <spec> <metric> <timestamp> <value> ...      the same (server/rollups)
//   version, stats, status, help, dropcaches            replies; barriers: sent after every earlier
//                                                       line is committed
//   exit                                                closes, also after every earlier commit
//   auth <user> <secret>, auth <token>                  AUTH_SUCCESS or AUTH_FAIL; a barrier; only
//                                                       if the server has users
//
// A client without the right to put, or to use `stats` or `dropcaches`, gets an error line.
//
// The first line of an HTTP request with a method in small letters ends the session.
//
// Lines end in \n or \r\n. The points of a Take go to Points::Append together; error lines keep the
// order of their lines.
//
// A session never blocks: a Take of puts leaves their commits in progress. If the session needs one
// to end, need() shows it, and the session does not take lines until then:
//
//   session.Take(bytes, queued, &replies);
//   while (session.need() == LineProtocol::Need::kCommit) {
//     session.WaitForCommits();            // blocks; on any thread
//     session.Resume(queued, &replies);
//   }
//
// A login that needs a check works the same way: kLogin, CheckLogin, Resume.
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
#include "server/histograms/histogram_codecs.h"
#include "server/histograms/sent_histogram.h"
#include "server/rollups/rollup_rules.h"
#include "server/text/stats_text.h"

namespace hourcell {

// The most reply bytes queued for a client that does not read. Error lines beyond the first limit
// are dropped and counted; a reply to a command beyond the second ends the connection.
inline constexpr size_t kErrorBytesQueuedMax = 64 * 1024;
inline constexpr size_t kReplyBytesQueuedMax = 1024 * 1024;

// The most points of one Append.
inline constexpr size_t kAppendPointsMax = 4096;

// The most commits in progress; then the session waits for the older half.
inline constexpr size_t kCommitsUnderWayMax = 16;

// Refused logins that end a session.
inline constexpr int kLoginsRefusedMax = 3;

// State shared by all sessions of a server. Immutable while sessions use it.
struct TelnetSettings {
  PointLimits point_limits;
  RollupRules rollups;
  HistogramCodecs histograms;              // tsd.core.histograms.config
  bool puts_allowed = true;                // not with tsd.mode=ro
  bool return_errors = true;               // tsd.rpc.telnet.return_errors
  bool dropcaches_allowed = false;         // tsd.rpc.allow_dropcaches
  StatOrigin origin;                       // for `stats`
  WallClock* clock = nullptr;              // for `stats`; borrowed
  Authenticator* authenticator = nullptr;  // for `auth`; borrowed; null = without users
  // For `status`: the word of /api/status.
  std::function<std::string_view()> status = [] { return std::string_view("ok"); };
  // Replaces Points::Append; for tests of failing stores.
  std::function<CommitTicket(std::span<const LinePoint>, std::vector<RefusedPoint>*)> append = {};
};

// Counters of the line protocol; borrowed from the registry.
struct TelnetCounters {
  explicit TelnetCounters(Stats* stats);

  Counter* lines;            // rpc.received type=telnet
  Counter* puts;             // rpc.received type=put
  Counter* rollups;          // rpc.received type=rollup
  Counter* points;           // rpc.put.points: points whose commit succeeded
  Counter* put_errors[6];    // rpc.put.errors, by PointErrorKind
  Counter* unknown_command;  // rpc.errors type=...
  Counter* unauthorized;
  Counter* line_too_long;
  Counter* line_unfinished;
  Counter* replies_overflow;
  Counter* replies_dropped;  // rpc.telnet.replies_dropped: error lines
};

class LineProtocol {
 public:
  // The call that a session needs next.
  enum class Need : uint8_t {
    kInput,   // Take or Finish
    kCommit,  // WaitForCommits, then Resume
    kPause,   // the store is full: Resume after some milliseconds
    kLogin,   // CheckLogin, then Resume
  };

  // All are borrowed and outlive the session. `rights`: of the connection, before any login.
  // `new_series` limits the series that points create before a login; null = no limit.
  LineProtocol(Tsdb* tsdb,
               const TelnetSettings* settings,
               const TelnetCounters* counters,
               AccessRights rights,
               NewSeriesQuota new_series = nullptr);

  // Takes bytes as they arrive and appends replies to `*replies`. `queued_bytes`: replies of
  // earlier calls that the client has not read. Afterwards every point of a complete line is in the
  // store or refused, except for lines from the one where the session waits. Ignores bytes after
  // the end of the session. REQUIRES: need() == kInput.
  void Take(std::string_view bytes, size_t queued_bytes, std::string* replies);

  // The client has ended its output. Drops a last line without its end: it may be cut in a number.
  // closed() is true once all is committed and answered. REQUIRES: need() == kInput.
  void Finish();

  Need need() const { return need_; }

  // Blocks until the needed commits are done or failed; microseconds to milliseconds. No other call
  // may run meanwhile. REQUIRES: need() == kCommit.
  void WaitForCommits();

  // Checks the pending login; tens of milliseconds. `remote`: the client's address, for the log. No
  // other call may run meanwhile. REQUIRES: need() == kLogin.
  void CheckLogin(std::string_view remote);

  // Continues where the session stopped. REQUIRES: need() != kInput, and the need was met.
  void Resume(size_t queued_bytes, std::string* replies);

  // Whether commits are in progress. Their failures are not yet reported, and their points not yet
  // counted: call Settle within a moment.
  bool has_commits_under_way() const { return !commits_.empty(); }

  // Waits for all commits in progress: need() becomes kCommit. REQUIRES: need() == kInput.
  void Settle();

  // The client has left: the session takes no more lines and drops the waiting ones. It still
  // counts commits in progress: need() becomes kCommit, or closed() true at once. REQUIRES: neither
  // WaitForCommits nor CheckLogin runs.
  void Abandon();

  // The connection must be closed once the replies are sent: after `exit` or Finish, a line over
  // kLineBytesMax, too many unread replies, or a failed commit that was not reported to the client
  // and whose loss a barrier's reply would hide.
  bool closed() const { return closed_; }

 private:
  // An error line that waits for the points before it; ordered by the place of its line in the
  // Take.
  struct ErrorLine {
    size_t order;
    std::string text;
    bool is_loss = false;  // a valid point was not stored
  };
  // Points handed to the store, and their ticket.
  struct Commit {
    CommitTicket ticket;
    size_t points;
    absl::Status status;  // of the ticket, once it has ended
  };
  // Points of one Append; one per thread, reused.
  struct Batch;
  // The state of one Take.
  struct Work {
    size_t queued_bytes;
    std::string* replies;
    Batch* batch;
    size_t next_order = 0;
    size_t lines = 0;  // not yet counted
    size_t puts = 0;
    size_t rollups = 0;
    std::vector<ErrorLine> errors = {};
    std::string throttled = {};  // lines that the store did not take yet
  };
  static Batch* ThreadBatch();

  bool MayPut() const { return settings_->puts_allowed && rights_.Covers(AccessRights::Write()); }
  bool TakesLines() const { return need_ == Need::kInput && !ending_ && !closed_; }

  // Handles the complete lines of `bytes` and returns their size; stops early if the session takes
  // no more lines.
  size_t HandleLines(std::string_view bytes, Work* work);
  // False: the line is a barrier that has to wait.
  bool HandleLine(std::string_view line, Work* work);
  void RefuseHttp(Work* work);
  void HandlePut(std::string_view words, Work* work);
  void HandleHistogram(std::string_view words, Work* work);
  void HandleRollup(std::string_view words, Work* work);
  bool HandleBarrier(std::string_view line, Work* work);
  void Answer(std::string_view line, Work* work);
  bool RefuseCommand(std::string_view command, Work* work);
  void StartLogin(std::string_view line, Work* work);
  void EndLogin(const LoginAnswer& answer, Work* work);
  void RefuseLongLine(Work* work);
  void EndTake(Work* work);

  // Adds the point that the parser wrote after the batch's last.
  void AddPoint(Work* work);
  void AppendBatch(Work* work);
  // Keeps the line of a point of the batch for the next Take.
  void KeepThrottled(size_t index, Work* work);
  // Waits for the oldest `count` commits in progress, if any; otherwise ends a session that is
  // ending.
  void NeedCommits(size_t count);
  // Counts the needed commits, all done, and reports failures.
  void ReportCommits(Work* work);

  // Stores the histograms of the last Take.
  void AppendHistograms();
  void ReportHistograms(Work* work);

  // `command`: of the line.
  void RefusePoint(std::string_view command, const PointError& error, size_t order, Work* work);
  void AppendErrors(Work* work);
  void CountLines(Work* work);
  void Reply(std::string_view text, Work* work);

  Tsdb* const tsdb_;
  const TelnetSettings* const settings_;
  const TelnetCounters* const counters_;
  const AccessRights connection_rights_;
  AccessRights rights_;              // including those of the logged-in user
  const NewSeriesQuota new_series_;  // null = no limit
  bool is_logged_in_ = false;
  PointText parser_;
  // Bytes not handled: an incomplete line, at most kLineBytesMax; or all bytes after the line where
  // the session waits.
  std::string rest_;
  std::vector<Commit> commits_;                   // in progress, oldest first
  std::vector<SentHistogram> histograms_;         // to be stored while kCommit
  std::vector<RefusedPoint> refused_histograms_;  // of the last AppendHistograms
  absl::Status histograms_stored_;                // the same
  size_t commits_needed_ = 0;                     // how many commits to wait for, while kCommit
  Need need_ = Need::kInput;
  std::optional<Login> login_;  // to check, while kLogin
  LoginAnswer login_answer_;
  int logins_refused_ = 0;
  bool ending_ = false;             // no more lines; closed once all is committed
  bool failed_in_silence_ = false;  // points are lost, and the client does not know
  bool closed_ = false;
};

}  // namespace hourcell
