#include "server/query/query_trace.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string_view>

#include <fmt/format.h>

// Why the trace is a part of the body and not of the head: the head is sent first, before the steps
// are over. What comes after the trace is the end of the body on its way to the socket.

namespace hourcell {
namespace {

int64_t Us(std::chrono::steady_clock::duration duration) {
  return std::chrono::duration_cast<std::chrono::microseconds>(duration).count();
}

void AppendStep(std::string_view step, int64_t us, std::string* out) {
  fmt::format_to(std::back_inserter(*out), "{}{{\"step\":\"{}\",\"us\":{}}}",
                 out->back() == '[' ? "" : ",", step, us);
}

void AppendStepOf(size_t query, std::string_view step, int64_t us, std::string* out) {
  fmt::format_to(std::back_inserter(*out), ",{{\"step\":\"{}\",\"query\":{},\"us\":{}}}", step,
                 query, us);
}

}  // namespace

// A request that came over no socket was never received.
QueryTrace::QueryTrace(const HttpRequest& request)
    : by_socket_thread(request.only_if_quick), received_at(request.received_at) {
  const TimePoint now = std::chrono::steady_clock::now();
  if (received_at == TimePoint()) received_at = now;
  receive_us = Us(request.received_in);
  dispatch_us = Us(now - received_at);
}

void AppendTrace(const QueryTrace& trace,
                 const QueryControl& control,
                 QueryTrace::TimePoint now,
                 std::string* out) {
  fmt::format_to(std::back_inserter(*out),
                 "{{\"trace\":{{\"answeredBy\":\"{} thread\",\"totalUs\":{},\"steps\":[",
                 trace.by_socket_thread ? "socket" : "query",
                 trace.receive_us + Us(now - trace.received_at));
  AppendStep("receive", trace.receive_us, out);
  AppendStep("dispatch", trace.dispatch_us, out);
  AppendStep("parse", trace.parse_us, out);
  AppendStep("check", control.check_us.load(std::memory_order_relaxed), out);
  for (const PlanReport& plan : control.plans()) {
    const size_t i = plan.query_index;
    const int64_t print_us = i < trace.print_us.size() ? trace.print_us[i] : 0;
    AppendStepOf(i, "plan", plan.plan_us, out);
    AppendStepOf(i, "read", plan.read_us, out);
    AppendStepOf(i, "finish", std::max<int64_t>(0, plan.finish_us - print_us), out);
    AppendStepOf(i, "print", print_us, out);
  }
  AppendStep("send", trace.send_us, out);
  out->append("]}}");
}

}  // namespace hourcell
