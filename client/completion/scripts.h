// Generates the completion scripts of vrpctl from the parser, so that the scripts know every
// command and flag.
#pragma once

#include <string>
#include <vector>

#include "client/completion/command_words.h"

namespace vrp::client {

std::string BashScript(const std::vector<CommandWords>& commands);
std::string ZshScript(const std::vector<CommandWords>& commands);
std::string FishScript(const std::vector<CommandWords>& commands);

}  // namespace vrp::client
