// The flags of the dispatch policy `sampling`.
#pragma once

#include <cstdint>
#include <optional>

#include "vrp/v1/dispatch.pb.h"

namespace CLI {
class App;
}

namespace vrp::client {

// The values of the flags; absent values are left to the daemon.
struct SamplingFlags {
  std::optional<int32_t> rounds = {};
  std::optional<int32_t> scenarios = {};
  std::optional<int32_t> lookahead = {};

  bool any() const { return rounds.has_value() || scenarios.has_value() || lookahead.has_value(); }
  v1::DispatchSampling ToProto() const;
};

// Adds --rounds, --scenarios and --lookahead.
void AddSamplingOptions(CLI::App& command, SamplingFlags& flags);

}  // namespace vrp::client
