#include "core/train/config/problem_section.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "core/problem/generate/instance_draws.h"
#include "core/train/config/config_limits.h"

namespace vrp {
namespace {

void ReadKinds(ConfigReader& reader, ProblemConfig& problem) {
  constexpr std::array<ProblemKind, 3> kKinds = {ProblemKind::kCvrp, ProblemKind::kVrptw,
                                                 ProblemKind::kTsp};
  const bool several = reader.Has("problem.kinds");
  if (several && reader.Has("problem.kind")) {
    reader.Refuse("problem.kinds", "one of problem.kind and problem.kinds, not both");
  }
  std::vector<size_t> words;
  for (const ProblemKind kind : problem.kinds) {
    words.push_back(
        static_cast<size_t>(std::find(kKinds.begin(), kKinds.end(), kind) - kKinds.begin()));
  }
  reader.AddKnown(several ? "problem.kind" : "problem.kinds");
  reader.ReadWords(several ? "problem.kinds" : "problem.kind", {"cvrp", "vrptw", "tsp"}, words);
  problem.kinds.clear();
  for (const size_t word : words) problem.kinds.push_back(kKinds[word]);

  words.clear();
  for (const Layout layout : problem.layouts) words.push_back(static_cast<size_t>(layout));
  reader.ReadWords("problem.layouts", {"uniform", "clustered", "x"}, words);
  problem.layouts.clear();
  for (const size_t word : words) problem.layouts.push_back(static_cast<Layout>(word));
}

}  // namespace

void ReadProblemSection(ConfigReader& reader, ProblemConfig& problem) {
  ReadKinds(reader, problem);
  const auto has = [&problem](ProblemKind kind) {
    return std::find(problem.kinds.begin(), problem.kinds.end(), kind) != problem.kinds.end();
  };
  const int64_t min_customers = has(ProblemKind::kTsp) ? 2 : 1;
  reader.ReadRange("problem.customers", {min_customers, kMaxConfigCustomers}, problem.customers.low,
                   problem.customers.high);
  reader.Read("problem.customers_skew", {1.0, 10.0}, problem.customers_skew);
  reader.ReadRange("problem.capacity", {0.0, 1e9}, problem.capacity.low, problem.capacity.high);
  const bool has_default_capacity = problem.capacity == NumberRange{};
  if (!has_default_capacity && problem.capacity.low < kMaxDemand) {
    reader.Refuse("problem.capacity",
                  "0 (the distribution's own), or at least 9, the largest demand");
  }
  reader.Read("problem.open_routes", {0.0, 1.0}, problem.open_routes);
  reader.Read("problem.distance_limit", {0.0, 1.0}, problem.distance_limit);
  reader.Read("problem.backhauls", {0.0, 1.0}, problem.backhauls);
  reader.Read("problem.seed", {0, kMaxConfigSeed}, problem.seed);
  reader.ReadTexts("problem.instances", problem.instances);
  reader.Read("problem.augment", problem.augment);
  reader.Read("problem.demand_jitter", {0.0, 0.9}, problem.demand_jitter);
}

void ReadFeatures(ConfigReader& reader, const Architecture& architecture,
                  nlohmann::ordered_json& sizes) {
  std::vector<std::string> words;
  reader.ReadTexts("problem.features", words);
  if (words.empty()) return;
  const std::vector<std::string> defaults = DefaultInputs(architecture);
  std::vector<std::string> inputs;
  for (const std::string& word : words) {
    if (word == "builtin") {
      inputs.insert(inputs.end(), defaults.begin(), defaults.end());
    } else {
      inputs.push_back(word);
    }
  }
  if (const std::string wanted = WantedInputsText(architecture, inputs); !wanted.empty()) {
    return reader.Refuse("problem.features", wanted);
  }
  if (inputs != defaults) sizes[kInputsKey] = inputs;
}

}  // namespace vrp
