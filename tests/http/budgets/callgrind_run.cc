#include "tests/http/budgets/callgrind_run.h"

#include <charconv>
#include <csignal>
#include <fstream>
#include <set>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "tests/http/server_process.h"
#include "tests/support/temp_dir.h"

namespace hourcell {
namespace {

constexpr std::string_view kAllocators[] = {"malloc", "calloc", "realloc", "aligned_alloc",
                                            "posix_memalign"};

double NumberAfter(std::string_view line, std::string_view start) {
  double number = 0;
  const std::string_view rest = line.substr(start.size());
  std::from_chars(rest.data(), rest.data() + rest.size(), number);
  return number;
}

// A file of callgrind names a function once, as "(12) malloc", and from then on as "(12)". A line
// "cfn=" is the function that is called, the line "calls=" after it how often.
WorkCost CostIn(std::istream* file) {
  WorkCost cost;
  std::set<std::string, std::less<>> allocators;
  bool is_allocator = false;
  for (std::string line; std::getline(*file, line);) {
    const std::string_view text = line;
    if (text.starts_with("summary:")) cost.instructions = NumberAfter(text, "summary: ");
    if (text.starts_with("fn=") || text.starts_with("cfn=")) {
      const std::string_view name = text.substr(text.find('=') + 1);
      const std::string_view id = name.substr(0, name.find(')') + 1);
      const std::string_view called = name.size() > id.size() ? name.substr(id.size() + 1) : "";
      for (const std::string_view allocator : kAllocators)
        if (called == allocator) allocators.emplace(id);
      is_allocator = text.starts_with("cfn=") && allocators.contains(id);
    }
    if (is_allocator && text.starts_with("calls=")) cost.allocations += NumberAfter(text, "calls=");
  }
  return cost;
}

}  // namespace

bool HasCallgrind() {
  return std::ifstream("/usr/bin/valgrind").good();
}

WorkCost RunUnderCallgrind(const std::function<void(uint16_t port)>& work,
                           const std::vector<std::string>& arguments) {
  TempDir dir;
  const std::string counts = dir.file("counts");
  std::vector<std::string> all = {"--auto-metric"};
  all.insert(all.end(), arguments.begin(), arguments.end());
  ServerProcess server(dir.file("store"), all, {},
                       {"/usr/bin/valgrind", "-q", "--tool=callgrind",
                        "--callgrind-out-file=" + counts, "--log-file=" + dir.file("log")});
  EXPECT_NE(server.port(), 0);
  work(server.port());
  EXPECT_EQ(server.End(SIGTERM), 0);
  std::ifstream file(counts);
  const WorkCost cost = CostIn(&file);
  EXPECT_GT(cost.instructions, 0) << "no summary in " << counts;
  return cost;
}

}  // namespace hourcell
