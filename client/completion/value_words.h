// Lists the values of the flags and arguments that accept only a few words.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace vrp::client {

// Returns the accepted values of a flag ("--output") or argument ("SHELL") of the command `path`
// ("jobs/watch"). Returns an empty list for any other flag or argument.
std::vector<std::string> AcceptedWords(std::string_view path, const std::string& name);

}  // namespace vrp::client
