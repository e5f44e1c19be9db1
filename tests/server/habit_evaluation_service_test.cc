// Tests that a running daemon keeps histories of routes and evaluates habit models on them.
#include <functional>
#include <memory>
#include <string>

#include "core/habits/counts/count_legs.h"
#include "core/model/habits/habit_model_files.h"
#include "gmock/gmock.h"
#include "tests/habits/habits_testing.h"
#include "tests/server/solve_calls.h"
#include "vrp/v1/model_service.grpc.pb.h"

namespace vrp::test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class HabitEvaluationServiceTest : public DaemonTest {
 protected:
  void SetUp() override {
    vrpd_.threads = 2;
    AddModel("net", 1);
    const RouteHistory history = HistoryOf({{.day = 1, .stops = {"a1", "b1", "c1", "d1"}},
                                            {.day = 2, .stops = {"a1", "b1", "c1", "d1"}}});
    ModelCard card;
    card.created = absl::Now();
    HabitSettings settings;
    settings.last_day = history.routes.back().day;
    settings.routes = 2;
    ASSERT_TRUE(WriteCountModel(Concat(folder_.path(), "/models/drivers/1"),
                                LegCounter(history, 2, 2, 1).Count({}), {}, settings, card)
                    .ok());
    Start();
    models_ = v1::ModelService::NewStub(channel_);
    datasets_ = v1::DatasetService::NewStub(channel_);
  }

  grpc::Status Upload(const std::string& name, const std::string& content) {
    return UploadText(*datasets_, name, content, uploaded_);
  }
  grpc::Status Evaluate(const std::function<void(v1::EvaluateModelRequest&)>& change = nullptr) {
    v1::EvaluateModelRequest request;
    request.set_model("models/drivers");
    request.set_history("datasets/past");
    if (change != nullptr) change(request);
    Context context;
    const auto stream = models_->EvaluateModel(&context, request);
    for (v1::EvaluateModelResponse message; stream->Read(&message);) last_ = message;
    return stream->Finish();
  }

  std::unique_ptr<v1::ModelService::Stub> models_;
  std::unique_ptr<v1::DatasetService::Stub> datasets_;
  v1::Dataset uploaded_;
  v1::EvaluateModelResponse last_;
};

