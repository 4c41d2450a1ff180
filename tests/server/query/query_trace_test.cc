#include "server/query/query_trace.h"

#include <string>

#include <gtest/gtest.h>

#include "server/query/query_writer.h"

namespace hourcell::query_trace_test {
namespace {

using std::chrono::microseconds;

TEST(QueryTraceTest, HasTheStepsInTheirOrder) {
  HttpRequest request;
  request.only_if_quick = true;
  request.received_at = std::chrono::steady_clock::now() - std::chrono::hours(1);
  request.received_in = microseconds(30);
  QueryTrace trace(request);
  EXPECT_GE(trace.dispatch_us, 3'600'000'000) << "until the trace was begun";
  trace.dispatch_us = 9;
  trace.parse_us = 11;
  trace.send_us = 2;
  trace.print_us = {12, 5};
  QueryControl control;
  control.check_us = 6;
  PlanReport plan;
  plan.query_index = 1;
  plan.plan_us = 5;
  plan.read_us = 40;
  plan.finish_us = 8;
  control.AddPlan(plan);
  std::string out;

  AppendTrace(trace, control, request.received_at + microseconds(170), &out);

  EXPECT_EQ(out, R"({"trace":{"answeredBy":"socket thread","totalUs":200,"steps":[)"
                 R"({"step":"receive","us":30},{"step":"dispatch","us":9},)"
                 R"({"step":"parse","us":11},{"step":"check","us":6},)"
                 R"({"step":"plan","query":1,"us":5},{"step":"read","query":1,"us":40},)"
                 R"({"step":"finish","query":1,"us":3},{"step":"print","query":1,"us":5},)"
                 R"({"step":"send","us":2}]}})");
}

TEST(QueryTraceTest, ARequestThatCameOverNoSocketWasReceivedNow) {
  const QueryTrace trace{HttpRequest()};

  EXPECT_EQ(trace.receive_us, 0);
  EXPECT_EQ(trace.dispatch_us, 0);
  EXPECT_FALSE(trace.by_socket_thread);
}

}  // namespace
}  // namespace hourcell::query_trace_test
