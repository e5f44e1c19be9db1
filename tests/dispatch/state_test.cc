#include "core/dispatch/state.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "tests/dispatch/dispatch_testing.h"

namespace vrp {
namespace {

using test::LineSite;
using test::RequestUntil;

TEST(DispatchSiteTest, RefusesFeaturesWithoutMeaningByName) {
  InstanceData data = test::LineWithWindows();
  data.prizes = {kNoLimit, 5, 5, 5};
  const auto site = DispatchSite::Create(*Instance::Create(data));
  EXPECT_EQ(site.status().code(), absl::StatusCode::kUnimplemented);
  EXPECT_NE(std::string(site.status().message()).find("customers[0].prize"), std::string::npos)
      << site.status();
}

TEST(DispatchSiteTest, RefusesToursOfOneVehicle) {
  const auto site = DispatchSite::Create(test::AnInstance().Kind(ProblemKind::kTsp).Build());
  EXPECT_EQ(site.status().code(), absl::StatusCode::kUnimplemented);
}

TEST(DispatchSiteTest, DirectStartWaitsForTheWindow) {
  const DispatchSite site = LineSite();
  DispatchRequest request = RequestUntil(site, 2, 100);
  request.window.open = 50;
  const VehicleType& vehicle = site.instance().vehicles().front();
  EXPECT_EQ(site.DirectStart(vehicle, request, 0), 50);
  EXPECT_EQ(site.DirectStart(vehicle, request, 40), 60);
  EXPECT_EQ(site.DirectStart(vehicle, request, 80), 100);
  EXPECT_EQ(site.DirectStart(vehicle, request, 81), kNoLimit);
}

TEST(DispatchSiteTest, DirectStartReturnsBeforeTheDepotCloses) {
  const DispatchSite site = LineSite();
  const DispatchRequest request = RequestUntil(site, 3, 5000);
  const VehicleType& vehicle = site.instance().vehicles().front();
  EXPECT_EQ(site.DirectStart(vehicle, request, 940), 970);
  EXPECT_EQ(site.DirectStart(vehicle, request, 941), kNoLimit);
}

TEST(MustGoTest, HoldsForRequestsThatTheNextDecisionMisses) {
  const DispatchSite site = LineSite();
  const DispatchState state = {.requests = {RequestUntil(site, 1, 109), RequestUntil(site, 1, 110)},
                               .departure = 0,
                               .later_departures = {100, 200}};
  EXPECT_EQ(MustGo(site, state), std::vector<bool>({true, false}));
}

TEST(MustGoTest, HoldsForAllAtTheLastDecisionAndForThoseThatTheCallerNames) {
  const DispatchSite site = LineSite();
  DispatchState state = {.requests = {RequestUntil(site, 1, 900), RequestUntil(site, 2, 900)},
                         .departure = 0};
  EXPECT_EQ(MustGo(site, state), std::vector<bool>({true, true}));
  state.later_departures = {100};
  state.requests[1].must_go = true;
  EXPECT_EQ(MustGo(site, state), std::vector<bool>({false, true}));
}

struct WrongState {
  std::string error;
  std::function<void(DispatchState&)> spoil;
};

class CheckStateTest : public testing::TestWithParam<WrongState> {};

TEST_P(CheckStateTest, NamesTheWrongField) {
  const DispatchSite site = LineSite();
  DispatchState state = {.requests = {RequestUntil(site, 1, 900), RequestUntil(site, 2, 900)},
                         .departure = 10,
                         .later_departures = {20, 30}};
  ASSERT_TRUE(CheckState(site, state).ok());
  GetParam().spoil(state);
  const absl::Status status = CheckState(site, state);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(status.message().substr(0, GetParam().error.size()), GetParam().error) << status;
}

INSTANTIATE_TEST_SUITE_P(
    All, CheckStateTest,
    testing::Values(
        WrongState{"requests[1].customer: got node 4, wanted 1 to 3",
                   [](DispatchState& state) { state.requests[1].customer = 4; }},
        WrongState{"requests[0].demand: got 2 numbers, wanted 1",
                   [](DispatchState& state) {
                     state.requests[0].demand = {1, 1};
                   }},
        WrongState{"requests[0].demand: got -1",
                   [](DispatchState& state) { state.requests[0].demand = {-1}; }},
        WrongState{"requests[0].service: got -2",
                   [](DispatchState& state) { state.requests[0].service = -2; }},
        WrongState{
            "requests[1].window: got 5 to 4",
            [](DispatchState& state) { state.requests[1].window = {.open = 5, .close = 4}; }},
        WrongState{"requests[1].release: ",
                   [](DispatchState& state) { state.requests[1].release = kNoLimit; }},
        WrongState{"departure: ", [](DispatchState& state) { state.departure = kNoLimit; }},
        WrongState{"later_departures[0]: got 10, wanted a time after 10",
                   [](DispatchState& state) { state.later_departures[0] = 10; }},
        WrongState{"later_departures[1]: got 15, wanted a time after 20",
                   [](DispatchState& state) { state.later_departures[1] = 15; }},
        WrongState{"available: got 2 numbers, wanted 1",
                   [](DispatchState& state) {
                     state.available = {1, 1};
                   }},
        WrongState{"available[0]: got -2", [](DispatchState& state) { state.available = {-2}; }}));

}  // namespace
}  // namespace vrp
