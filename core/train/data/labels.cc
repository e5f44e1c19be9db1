#include "core/train/data/labels.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>
#include <vector>

#include "core/base/file.h"
#include "core/base/json.h"
#include "core/base/number.h"
#include "core/base/sha256.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/model/policy/network_batch.h"
#include "core/problem/checker/checker.h"
#include "core/problem/formats/formats.h"
#include "core/search/search.h"
#include "core/train/data/instance_source.h"
#include "core/train/data/json_lines.h"
#include "core/train/data/label_folder.h"
#include "core/train/data/set_claim.h"

namespace vrp {
namespace {

namespace fs = std::filesystem;

// Version of the records and the search, which is part of every set's name. Must be raised when
// the records or the search change.
constexpr int kLabelVersion = 1;
constexpr int64_t kUnlimitedBytes = int64_t{1} << 40;  // memory for a set that is only opened

absl::StatusOr<Sample> MakeSample(const Instance& instance, Plan plan) {
  const CheckReport report = CheckPlan(instance, plan);
  if (!report.feasible) {
    return absl::InvalidArgumentError(
        Concat("the label is not feasible: ", report.violations.front().message));
  }
  Sample sample{.data = instance.data(), .plan = std::move(plan), .cost = report.cost};
  sample.data.ids.clear();
  sample.data.name.clear();
  return sample;
}

absl::StatusOr<Sample> HeuristicLabel(const LabelRequest& request, int64_t index,
                                      const StopCondition& stop) {
  if (stop.ShouldStop()) return absl::CancelledError("cancelled while the labels were made");
  const int32_t customers = DrawCustomers(request.problem, request.seed, index);
  VRP_ASSIGN_OR_RETURN(
      const Instance instance,
      Instance::Create(DrawInstance(request.problem, request.seed, index, customers)));
  VRP_ASSIGN_OR_RETURN(SearchResult found, Search(instance, {.stop = stop,
                                                             .max_iterations = request.iterations,
                                                             .seed = request.search_seed,
                                                             .initial = {}}));
  if (stop.ShouldStop()) return absl::CancelledError("cancelled while the labels were made");
  VRP_RETURN_IF_ERROR(BatchSupports(instance, NodeOrder::kAsGiven));
  return MakeSample(instance, std::move(found.plan));
}

// Returns the routes of the line, or nullopt if it has none.
absl::StatusOr<std::optional<Plan>> ReferenceRoutes(const nlohmann::json& line) {
  const auto refuse = [] {
    return absl::InvalidArgumentError(
        "ref_routes: wanted an array of routes, each an array of customer numbers such as [3, 1]");
  };
  if (!line.is_object()) return refuse();
  const auto found = line.find("ref_routes");
  if (found == line.end()) return std::nullopt;
  if (!found->is_array()) return refuse();
  Plan plan;
  for (const nlohmann::json& route : *found) {
    if (!route.is_array()) return refuse();
    PlannedRoute planned;
    for (const nlohmann::json& node : route) {
      if (!node.is_number_unsigned() || node.get<uint64_t>() > 10'000'000) return refuse();
      planned.customers.push_back(node.get<NodeIndex>());
    }
    plan.push_back(std::move(planned));
  }
  return plan;
}

absl::StatusOr<std::optional<Sample>> LabelOf(const Instance& instance,
                                              const nlohmann::json& line) {
  VRP_ASSIGN_OR_RETURN(std::optional<Plan> plan, ReferenceRoutes(line));
  if (!plan.has_value()) return std::nullopt;
  return MakeSample(instance, *std::move(plan));
}

// Whether there is a complete set at `path`.
bool HasSampleSet(const std::string& path) { return SampleSet::Open(path, kUnlimitedBytes).ok(); }

template <typename T>
std::string Listed(const std::vector<T>& items) {
  std::string text;
  for (const T& item : items) text += Concat(static_cast<int>(item), ",");
  return text;
}

}  // namespace

std::string LabelSetName(const LabelRequest& request) {
  const ProblemConfig& problem = request.problem;
  std::string key =
      Concat("labels ", kLabelVersion, " kinds ", Listed(problem.kinds), " customers ",
             problem.customers.low, "-", problem.customers.high, " capacity ",
             FormatNumber(problem.capacity.low), "-", FormatNumber(problem.capacity.high));
  if (problem.customers_skew != 1) key += Concat(" skew ", FormatNumber(problem.customers_skew));
  key += Concat(" layouts ", Listed(problem.layouts), " open ", FormatNumber(problem.open_routes),
                " limit ", FormatNumber(problem.distance_limit), " backhauls ",
                FormatNumber(problem.backhauls));
  key += Concat(" seeds ", request.seed, " ", request.search_seed, " iterations ",
                request.iterations, " samples ", request.samples);
  return Concat("labels-", Sha256Hex(key).substr(0, 16), ".set");
}

absl::StatusOr<std::string> MakeSearchLabels(const LabelRequest& request,
                                             const LabelContext& context) {
  constexpr int64_t kInstancesPerPart = 256;  // maximum number of samples in memory
  std::string path = Concat(context.folder, "/", LabelSetName(request));
  VRP_ASSIGN_OR_RETURN(const std::unique_ptr<SetClaim> claim,
                       SetClaim::Take(path, context.stop, context.on_piece));
  if (HasSampleSet(path)) return path;
  VRP_ASSIGN_OR_RETURN(const std::unique_ptr<SampleSetWriter> writer,
                       SampleSetWriter::Create(path));
  for (int64_t first = 0; first < request.samples; first += kInstancesPerPart) {
    context.ReportPiece();
    const int64_t count = std::min(kInstancesPerPart, request.samples - first);
    std::vector<absl::StatusOr<Sample>> made(static_cast<size_t>(count),
                                             absl::CancelledError("cancelled"));
    context.pool->ParallelFor(count, [&](int64_t i) {
      made[static_cast<size_t>(i)] = HeuristicLabel(request, first + i, context.stop);
    });
    for (const absl::StatusOr<Sample>& sample : made) {
      VRP_RETURN_IF_ERROR(sample.status());
      VRP_RETURN_IF_ERROR(writer->Add(*sample));
    }
  }
  VRP_RETURN_IF_ERROR(writer->Finish());
  return path;
}

absl::StatusOr<DataLine> ParseDataLine(std::string_view line, const std::string& where,
                                       const BatchForm& form) {
  VRP_ASSIGN_OR_RETURN(Instance instance, ParseJson(line, where));
  if (const absl::Status known = BatchSupports(instance, form); !known.ok()) {
    return absl::Status(known.code(), Concat(where, ": ", FromAbsl(known.message())));
  }
  VRP_ASSIGN_OR_RETURN(const nlohmann::json json, ParseJsonText(line, where));
  absl::StatusOr<std::optional<Sample>> label = LabelOf(instance, json);
  if (label.ok()) return DataLine{std::move(instance), *std::move(label)};
  return absl::InvalidArgumentError(Concat(where, ": ", FromAbsl(label.status().message())));
}

absl::Status ReadLabels(const DataFile& file, const LabelRange& range,
                        absl::FunctionRef<absl::Status(const Sample&)> add) {
  int64_t added = 0;
  return ForEachLine(file, [&](std::string_view line, int64_t number) -> absl::StatusOr<bool> {
    const std::string where = Concat(file.name, ":", number);
    VRP_ASSIGN_OR_RETURN(const DataLine read, ParseDataLine(line, where, range.form));
    if (!read.label.has_value()) {
      return absl::InvalidArgumentError(
          Concat(where, ": ref_routes: absent, wanted the label's routes"));
    }
    VRP_RETURN_IF_ERROR(add(*read.label));
    return ++added < range.limit;
  });
}

absl::StatusOr<std::string> MakeFileLabels(const DataFile& file, int64_t limit,
                                           const BatchForm& form, const LabelContext& context) {
  std::error_code error;
  const auto size = fs::file_size(file.path, error);
  if (error) return absl::NotFoundError(Concat(file.name, ": ", error.message()));
  const auto time = fs::last_write_time(file.path, error).time_since_epoch().count();
  // Labels depend on the order in which the network reads nodes, and on the network's own columns.
  std::string reader = form.order == NodeOrder::kByAngle ? " by angle" : "";
  for (const std::string& column : form.own_columns) reader += Concat(" column ", column);
  const std::string key =
      Concat("file ", kLabelVersion, " ", file.path, " ", size, " ", time, " ", limit, reader);
  const std::string folder = LabelFolderOf(context.folder, file.name);
  VRP_RETURN_IF_ERROR(EnsureDirectory(folder));
  std::string path = Concat(folder, "/labels-", Sha256Hex(key).substr(0, 16), ".set");
  VRP_ASSIGN_OR_RETURN(const std::unique_ptr<SetClaim> claim,
                       SetClaim::Take(path, context.stop, context.on_piece));
  if (HasSampleSet(path)) return path;

  VRP_ASSIGN_OR_RETURN(const std::unique_ptr<SampleSetWriter> writer,
                       SampleSetWriter::Create(path));
  const auto add = [&](const Sample& sample) {
    context.ReportPiece();
    if (context.stop.ShouldStop()) {
      return absl::CancelledError("cancelled while the labels were read");
    }
    return writer->Add(sample);
  };
  VRP_RETURN_IF_ERROR(ReadLabels(file, {.limit = limit, .form = form}, add));
  VRP_RETURN_IF_ERROR(writer->Finish());
  return path;
}

}  // namespace vrp
