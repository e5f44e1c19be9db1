#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "absl/strings/str_cat.h"
#include "client/commands/command.h"
#include "client/output/json.h"
#include "client/support/files.h"
#include "client/support/flags.h"
#include "client/support/validators.h"
#include "vrp/v1/dataset_service.grpc.pb.h"

namespace vrp::client {
namespace {

struct GenerateFlags {
  std::string problem;
  int32_t customers = 20;
  int64_t count = 1;
  uint64_t seed = 1;
  double capacity = 0;
  std::string out;
};

// Passes every instance as a line to `write` until `write` fails.
absl::Status GenerateLines(CommandContext& context, const v1::GenerateInstancesRequest& request,
                           absl::FunctionRef<absl::Status(const std::string&)> write) {
  absl::Status written;
  const absl::Status status =
      context.client().Stream(&v1::DatasetService::Stub::GenerateInstances, request,
                              [&](const v1::GenerateInstancesResponse& response) {
                                written = write(absl::StrCat(response.file().content(), "\n"));
                                return written.ok();
                              });
  return status.ok() ? written : status;
}

absl::Status GenerateToStandardOutput(CommandContext& context,
                                      const v1::GenerateInstancesRequest& request) {
  absl::Status status = GenerateLines(context, request, [&](const std::string& line) {
    context.out() << line;
    return context.out() ? absl::OkStatus()
                         : absl::InternalError("cannot write to standard output");
  });
  context.out().flush();
  return status;
}

absl::Status GenerateToFile(CommandContext& context, const v1::GenerateInstancesRequest& request,
                            const std::string& path) {
  absl::StatusOr<OutputFile> file = OutputFile::Create(path);
  if (!file.ok()) return file.status();
  int64_t count = 0;
  absl::Status status = GenerateLines(context, request, [&](const std::string& line) {
    ++count;
    return file->Write(line);
  });
  if (status.ok()) status = file->Commit();
  if (!status.ok()) return status;
  context.Print({{"file", path}, {"instances", count}},
                absl::StrCat(path, ": ", count, " instances\n"));
  return absl::OkStatus();
}

ExitCode RunGenerate(CommandContext& context, const GenerateFlags& flags) {
  const absl::StatusOr<v1::ProblemType> problem = ParseProblemType(flags.problem);
  if (!problem.ok()) return context.Fail(problem.status());
  v1::GenerateInstancesRequest request;
  request.set_problem_type(*problem);
  request.set_customer_count(flags.customers);
  request.set_instance_count(flags.count);
  request.set_seed(flags.seed);
  request.set_capacity(flags.capacity);
  const absl::Status status = flags.out.empty() || flags.out == "-"
                                  ? GenerateToStandardOutput(context, request)
                                  : GenerateToFile(context, request, flags.out);
  return status.ok() ? kExitDone : context.Fail(status);
}

}  // namespace

void AddGenerate(CLI::App& app, ChosenCommand& chosen) {
  CLI::App* command = AddCommand(
      app, "generate", "Generate random instances as JSON lines, the same for the same seed",
      "vrpctl generate --problem cvrp --customers 20 --count 1000 --seed 1 --out set.jsonl\n"
      "vrpctl generate --problem vrptw --count 3 | vrpctl solve -");
  const auto flags = std::make_shared<GenerateFlags>();
  command->add_option("--problem", flags->problem, "Generate cvrp, vrptw or tsp")
      ->type_name("WORD")
      ->required();
  command->add_option("--customers", flags->customers, "Give each instance N customers")
      ->type_name("N")
      ->check(WholeNumber(1, std::numeric_limits<int32_t>::max()))
      ->capture_default_str();
  command->add_option("--count", flags->count, "Generate N instances")
      ->type_name("N")
      ->check(WholeNumber(1))
      ->capture_default_str();
  command->add_option("--seed", flags->seed, "Seed the random numbers with N")
      ->type_name("N")
      ->check(WholeNumber(0, std::numeric_limits<uint64_t>::max()))
      ->capture_default_str();
  command
      ->add_option("--capacity", flags->capacity,
                   "Give vehicles this capacity; 0: that of the distribution")
      ->type_name("X")
      ->capture_default_str();
  command->add_option("--out", flags->out, "Write to a file instead of standard output")
      ->type_name("FILE");
  SetCallback(*command, chosen, flags, RunGenerate);
}

}  // namespace vrp::client
