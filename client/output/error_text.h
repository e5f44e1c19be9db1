// Error messages: what is wrong, where, and what to do.
#pragma once

#include <string>

#include "absl/status/status.h"

namespace vrp::client {

// The place of an error.
struct ErrorPlace {
  std::string command;  // "solve"
  std::string where;    // "city.vrp", "set.jsonl:17"; may be empty
  std::string remote;   // named if it is unreachable
};

// Returns "vrpctl: solve: city.vrp: ...", a line for each field of google.rpc.BadRequest that the
// message does not mention, and the remedy. Ends with a line break.
std::string ErrorText(const ErrorPlace& place, const absl::Status& status);

}  // namespace vrp::client
