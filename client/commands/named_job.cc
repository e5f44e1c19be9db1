#include "client/commands/named_job.h"

#include <CLI/CLI.hpp>

namespace vrp::client {

CLI::App* AddNamedJob(CLI::App& jobs, std::string_view verb, std::string_view description,
                      std::string_view examples, std::string& name) {
  CLI::App* command = AddCommand(jobs, verb, description, examples);
  command->add_option("NAME", name, "trainingJobs/ID or ID")->type_name("")->required();
  return command;
}

}  // namespace vrp::client
