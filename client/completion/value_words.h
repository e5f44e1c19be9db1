// Lists the values that the completion offers for flags and arguments.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace vrp::client {

// Returns the accepted words of a flag ("--output") or argument ("SHELL") of the command `path`
// ("jobs/watch"), or examples such as "beam:8". Returns an empty list for any other flag or
// argument.
std::vector<std::string> AcceptedWords(std::string_view path, const std::string& name);

}  // namespace vrp::client
