#include "core/problem/instance/instance.h"

#include <functional>
#include <limits>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/instance_builder.h"

namespace vrp {
namespace {

using test::AnInstance;
using testing::Contains;
using testing::HasSubstr;
using testing::SizeIs;

TEST(InstanceTest, FillsInIdsAndDemands) {
  InstanceData data = AnInstance().WithCustomers(2).BuildData();
  data.demands.clear();
  const Instance instance = *Instance::Create(data);
  EXPECT_EQ(instance.id(2), "2");
  EXPECT_EQ(instance.demand(2), 0);
  EXPECT_EQ(instance.num_customers(), 2);
  EXPECT_TRUE(instance.is_depot(0));
  EXPECT_FALSE(instance.is_depot(1));
}

TEST(InstanceTest, GivesATspNoCapacityLimit) {
  const Instance instance = AnInstance().Kind(ProblemKind::kTsp).WithCustomers(3).Build();
  EXPECT_EQ(instance.num_nodes(), 4);
  EXPECT_EQ(instance.capacity(), kNoLimit);
}

TEST(InstanceTest, BuildsMatricesOfAllDistances) {
  for (const bool matrix : {false, true}) {
    auto builder = AnInstance().WithCustomers(4).As(Metric::kDimacs);
    InstanceData data = (matrix ? builder.ExplicitMatrix(0.3) : builder).BuildData();
    data.speed = 2;
    const Instance instance = *Instance::Create(data);
    const std::vector<double> distances = instance.DistanceMatrix();
    const std::vector<double> durations = instance.DurationMatrix();
    for (NodeIndex i = 0; i < 5; ++i) {
      for (NodeIndex j = 0; j < 5; ++j) {
        EXPECT_EQ(distances[static_cast<size_t>(i * 5 + j)], instance.Distance(i, j));
        EXPECT_EQ(durations[static_cast<size_t>(i * 5 + j)], instance.Duration(i, j));
        EXPECT_EQ(instance.Duration(i, j), instance.Distance(i, j) / 2);
      }
    }
  }
}

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

struct BadField {
  const char* name;
  std::function<void(InstanceData&)> corrupt;
  const char* error;
};

// Prints the name of the case in failures.
void PrintTo(const BadField& bad, std::ostream* out) { *out << bad.name; }

class BadFieldTest : public testing::TestWithParam<BadField> {};

TEST_P(BadFieldTest, RefusesTheFieldAndNamesItsPath) {
  InstanceData data = AnInstance()
                          .WithCustomers(3)
                          .Capacity(30)
                          .Service(1)
                          .Windows({{0, 900}, {0, 900}, {0, 900}}, 1000)
                          .BuildData();
  ASSERT_TRUE(Instance::Create(data).ok());
  GetParam().corrupt(data);
  const absl::Status status = Instance::Create(data).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr(GetParam().error));
}

INSTANTIATE_TEST_SUITE_P(
    Fields, BadFieldTest,
    testing::ValuesIn(std::vector<BadField>{
        {"demand_negative", [](auto& d) { d.demands[1] = -1; },
         "customers[0].demand: got -1, wanted at least 0"},
        {"demand_nan", [](auto& d) { d.demands[1] = kNan; }, "customers[0].demand: got nan"},
        {"demand_at_depot", [](auto& d) { d.demands[0] = 1; }, "depots[0].demand: got 1, wanted 0"},
        {"demands_too_few", [](auto& d) { d.demands.pop_back(); }, "demands: has 3 entries"},
        {"x_infinite", [](auto& d) { d.positions[3].x = kNoLimit; }, "customers[2].x: got inf"},
        {"y_huge", [](auto& d) { d.positions[0].y = -1e300; }, "depots[0].y: got -1e+300"},
        {"window_reversed",
         [](auto& d) {
           d.windows[1] = {5, 4};
         },
         "customers[0].window: opens at 5, after it closes at 4"},
        {"window_negative",
         [](auto& d) {
           d.windows[1] = {-5, 4};
         },
         "customers[0].window.open"},
        {"window_nan", [](auto& d) { d.windows[1].close = kNan; }, "customers[0].window.close"},
        {"windows_absent", [](auto& d) { d.windows.clear(); }, "windows: absent"},
        {"windows_of_a_cvrp", [](auto& d) { d.kind = ProblemKind::kCvrp; },
         "windows: given, but kind is cvrp"},
        {"service_negative", [](auto& d) { d.services[1] = -2; }, "customers[0].service: got -2"},
        {"service_at_depot_negative", [](auto& d) { d.services[0] = -2; },
         "depots[0].service: got -2"},
        {"service_at_depot_of_a_tsp",
         [](auto& d) {
           d = AnInstance().WithCustomers(3).Kind(ProblemKind::kTsp).BuildData();
           d.services = {2, 0, 0, 0};
         },
         "depots[0].service: got 2, wanted 0 at a depot"},
        {"no_vehicles", [](auto& d) { d.vehicles.clear(); }, "vehicles: absent"},
        {"capacity_negative", [](auto& d) { d.vehicles[0].capacity = -1; },
         "vehicles[0].capacity: got -1"},
        {"capacity_nan", [](auto& d) { d.vehicles[0].capacity = kNan; }, "vehicles[0].capacity"},
        {"count_negative", [](auto& d) { d.vehicles[0].count = -1; }, "vehicles[0].count: got -1"},
        {"depot_unknown", [](auto& d) { d.vehicles[0].depot = 1; }, "vehicles[0].depot: got 1"},
        {"distance_limit_zero", [](auto& d) { d.vehicles[0].max_distance = 0; },
         "vehicles[0].max_distance: got 0"},
        {"distance_limit_nan", [](auto& d) { d.vehicles[0].max_distance = std::nan(""); },
         "vehicles[0].max_distance: got nan"},
        {"duration_negative", [](auto& d) { d.vehicles[0].max_duration = -1; },
         "vehicles[0].max_duration: got -1"},
        {"waiting_negative", [](auto& d) { d.vehicles[0].max_waiting = -1; },
         "vehicles[0].max_waiting: got -1"},
        {"waiting_nan", [](auto& d) { d.vehicles[0].max_waiting = kNan; },
         "vehicles[0].max_waiting: got nan"},
        {"waiting_minus_infinite", [](auto& d) { d.vehicles[0].max_waiting = -kNoLimit; },
         "vehicles[0].max_waiting: got -inf"},
        {"compartment_without_capacity",
         [](auto& d) {
           d.vehicles[0].compartments = {{.capacity = 3}, {}};
         },
         "vehicles[0].compartments[1].capacity: absent or 0, wanted a positive number"},
        {"compartment_negative", [](auto& d) { d.vehicles[0].compartments = {{.capacity = -1}}; },
         "vehicles[0].compartments[0].capacity: got -1"},
        {"compartment_infinite",
         [](auto& d) { d.vehicles[0].compartments = {{.capacity = kNoLimit}}; },
         "vehicles[0].compartments[0].capacity: got inf"},
        {"compartment_nan", [](auto& d) { d.vehicles[0].compartments = {{.capacity = kNan}}; },
         "vehicles[0].compartments[0].capacity: got nan"},
        {"compartment_of_an_unknown_dimension",
         [](auto& d) {
           d.vehicles[0].compartments = {{.capacity = 1, .load_dimensions = {0, 1}}};
         },
         "vehicles[0].compartments[0].load_dimensions[1]: got 1, wanted 0 to 0"},
        {"compartment_of_a_negative_dimension",
         [](auto& d) { d.vehicles[0].compartments = {{.capacity = 1, .load_dimensions = {-1}}}; },
         "vehicles[0].compartments[0].load_dimensions[0]: got -1, wanted 0 to 0"},
        {"compartment_of_a_dimension_twice",
         [](auto& d) {
           d.vehicles[0].compartments = {{.capacity = 1, .load_dimensions = {0, 0}}};
         },
         "vehicles[0].compartments[0].load_dimensions[1]: got 0 twice, wanted each load "
         "dimension once"},
        {"compartments_too_many",
         [](auto& d) { d.vehicles[0].compartments.assign(17, {.capacity = 1}); },
         "vehicles[0].compartments: has 17 entries, wanted at most 16"},
        {"spread_negative", [](auto& d) { d.balance = Balance{.max_spread = -1}; },
         "balance.max_spread: got -1"},
        {"spread_nan", [](auto& d) { d.balance = Balance{.max_spread = kNan}; },
         "balance.max_spread: got nan"},
        {"balance_cost_negative", [](auto& d) { d.balance = Balance{.cost = -2}; },
         "balance.cost: got -2"},
        {"balance_cost_infinite", [](auto& d) { d.balance = Balance{.cost = kNoLimit}; },
         "balance.cost: got inf"},
        {"balance_empty", [](auto& d) { d.balance.emplace(); },
         "balance: has neither max_spread nor a cost above 0, wanted one of them"},
        {"balance_of_all_unlimited_vehicles",
         [](auto& d) { d.balance = Balance{.cost = 1, .all_vehicles = true}; },
         "balance.all_vehicles: given, but vehicles[0] has no count"},
        {"balance_of_the_fewest_vehicles",
         [](auto& d) {
           d.objective = Objective::kVehiclesThenDistance;
           d.vehicles[0].count = 2;
           d.balance = Balance{.cost = 1, .all_vehicles = true};
         },
         "balance.all_vehicles: given together with the objective vehicles_then_distance"},
        {"break_windows_overlap",
         [](auto& d) {
           d.vehicles[0].breaks = {{{0, 5}, 1, {{5, 9}}}};
         },
         "vehicles[0].breaks[0].further_windows[0]: opens at 5, wanted after the previous window's "
         "close, 5"},
        {"break_window_soft",
         [](auto& d) {
           d.vehicles[0].breaks = {{{0, 5}, 1, {{6, 9, 1}}}};
         },
         "vehicles[0].breaks[0].further_windows[0].late_cost"},
        {"break_load_negative",
         [](auto& d) {
           d.vehicles[0].breaks = {{{0, 5}, 1, {}, {-1}}};
         },
         "vehicles[0].breaks[0].max_load[0]: got -1"},
        {"break_load_dimensions",
         [](auto& d) {
           d.vehicles[0].breaks = {{{0, 5}, 1, {}, {1, 2}}};
         },
         "vehicles[0].breaks[0].max_load: has 2 entries, wanted one for each of 1 load dimensions"},
        {"times_of_a_depot", [](auto& d) { d.vehicles[0].customer_times = {{.customer = 0}}; },
         "vehicles[0].customer_times[0].customer: got node 0, wanted a customer: node 1 to 3"},
        {"times_twice",
         [](auto& d) {
           d.vehicles[0].customer_times = {{.customer = 2}, {.customer = 2}};
         },
         "vehicles[0].customer_times[1].customer: customers[1] has an earlier entry"},
        {"times_negative",
         [](auto& d) { d.vehicles[0].customer_times = {{.customer = 2, .setup = -1}}; },
         "vehicles[0].customer_times[0].setup: got -1"},
        {"service_cost_without_the_objective",
         [](auto& d) { d.vehicles[0].cost_per_service_time = 1; },
         "vehicles[0].cost_per_service_time: given, but the objective is distance"},
        {"speed_zero", [](auto& d) { d.speed = 0; }, "speed: got 0"},
        {"speed_nan", [](auto& d) { d.speed = kNan; }, "speed: got nan"},
        {"reference_nan", [](auto& d) { d.reference_cost = kNan; }, "reference_cost: got nan"},
        {"id_twice",
         [](auto& d) {
           d.ids = {"a", "b", "c", "b"};
         },
         "customers[2].id: \"b\" is also the id of customers[0]"},
        {"id_empty",
         [](auto& d) {
           d.ids = {"a", "", "c", "b"};
         },
         "customers[0].id: empty"},
        {"id_not_text",
         [](auto& d) {
           d.ids = {"a", "\xFF", "c", "b"};
         },
         "customers[0].id"},
        {"name_too_long", [](auto& d) { d.name.assign(300, 'x'); }, "name: has 300 bytes"},
        {"matrix_negative", [](auto& d) { d.distance_matrix.assign(16, -1); },
         "distance_matrix[0][0]: got -1"},
        {"matrix_not_square", [](auto& d) { d.distance_matrix.assign(15, 1); },
         "distance_matrix: has 15 entries, wanted 4 x 4"},
        {"matrix_off_the_unit",
         [](auto& d) {
           d.metric = Metric::kRounded;
           d.distance_matrix.assign(16, 1);
           d.distance_matrix[6] = 2.5;
         },
         "distance_matrix[1][2]: got 2.5, wanted a multiple of 1, the unit of metric cvrplib"},
        {"durations_infinite", [](auto& d) { d.duration_matrix.assign(16, kNoLimit); },
         "duration_matrix[0][0]: got inf"},
        {"lengths_negative", [](auto& d) { d.length_matrix.assign(16, -1); },
         "length_matrix[0][0]: got -1"},
        {"no_positions", [](auto& d) { d.positions.clear(); }, "positions: absent"},
        {"no_depot", [](auto& d) { d.num_depots = 0; }, "num_depots: got 0"},
        {"only_depots", [](auto& d) { d.num_depots = 4; }, "customers: 4 nodes, 4 of them depots"},
        {"too_many_nodes", [](auto& d) { d.positions.resize(100'001); },
         "positions: 100001 nodes exceed the limit of 100000"},
        {"matrix_too_large",
         [](auto& d) {
           d = AnInstance().WithCustomers(5'000).BuildData();
           d.distance_matrix = {1};
         },
         "distance_matrix: 5001 nodes exceed the limit of 5000"},
        {"matrix_row_unknown",
         [](auto& d) {
           d.distance_matrix.assign(4, 1);
           d.matrix_rows = {0, 1, 2, 0};
         },
         "matrix_rows[2]: got 2, wanted a row of the matrices: 0 to 1"},
        {"matrix_row_negative",
         [](auto& d) {
           d.vehicles[0].duration_matrix.assign(4, 1);
           d.matrix_rows = {0, -1, 1, 0};
         },
         "matrix_rows[1]: got -1"},
        {"matrix_rows_too_few",
         [](auto& d) {
           d.distance_matrix.assign(4, 1);
           d.matrix_rows = {0, 1, 1};
         },
         "matrix_rows: has 3 entries, wanted one for each of 4 nodes"},
        {"matrices_of_other_sizes",
         [](auto& d) {
           d.distance_matrix.assign(4, 1);
           d.duration_matrix.assign(16, 1);
           d.matrix_rows = {0, 1, 1, 0};
         },
         "duration_matrix: has 16 entries, wanted 2 x 2"},
        {"matrix_rows_without_matrices",
         [](auto& d) {
           d.matrix_rows = {0, 0, 0, 0};
         },
         "matrix_rows[0]: got 0"},
        {"tsp_with_vehicles",
         [](auto& d) {
           d.kind = ProblemKind::kTsp;
           d.windows.clear();
         },
         "vehicles: given"},
    }),
    [](const auto& param_info) { return std::string(param_info.param.name); });

TEST(InstanceTest, ListsUpTo1000Errors) {
  InstanceData data = AnInstance().WithCustomers(3).Capacity(5).BuildData();
  data.demands = {0, -6, -1, -7};
  data.speed = -1;
  const std::vector<std::string> errors = Instance::Validate(data);
  EXPECT_THAT(errors, SizeIs(4));
  EXPECT_THAT(errors, Contains(HasSubstr("customers[2].demand: got -7")));
  data = AnInstance().WithCustomers(5000).BuildData();
  data.demands.assign(5001, -1);
  EXPECT_THAT(Instance::Validate(data), SizeIs(1000));
}

}  // namespace
}  // namespace vrp