TEST_F(HabitEvaluationServiceTest, DescribesAHistory) {
  ASSERT_TRUE(Upload("past", RouteText({.day = 1, .stops = {"a1", "b1"}}) +
                                 RouteText({.day = 3, .stops = {"a1"}}))
                  .ok());
  EXPECT_EQ(uploaded_.kind(), v1::DATASET_KIND_ROUTE_HISTORY);
  EXPECT_EQ(uploaded_.day_count(), 2);
  EXPECT_EQ(uploaded_.route_count(), 2);
  EXPECT_EQ(uploaded_.stop_count(), 3);
  const grpc::Status bad = Upload("bad", "{\"day\": \"2026-03-02\", \"stops\": [{}]}\n");
  EXPECT_EQ(bad.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_THAT(bad.error_message(), HasSubstr("bad:1: stops[0].id: absent"));
}

TEST_F(HabitEvaluationServiceTest, EvaluatesTheDaysThatTheModelDidNotCount) {
  ASSERT_TRUE(Upload("past", RouteText({.day = 2, .stops = {"d1", "c1", "b1", "a1"}}) +
                                 RouteText({.day = 3, .stops = {"a1", "b1", "c1", "d1"}}))
                  .ok());
  const grpc::Status status = Evaluate();
  ASSERT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(last_.done(), 1);
  EXPECT_EQ(last_.total(), 1);
  EXPECT_EQ(last_.report().model(), "models/drivers/versions/1");
  const v1::HabitEvaluation& habits = last_.report().habits();
  EXPECT_EQ(habits.history(), "datasets/past");
  EXPECT_EQ(habits.route_count(), 1);
  EXPECT_EQ(habits.day_count(), 1);
  EXPECT_EQ(habits.next_stop_accuracy(), 1);
  EXPECT_EQ(habits.route_similarity(), 1);
  EXPECT_DOUBLE_EQ(habits.length_ratio(), 1);
  EXPECT_LT(habits.mean_log_probability(), 0);
  EXPECT_EQ(habits.new_stop_count(), 0);
}

TEST_F(HabitEvaluationServiceTest, PlansLaterDaysWithAndWithoutTheHabits) {
  ASSERT_TRUE(Upload("past", RouteText({.day = 3, .stops = {"a1", "b1", "c1", "d1"}}) +
                                 RouteText({.day = 4, .stops = {"a1", "b1", "c1", "d1"}}) +
                                 RouteText({.day = 5, .stops = {"d1", "c1", "b1", "a1"}}))
                  .ok());
  const grpc::Status status = Evaluate([](v1::EvaluateModelRequest& request) {
    request.mutable_habit_search()->set_max_days(2);
    request.mutable_habit_search()->add_weights(1);
    request.mutable_habit_search()->set_max_iterations(50);
  });
  ASSERT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(last_.done(), 3 + 2 * 2);
  EXPECT_EQ(last_.total(), 3 + 2 * 2);
  EXPECT_EQ(last_.report().habits().day_count(), 3);
  const v1::HabitSearchReport& search = last_.report().habits().search();
  EXPECT_EQ(search.day_count(), 2);
  EXPECT_EQ(search.skipped_day_count(), 0);
  EXPECT_EQ(search.late_plan_count(), 0);
  ASSERT_EQ(search.rows_size(), 2);
  EXPECT_EQ(search.rows(0).weight(), 0);
  EXPECT_EQ(search.rows(0).leg_share(), 1);
  EXPECT_EQ(search.rows(1).weight(), 1);
  EXPECT_EQ(search.rows(1).directed_leg_share(), 1);
  EXPECT_NEAR(search.rows(1).extra_distance(), 0, 1e-9);
  EXPECT_EQ(search.driven().leg_share(), 1);
  ASSERT_TRUE(Evaluate().ok());
  EXPECT_FALSE(last_.report().habits().has_search());
}

TEST_F(HabitEvaluationServiceTest, NamesTheFieldOfASearchThatCannotBe) {
  ASSERT_TRUE(
      Upload("past", R"({"day": "2026-03-09", "depot": {"x": 0, "y": 0}, "stops": [{"id": "a1"}]})")
          .ok());
  const auto refused = [this](const std::function<void(v1::EvaluateModelRequest&)>& change) {
    const grpc::Status status = Evaluate([&](v1::EvaluateModelRequest& request) {
      request.mutable_habit_search()->set_max_days(1);
      change(request);
    });
    EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT) << status.error_message();
    EXPECT_EQ(BadRequestOf(status).field_violations_size(), 1);
    return Concat(FieldOf(status), "|", status.error_message());
  };
  EXPECT_THAT(refused([](auto&) {}),
              StartsWith("history|history: got datasets/past, of which habit_search can plan no "
                         "day: 2026-03-09: stop \"a1\" has no position"));
  const auto search = [&](const std::function<void(v1::HabitSearch&)>& change) {
    return refused([&](auto& request) { change(*request.mutable_habit_search()); });
  };
  EXPECT_THAT(search([](auto& s) { s.set_max_days(-1); }), StartsWith("habit_search.max_days|"));
  EXPECT_THAT(search([](auto& s) { s.add_weights(0); }), StartsWith("habit_search.weights[0]|"));
  EXPECT_THAT(search([](auto& s) { s.set_max_iterations(-1); }),
              StartsWith("habit_search.max_iterations|"));
  EXPECT_THAT(search([](auto& s) { s.mutable_budget()->set_seconds(61); }),
              StartsWith("habit_search.budget|"));
  EXPECT_THAT(search([](auto& s) { s.mutable_budget()->set_nanos(-1); }),
              StartsWith("habit_search.budget|"));
  EXPECT_THAT(refused([](auto& request) {
                request.set_model("models/net");
                request.clear_history();
              }),
              StartsWith("habit_search|"));
}

TEST_F(HabitEvaluationServiceTest, NamesTheFieldOfAnInvalidEvaluation) {
  ASSERT_TRUE(Upload("past", RouteText({.day = 2, .stops = {"a1"}})).ok());
  const auto refusal = [this](const std::function<void(v1::EvaluateModelRequest&)>& change) {
    const grpc::Status status = Evaluate(change);
    EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
    return status.error_message();
  };
  EXPECT_THAT(refusal(nullptr),
              StartsWith("history: got datasets/past, whose last day is 2026-03-02, but the model "
                         "learned from days up to 2026-03-02"));
  EXPECT_THAT(refusal([](auto& r) { r.clear_history(); }), StartsWith("history: absent"));
  EXPECT_THAT(refusal([](auto& r) { r.add_modes(); }), StartsWith("modes: given"));
  EXPECT_THAT(refusal([](auto& r) { r.set_data("x"); }), StartsWith("data: given"));
  EXPECT_THAT(refusal([](auto& r) { r.set_model("models/net"); }), StartsWith("history: given"));
  EXPECT_EQ(Evaluate([](auto& r) { r.set_history("datasets/none"); }).error_code(),
            grpc::StatusCode::NOT_FOUND);
  ASSERT_TRUE(Upload("log", R"({"day": "d", "id": "a", "at": 0, "customer": "1"})").ok());
  EXPECT_THAT(refusal([](auto& r) { r.set_history("datasets/log"); }),
              StartsWith("history: got datasets/log, which is a request log, wanted a route "
                         "history"));
}

TEST_F(HabitEvaluationServiceTest, RefusesAHistoryInAnotherCoordinateSystem) {
  ASSERT_TRUE(
      Upload("past", R"({"day": "2026-03-09", "coordinates": "lon_lat", "stops": [{"id": "a1"}]})")
          .ok());
  EXPECT_THAT(Evaluate().error_message(), HasSubstr("another coordinate system"));
}

}  // namespace
}  // namespace vrp::test
