// Errors as people read them: what, where, and what to do about it.
#pragma once

#include <string>

#include "absl/status/status.h"

namespace vrp::client {

struct ErrorPlace {
  std::string command;  // "solve"
  std::string where;    // "city.vrp", "set.jsonl:17"; may be empty
  std::string remote;   // named when it cannot be reached
};

// `vrpctl: solve: city.vrp: ...`, then a line for each field of google.rpc.BadRequest that the
// message does not mention already, then the remedy. Ends with a line break.
std::string ErrorText(const ErrorPlace& place, const absl::Status& status);

}  // namespace vrp::client
