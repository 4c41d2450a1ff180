// The budgets of the server. A count may exceed its budget by at most kSlack.

#pragma once

#include <string_view>

namespace hourcell {

struct Budget {
  std::string_view work;
  std::string_view count;  // "instructions", "allocations", "context switches", a system call; of
                           // a query's own account, "rows", "blocks", "cells"
  double most = 0;         // of a point, of a query, of a line of "statsd", of a byte of the bodies
                           // that store nothing, or, of "telnet ahead", of 1,000 points
  std::string_view why;
};

// Counts of the same work under callgrind differ by less than 0.5 % from run to run. For a count
// that depends on which thread comes first, the budget is somewhat above the largest of ten runs.
inline constexpr double kSlack = 1.05;

inline constexpr Budget kBudgets[] = {
    {"telnet", "instructions", 2'470,
     "the line is scanned once, its series found by a hash of its bytes, the point appended to the "
     "open hour and the journal block; sealing an hour of each of 1,000 series is in it, whose "
     "cell "
     "is the smallest of several encodings"},
    {"telnet", "allocations", 0.14,
     "the arrays of an open hour grow; and once a second the row keys of the points that are "
     "sampled "
     "for the loads of regions are made, so that a run that takes longer has more"},
    {"http put", "instructions", 3'970,
     "JSON has 1.8 times the bytes of lines, and simdjson's tape; the metric and the tags of a "
     "point are hashed one after the other"},
    {"http put", "allocations", 0.56,
     "with the sampled series as above; some twenty for each request of 50 points: its head, its "
     "body, its answer"},
    {"influx lines", "instructions", 4'750,
     "a line is read name by name; its metric and its tags, as one text, are mapped and copied "
     "before the store hashes them; the rest as telnet"},
    {"influx lines", "allocations", 0.24, "as telnet, and some twenty for each request of 500"},
    {"remote write", "instructions", 6'060,
     "labels are read and mapped one by one; the message is read once, as its points fit a batch; "
     "floats have longer cells"},
    {"remote write", "allocations", 0.32, "as influx lines"},
    {"otlp json", "instructions", 16'630,
     "a point has some 220 bytes of JSON; its attributes are read and mapped one by one"},
    {"otlp json", "allocations", 1.27,
     "the JSON is read in place; some for each request, and for hours that share the row of a day"},
    {"graphite", "instructions", 8'650,
     "a path is cut into its metric and its tags, which are mapped; the rest as telnet"},
    {"graphite", "allocations", 1.19,
     "as telnet; and each read of the socket is a batch, whose lines vary from run to run; hours "
     "that "
     "share the row of a day"},
    {"statsd", "instructions", 4'570,
     "a name and its tags are mapped, and the series found by them; a datagram of 20 lines takes "
     "one "
     "turn of the socket. No point is written"},
    {"statsd", "allocations", 0.08, "the values of timers are kept until the flush"},
    {"empty influx", "instructions", 240,
     "a line of two bytes is read, looked for its end again and counted; no text is made"},
    {"empty influx", "allocations", 0.002, "as many for a body of a MiB as for any other"},
    {"empty series", "instructions", 260, "a message of two bytes is a series without a name"},
    {"empty series", "allocations", 0.002, "as above"},
    {"empty otlp", "instructions", 330, "a message of two bytes is a resource without metrics"},
    {"empty otlp", "allocations", 0.002, "as above"},
    {"empty otlp json", "instructions", 285, "an object of three bytes is a data point"},
    {"empty otlp json", "allocations", 0.002, "as above"},
    {"bucket counts", "instructions", 275, "a count takes two bytes"},
    {"bucket counts", "allocations", 0.002, "as above"},
    {"empty put", "instructions", 345, "an object of three bytes is an error without a text"},
    {"empty put", "allocations", 0.002, "as above"},
    {"one series", "instructions", 69'600,
     "a request is read, planned and answered by one thread; 40 points of an open hour"},
    {"one series", "allocations", 42,
     "the names and texts of the request, its plan and its answer"},
    {"eight series", "instructions", 206'700,
     "eight rows are looked for, and 320 points of open hours"},
    {"eight series", "allocations", 60, "three more for each series: its filter, its points"},
    {"refused", "instructions", 17'800, "parsed, refused, and the refusal written; no plan"},
    {"refused", "allocations", 11, "the request and the text of the error"},
    {"unknown name", "instructions", 31'600, "as refused, with a look into the table of names"},
    {"unknown name", "allocations", 23, "as refused, with the key that is looked up"},
    {"one series, cells", "instructions", 84'000,
     "as one series; the look-up of a row in a file instead of an open hour"},
    {"one series, cells", "allocations", 47, "as one series"},
    {"five metrics, cells", "instructions", 297'500,
     "five plans and five rows, by the thread that read the request"},
    {"five metrics, cells", "allocations", 160, "some thirty for each metric"},
    {"wide group-by, cells", "instructions", 5'200'000,
     "5,200 for each of 1,000 rows: its block, its key, its summary, its group; a hundred answers "
     "of one point"},
    {"wide group-by, cells", "allocations", 410,
     "a scan of each bucket by threads, and the names of a hundred groups"},
    {"one series", "rows", 1, "the one hour that it asks for"},
    {"one series", "blocks", 1, "a row is in one block; the index is in memory"},
    {"one series", "cells", 1, "buckets are shorter than the hour"},
    {"eight series", "rows", 8, "a row for each"},
    {"eight series", "blocks", 8, "each row is read by its key, so a block for each"},
    {"eight series", "cells", 8, "as its rows"},
    {"five metrics", "rows", 5, "a row for each"},
    {"five metrics", "blocks", 5, "metrics lie apart"},
    {"five metrics", "cells", 5, "as its rows"},
    {"wide group-by", "rows", 1000, "a row for each series"},
    {"wide group-by", "blocks", 7, "one scan, each block of the hour once"},
    {"wide group-by", "cells", 0, "the bucket is the hour: the summaries say all"},
    {"one series", "recvfrom", 1.01, "a request fits into a read"},
    {"eight series", "recvfrom", 1.01, "as one series"},
    {"five metrics", "recvfrom", 1.01, "as one series"},
    {"wide group-by", "recvfrom", 1.01, "as one series"},
    {"refused", "recvfrom", 1.01, "as one series"},
    {"unknown name", "recvfrom", 1.01, "as one series"},
    {"one series", "epoll_wait", 1.05, "one for each request"},
    {"eight series", "epoll_wait", 1.05, "as one series"},
    {"five metrics", "epoll_wait", 1.05, "as one series"},
    {"wide group-by", "epoll_wait", 2.1, "as one series, and for the answer of the query thread"},
    {"refused", "epoll_wait", 1.05, "as one series"},
    {"unknown name", "epoll_wait", 1.05, "as one series"},
    {"one series", "futex", 0.9,
     "0.02: a connection belongs to one thread, which wakes no other; up to 0.8 with those of the "
     "background threads, if the machine is busy and the requests take long"},
    {"eight series", "futex", 0.9, "as one series"},
    {"five metrics", "futex", 0.9, "as one series"},
    {"wide group-by", "futex", 13, "it is handed to a query thread and back, and read by several"},
    {"refused", "futex", 0.9, "as one series"},
    {"unknown name", "futex", 0.9, "as one series"},
    {"one series", "context switches", 1.3,
     "its thread waits for the next request; the background threads as above"},
    {"eight series", "context switches", 1.3, "as one series"},
    {"five metrics", "context switches", 1.3, "as one series"},
    {"wide group-by", "context switches", 8.5, "as futex"},
    {"refused", "context switches", 1.3, "as one series"},
    {"unknown name", "context switches", 1.3, "as one series"},
    {"telnet ahead", "recvfrom", 0.42,
     "a read takes what the socket holds, up to 256 KiB; a line has 65 bytes"},
    {"telnet ahead", "epoll_wait", 1.7,
     "one for each time that the socket was empty, or a timer ran"},
    {"telnet ahead", "futex", 5,
     "a round of 5,000 points is handed to the thread that waits for its commit, and back"},
    {"telnet ahead", "context switches", 9.5, "as futex, with the threads that flush the journal"},
};

}  // namespace hourcell
