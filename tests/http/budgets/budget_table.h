// What the server may spend. A count may be above its budget by kSlack and no more.

#pragma once

#include <string_view>

namespace hourcell {

struct Budget {
  std::string_view work;
  std::string_view count;  // "instructions", "allocations", "context switches", or a system call
  double most = 0;         // of a point, of a query, or, of "telnet ahead", of 1,000 points
  std::string_view why;
};

// Counts of the same work under callgrind differ by less from run to run. For a count that depends
// on which thread comes first, the budget is somewhat above the largest of ten runs.
inline constexpr double kSlack = 1.05;

inline constexpr Budget kBudgets[] = {
    {"telnet", "instructions", 2090,
     "the line is scanned once, its series found by a hash of its bytes, the point appended to the "
     "open hour and the journal block; sealing the hours at the end is in it"},
    {"telnet", "allocations", 0.09, "the arrays of an open hour grow; nothing else does per point"},
    {"http put", "instructions", 3630,
     "JSON has 1.8 times the bytes of lines, and simdjson's tape"},
    {"http put", "allocations", 0.49,
     "some twenty for each request of 50 points: its head, its body, its answer"},
    {"one series", "instructions", 143'000,
     "a request is read, planned, handed to a query thread, answered; 40 points are decoded"},
    {"one series", "allocations", 171,
     "the names and texts of the request, its plan and its answer"},
    {"eight series", "instructions", 378'000, "eight rows are found and 320 points decoded"},
    {"eight series", "allocations", 388, "some thirty more for each series"},
    {"refused", "instructions", 35'500, "parsed, refused, and the refusal written; no plan"},
    {"refused", "allocations", 30, "the request and the text of the error"},
    {"unknown name", "instructions", 57'000, "as refused, with a look into the table of names"},
    {"unknown name", "allocations", 50, "as refused, with the key that is looked up"},
    {"telnet ahead", "recvfrom", 0.42,
     "a read takes what the socket holds, up to 256 KiB; a line has 65 bytes"},
    {"telnet ahead", "epoll_wait", 1.8,
     "one for each time that the socket was empty, or a timer ran"},
    {"telnet ahead", "futex", 6,
     "a round of 5,000 points is handed to the thread that waits for its commit, and back"},
    {"telnet ahead", "context switches", 10, "as futex, with the threads that flush the journal"},
};

}  // namespace hourcell
