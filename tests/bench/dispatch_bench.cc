// Replays days, drawn from VRPTW files, under a dispatch policy and prints a JSON line per day, for
// tuning without a daemon. SECONDS is the time of a decision, HINDSIGHT that of the plan in
// hindsight (0: none).
//   dispatch_bench POLICY SECONDS HINDSIGHT FIRST_SEED LAST_SEED FILE... [KEY=NUMBER...]
#include <cstdlib>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "core/base/file.h"
#include "core/base/steady_time.h"
#include "core/dispatch/day.h"
#include "core/dispatch/hindsight.h"
#include "core/dispatch/policies/make_policy.h"
#include "core/dispatch/sampler.h"
#include "core/dispatch/simulation.h"
#include "core/problem/formats/formats.h"
#include "nlohmann/json.hpp"
#include "tests/bench/or_exit.h"

namespace vrp {
namespace {

using Settings = std::map<std::string, double>;

double Setting(const Settings& settings, const std::string& key, double otherwise) {
  const auto at = settings.find(key);
  return at == settings.end() ? otherwise : at->second;
}

std::unique_ptr<DispatchPolicy> MakePolicy(const std::string& name, const DispatchSite& site,
                                           const Settings& settings) {
  const auto sampler = std::make_shared<SiteSampler>(site, DayShape().requests_per_epoch);
  const std::optional<DispatchPolicyKind> kind = ParseDispatchPolicy(name);
  if (!kind.has_value()) Die(absl::InvalidArgumentError("unknown policy"));
  SamplingParameters p;
  p.rounds = static_cast<int32_t>(Setting(settings, "rounds", p.rounds));
  p.scenarios = static_cast<int32_t>(Setting(settings, "scenarios", p.scenarios));
  p.lookahead = static_cast<int32_t>(Setting(settings, "lookahead", p.lookahead));
  p.dispatch_share = Setting(settings, "dispatch", p.dispatch_share);
  p.postpone_share = Setting(settings, "postpone", p.postpone_share);
  p.scenario_share = Setting(settings, "share", p.scenario_share);
  return Value(MakeDispatchPolicy(site, {.kind = *kind, .sampler = sampler, .sampling = p}));
}

struct Arguments {
  std::string policy;
  double seconds = 1;
  double hindsight = 0;
  int first_seed = 1;
  int last_seed = 1;
  std::vector<std::string> files;
  Settings settings;
};

bool Parse(int argc, char** argv, Arguments& arguments) {
  if (argc < 7) return false;
  arguments.policy = argv[1];
  bool valid = absl::SimpleAtod(argv[2], &arguments.seconds) &&
               absl::SimpleAtod(argv[3], &arguments.hindsight) &&
               absl::SimpleAtoi(argv[4], &arguments.first_seed) &&
               absl::SimpleAtoi(argv[5], &arguments.last_seed);
  for (int i = 6; i < argc; ++i) {
    const std::vector<std::string> parts = absl::StrSplit(argv[i], '=');
    if (parts.size() == 2) {
      valid = valid && absl::SimpleAtod(parts[1], &arguments.settings[parts[0]]);
    } else {
      arguments.files.push_back(argv[i]);
    }
  }
  return valid;
}

void Run(const Arguments& arguments, const std::string& file) {
  const DispatchSite site =
      Value(DispatchSite::Create(Value(ParseInstance(Value(ReadFile(file)), file))));
  const auto policy = MakePolicy(arguments.policy, site, arguments.settings);
  const std::vector<int32_t> fleet(site.instance().vehicles().size(), DispatchState::kUnlimited);
  for (int seed = arguments.first_seed; seed <= arguments.last_seed; ++seed) {
    const DispatchDay day = Value(DrawDay(site, DayShape(), seed));
    const SimulatedDay result = Value(SimulateDay(
        site, day, *policy, {.decision_time = absl::Seconds(arguments.seconds), .fleet = fleet}));
    nlohmann::ordered_json line = {{"policy", arguments.policy},
                                   {"site", site.instance().name()},
                                   {"seed", seed},
                                   {"requests", day.requests.size()},
                                   {"decisions", day.departures.size()},
                                   {"cost", result.cost},
                                   {"missed", result.missed.size()}};
    if (arguments.hindsight > 0) {
      const HindsightPlan hindsight = Value(PlanInHindsight(
          site, day,
          {.stop = StopCondition(SteadyNow() + absl::Seconds(arguments.hindsight), nullptr)}));
      line["hindsight_cost"] = hindsight.cost;
      line["hindsight_unserved"] = hindsight.unserved.size();
      line["gap_percent"] = 100 * (result.cost / hindsight.cost - 1);
    }
    std::cout << line.dump() << std::endl;
  }
}

int Main(int argc, char** argv) {
  Arguments arguments;
  if (!Parse(argc, argv, arguments)) {
    std::cerr << "usage: dispatch_bench POLICY SECONDS HINDSIGHT FIRST_SEED LAST_SEED FILE... "
                 "[KEY=NUMBER...]\n";
    return 2;
  }
  for (const std::string& file : arguments.files) Run(arguments, file);
  return 0;
}

}  // namespace
}  // namespace vrp

int main(int argc, char** argv) { return vrp::Main(argc, argv); }
