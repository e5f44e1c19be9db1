// Tests the checker's rules for loads: reloads, initial loads, LIFO and compartments.
#include "core/problem/checker/checker.h"
#include "core/problem/plan/plan_value.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/problem/checker_messages.h"
#include "tests/testing/instance_builder.h"

namespace vrp {
namespace {

using test::AnInstance;
using test::CheckData;
using test::kWholeLine;
using test::LineWithWindows;
using test::Messages;
using testing::ElementsAre;
using testing::IsEmpty;

TEST(CheckerLoadsTest, ChecksTheCapacityOfEachLoadDimension) {
  InstanceData data = LineWithWindows();
  data.load_dimensions = 2;
  data.demands = {0, 0, 1, 3, 1, 0, 1, 4};
  data.vehicles[0].further_capacities = {6};
  EXPECT_THAT(Messages(data, kWholeLine),
              ElementsAre("capacity; routes[0]: load 7 of dimension 1 exceeds vehicle capacity 6"));
  data.vehicles[0].further_capacities = {7};
  EXPECT_THAT(Messages(data, kWholeLine), IsEmpty());
}

TEST(CheckerLoadsTest, AddsPickupsToTheDeliveriesOnBoard) {
  InstanceData data = LineWithWindows();
  data.demands = {0, 4, 4, 2};
  data.pickups = {0, 4, 5, 2};
  EXPECT_THAT(Messages(data, kWholeLine),
              ElementsAre("capacity; routes[0]: load 11 exceeds vehicle capacity 10"));
  data.pickups[2] = 4;
  EXPECT_THAT(Messages(data, kWholeLine), IsEmpty());
}

TEST(CheckerLoadsTest, UnloadsAndLoadsAtAReload) {
  InstanceData data = LineWithWindows();
  data.demands = {0, 6, 6, 4};
  data.pickups = {0, 5, 0, 0};
  data.vehicles[0].max_reloads = 1;
  EXPECT_THAT(Messages(data, kWholeLine),
              ElementsAre("capacity; routes[0]: load 16 exceeds vehicle capacity 10"));
  EXPECT_THAT(Messages(data, {{0, {1, 0, 2, 3}}}), IsEmpty());
  EXPECT_EQ(CheckData(data, {{0, {1, 0, 2, 3}}}).cost, 80);
}

TEST(CheckerLoadsTest, KeepsShipmentsOnBoardDuringAReload) {
  InstanceData data = LineWithWindows();
  data.demands = {0, 0, 7, 0};
  data.shipments = {{.pickup = 1, .delivery = 3, .amounts = {4}}};
  data.vehicles[0].max_reloads = 1;
  EXPECT_THAT(Messages(data, {{0, {1, 0, 2, 3}}}),
              ElementsAre("capacity; routes[0]: load 11 exceeds vehicle capacity 10"));
  data.shipments[0].amounts = {3};
  EXPECT_THAT(Messages(data, {{0, {1, 0, 2, 3}}}), IsEmpty());
}

TEST(CheckerLoadsTest, UnloadsTheInitialLoadAtTheFirstReload) {
  InstanceData data = LineWithWindows();
  data.demands = {0, 6, 6, 4};
  data.vehicles[0].max_reloads = 1;
  data.vehicles[0].initial_load = {4};
  EXPECT_THAT(Messages(data, {{0, {1, 0, 2, 3}}}), IsEmpty());
  EXPECT_THAT(Messages(data, {{0, {2, 3, 0, 1}}}),
              ElementsAre("capacity; routes[0]: load 14 exceeds vehicle capacity 10"));
}

TEST(CheckerLoadsTest, LetsAVehicleUnloadItsInitialLoadBeforeTheFirstCustomer) {
  InstanceData data = LineWithWindows();
  data.demands = {0, 6, 3, 1};
  data.vehicles[0].max_reloads = 2;
  data.vehicles[0].initial_load = {4};
  EXPECT_THAT(Messages(data, kWholeLine),
              ElementsAre("capacity; routes[0]: load 14 exceeds vehicle capacity 10"));
  EXPECT_THAT(Messages(data, {{0, {0, 1, 2, 3}}}), IsEmpty());
  EXPECT_THAT(Messages(data, {{0, {0, 0, 1, 2, 3}}}),
              ElementsAre("reload; routes[0]: reloads at depot 0 with no customer before it"));
  data.vehicles[0].initial_load = {0};
  EXPECT_THAT(Messages(data, {{0, {0, 1, 2, 3}}}),
              ElementsAre("reload; routes[0]: reloads at depot 0 with no customer before it"));
}

// Two shipments on a line, from 1 to 2 and from 3 to 4, and a delivery at 5.
InstanceData LineWithShipments() {
  InstanceData data =
      AnInstance().At({{0, 0}, {10, 0}, {20, 0}, {30, 0}, {40, 0}, {50, 0}}).BuildData();
  data.demands = {0, 0, 0, 0, 0, 1};
  data.shipments = {{.id = "a", .pickup = 1, .delivery = 2, .amounts = {1}},
                    {.id = "b", .pickup = 3, .delivery = 4, .amounts = {1}}};
  return data;
}

TEST(CheckerLoadsTest, DeliversTheLastPickupFirstWithLifo) {
  InstanceData data = LineWithShipments();
  EXPECT_THAT(Messages(data, {{0, {1, 3, 2, 4, 5}}}), IsEmpty());
  data.vehicles[0].lifo = true;
  EXPECT_THAT(Messages(data, {{0, {1, 3, 2, 4, 5}}}),
              ElementsAre("lifo; routes[0]: delivers to customer 2 while goods for customer 4, "
                          "picked up later, are on board"));
  EXPECT_THAT(Messages(data, {{0, {1, 3, 4, 2, 5}}}), IsEmpty());
  EXPECT_THAT(Messages(data, {{0, {1, 2, 3, 4, 5}}}), IsEmpty());
  EXPECT_THAT(Messages(data, {{0, {1, 2}}, {0, {3, 5, 4}}}), IsEmpty());
}

// Goods of a shipment that is incomplete are reported once, as such.
TEST(CheckerLoadsTest, ReportsNoOrderOfGoodsThatAreNotDelivered) {
  InstanceData data = LineWithShipments();
  data.vehicles[0].lifo = true;
  EXPECT_THAT(Messages(data, {{0, {1, 3, 2, 5}}}),
              ElementsAre("shipment; routes[0]: shipment b is picked up at customer 3, but not "
                          "delivered",
                          "missing_customer; customer 4 is not visited"));
}

TEST(CheckerLoadsTest, AssignsCompartmentsOnEachTrip) {
  InstanceData data = LineWithWindows();
  data.load_dimensions = 3;
  data.demands = {0, 0, 0, 4, 0, 0, 0, 5, 0, 3, 0, 2};
  data.vehicles[0].capacity = kNoLimit;
  data.vehicles[0].compartments = {{.capacity = 5}, {.capacity = 4}, {.capacity = 3}};
  data.vehicles[0].max_reloads = 1;
  EXPECT_THAT(
      Messages(data, kWholeLine),
      ElementsAre("compartments; routes[0]: trip 0: loads of 7 of dimension 0, 5 of dimension "
                  "1, 2 of dimension 2 do not fit in the 3 compartments"));
  EXPECT_THAT(Messages(data, {{0, {1, 2, 0, 3}}}), IsEmpty());
  data.vehicles[0].compartments[0].load_dimensions = {2};
  EXPECT_THAT(
      Messages(data, {{0, {1, 2, 0, 3}}}),
      ElementsAre("compartments; routes[0]: trip 0: loads of 4 of dimension 0, 5 of dimension "
                  "1 do not fit in the 3 compartments"));
  data.vehicles[0].compartments.push_back({.capacity = 5, .load_dimensions = {1}});
  EXPECT_THAT(Messages(data, kWholeLine), IsEmpty());
}

TEST(CheckerLoadsTest, GivesADimensionSeveralCompartments) {
  InstanceData data = LineWithWindows();
  data.load_dimensions = 2;
  data.demands = {0, 0, 3, 0, 4, 0, 0, 5};
  data.vehicles[0].compartments = {{.capacity = 6}, {.capacity = 3}, {.capacity = 4}};
  EXPECT_THAT(Messages(data, kWholeLine), IsEmpty());
  data.demands[2] = 3.5;
  EXPECT_THAT(
      Messages(data, kWholeLine),
      ElementsAre("compartments; routes[0]: loads of 7.5 of dimension 0, 5 of dimension 1 do "
                  "not fit in the 3 compartments"));
}

// A compartment that is empty after its deliveries cannot hold pickups of another dimension.
TEST(CheckerLoadsTest, KeepsACompartmentForOneDimensionUntilTheTripEnds) {
  InstanceData data = LineWithWindows();
  data.load_dimensions = 2;
  data.demands = {0, 0, 3, 0, 0, 0, 0, 0};
  data.pickups = {0, 0, 0, 0, 0, 2, 0, 0};
  data.vehicles[0].compartments = {{.capacity = 9}};
  EXPECT_THAT(Messages(data, kWholeLine),
              ElementsAre("compartments; routes[0]: loads of 3 of dimension 0, 2 of dimension 1 do "
                          "not fit in the 1 compartment"));
  data.pickups = {0, 0, 0, 0, 2, 0, 0, 0};
  EXPECT_THAT(Messages(data, kWholeLine), IsEmpty());
}

}  // namespace
}  // namespace vrp
