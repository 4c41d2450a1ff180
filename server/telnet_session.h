// TelnetSession: one connection of OpenTSDB's line protocol, without the socket: bytes in, reply
// bytes out.
//
//   put <metric> <timestamp> <value> <tagk=tagv> ...    no reply, or one error line
//   version, stats, help, dropcaches                    replies; barriers: sent after every earlier
//                                                       line is committed
//   exit                                                closes, after the same
//
// Lines end in \n or \r\n. The points of one Take go to Tsdb::Append together; error lines come in
// the order of their lines. Thread-compatible; blocks as long as Append does.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "codec/base/clock.h"
#include "codec/point_text.h"
#include "engine/stats.h"
#include "engine/tsdb.h"
#include "server/point_batch.h"
#include "server/stats_text.h"

namespace hourcell {

// Reply bytes a connection may have waiting for a client that does not read. Error lines beyond the
// first limit are dropped and counted; a reply to a command beyond the second ends the connection.
inline constexpr size_t kErrorBytesQueuedMax = 64 * 1024;
inline constexpr size_t kReplyBytesQueuedMax = 1024 * 1024;

// Points handed to one Append.
inline constexpr size_t kAppendPointsMax = 4096;

// What all sessions of a server share. Immutable while sessions use it.
struct TelnetSettings {
  PointLimits point_limits;
  bool puts_allowed = true;   // not with tsd.mode=ro
  bool return_errors = true;  // tsd.rpc.telnet.return_errors
  StatOrigin origin;          // for `stats`
  Clock* clock = nullptr;     // for `stats`; borrowed
};

// Counters of the line protocol; borrowed from the registry.
struct TelnetCounters {
  explicit TelnetCounters(Stats* stats);

  Counter* lines;            // rpc.received type=telnet
  Counter* puts;             // rpc.received type=put
  Counter* points;           // rpc.put.points: points accepted
  Counter* put_errors[5];    // rpc.put.errors, by PointErrorKind
  Counter* unknown_command;  // rpc.errors type=...
  Counter* line_too_long;
  Counter* line_unfinished;
  Counter* replies_overflow;
  Counter* replies_dropped;  // rpc.telnet.replies_dropped: error lines
};

class TelnetSession {
 public:
  // All are borrowed and outlive the session.
  TelnetSession(Tsdb* tsdb, const TelnetSettings* settings, const TelnetCounters* counters);

  // Takes bytes as they came and appends what to answer to `*replies`. `queued_bytes` is what
  // earlier calls answered and the client has not read. When it returns, every point of a whole
  // line is committed or refused. Bytes after the end of the session are ignored.
  void Take(std::string_view bytes, size_t queued_bytes, std::string* replies);

  // The client sends no more. A last line without its end is dropped: it may be cut in a number.
  void Finish();

  // The connection is to be closed once the replies are sent: `exit`, a line over kLineBytesMax, or
  // replies nobody reads.
  bool closed() const { return closed_; }

 private:
  // An answer that waits for the points before it, by the line's place in the Take.
  struct ErrorLine {
    size_t order;
    std::string text;
  };
  // The state of one Take.
  struct Work {
    size_t queued_bytes;
    std::string* replies;
    size_t next_order = 0;
    PointBatch batch = {};
    std::vector<size_t> batch_orders = {};  // of each point
    std::vector<ErrorLine> errors = {};
  };

  void HandleLine(std::string_view line, Work* work);
  void HandlePut(std::string_view words, Work* work);
  void HandleCommand(std::string_view command, Work* work);
  void RefuseLongLine(Work* work);

  // Appends the batch and puts the error lines so far into the replies.
  void Commit(Work* work);
  void AppendBatch(Work* work);
  void RefusePoint(const PointError& error, size_t order, Work* work);
  void Reply(std::string_view text, Work* work);

  Tsdb* const tsdb_;
  const TelnetSettings* const settings_;
  const TelnetCounters* const counters_;
  PointText parser_;
  std::string partial_;  // of a line whose end has not come; at most kLineBytesMax
  bool closed_ = false;
};

}  // namespace hourcell
