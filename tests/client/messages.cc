#include "tests/client/messages.h"

#include "client/support/text.h"
#include "google/rpc/error_details.pb.h"

namespace vrp::client {
namespace {

struct StopValues {
  int32_t node;
  const char* id;
  double x, y, arrival, load;
};

void AddStop(v1::Route& route, const StopValues& values) {
  v1::Stop& stop = *route.add_stops();
  stop.set_node(values.node);
  stop.set_id(values.id);
  stop.mutable_location()->set_x(values.x);
  stop.mutable_location()->set_y(values.y);
  stop.set_arrival(values.arrival);
  stop.add_load(values.load);
}

v1::WatchTrainingJobResponse AnEvent(int64_t sequence) {
  v1::WatchTrainingJobResponse event;
  event.set_sequence(sequence);
  event.set_attempt(1);
  event.mutable_time()->set_seconds(1'800'000'000 + sequence);
  event.mutable_time()->set_nanos(250'000'000);
  return event;
}

}  // namespace

v1::SolveResponse ASolveResponse() {
  v1::SolveResponse response;
  response.set_name("city");
  v1::Solution& solution = *response.mutable_solution();
  v1::Route& first = *solution.add_routes();
  AddStop(first, {0, "depot", 0, 0, 0, 7});
  AddStop(first, {2, "2", 10, 0, 10, 3});
  AddStop(first, {1, "1", 10, 10, 20.5, 0});
  AddStop(first, {0, "depot", 0, 0, 34.5, 0});
  first.set_distance(60.25);
  first.set_duration(34.5);
  first.add_load(7);
  v1::Route& second = *solution.add_routes();
  second.set_vehicle(1);
  AddStop(second, {0, "depot", 0, 0, 0, 4});
  AddStop(second, {3, "3", 0, -25, 25, 0});
  AddStop(second, {0, "depot", 0, 0, 50, 0});
  second.set_distance(50.25);
  second.set_duration(50);
  second.add_load(4);
  solution.set_cost(110.5);
  response.set_feasible(true);
  response.set_strategy(v1::STRATEGY_SEARCH);
  response.set_seed(7);
  *response.mutable_budget() = ToProtoDuration(absl::Milliseconds(500));
  *response.mutable_times()->mutable_search() = ToProtoDuration(absl::Microseconds(12'500));
  *response.mutable_times()->mutable_total() = ToProtoDuration(absl::Milliseconds(13));
  response.set_end_reason(v1::END_REASON_LOCAL_OPTIMUM);
  response.set_reference_cost(100);
  response.set_gap(0.105);
  response.set_solution_file("Route #1: 2 1\nRoute #2: 3\nCost 110.5\n");
  return response;
}

v1::WatchTrainingJobResponse AStateEvent(int64_t sequence, v1::JobState state,
                                         const std::string& error) {
  v1::WatchTrainingJobResponse event = AnEvent(sequence);
  event.mutable_state()->set_state(state);
  event.mutable_state()->set_error(error);
  return event;
}

v1::WatchTrainingJobResponse ALogEvent(int64_t sequence, const std::string& line) {
  v1::WatchTrainingJobResponse event = AnEvent(sequence);
  event.mutable_log()->set_line(line);
  return event;
}

v1::WatchTrainingJobResponse AProgressEvent(int64_t sequence, int64_t step) {
  v1::WatchTrainingJobResponse event = AnEvent(sequence);
  *event.mutable_progress() = AProgress(step);
  return event;
}

v1::WatchTrainingJobResponse AHeartbeat() { return AnEvent(0); }

v1::TrainingProgress AProgress(int64_t step) {
  v1::TrainingProgress progress;
  progress.set_epoch(2);
  progress.set_total_epochs(10);
  progress.set_step(step);
  progress.set_total_steps(100);
  progress.set_loss(1.25);
  progress.set_train_cost(6.91);
  progress.set_validation_cost(6.32);
  progress.set_validation_reference_cost(6.59);
  progress.set_validation_gap(-0.041);
  progress.set_validation_reference("nearest neighbour");
  progress.set_learning_rate(0.001);
  progress.set_gradient_norm(0.5);
  progress.set_instances_per_second(1234);
  progress.set_seconds_per_step(0.104);
  progress.set_seconds_per_epoch(26.4);
  return progress;
}

absl::Status ABadRequest(absl::StatusCode code, const std::string& message,
                         const std::string& field, const std::string& description) {
  google::rpc::BadRequest bad_request;
  google::rpc::BadRequest::FieldViolation& violation = *bad_request.add_field_violations();
  violation.set_field(field);
  violation.set_description(description);
  absl::Status status(code, message);
  status.SetPayload("type.googleapis.com/google.rpc.BadRequest",
                    absl::Cord(bad_request.SerializeAsString()));
  return status;
}

}  // namespace vrp::client
