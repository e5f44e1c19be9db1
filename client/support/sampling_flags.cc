#include "client/support/sampling_flags.h"

#include <CLI/CLI.hpp>
#include <limits>

#include "client/support/validators.h"

namespace vrp::client {

v1::DispatchSampling SamplingFlags::ToProto() const {
  v1::DispatchSampling sampling;
  if (rounds.has_value()) sampling.set_rounds(*rounds);
  if (scenarios.has_value()) sampling.set_scenarios(*scenarios);
  if (lookahead.has_value()) sampling.set_lookahead(*lookahead);
  return sampling;
}

void AddSamplingOptions(CLI::App& command, SamplingFlags& flags) {
  const auto count = WholeNumber(0, std::numeric_limits<int32_t>::max());
  command.add_option("--rounds", flags.rounds, "Plan N rounds of scenarios (sampling); default: 2")
      ->type_name("N")
      ->check(count);
  command
      .add_option("--scenarios", flags.scenarios,
                  "Plan N scenarios per round (sampling); default: 8")
      ->type_name("N")
      ->check(count);
  command
      .add_option("--lookahead", flags.lookahead,
                  "Draw the requests of N later departures (sampling); default: 1")
      ->type_name("N")
      ->check(count);
}

}  // namespace vrp::client
