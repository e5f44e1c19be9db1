// Small random instances whose routes may become feasible by visiting more, and fleets that are a
// little too small: the search against trying everything.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>
#include <utility>

#include "core/base/random.h"
#include "core/problem/checker/checker.h"
#include "core/search/search.h"
#include "tests/testing/constrained_instance.h"
#include "tests/testing/enumeration.h"

namespace vrp {
namespace {

// Seeds of each kind and objective; VRP_LONG_TESTS (`./dev test --long`) runs the long form.
uint64_t SeedsOfEach() { return std::getenv("VRP_LONG_TESTS") == nullptr ? 4 : 40; }

enum class Ways { kAnyMatrix, kRoundedLine, kDetours, kPlaces };
constexpr Ways kAllWays[] = {Ways::kAnyMatrix, Ways::kRoundedLine, Ways::kDetours, Ways::kPlaces};

struct FileKind {
  Ways ways = Ways::kAnyMatrix;
  Objective objective = Objective::kDistance;
  bool tight_fleet = false;
};

class SmallFile {
 public:
  SmallFile(const FileKind& kind, uint64_t seed)
      : kind_(kind), random_(seed, static_cast<uint64_t>(kind.ways), 37) {}

  InstanceData Data() && {
    data_.name = "small";
    data_.objective = kind_.objective;
    customers_ = Number(3, 6);
    nodes_ = static_cast<size_t>(customers_) + 1;
    data_.demands.assign(nodes_, 0);
    for (size_t i = 1; i < nodes_; ++i) data_.demands[i] = Number(1, 4);
    DrawWays();
    if (Chance(0.5)) DrawWindows();
    data_.kind = data_.windows.empty() ? ProblemKind::kCvrp : ProblemKind::kVrptw;
    DrawServices();
    DrawVehicles();
    return std::move(data_);
  }

 private:
  bool Chance(double chance) { return random_.UniformDouble() < chance; }
  int32_t Number(int32_t least, int32_t most) {
    return static_cast<int32_t>(random_.UniformInt(least, most));
  }

  void DrawWays() {
    if (kind_.ways == Ways::kRoundedLine) {
      data_.metric = Metric::kRounded;
      for (size_t i = 0; i < nodes_; ++i) {
        data_.positions.push_back({Number(0, 60) / 10.0, Chance(0.7) ? 0 : Number(0, 20) / 10.0});
      }
      scale_ = 4;
      return;
    }
    if (kind_.ways == Ways::kPlaces) {
      for (size_t i = 0; i < nodes_; ++i) {
        data_.positions.push_back({10.0 * Number(0, 2), 10.0 * Number(0, 1)});
      }
      data_.setups.assign(nodes_, 0);
      for (size_t i = 1; i < nodes_; ++i) data_.setups[i] = Chance(0.5) ? 0 : Number(1, 20);
      scale_ = 15;
      return;
    }
    data_.duration_matrix.assign(nodes_ * nodes_, 0);
    for (size_t i = 0; i < nodes_ * nodes_; ++i) {
      if (i / nodes_ == i % nodes_) continue;
      const bool far = kind_.ways == Ways::kDetours && Chance(0.5);
      data_.duration_matrix[i] = far ? 60 : Number(1, kind_.ways == Ways::kDetours ? 10 : 40);
    }
    data_.distance_matrix = data_.duration_matrix;
    if (Chance(0.4)) {
      for (size_t i = 0; i < nodes_ * nodes_; ++i) {
        if (i / nodes_ != i % nodes_) data_.distance_matrix[i] = Number(1, 40);
      }
    }
    scale_ = 15;
  }

  void DrawWindows() {
    data_.windows.push_back({0, scale_ * Number(5, 12)});
    for (size_t i = 1; i < nodes_; ++i) {
      TimeWindow window{0, scale_ * 12};
      if (Chance(0.6)) {
        window.open = scale_ * Number(0, 5);
        window.close = window.open + scale_ * Number(0, 4);
      }
      data_.windows.push_back(window);
    }
  }

  void DrawServices() {
    data_.services.assign(nodes_, 0);
    for (size_t i = 1; i < nodes_; ++i) data_.services[i] = Chance(0.5) ? 0 : Number(1, 5);
  }

