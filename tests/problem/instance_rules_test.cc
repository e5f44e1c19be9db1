// Tests that errors name the paths of wrong fields of features beyond the plain problem.
#include <functional>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/instance_builder.h"

namespace vrp {
namespace {

using test::AnInstance;
using testing::ElementsAre;
using testing::StartsWith;

constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();

// Returns an instance with two depots, customers 2 to 5, two load dimensions, and most features
// that may be combined.
InstanceData FullData() {
  InstanceData data = AnInstance()
                          .At({{0, 0}, {1, 0}, {2, 0}, {3, 0}, {4, 0}, {5, 0}})
                          .Windows({{0, 9}, {0, 9}, {0, 9}, {0, 9}, {0, 9}}, 100)
                          .BuildData();
  data.num_depots = 2;
  data.objective = Objective::kCost;
  data.load_dimensions = 2;
  data.demands = {0, 0, 0, 0, 1, 2, 3, 4, 0, 0, 0, 0};
  data.pickups = data.demands;
  data.further_windows = {{}, {}, {{20, 30}, {40, 50, 3}}, {}, {}, {}};
  data.services = data.setups = data.releases = {0, 0, 1, 1, 1, 1};
  data.required_skills = {{}, {}, {"crane"}, {}, {}, {}};
  data.prizes = {kNoLimit, kNoLimit, 5, 5, 6, 6};
  data.priorities = {0, 0, 1, 2, 3, 100};
  data.shipments = {{.id = "s", .pickup = 4, .delivery = 5, .amounts = {1, 0}}};
  data.alternative_groups = {{2, 3}};
  data.customer_rules = {
      {.kind = RuleKind::kSameRoute, .customers = {2, 3}},
      {.kind = RuleKind::kDifferentRoutes, .customers = {2, 4}},
      {.kind = RuleKind::kMaxPerRoute, .customers = {2, 4, 5}, .max = 2},
      {.kind = RuleKind::kInOrder, .customers = {2, 4, 5}},
  };
  data.vehicles = {{.id = "van",
                    .end_depot = 1,
                    .further_capacities = {7},
                    .shift = {0, 90},
                    .fixed_cost = 1,
                    .cost_per_distance = 2,
                    .cost_per_time = 3,
                    .max_stops = 4,
                    .skills = {"crane"},
                    .distance_matrix = std::vector<double>(36, 1),
                    .duration_matrix = std::vector<double>(36, 1)}};
  data.vehicles[0].max_duration = 60;
  data.vehicles[0].max_overtime = 5;
  data.vehicles[0].overtime_cost = 2;
  return data;
}

void AddCustomer(InstanceData& data) {
  const size_t nodes = data.positions.size();
  data.positions.push_back({6, 0});
  for (auto* loads : {&data.demands, &data.pickups}) loads->resize(2 * nodes + 2, 0);
  data.windows.push_back({0, 9});
  data.further_windows.emplace_back();
  for (auto* times : {&data.services, &data.setups, &data.releases}) times->push_back(1);
  data.required_skills.emplace_back();
  data.prizes.push_back(kNoLimit);
  data.priorities.push_back(0);
  data.vehicles[0].distance_matrix.assign((nodes + 1) * (nodes + 1), 1);
  data.vehicles[0].duration_matrix = data.vehicles[0].distance_matrix;
}

void AddGroup(InstanceData& data, std::vector<NodeIndex> customers) {
  data.customer_rules.push_back({.kind = RuleKind::kSameRoute, .customers = std::move(customers)});
}

struct WrongField {
  std::string error;
  std::function<void(InstanceData&)> corrupt;
};

std::vector<WrongField> WrongNodes() {
  using D = InstanceData;
  return {
      {"load_dimensions: got 0, wanted 1 to 64", [](D& d) { d.load_dimensions = 0; }},
      {"demands: has 11 entries, wanted 2 for each of 6 nodes", [](D& d) { d.demands.pop_back(); }},
      {"depots[1].demand[1]: got 2, wanted 0 at a depot", [](D& d) { d.demands[3] = 2; }},
      {"customers[0].pickup[0]: got nan", [](D& d) { d.pickups[4] = kNotANumber; }},
      {"depots[0].window.late_cost: given; only customers' windows may be soft",
       [](D& d) { d.windows[0].late_cost = 1; }},
      {"customers[3].window.late_cost: got -1", [](D& d) { d.windows[5].late_cost = -1; }},
      {"customers[3].window.late_cost: given, but the window has no close",
       [](D& d) {
         d.windows[5] = {0, kNoLimit, 1};
       }},
      {"customers[0].further_windows[0]: opens at 9, wanted after the previous window's close, 9",
       [](D& d) { d.further_windows[2][0].open = 9; }},
      {"customers[0].further_windows[1]: follows a soft window",
       [](D& d) { d.further_windows[2][0].late_cost = 1; }},
      {"depots[1].further_windows: given",
       [](D& d) {
         d.further_windows[1] = {{200, 300}};
       }},
      {"customers[1].setup: got -1", [](D& d) { d.setups[3] = -1; }},
      {"depots[0].setup: got 1, wanted 0 at a depot", [](D& d) { d.setups[0] = 1; }},
      {"customers[1].release: got inf", [](D& d) { d.releases[3] = kNoLimit; }},
      {"releases: has 1 entries", [](D& d) { d.releases = {1}; }},
      {"customers[3].required_skills[0]: empty", [](D& d) { d.required_skills[5] = {""}; }},
      {"depots[0].required_skills: given", [](D& d) { d.required_skills[0] = {"crane"}; }},
      {"depots[0].prize: given", [](D& d) { d.prizes[0] = 1; }},
      {"customers[2].prize: got -1", [](D& d) { d.prizes[4] = -1; }},
      {"customers[2].priority: got 101, wanted 0 to 100", [](D& d) { d.priorities[4] = 101; }},
      {"depots[1].priority: got 1, wanted 0 at a depot", [](D& d) { d.priorities[1] = 1; }},
      {"customers[0].y: got 91, wanted a latitude from -90 to 90 degrees",
       [](D& d) {
         d.coordinates = CoordinateSystem::kLonLat;
         d.positions[2] = {180, 91};
       }},
      {"depots[0].x: got nan, wanted a longitude",
       [](D& d) {
         d.coordinates = CoordinateSystem::kLonLat;
         d.positions[0].x = kNotANumber;
       }},
  };
}

std::vector<WrongField> WrongVehicles() {
  using D = InstanceData;
  return {
      {"vehicles[0].end_depot: got 2, wanted a depot: 0 to 1",
       [](D& d) { d.vehicles[0].end_depot = 2; }},
      {"vehicles[0].end_depot: got 1, but with open_end",
       [](D& d) { d.vehicles[0].open_end = true; }},
      {"vehicles[0].capacity: has 3 entries, wanted one for each of 2",
       [](D& d) {
         d.vehicles[0].further_capacities = {7, 7};
       }},
      {"vehicles[0].capacity[1]: got nan",
       [](D& d) { d.vehicles[0].further_capacities = {kNotANumber}; }},
      {"vehicles[0].shift: opens at 5, after it closes at 4",
       [](D& d) {
         d.vehicles[0].shift = {5, 4};
       }},
      {"vehicles[0].fixed_cost: got -1", [](D& d) { d.vehicles[0].fixed_cost = -1; }},
      {"vehicles[0].fixed_cost: given, but the objective is distance; wanted objective cost",
       [](D& d) {
         d.objective = Objective::kDistance;
         d.vehicles[0].cost_per_distance = 1;
         d.vehicles[0].cost_per_time = d.vehicles[0].overtime_cost = 0;
       }},
      {"vehicles[0].max_overtime: given, but there is no max_duration",
       [](D& d) { d.vehicles[0].max_duration = kNoLimit; }},
      {"vehicles[0].overtime_cost: given, but there is no max_overtime",
       [](D& d) { d.vehicles[0].max_overtime = 0; }},
      {"vehicles[0].max_stops: got 0, wanted 1", [](D& d) { d.vehicles[0].max_stops = 0; }},
      {"vehicles[0].max_reloads: got -1, wanted 0", [](D& d) { d.vehicles[0].max_reloads = -1; }},
      {"vehicles[0].reload_depots: given, but max_reloads is 0; wanted both",
       [](D& d) { d.vehicles[0].reload_depots = {1}; }},
      {"vehicles[0].reload_depots[1]: got 2, wanted a depot: 0 to 1",
       [](D& d) {
         d.vehicles[0].max_reloads = 1;
         d.vehicles[0].reload_depots = {1, 2};
       }},
      {"vehicles[0].reload_depots[1]: got 1 again, wanted each depot once",
       [](D& d) {
         d.vehicles[0].max_reloads = 1;
         d.vehicles[0].reload_depots = {1, 1};
       }},
      {"vehicles[0].latest_start: got -1", [](D& d) { d.vehicles[0].latest_start = -1; }},
      {"vehicles[0].initial_load: has 1 entries, wanted one for each of 2 load dimensions",
       [](D& d) { d.vehicles[0].initial_load = {1}; }},
      {"vehicles[0].initial_load[1]: 8 exceeds capacity 7",
       [](D& d) {
         d.vehicles[0].initial_load = {1, 8};
       }},
      {"vehicles[0].skills[0]: empty", [](D& d) { d.vehicles[0].skills = {""}; }},
      {"vehicles[0].breaks[0].duration: got -2",
       [](D& d) {
         d.vehicles[0].breaks = {{{0, 5}, -2}};
       }},
      {"vehicles[0].breaks: has 65 entries, wanted at most 64",
       [](D& d) { d.vehicles[0].breaks.resize(65); }},
      {"vehicles[0].distance_matrix: has 4 entries, wanted 6 x 6",
       [](D& d) { d.vehicles[0].distance_matrix.assign(4, 1); }},
      {"vehicles[0].length_matrix: has 4 entries, wanted 6 x 6",
       [](D& d) { d.vehicles[0].length_matrix.assign(4, 1); }},
      {"vehicles[0].duration_matrix[1][2]: got -1",
       [](D& d) { d.vehicles[0].duration_matrix[8] = -1; }},
  };
}

std::vector<WrongField> WrongRequests() {
  using D = InstanceData;
  return {
      {"shipments[0].pickup: got node 1, wanted a customer: node 2 to 5",
       [](D& d) { d.shipments[0].pickup = 1; }},
      {"shipments[0].delivery: got node 6", [](D& d) { d.shipments[0].delivery = 6; }},
      {"shipments[0].delivery: customers[2] is already in a shipment or a group",
       [](D& d) { d.shipments[0].delivery = 4; }},
      {"shipments[0].amount: has 1 entries, wanted 2", [](D& d) { d.shipments[0].amounts = {1}; }},
      {"shipments[0].amount[1]: got -8", [](D& d) { d.shipments[0].amounts[1] = -8; }},
      {"shipments[0]: one of its customers has a prize", [](D& d) { d.prizes[4] = kNoLimit; }},
      {"alternative_groups[0].customers: absent", [](D& d) { d.alternative_groups[0].clear(); }},
      {"alternative_groups[0].customers[0]: got node -1",
       [](D& d) { d.alternative_groups[0][0] = -1; }},
      {"alternative_groups[1].customers[0]: customers[1] is already in a shipment or a group",
       [](D& d) { d.alternative_groups.push_back({3}); }},
      {"alternative_groups[0].customers[1]: customers[3] is the delivery of a shipment, wanted its "
       "pickup",
       [](D& d) { d.alternative_groups[0][1] = 5; }},
      {"alternative_groups[1].customers[1]: customers[2] is already in a shipment or a group",
       [](D& d) {
         d.alternative_groups = {{4}, {2, 4}};
         d.prizes = {kNoLimit, kNoLimit, 12, 5, 6, 6};
       }},
  };
}

// FullData has shipments of 4 and 5, alternatives 2 and 3, and one rule of each kind.
std::vector<WrongField> WrongRules() {
  using D = InstanceData;
  using enum RuleKind;
  const auto add = [](D& d, RuleKind kind, std::vector<NodeIndex> customers,
                      int32_t max = INT32_MAX) {
    d.customer_rules.push_back({.kind = kind, .customers = std::move(customers), .max = max});
  };
  return {
      {"customer_rules[0].customers[1]: got node 6, wanted a customer: node 2 to 5",
       [](D& d) { d.customer_rules[0].customers[1] = 6; }},
      {"customer_rules[0].customers[0]: got node 1",
       [](D& d) { d.customer_rules[0].customers[0] = 1; }},
      {"customer_rules[0].customers[1]: customers[0] is already in this rule, wanted it once",
       [](D& d) { d.customer_rules[0].customers[1] = 2; }},
      {"customer_rules[0].customers: has 1 entries, wanted at least 2 customers",
       [](D& d) { d.customer_rules[0].customers.pop_back(); }},
      {"customer_rules[0].customers: has 0 entries",
       [](D& d) { d.customer_rules[0].customers.clear(); }},
      {"customer_rules[2].max: got 0, wanted at least 1",
       [](D& d) { d.customer_rules[2].max = 0; }},
      {"customer_rules[2].max: got -2", [](D& d) { d.customer_rules[2].max = -2; }},
      {"customer_rules[2].max: absent, wanted at least 1",
       [](D& d) { d.customer_rules[2].max = INT32_MAX; }},
      {"customer_rules[1].max: got 2, wanted none: only max_per_route has it",
       [](D& d) { d.customer_rules[1].max = 2; }},
      {"customer_rules[4].customers: customers[2] and customers[3] must share a route by other "
       "rules or a shipment, wanted at most 1 of them there",
       [=](D& d) {
         add(d, kDifferentRoutes, {4, 5});
       }},
      {"customer_rules[1].customers: customers[4] and customers[2] must share a route",
       [=](D& d) {
         d.customer_rules[1].customers = {6, 4}, AddCustomer(d), AddGroup(d, {5, 6});
       }},
      {"customer_rules[2].customers: customers[2] and customers[4] must share a route by other "
       "rules or a shipment, with others of this rule, wanted at most 2 of them there",
       [=](D& d) {
         AddCustomer(d), AddGroup(d, {5, 6}), d.customer_rules[2].customers = {2, 4, 5, 6};
       }},
      {"customer_rules[4].customers: customers[3] before customers[2] contradicts other rules or "
       "shipments, and both must share a route; wanted one order",
       [=](D& d) {
         d.customer_rules[3].customers = {2, 4}, add(d, kInOrder, {5, 2, 4});
       }},
      {"customer_rules[3].customers: customers[4] before customers[5] contradicts",
       [=](D& d) {
         AddCustomer(d), AddCustomer(d), AddGroup(d, {6, 7});
         d.customer_rules[3].customers = {6, 2, 7};
         add(d, kInOrder, {7, 6});
       }},
  };
}

void ExpectRefused(const std::vector<WrongField>& all) {
  for (const WrongField& wrong : all) {
    SCOPED_TRACE(wrong.error);
    InstanceData data = FullData();
    wrong.corrupt(data);
    const std::vector<std::string> errors = Instance::Validate(data);
    ASSERT_FALSE(errors.empty());
    EXPECT_THAT(errors.front(), StartsWith(wrong.error));
  }
}

TEST(InstanceRulesTest, AcceptValidData) {
  EXPECT_THAT(Instance::Validate(FullData()), ElementsAre());
  InstanceData data = FullData();
  data.shipments.clear();
  data.further_windows[2].pop_back();
  data.vehicles[0].breaks = {{{0, 5}, 2}, {{}, 0}};
  data.vehicles[0].max_reloads = 3;
  data.vehicles[0].max_overtime = kNoLimit;
  EXPECT_THAT(Instance::Validate(data), ElementsAre());
}

TEST(InstanceRulesTest, RefuseWrongFieldsOfNodes) { ExpectRefused(WrongNodes()); }

TEST(InstanceRulesTest, RefuseWrongFieldsOfVehicles) { ExpectRefused(WrongVehicles()); }

TEST(InstanceRulesTest, RefuseWrongShipmentsAndGroups) { ExpectRefused(WrongRequests()); }

TEST(InstanceRulesTest, RefuseWrongRulesBetweenCustomers) { ExpectRefused(WrongRules()); }

// Another alternative may be served, and other customers need not share a route.
TEST(InstanceRulesTest, AcceptRulesThatSomePlanKeeps) {
  InstanceData data = FullData();
  data.customer_rules = {{.kind = RuleKind::kSameRoute, .customers = {2, 4}},
                         {.kind = RuleKind::kDifferentRoutes, .customers = {2, 5}},
                         {.kind = RuleKind::kInOrder, .customers = {2, 4}},
                         {.kind = RuleKind::kInOrder, .customers = {4, 2}}};
  EXPECT_THAT(Instance::Validate(data), ElementsAre());
  AddCustomer(data);
  data.customer_rules = {{.kind = RuleKind::kInOrder, .customers = {6, 4}},
                         {.kind = RuleKind::kInOrder, .customers = {5, 6}}};
  EXPECT_THAT(Instance::Validate(data), ElementsAre());
}

TEST(InstanceRulesTest, RefuseAllFeaturesForATsp) {
  InstanceData data = FullData();
  data.kind = ProblemKind::kTsp;
  std::string errors;
  for (const std::string& error : Instance::Validate(data)) errors += error + "\n";
  for (const std::string_view field :
       {"num_depots", "objective", "load_dimensions", "vehicles", "pickups", "setups", "releases",
        "required_skills", "prizes", "priorities", "shipments", "alternative_groups",
        "customer_rules", "demands"}) {
    EXPECT_NE(errors.find(std::string(field) + ": "), std::string::npos) << field;
  }
}

TEST(InstanceRulesTest, LonLatDistancesAreMetresOnTheSphere) {
  InstanceData data = AnInstance().At({{13.4, 52.5}, {11.6, 48.1}}).BuildData();
  data.coordinates = CoordinateSystem::kLonLat;
  data.speed = 20;
  const Instance instance = *Instance::Create(data);
  EXPECT_NEAR(instance.Distance(0, 1), 505'000, 1'000);  // distance from Berlin to Munich
  EXPECT_EQ(instance.Distance(1, 0), instance.Distance(0, 1));
  EXPECT_EQ(instance.Duration(0, 1), instance.Distance(0, 1) / 20);
}

TEST(InstanceRulesTest, UseTheMatrixOfTheVehicleType) {
  InstanceData data = AnInstance().At({{0, 0}, {3, 4}}).BuildData();
  data.speed = 2;
  data.vehicles = {{.id = "a"}, {.id = "b"}, {.id = "c"}};
  data.vehicles[1].distance_matrix = {0, 8, 8, 0};
  data.vehicles[2].duration_matrix = {0, 9, 9, 0};
  const Instance instance = *Instance::Create(data);
  EXPECT_EQ(instance.Distance(instance.vehicles()[0], 0, 1), 5);
  EXPECT_EQ(instance.Distance(instance.vehicles()[1], 0, 1), 8);
  EXPECT_EQ(instance.Duration(instance.vehicles()[1], 0, 1), 4);
  EXPECT_EQ(instance.Distance(instance.vehicles()[2], 0, 1), 5);
  EXPECT_EQ(instance.Duration(instance.vehicles()[2], 0, 1), 9);
}

}  // namespace
}  // namespace vrp
