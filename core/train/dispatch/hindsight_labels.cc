#include "core/train/dispatch/hindsight_labels.h"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <optional>
#include <utility>

#include "core/base/file.h"
#include "core/base/json.h"
#include "core/base/number.h"
#include "core/base/sha256.h"
#include "core/base/status_macros.h"
#include "core/base/steady_time.h"
#include "core/base/text.h"
#include "core/train/data/label_folder.h"

namespace vrp {
namespace {

using Json = nlohmann::json;

// Version of the files and of the search, part of every name. Must be raised when a change of the
// draws, the search or the files makes old labels useless.
constexpr int kLabelVersion = 1;
constexpr uint64_t kSearchSeed = 1;
constexpr int64_t kMaxPlanBytes = int64_t{16} << 20;

std::string LabelPath(const TrainingSite& site, const TrainingDay& day,
                      const DispatchConfig& config, const std::string& folder) {
  const bool logged = !day.log_digest.empty();
  std::string key = Concat("hindsight ", kLabelVersion, " site ", site.digest);
  key += logged ? Concat(" log ", day.log_digest, " day ", Quoted(day.day.name))
                : Concat(" seed ", day.seed);
  key += Concat(" days ", FormatNumber(config.epoch), " ", FormatNumber(config.margin));
  if (!logged) key += Concat(" ", config.requests_per_epoch);
  key += Concat(" limits ", FormatNumber(config.label_seconds), " ", config.label_iterations);
  return Concat(LabelFolderOf(folder, logged ? config.log : site.source), "/hindsight-",
                Sha256Hex(key).substr(0, 24), ".json");
}

std::string WriteLabel(const Plan& plan) {
  Json routes = Json::array();
  for (const PlannedRoute& route : plan) {
    routes.push_back({{"type", route.vehicle_type}, {"requests", route.customers}});
  }
  return Json{{"routes", std::move(routes)}}.dump() + "\n";
}

// Returns the plan in `json`, or nullopt if it is malformed or no plan of the day.
std::optional<Plan> ParseLabel(const Json& json, const DispatchSite& site, const DispatchDay& day) {
  const auto number = [](const Json& value, size_t size) {
    return value.is_number_unsigned() && value.get<uint64_t>() < size;
  };
  if (!json.is_object() || !json.contains("routes") || !json["routes"].is_array()) return {};
  Plan plan;
  std::vector<bool> served(day.requests.size());
  for (const Json& route : json["routes"]) {
    if (!route.is_object() || !route.contains("type") || !route.contains("requests")) return {};
    const Json& requests = route["requests"];
    if (!number(route["type"], site.instance().vehicles().size()) || !requests.is_array())
      return {};
    PlannedRoute& read = plan.emplace_back();
    read.vehicle_type = route["type"].get<int32_t>();
    for (const Json& request : requests) {
      if (!number(request, served.size()) || served[request.get<size_t>()]) return {};
      served[request.get<size_t>()] = true;
      read.customers.push_back(request.get<NodeIndex>());
    }
    if (read.customers.empty()) return {};
  }
  return plan;
}

// Returns the label at `path`. Returns nullopt if there is none, or a damaged one.
std::optional<HindsightPlan> FindLabel(const std::string& path, const DispatchSite& site,
                                       const DispatchDay& day) {
  const absl::StatusOr<std::string> text = ReadFile(path, kMaxPlanBytes);
  if (!text.ok()) return std::nullopt;
  const absl::StatusOr<Json> json = ParseJsonText(*text, path);
  if (!json.ok()) return std::nullopt;
  std::optional<Plan> plan = ParseLabel(*json, site, day);
  if (!plan.has_value()) return std::nullopt;
  absl::StatusOr<HindsightPlan> checked = CheckDayPlan(site, day, *std::move(plan));
  return checked.ok() ? std::optional(*std::move(checked)) : std::nullopt;
}

absl::StatusOr<HindsightPlan> MakeLabel(const std::string& path, const DispatchSite& site,
                                        const DispatchDay& day, const DispatchConfig& config,
                                        const StopCondition& stop) {
  if (stop.ShouldStop()) return absl::CancelledError("cancelled while the labels were made");
  DecisionOptions options = {.stop = stop, .seed = kSearchSeed};
  if (config.label_seconds > 0) {
    options.stop = stop.Sooner(SteadyNow() + absl::Seconds(config.label_seconds));
  }
  if (config.label_iterations > 0) options.max_iterations = config.label_iterations;
  VRP_ASSIGN_OR_RETURN(HindsightPlan label, PlanInHindsight(site, day, options));
  // A search that the end of the run cuts off is no label.
  if (stop.ShouldStop()) return absl::CancelledError("cancelled while the labels were made");
  VRP_RETURN_IF_ERROR(AtomicWriteFile(path, WriteLabel(label.plan)));
  return label;
}

}  // namespace

absl::StatusOr<HindsightLabels> MakeHindsightLabels(const std::vector<TrainingSite>& sites,
                                                    const std::vector<TrainingDay>& days,
                                                    const DispatchConfig& config,
                                                    const HindsightContext& context) {
  HindsightLabels labels;
  labels.plans.resize(days.size());
  std::vector<size_t> missing;
  for (size_t i = 0; i < days.size(); ++i) {
    const TrainingSite& site = sites[days[i].site];
    const std::string path = LabelPath(site, days[i], config, context.folder);
    std::optional<HindsightPlan> label = FindLabel(path, site.site, days[i].day);
    if (!label.has_value()) {
      VRP_RETURN_IF_ERROR(EnsureDirectory(std::filesystem::path(path).parent_path().string()));
      missing.push_back(i);
      continue;
    }
    labels.plans[i] = *std::move(label);
    ++labels.found;
  }
  // In pieces, so that a watchdog sees progress.
  const auto piece = static_cast<size_t>(context.pool->threads());
  for (size_t first = 0; first < missing.size(); first += piece) {
    if (context.on_piece != nullptr) context.on_piece();
    const size_t count = std::min(piece, missing.size() - first);
    std::vector<absl::StatusOr<HindsightPlan>> made(count);
    context.pool->ParallelFor(static_cast<int64_t>(count), [&](int64_t k) {
      const TrainingDay& day = days[missing[first + static_cast<size_t>(k)]];
      const TrainingSite& site = sites[day.site];
      made[static_cast<size_t>(k)] = MakeLabel(LabelPath(site, day, config, context.folder),
                                               site.site, day.day, config, context.stop);
    });
    for (size_t k = 0; k < count; ++k) {
      VRP_ASSIGN_OR_RETURN(labels.plans[missing[first + k]], std::move(made[k]));
    }
  }
  return labels;
}

std::string HindsightReference(const DispatchConfig& config) {
  std::string text = "hindsight";
  if (config.label_seconds > 0) text += Concat(" ", FormatNumber(config.label_seconds), " s");
  if (config.label_iterations > 0) text += Concat(" ", config.label_iterations, " iterations");
  return text;
}

}  // namespace vrp
