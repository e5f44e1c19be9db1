// Implements the command group `dispatch`.
#include <CLI/CLI.hpp>

#include "client/commands/command.h"

namespace vrp::client {

void AddDispatch(CLI::App& app, ChosenCommand& chosen) {
  CLI::App* dispatch =
      AddCommand(app, "dispatch", "Decide which requests leave now, and simulate policies",
                 "vrpctl dispatch decide tests/data/RC208.vrp --departure 0 --policy lazy");
  dispatch->require_subcommand(1);
  AddDispatchDecide(*dispatch, chosen);
  AddDispatchSimulate(*dispatch, chosen);
  AddDispatchSimulations(*dispatch, chosen);
}

}  // namespace vrp::client
