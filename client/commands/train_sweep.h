// Implements `train --sweep`.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "client/commands/command.h"
#include "vrp/v1/training_service.pb.h"

namespace vrp::client {

// A sweep to submit.
struct SweepSubmission {
  std::string path;  // of the file; - for standard input
  // The settings that the flags give to all trials. config_yaml is empty unless flags name a
  // configuration.
  v1::TrainingSpec base;
  std::string request_id = {};
  bool detach = false;
  bool validate_only = false;
};

// A base configuration that a sweep's file names.
struct NamedConfig {
  bool is_preset = false;
  std::string name;  // path or name; empty: the file names none
};

// Returns the value of `config` or `preset`, if it is a text on the key's own line. The daemon
// parses the file; this only finds the file that the daemon does not have.
NamedConfig FindNamedConfig(absl::string_view sweep_yaml);

// Submits a sweep and follows it. Paths in the file are relative to its folder.
ExitCode RunSweep(CommandContext& context, SweepSubmission submission);

}  // namespace vrp::client
