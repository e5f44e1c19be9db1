// The values that flags and arguments accept, where these are few words.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace vrp::client {

// Returns the accepted values of a flag ("--output") or argument ("SHELL") of the command `path`
// ("jobs/watch"). Empty if there are too many to list.
std::vector<std::string> AcceptedWords(std::string_view path, const std::string& name);

}  // namespace vrp::client
