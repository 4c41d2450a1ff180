#include "bench/lab/simulate/input/id_source.h"

#include <string>

#include "codec/base/bytes.h"
#include "codec/base/check.h"

namespace hourcell {
namespace {

class IdSource final : public PutSource {
 public:
  explicit IdSource(const IdSpec& spec) : spec_(spec) {}

  absl::StatusOr<bool> Next(SourcePut* put) override {
    if (given_ == spec_.ids) return false;
    const uint64_t id = spec_.first + given_;
    id_.clear();
    AppendBigEndian(id, 8, &id_);
    put->now_ms = spec_.start_ms + given_ * 1'000 / spec_.ids_per_s;
    put->puts = 1;
    put->begins_row = true;
    put->parts = {.tsuid = id_, .metric_bytes = 0, .number = id, .time_ms = put->now_ms};
    ++given_;
    return true;
  }

  uint64_t start_ms() const override { return spec_.start_ms; }
  uint64_t duration_ms() const override { return spec_.ids * 1'000 / spec_.ids_per_s + 1; }

 private:
  const IdSpec spec_;
  uint64_t given_ = 0;
  std::string id_;
};

}  // namespace

std::unique_ptr<PutSource> MakeIds(const IdSpec& spec) {
  HOURCELL_CHECK(spec.ids_per_s > 0);
  return std::make_unique<IdSource>(spec);
}

}  // namespace hourcell
