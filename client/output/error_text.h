// Builds error messages: what is wrong, where, and what to do.
#pragma once

#include <string>

#include "absl/status/status.h"

namespace vrp::client {

// The origin of an error.
struct ErrorPlace {
  std::string command;  // such as "solve"
  std::string where;    // such as "city.vrp" or "set.jsonl:17"; may be empty
  std::string remote;   // named in the message if it is unreachable
};

// Returns "vrpctl: solve: city.vrp: ...", one line for each field of google.rpc.BadRequest that the
// message does not mention, the request id and the remedy. The text ends with a line break.
std::string ErrorText(const ErrorPlace& place, const absl::Status& status);

}  // namespace vrp::client
