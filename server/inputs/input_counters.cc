#include "server/inputs/input_counters.h"

#include "codec/base/check.h"

namespace hourcell {

InputCounters::InputCounters(Stats* stats, std::string_view type)
    : stats_(stats),
      type_(type),
      points_(stats->counter("rpc.inputs.points", {{"type", type_}})),
      refused_(stats->counter("rpc.inputs.refused", {{"type", type_}})) {}

void InputCounters::Count(const InputWriter& out) const {
  HOURCELL_DCHECK(!out.must_wait());  // the request is counted once, on the other thread
  points_->Add(out.written() + out.histograms_written());
  refused_->Add(out.refused());
}

Counter* InputCounters::Dropped(std::string_view reason) const {
  return stats_->counter("rpc.inputs.dropped", {{"type", type_}, {"reason", std::string(reason)}});
}

}  // namespace hourcell
