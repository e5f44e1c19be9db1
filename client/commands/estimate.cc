// Implements the command `estimate`.
#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "client/commands/command.h"
#include "client/commands/named_resource.h"
#include "client/output/estimates.h"
#include "client/support/files.h"
#include "client/support/flags.h"
#include "client/support/instance_flags.h"
#include "vrp/v1/estimate_service.grpc.pb.h"

namespace vrp::client {
namespace {

constexpr char kEstimateExamples[] =
    "vrpctl estimate tests/data/E-n22-k4.vrp\n"
    "vrpctl estimate tests/data/E-n22-k4.vrp tests/data/RC208.vrp --output json | jq .estimates\n"
    "echo '[\"2\", \"5\", \"9\", \"12\"]' > subsets.jsonl\n"
    "echo '[\"2\", \"5\", \"9\", \"12\", \"14\"]' >> subsets.jsonl\n"
    "vrpctl estimate tests/data/E-n22-k4.vrp --subsets subsets.jsonl";

constexpr absl::Duration kEstimateTimeout = absl::Minutes(10);

struct EstimateFlags {
  std::vector<std::string> files;
  InstanceFlags input;
  std::string model;
  std::string subsets;
};

// Reads a line such as ["2", "5"], whose ids may be numbers.
absl::Status AddSubset(absl::string_view line, v1::EstimateCostsRequest& request) {
  const Json json = Json::parse(line.begin(), line.end(), nullptr, /*allow_exceptions=*/false);
  if (!json.is_array()) {
    return absl::InvalidArgumentError(
        R"(wanted a JSON array of ids of customers, such as ["2", "5"])");
  }
  v1::CustomerSubset& subset = *request.add_subsets();
  for (const Json& id : json) {
    if (!id.is_string() && !id.is_number_integer()) {
      return absl::InvalidArgumentError(
          absl::StrCat("got ", ShownJson(id), ", wanted the id of a customer"));
    }
    subset.add_customers(id.is_string() ? id.get<std::string>() : id.dump());
  }
  return absl::OkStatus();
}

absl::Status ReadSubsets(const std::string& path, std::istream& standard_input,
                         v1::EstimateCostsRequest& request) {
  const absl::StatusOr<std::string> text = ReadInput(path, standard_input);
  if (!text.ok()) return text.status();
  int number = 0;
  for (absl::string_view line : absl::StrSplit(*text, '\n')) {
    ++number;
    line = absl::StripAsciiWhitespace(line);
    if (line.empty()) continue;
    const absl::Status status = AddSubset(line, request);
    if (!status.ok()) {
      return absl::InvalidArgumentError(absl::StrCat("line ", number, ": ", status.message()));
    }
  }
  if (request.subsets_size() == 0) return absl::InvalidArgumentError("has no line with a subset");
  return absl::OkStatus();
}

ExitCode RunEstimate(CommandContext& context, const EstimateFlags& flags) {
  v1::EstimateCostsRequest request;
  if (!flags.model.empty()) {
    const absl::StatusOr<std::string> model = ModelResourceName(flags.model);
    if (!model.ok()) return context.Fail(model.status());
    request.set_model(*model);
  }
  std::vector<std::string> names;
  for (const std::string& file : flags.files) {
    absl::StatusOr<v1::InstanceFile> read =
        ReadInstanceFile(file, flags.input, context.environment().in);
    if (!read.ok()) return context.Fail(read.status(), file);
    *request.add_inputs()->mutable_file() = *std::move(read);
    names.push_back(file);
  }
  if (!flags.subsets.empty()) {
    if (flags.files.size() > 1) {
      return context.Fail(absl::InvalidArgumentError(
          "--subsets: wanted one FILE, whose customers the subsets are of"));
    }
    const absl::Status status = ReadSubsets(flags.subsets, context.environment().in, request);
    if (!status.ok()) return context.Fail(status, flags.subsets);
    names.clear();
    for (int i = 1; i <= request.subsets_size(); ++i) names.push_back(absl::StrCat("subset ", i));
  }
  const absl::StatusOr<v1::EstimateCostsResponse> response =
      context.client().Call(&v1::EstimateService::Stub::EstimateCosts, request, kEstimateTimeout);
  if (!response.ok()) {
    return context.Fail(response.status(), flags.files.size() == 1 ? flags.files.front() : "");
  }
  return context.Print(EstimatesJson(*response, names), EstimatesText(*response, names));
}

}  // namespace

void AddEstimate(CLI::App& app, ChosenCommand& chosen) {
  CLI::App* command = AddCommand(
      app, "estimate", "Estimate what plans would cost, without planning them", kEstimateExamples);
  const auto flags = std::make_shared<EstimateFlags>();
  command->add_option("FILE", flags->files, "Read an instance; - for standard input")
      ->type_name("FILE...")
      ->required();
  command
      ->add_option("--model", flags->model,
                   "Estimate by this model: NAME, NAME@3 or NAME@ALIAS; default: estimate-mixed")
      ->type_name("NAME");
  command
      ->add_option("--subsets", flags->subsets,
                   "Estimate these customers of FILE: an array of ids per line")
      ->type_name("SUBSETS.jsonl");
  AddInstanceOptions(*command, flags->input, "auto, vrplib, solomon, json or vroom");
  SetCallback(*command, chosen, flags, RunEstimate);
}

}  // namespace vrp::client