  void DrawVehicles() {
    const int32_t types = Number(1, 2);
    for (int32_t t = 0; t < types; ++t) {
      VehicleType vehicle;
      vehicle.count = Number(1, 3);
      vehicle.capacity = kind_.tight_fleet ? Number(4, 7) : Number(4, 20);
      vehicle.open_end = Chance(0.3);
      if (Chance(0.4)) vehicle.max_distance = scale_ * Number(2, 7);
      if (Chance(0.4)) vehicle.max_duration = scale_ * Number(2, 8);
      if (Chance(0.3)) {
        const double open = scale_ * Number(0, 5);
        vehicle.breaks = {{{open, open + scale_ * Number(0, 3)}, 1.0 * Number(0, 10)}};
      }
      if (kind_.objective == Objective::kCost) {
        vehicle.fixed_cost = Chance(0.5) ? 100'000 : Number(0, 50);
        if (Chance(0.5)) vehicle.cost_per_time = 1;
      }
      data_.vehicles.push_back(vehicle);
    }
  }

  const FileKind kind_;
  CounterRandom random_;
  int32_t customers_ = 0;
  size_t nodes_ = 0;
  double scale_ = 1;
  InstanceData data_;
};

Instance InstanceOf(const FileKind& kind, uint64_t seed) {
  InstanceData data = SmallFile(kind, seed).Data();
  if (kind.tight_fleet) {
    // From 80 to 120 % of the routes that serve all.
    InstanceData free = data;
    free.objective = Objective::kVehiclesThenDistance;
    for (VehicleType& vehicle : free.vehicles) {
      vehicle.count = 0;
      vehicle.fixed_cost = vehicle.cost_per_time = 0;
    }
    const auto needed =
        static_cast<double>(test::EnumerateAll(Instance::Create(free).value()).plan.size());
    const double share = 0.8 + 0.1 * static_cast<double>(seed % 5);
    const auto count = std::max(1, static_cast<int32_t>(std::lround(share * needed)));
    data.vehicles.front().count = data.vehicles.size() == 1 ? count : (count + 1) / 2;
    if (data.vehicles.size() > 1) data.vehicles.back().count = std::max(1, count / 2);
  }
  return Instance::Create(std::move(data)).value();
}

void ExpectOptimal(const Instance& instance) {
  const test::EnumerationResult best = test::EnumerateAll(instance);
  SearchOptions options;
  options.max_iterations = 3000;
  const SearchResult found = *Search(instance, options);
  EXPECT_TRUE(RoutesAreFeasible(CheckPlan(instance, found.plan, found.cost)));
  const PlanValue value = ValueOf(instance, found.plan);
  EXPECT_EQ(value.left_out, best.value.left_out);
  EXPECT_EQ(value.routes, best.value.routes);
  EXPECT_NEAR(value.cost, best.value.cost, 1e-6 * std::max(1.0, best.value.cost));
}

class SmallFilesTest : public testing::TestWithParam<FileKind> {};

TEST_P(SmallFilesTest, AreSolvedAsWellAsByTryingEverything) {
  for (uint64_t seed = 1; seed <= SeedsOfEach(); ++seed) {
    SCOPED_TRACE(seed);
    ExpectOptimal(InstanceOf(GetParam(), seed));
  }
}

TEST(SmallFilesOfAllFeaturesTest, AreSolvedAsWellAsByTryingEverything) {
  for (uint64_t seed = 1; seed <= 5 * SeedsOfEach(); ++seed) {
    SCOPED_TRACE(seed);
    ExpectOptimal(test::RandomConstrainedInstance(seed, 2 + static_cast<int32_t>(seed % 4)));
  }
}

std::vector<FileKind> AllKinds() {
  std::vector<FileKind> kinds;
  for (const Ways ways : kAllWays) {
    for (const Objective objective : {Objective::kDistance, Objective::kVehiclesThenDistance,
                                      Objective::kDuration, Objective::kCost}) {
      for (const bool tight : {false, true}) kinds.push_back({ways, objective, tight});
    }
  }
  return kinds;
}

std::string NameOf(const testing::TestParamInfo<FileKind>& info) {
  static constexpr const char* kWaysNames[] = {"AnyMatrix", "RoundedLine", "Detours", "Places"};
  static constexpr const char* kObjectiveNames[] = {"Distance", "FewestVehicles", "Duration",
                                                    "Cost"};
  return std::string(kWaysNames[static_cast<size_t>(info.param.ways)]) +
         kObjectiveNames[info.index / 2 % 4] + (info.param.tight_fleet ? "TightFleet" : "");
}

INSTANTIATE_TEST_SUITE_P(All, SmallFilesTest, testing::ValuesIn(AllKinds()), NameOf);

}  // namespace
}  // namespace vrp
