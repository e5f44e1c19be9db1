#include "core/train/estimate/estimate_labels.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "core/base/file.h"
#include "core/base/json.h"
#include "core/base/number.h"
#include "core/base/random.h"
#include "core/base/sha256.h"
#include "core/base/status_macros.h"
#include "core/base/steady_time.h"
#include "core/base/text.h"
#include "core/problem/plan/plan_value.h"
#include "core/search/search.h"

namespace vrp {
namespace {

using Json = nlohmann::json;

// Version of the files, the draws and the search, part of every name. Must be raised when a change
// makes old labels useless.
constexpr int kLabelVersion = 1;
constexpr uint64_t kSearchSeed = 1;
constexpr int64_t kPieceLabels = kDrawnAlike;  // of a file
constexpr int64_t kMaxPieceBytes = int64_t{1} << 20;
constexpr uint32_t kPairStream = 97;  // of random numbers

std::string PiecePath(const LabelTask& task, int64_t piece, const std::string& folder) {
  const EstimateDraws& draws = task.draws;
  const std::string key =
      Concat("estimate ", kLabelVersion, " draws ", draws.min_customers, " ", draws.max_customers,
             " ", FormatNumber(draws.windows), " ", draws.seed, " pairs ", FormatNumber(task.pairs),
             " limits ", task.iterations, " ", FormatNumber(task.seconds), " piece ", piece,
             HasLongRoutes(draws, piece * kPieceLabels) ? " long" : "");
  return Concat(folder, "/estimate-", Sha256Hex(key).substr(0, 24), ".json");
}

std::string WritePiece(const std::vector<EstimateLabel>& labels) {
  Json json = Json::array();
  for (const EstimateLabel& label : labels) {
    Json one = {label.cost, label.routes};
    if (label.paired) {
      one.push_back(label.cost_without);
      one.push_back(label.routes_without);
    }
    json.push_back(std::move(one));
  }
  return Json{{"labels", std::move(json)}}.dump() + "\n";
}

std::optional<EstimateLabel> ParseLabel(const Json& json) {
  if (!json.is_array() || (json.size() != 2 && json.size() != 4)) return std::nullopt;
  for (size_t k = 0; k < json.size(); ++k) {
    const bool is_cost = k % 2 == 0;
    if (is_cost ? !json[k].is_number() : !json[k].is_number_unsigned()) return std::nullopt;
  }
  EstimateLabel label = {.cost = json[0].get<double>(), .routes = json[1].get<int32_t>()};
  label.paired = json.size() == 4;
  if (!label.paired) return label;
  label.cost_without = json[2].get<double>();
  label.routes_without = json[3].get<int32_t>();
  return label;
}

// Returns the labels at `path`. Returns nullopt if there are none, or damaged ones.
std::optional<std::vector<EstimateLabel>> FindPiece(const std::string& path) {
  const absl::StatusOr<std::string> text = ReadFile(path, kMaxPieceBytes);
  if (!text.ok()) return std::nullopt;
  const absl::StatusOr<Json> json = ParseJsonText(*text, path);
  if (!json.ok() || !json->is_object() || !json->contains("labels")) return std::nullopt;
  const Json& labels = (*json)["labels"];
  if (!labels.is_array() || std::ssize(labels) != kPieceLabels) return std::nullopt;
  std::vector<EstimateLabel> found;
  for (const Json& one : labels) {
    const std::optional<EstimateLabel> label = ParseLabel(one);
    if (!label.has_value()) return std::nullopt;
    found.push_back(*label);
  }
  return found;
}

absl::StatusOr<SearchResult> SearchLabel(const Instance& instance, const LabelTask& task,
                                         const std::vector<Plan>& initial,
                                         const StopCondition& stop) {
  SearchOptions options = {.stop = stop, .seed = kSearchSeed, .initial = initial};
  if (task.seconds > 0) options.stop = stop.Sooner(SteadyNow() + absl::Seconds(task.seconds));
  if (task.iterations > 0) options.max_iterations = task.iterations * instance.num_customers();
  VRP_ASSIGN_OR_RETURN(SearchResult found, Search(instance, options));
  // A search that the end of the run cuts off is no label.
  if (stop.ShouldStop()) return absl::CancelledError("cancelled while the labels were made");
  std::erase_if(found.plan, [](const PlannedRoute& route) { return route.customers.empty(); });
  return found;
}

// Returns `plan` without the node `customer`.
Plan Without(Plan plan, NodeIndex customer) {
  for (PlannedRoute& route : plan) std::erase(route.customers, customer);
  std::erase_if(plan, [](const PlannedRoute& route) { return route.customers.empty(); });
  return plan;
}

// Labels an instance with and without its last customer. Each search begins with the other's plan,
// so that their difference is less noisy than the costs.
absl::StatusOr<EstimateLabel> MakePair(const Instance& instance, const LabelTask& task,
                                       const StopCondition& stop) {
  VRP_ASSIGN_OR_RETURN(const Instance smaller, WithoutLastCustomer(instance));
  VRP_ASSIGN_OR_RETURN(SearchResult without, SearchLabel(smaller, task, {}, stop));
  VRP_ASSIGN_OR_RETURN(const SearchResult with, SearchLabel(instance, task, {without.plan}, stop));
  Plan removed = Without(with.plan, instance.num_nodes() - 1);
  const Cost cost = PlanCost(smaller, removed);
  if (cost < without.cost) {
    without.cost = cost;
    without.plan = std::move(removed);
  }
  return EstimateLabel{.cost = with.cost,
                       .routes = static_cast<int32_t>(with.plan.size()),
                       .paired = true,
                       .cost_without = without.cost,
                       .routes_without = static_cast<int32_t>(without.plan.size())};
}

absl::StatusOr<EstimateLabel> MakeLabel(const LabelTask& task, int64_t index,
                                        const StopCondition& stop) {
  if (stop.ShouldStop()) return absl::CancelledError("cancelled while the labels were made");
  VRP_ASSIGN_OR_RETURN(const Instance instance, DrawEstimateInstance(task.draws, index));
  if (IsPaired(task, index)) return MakePair(instance, task, stop);
  VRP_ASSIGN_OR_RETURN(const SearchResult found, SearchLabel(instance, task, {}, stop));
  return EstimateLabel{.cost = found.cost, .routes = static_cast<int32_t>(found.plan.size())};
}

absl::StatusOr<std::vector<EstimateLabel>> MakePiece(const LabelTask& task, int64_t piece,
                                                     const LabelSurroundings& surroundings) {
  std::vector<absl::StatusOr<EstimateLabel>> made(kPieceLabels);
  surroundings.pool->ParallelFor(kPieceLabels, [&](int64_t k) {
    made[static_cast<size_t>(k)] = MakeLabel(task, piece * kPieceLabels + k, surroundings.stop);
  });
  std::vector<EstimateLabel> labels;
  for (const absl::StatusOr<EstimateLabel>& label : made) {
    VRP_RETURN_IF_ERROR(label.status());
    labels.push_back(*label);
  }
  VRP_RETURN_IF_ERROR(
      AtomicWriteFile(PiecePath(task, piece, surroundings.folder), WritePiece(labels)));
  return labels;
}

}  // namespace

bool IsPaired(const LabelTask& task, int64_t index) {
  CounterRandom random(task.draws.seed, static_cast<uint64_t>(index), kPairStream);
  return random.UniformDouble() < task.pairs;
}

absl::StatusOr<EstimateLabels> MakeEstimateLabels(const LabelTask& task,
                                                  const LabelSurroundings& surroundings) {
  VRP_RETURN_IF_ERROR(EnsureDirectory(surroundings.folder));
  EstimateLabels result;
  for (int64_t piece = 0; piece * kPieceLabels < task.instances; ++piece) {
    if (surroundings.on_piece != nullptr) surroundings.on_piece();
    std::optional<std::vector<EstimateLabel>> labels =
        FindPiece(PiecePath(task, piece, surroundings.folder));
    if (labels.has_value()) {
      result.found += kPieceLabels;
    } else {
      VRP_ASSIGN_OR_RETURN(labels, MakePiece(task, piece, surroundings));
    }
    result.labels.insert(result.labels.end(), labels->begin(), labels->end());
  }
  result.labels.resize(static_cast<size_t>(task.instances));
  result.found = std::min(result.found, task.instances);
  return result;
}

}  // namespace vrp
