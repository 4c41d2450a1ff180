#include "server/ports/graphite_port.h"

#include "server/inputs/graphite/graphite_input.h"
#include "server/inputs/graphite/graphite_session.h"

namespace hourcell {
namespace {

class GraphiteProtocol : public TcpProtocol {
 public:
  explicit GraphiteProtocol(const InputParts& parts)
      : input_({.tsdb = parts.tsdb,
                .names = parts.names,
                .clock = parts.clock,
                .new_series = parts.new_series},
               *parts.settings),
        context_({.input = &input_, .pool = parts.pool}) {}

  std::unique_ptr<Session> StartSession(Transport* transport, AccessRights rights) override {
    return StartGraphiteSession(transport, &context_, rights);
  }

 private:
  const GraphiteInput input_;
  const GraphiteContext context_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<InputPort>> MakeGraphitePort(const InputParts& parts) {
  return std::make_unique<TcpInputPort>(parts, std::make_unique<GraphiteProtocol>(parts));
}

}  // namespace hourcell
