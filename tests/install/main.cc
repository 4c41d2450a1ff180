#include <engine/tsdb.h>

#include <cstdio>

int main(int, char** argv) {
  hourcell::Options options;
  options.path = argv[1];  // a directory, created if it is not there
  const auto tsdb = hourcell::Tsdb::Open(options).value();

  const hourcell::TagView tags[] = {{"host", "web01"}};
  for (int64_t i = 0; i < 6; ++i) {
    const hourcell::Timestamp time = {.ms = 1356998400000 + 10000 * i};
    if (!tsdb->points().Put({"cpu.user", tags, time, hourcell::Value::Integer(40 + i)}).ok())
      return 1;
  }

  hourcell::QuerySpec query = {.start_ms = 1356998400000, .end_ms = 1357002000000};
  query.queries = {{.aggregator = hourcell::Aggregator::kAvg, .metric = "cpu.user"}};
  query.queries[0].downsample = hourcell::ParseDownsampleSpec("1m-avg").value();
  const auto result = tsdb->queries().Query(query).value();
  for (const auto& point : result.series.at(0).points) {
    std::printf("%lld %g\n", static_cast<long long>(point.ms), point.value.ToDouble());
  }
  return tsdb->Close().ok() ? 0 : 1;
}
