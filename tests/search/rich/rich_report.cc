// What the rich search reaches on random instances of a feature, with the instances themselves, for
// compare_pyvrp.py: a JSON line each. `rich_report FEATURES CUSTOMERS INSTANCES MILLISECONDS`,
// where FEATURES are numbers of core/problem/features.h, joined by commas.
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string>

#include "core/problem/checker.h"
#include "core/search/search.h"
#include "tests/testing/feature_instances.h"

namespace vrp {
namespace {

// Infinity as null.
std::string Number(double value) {
  if (value == kNoLimit) return "null";
  char text[32];
  std::snprintf(text, sizeof(text), "%.15g", value);
  return text;
}

template <typename Items, typename Write>
std::string List(const Items& items, Write write) {
  std::string text = "[";
  for (const auto& item : items) {
    if (text.size() > 1) text += ",";
    text += write(item);
  }
  return text + "]";
}

std::string Window(const TimeWindow& window) {
  return "[" + Number(window.open) + "," + Number(window.close) + "]";
}

std::string Vehicle(const VehicleType& type) {
  std::ostringstream out;
  std::vector<double> capacities = {type.capacity};
  capacities.insert(capacities.end(), type.further_capacities.begin(),
                    type.further_capacities.end());
  out << "{\"count\":" << type.count << ",\"start\":" << type.depot << ",\"end\":" << type.end()
      << ",\"capacity\":" << List(capacities, Number) << ",\"shift\":" << Window(type.shift)
      << ",\"max_duration\":" << Number(type.max_duration)
      << ",\"max_overtime\":" << Number(type.max_overtime)
      << ",\"max_distance\":" << Number(type.max_distance) << ",\"fixed\":" << type.fixed_cost
      << ",\"per_distance\":" << type.cost_per_distance << ",\"per_time\":" << type.cost_per_time
      << ",\"overtime_cost\":" << type.overtime_cost << ",\"max_reloads\":" << type.max_reloads
      << ",\"matrix\":" << List(type.distance_matrix, Number) << "}";
  return out.str();
}

void Print(const Instance& instance, const SearchResult& found) {
  const InstanceData& data = instance.data();
  const PlanValue value = ValueOf(instance, found.plan);
  const CheckReport report = CheckPlan(instance, found.plan, found.cost);
  std::ostringstream out;
  const auto whole = [](int64_t v) { return std::to_string(v); };
  out << "{\"name\":\"" << instance.name() << "\",\"objective\":\"" << ObjectiveName(data.objective)
      << "\",\"depots\":" << data.num_depots << ",\"dimensions\":" << data.load_dimensions
      << ",\"positions\":"
      << List(data.positions,
              [](Position p) { return "[" + Number(p.x) + "," + Number(p.y) + "]"; })
      << ",\"demands\":" << List(data.demands, Number)
      << ",\"pickups\":" << List(data.pickups, Number)
      << ",\"windows\":" << List(data.windows, Window)
      << ",\"services\":" << List(data.services, Number)
      << ",\"releases\":" << List(data.releases, Number)
      << ",\"prizes\":" << List(data.prizes, Number) << ",\"groups\":"
      << List(data.alternative_groups, [&](const auto& group) { return List(group, whole); })
      << ",\"vehicles\":" << List(data.vehicles, Vehicle) << ",\"cost\":" << Number(found.cost)
      << ",\"left_out\":" << Number(value.left_out) << ",\"routes\":" << found.plan.size()
      << ",\"iterations\":" << found.iterations << ",\"violations\":[";
  for (size_t i = 0; i < report.violations.size(); ++i) {
    out << (i > 0 ? "," : "") << "\"" << ViolationName(report.violations[i].kind) << "\"";
  }
  out << "]}\n";
  std::fputs(out.str().c_str(), stdout);
  std::fflush(stdout);
}

int Main(int argc, char** argv) {
  if (argc != 5) {
    std::fprintf(stderr, "usage: rich_report FEATURES CUSTOMERS INSTANCES MILLISECONDS\n");
    return 2;
  }
  test::FeatureInstanceOptions options{.customers = std::atoi(argv[2]), .metric = Metric::kRounded};
  std::istringstream features(argv[1]);
  for (std::string number; std::getline(features, number, ',');) {
    options.features.push_back(static_cast<Feature>(std::atoi(number.c_str())));
  }
  const int instances = std::atoi(argv[3]);
  for (int i = 1; i <= instances; ++i) {
    options.seed = static_cast<uint64_t>(i);
    const Instance instance = test::MakeFeatureInstance(options);
    SearchOptions search;
    search.stop = StopCondition(absl::Now() + absl::Milliseconds(std::atoi(argv[4])), nullptr);
    Print(instance, *Search(instance, search));
  }
  return 0;
}

}  // namespace
}  // namespace vrp

int main(int argc, char** argv) { return vrp::Main(argc, argv); }
