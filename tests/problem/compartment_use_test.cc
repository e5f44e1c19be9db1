#include "core/problem/plan/compartment_use.h"

#include <algorithm>
#include <random>

#include "core/problem/plan/solution.h"
#include "gtest/gtest.h"
#include "tests/testing/instance_builder.h"

namespace vrp {
namespace {

// Returns the least number of compartments that the loads need; -1 if they do not fit. Tries every
// assignment.
int LeastCompartments(const std::vector<Compartment>& compartments,
                      const std::vector<double>& loads) {
  const size_t choices = loads.size() + 1;
  size_t assignments = 1;
  for (size_t c = 0; c < compartments.size(); ++c) assignments *= choices;
  int least = -1;
  for (size_t code = 0; code < assignments; ++code) {
    std::vector<double> space(loads.size(), 0);
    int used = 0;
    size_t rest = code;
    for (const Compartment& compartment : compartments) {
      const size_t k = rest % choices;
      rest /= choices;
      if (k == loads.size()) continue;
      ++used;
      if (compartment.Holds(static_cast<int32_t>(k))) space[k] += compartment.capacity;
    }
    if (std::ranges::equal(loads, space, std::less_equal()) && (least < 0 || used < least)) {
      least = used;
    }
  }
  return least;
}

TEST(CompartmentUseTest, UsesTheFewestCompartmentsThatFit) {
  std::mt19937 random(7);
  const auto up_to = [&](unsigned most) { return random() % (most + 1); };
  int fitting = 0;
  for (int i = 0; i < 2000; ++i) {
    std::vector<Compartment> compartments(1 + up_to(4));
    for (Compartment& compartment : compartments) {
      compartment.capacity = 1 + up_to(5);
      if (up_to(2) == 0) compartment.load_dimensions = {static_cast<int32_t>(up_to(2))};
    }
    const std::vector<double> loads = {1.0 * up_to(6), 1.0 * up_to(6), 1.0 * up_to(6)};
    const std::vector<CompartmentUse> uses = AssignCompartments(compartments, loads);
    std::vector<double> placed(loads.size(), 0);
    std::vector<int32_t> used;
    for (const CompartmentUse& use : uses) {
      const Compartment& compartment = compartments[static_cast<size_t>(use.compartment)];
      EXPECT_TRUE(compartment.Holds(use.load_dimension));
      EXPECT_LE(use.load, compartment.capacity);
      EXPECT_GT(use.load, 0);
      placed[static_cast<size_t>(use.load_dimension)] += use.load;
      used.push_back(use.compartment);
    }
    EXPECT_TRUE(std::ranges::adjacent_find(used, std::greater_equal()) == used.end());
    const int least = LeastCompartments(compartments, loads);
    EXPECT_EQ(uses.size(), static_cast<size_t>(std::max(least, 0)));
    if (least > 0) {
      EXPECT_EQ(placed, loads);
    }
    fitting += least > 0;
  }
  EXPECT_GT(fitting, 200);
}

TEST(CompartmentUseTest, AssignsCompartmentsForEachTripOfARoute) {
  InstanceData data = test::OnALine().BuildData();
  data.load_dimensions = 2;
  data.demands = {0, 0, 3, 0, 4, 6, 0, 0};
  VehicleType vehicle;
  vehicle.max_reloads = 1;
  vehicle.compartments = {{.capacity = 5}, {.capacity = 8, .load_dimensions = {1}}};
  data.vehicles = {vehicle};
  const Instance instance = *Instance::Create(data);
  const Route route = MakeSolution(instance, {{0, {1, 0, 2}}})->routes[0];
  std::vector<std::vector<double>> uses;
  for (const CompartmentUse& use : route.compartments) {
    uses.push_back({1.0 * use.trip, 1.0 * use.compartment, 1.0 * use.load_dimension, use.load});
  }
  const std::vector<std::vector<double>> wanted = {{0, 0, 0, 3}, {1, 0, 0, 4}, {1, 1, 1, 6}};
  EXPECT_EQ(uses, wanted);
}

TEST(CompartmentUseTest, AssignsAnInitialLoadThatIsUnloadedFirst) {
  InstanceData data = test::OnALine().BuildData();
  data.load_dimensions = 2;
  data.demands = {0, 0, 3, 0, 0, 0, 0, 0};
  data.vehicles = {{.max_reloads = 1, .initial_load = {0, 4}, .compartments = {{.capacity = 5}}}};
  const Instance instance = *Instance::Create(data);
  const Route route = MakeSolution(instance, {{0, {0, 1}}})->routes[0];
  ASSERT_EQ(route.compartments.size(), 2);
  EXPECT_EQ(route.compartments[0].load_dimension, 1);
  EXPECT_EQ(route.compartments[0].load, 4);
  EXPECT_EQ(route.compartments[1].trip, 1);
  EXPECT_EQ(route.compartments[1].load_dimension, 0);
}

}  // namespace
}  // namespace vrp
