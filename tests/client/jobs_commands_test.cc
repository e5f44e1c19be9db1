// Tests `jobs stop`, `pause`, `resume`, `delete`, `publish`, `history` and `compare`. Also tests
// published weights in `jobs get`, labels in `jobs list`, compacted events in `jobs watch` and
// limits of `train`.
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/client/fake_server.h"
#include "tests/client/messages.h"
#include "tests/client/runner.h"

namespace vrp::client {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

// Returns a handler that responds with trainingJobs/abc in `state` and refuses other jobs.
template <typename Request>
auto StateHandler(v1::JobState state, int32_t position = 0) {
  return [=](const Request& request, const FakeCall&) -> absl::StatusOr<v1::TrainingJob> {
    if (request.name() != "trainingJobs/abc") return absl::FailedPreconditionError("has ended");
    v1::TrainingJob job;
    job.set_name(request.name());
    job.set_state(state);
    job.set_queue_position(position);
    return job;
  };
}

TEST(JobsControlCommands, PauseAndResumePrintTheNewState) {
  FakeHandlers handlers;
  handlers.pause_job = StateHandler<v1::PauseTrainingJobRequest>(v1::JOB_STATE_PAUSING);
  handlers.resume_job = StateHandler<v1::ResumeTrainingJobRequest>(v1::JOB_STATE_QUEUED, 3);
  const FakeServer server(handlers);
  EXPECT_EQ(RunOn(server, {"jobs", "pause", "abc"}).out, "trainingJobs/abc PAUSING\n");
  EXPECT_EQ(RunOn(server, {"jobs", "resume", "abc"}).out, "trainingJobs/abc QUEUED, position 3\n");
  EXPECT_EQ(RunJson(server, {"jobs", "resume", "abc"}).OutJson()[0]["queue_position"], 3);
  EXPECT_EQ(RunOn(server, {"jobs", "pause", "other"}).code, 4);
  EXPECT_EQ(RunOn(server, {"jobs", "pause", "no/job"}).code, 2);
}

TEST(JobsControlCommands, StopPrintsWhetherAModelWillFollow) {
  const auto stop = [](v1::JobState state) {
    FakeHandlers handlers;
    handlers.stop_job = StateHandler<v1::StopTrainingJobRequest>(state);
    const FakeServer server(handlers);
    return RunOn(server, {"jobs", "stop", "abc"}).out;
  };
  EXPECT_EQ(
      stop(v1::JOB_STATE_STOPPING),
      "trainingJobs/abc STOPPING: ends with a model after its current step and a validation\n");
  EXPECT_EQ(stop(v1::JOB_STATE_QUEUED),
            "trainingJobs/abc QUEUED: runs before all other jobs and then ends with a "
            "model\n");
  EXPECT_EQ(stop(v1::JOB_STATE_CANCELLED), "trainingJobs/abc CANCELLED: ended without a model\n");
  EXPECT_EQ(stop(v1::JOB_STATE_SUCCEEDED), "trainingJobs/abc SUCCEEDED\n");
}

TEST(JobsControlCommands, StopPrintsTheJobAsJsonAndFailsIfRefused) {
  FakeHandlers handlers;
  handlers.stop_job = StateHandler<v1::StopTrainingJobRequest>(v1::JOB_STATE_STOPPING);
  const FakeServer server(handlers);
  EXPECT_EQ(RunJson(server, {"jobs", "stop", "abc"}).OutJson()[0]["state"], "STOPPING");
  EXPECT_EQ(RunOn(server, {"jobs", "stop", "other"}).code, 4);
}

TEST(JobsGetCommand, PrintsWhichWeightsWerePublishedAndWhy) {
  FakeHandlers handlers;
  handlers.get_job = [](const v1::GetTrainingJobRequest& request, const FakeCall&) {
    v1::TrainingJob job;
    job.set_name(request.name());
    job.set_state(v1::JOB_STATE_SUCCEEDED);
    job.set_end_reason(v1::TRAINING_END_REASON_STOPPED);
    job.set_stop_requested(true);
    job.mutable_published_weights()->set_epoch(4);
    job.mutable_published_weights()->set_step(93);
    job.mutable_published_weights()->set_reason(v1::PUBLISH_REASON_LAST_WEIGHTS);
    return job;
  };
  const FakeServer server(handlers);
  const std::string text = RunOn(server, {"jobs", "get", "abc"}).out;
  EXPECT_THAT(text, HasSubstr("weights of epoch 4 (step 93): the last ones, as training.publish "
                              "asks\n"));
  EXPECT_THAT(text, HasSubstr("STOPPED"));
  EXPECT_THAT(text, Not(HasSubstr("once it runs")));
  const auto json = RunJson(server, {"jobs", "get", "abc"}).OutJson()[0];
  EXPECT_EQ(json["published"]["reason"], "LAST_WEIGHTS");
  EXPECT_TRUE(json["published"]["validation_cost"].is_null());
  EXPECT_EQ(json["stop_requested"], true);
  EXPECT_EQ(json["end_reason"], "STOPPED");
}

TEST(JobsControlCommands, DeletePrintsTheName) {
  FakeHandlers handlers;
  std::string deleted;
  handlers.delete_job = [&](const v1::DeleteTrainingJobRequest& request, const FakeCall&) {
    deleted = request.name();
    return v1::DeleteTrainingJobResponse();
  };
  const FakeServer server(handlers);
  EXPECT_EQ(RunOn(server, {"jobs", "delete", "abc"}).out, "trainingJobs/abc: deleted\n");
  EXPECT_EQ(deleted, "trainingJobs/abc");
  EXPECT_EQ(RunJson(server, {"jobs", "delete", "abc"}).OutJson()[0]["deleted"], "trainingJobs/abc");
}

TEST(JobsControlCommands, PublishPrintsHowToSolveWithTheVersion) {
  FakeHandlers handlers;
  handlers.publish_job = [](const v1::PublishTrainingJobRequest&, const FakeCall&) {
    v1::PublishTrainingJobResponse response;
    response.set_model("models/tiny/versions/4");
    response.set_step(120);
    return response;
  };
  const FakeServer server(handlers);
  const CommandResult result = RunOn(server, {"jobs", "publish", "abc"});
  EXPECT_THAT(result.out, HasSubstr("models/tiny/versions/4: weights after step 120\n"));
  EXPECT_THAT(result.out, HasSubstr("--model models/tiny/versions/4"));
  EXPECT_THAT(result.out, HasSubstr("--model tiny@live"));
  EXPECT_EQ(RunJson(server, {"jobs", "publish", "abc"}).OutJson()[0]["step"], 120);
}

TEST(JobsHistoryCommand, SendsItsFlagsAndPrintsOneLinePerPoint) {
  FakeHandlers handlers;
  v1::GetTrainingHistoryRequest request_received;
  handlers.history = [&](const v1::GetTrainingHistoryRequest& request, const FakeCall&) {
    request_received = request;
    v1::GetTrainingHistoryResponse response;
    for (const int64_t step : {10, 20})
      *response.add_points()->mutable_progress() = AProgress(step);
    response.set_stored_points(7);
    return response;
  };
  const FakeServer server(handlers);
  const CommandResult table = RunOn(server, {"jobs", "history", "abc", "--from-step", "5",
                                             "--to-step", "90", "--epochs", "--max-points", "2"});
  EXPECT_EQ(table.code, 0) << table.err;
  EXPECT_EQ(request_received.name(), "trainingJobs/abc");
  EXPECT_EQ(request_received.from_step(), 5);
  EXPECT_EQ(request_received.to_step(), 90);
  EXPECT_EQ(request_received.max_points(), 2);
  EXPECT_TRUE(request_received.epochs_only());
  ASSERT_THAT(table.OutLines(), SizeIs(4));
  EXPECT_THAT(table.OutLines()[0], HasSubstr("VAL GAP"));
  EXPECT_THAT(table.OutLines()[0], HasSubstr("S/STEP  S/EPOCH"));
  EXPECT_THAT(table.OutLines()[1], HasSubstr("-4.10 % vs nearest neighbour  1234"));
  EXPECT_THAT(table.OutLines()[1], HasSubstr("0.104   26.4"));
  EXPECT_THAT(table.OutLines()[3], HasSubstr("2 of 7 points"));
  const auto points = RunJson(server, {"jobs", "history", "abc"}).OutJson();
  EXPECT_EQ(request_received.max_points(), 1000);
  ASSERT_THAT(points, SizeIs(2));
  EXPECT_EQ(points[1]["step"], 20);
  EXPECT_EQ(points[1]["validation_cost"], 6.32);
}

v1::TrainingJob ATrainingJob(const std::string& name, const std::string& rate, double gap) {
  v1::TrainingJob job;
  job.set_name(name);
  job.set_state(v1::JOB_STATE_SUCCEEDED);
  job.set_end_reason(v1::TRAINING_END_REASON_TIME_LIMIT);
  job.mutable_run_time()->set_seconds(80);
  (*job.mutable_settings())["training.learning_rate"] = rate;
  (*job.mutable_settings())["training.epochs"] = "10";
  *job.mutable_progress() = AProgress(40);
  *job.mutable_best() = AProgress(30);
  job.mutable_best()->set_validation_gap(gap);
  return job;
}

FakeHandlers GetJobHandlers() {
  FakeHandlers handlers;
  handlers.get_job = [](const v1::GetTrainingJobRequest& request,
                        const FakeCall&) -> absl::StatusOr<v1::TrainingJob> {
    if (request.name() == "trainingJobs/gone") return absl::NotFoundError("no such job");
    v1::TrainingJob job =
        ATrainingJob(request.name(), request.name() == "trainingJobs/a" ? "0.1" : "0.2",
                     request.name() == "trainingJobs/a" ? 0.05 : 0.0725);
    if (request.name() == "trainingJobs/b") (*job.mutable_settings())["training.patience"] = "3";
    return job;
  };
  return handlers;
}

TEST(JobsCompareCommand, ShowsResultsAndDifferingSettings) {
  const FakeServer server(GetJobHandlers());
  const CommandResult result = RunOn(server, {"jobs", "compare", "a", "b"});
  EXPECT_EQ(result.code, 0) << result.err;
  const auto row = [&result](const std::string& title) {
    for (const std::string& line : result.OutLines()) {
      if (line.starts_with(title)) return line;
    }
    return std::string();
  };
  EXPECT_THAT(row("end reason"), HasSubstr("TIME_LIMIT"));
  EXPECT_THAT(row("best val gap"), HasSubstr("+5.00 % vs nearest neighbour"));
  EXPECT_THAT(row("best val gap"), HasSubstr("+7.25 % vs nearest neighbour"));
  EXPECT_THAT(row("seconds per step"), HasSubstr("0.104"));
  EXPECT_THAT(row("seconds per epoch"), HasSubstr("26.4"));
  EXPECT_THAT(row("run time"), HasSubstr("1m20s"));
  EXPECT_THAT(row("training.learning_rate"), HasSubstr("0.2"));
  EXPECT_THAT(row("training.patience"), HasSubstr("-"));
  EXPECT_THAT(result.out, Not(HasSubstr("training.epochs")));
}

TEST(JobsCompareCommand, PrintsJson) {
  const FakeServer server(GetJobHandlers());
  const auto compared = RunJson(server, {"jobs", "compare", "a", "b"}).OutJson().at(0);
  EXPECT_EQ(compared["jobs"][1]["best_validation_gap"], 0.0725);
  EXPECT_EQ(compared["jobs"][1]["best_validation_reference"], "nearest neighbour");
  EXPECT_EQ(compared["jobs"][1]["seconds_per_epoch"], 26.4);
  EXPECT_EQ(compared["jobs"][0]["run_seconds"], 80);
  EXPECT_EQ(compared["differences"]["training.patience"]["trainingJobs/b"], "3");
  EXPECT_TRUE(compared["differences"]["training.patience"]["trainingJobs/a"].is_null());
  EXPECT_FALSE(compared["differences"].contains("training.epochs"));
}

TEST(JobsCompareCommand, RequiresTwoExistingJobs) {
  const FakeServer server(GetJobHandlers());
  EXPECT_EQ(RunOn(server, {"jobs", "compare", "a"}).code, 2);
  EXPECT_EQ(RunOn(server, {"jobs", "compare", "a", "gone"}).code, 5);
}

TEST(JobsListCommand, FiltersByLabelsAndPrintsThem) {
  FakeHandlers handlers;
  v1::ListTrainingJobsRequest request_received;
  handlers.list_jobs = [&](const v1::ListTrainingJobsRequest& request, const FakeCall&) {
    request_received = request;
    v1::ListTrainingJobsResponse response;
    v1::TrainingJob& job = *response.add_training_jobs();
    job.set_name("trainingJobs/a");
    job.set_state(v1::JOB_STATE_QUEUED);
    job.set_queue_position(2);
    (*job.mutable_spec()->mutable_labels())["team"] = "north";
    return response;
  };
  const FakeServer server(handlers);
  const CommandResult result =
      RunOn(server, {"jobs", "list", "--label", "team=north", "--label", "run=a=b"});
  EXPECT_EQ(request_received.labels().at("team"), "north");
  EXPECT_EQ(request_received.labels().at("run"), "a=b");
  EXPECT_THAT(result.OutLines()[1], HasSubstr("QUEUED 2"));
  EXPECT_THAT(result.OutLines()[1], HasSubstr("team=north"));
  EXPECT_EQ(RunOn(server, {"jobs", "list", "--label", "team"}).code, 2);
  EXPECT_EQ(RunOn(server, {"jobs", "list", "--label", "a=1", "--label", "a=2"}).code, 2);
}

TEST(TrainLimits, AreSentUnchanged) {
  FakeHandlers handlers;
  v1::TrainingSpec spec;
  handlers.create_job = [&](const v1::CreateTrainingJobRequest& request, const FakeCall&) {
    spec = request.spec();
    v1::TrainingJob job;
    job.set_name("trainingJobs/a");
    job.set_state(v1::JOB_STATE_QUEUED);
    job.set_queue_position(4);
    return job;
  };
  const FakeServer server(handlers);
  const std::string config = WriteTestFile("limits.yaml", "name: tiny\n");
  const CommandResult result =
      RunOn(server, {"train", "--config", config, "--detach", "--priority", "-5", "--label", "k=v",
                     "--time-limit", "2h", "--epoch-limit", "7"});
  EXPECT_EQ(result.out, "trainingJobs/a QUEUED, position 4\n") << result.err;
  EXPECT_EQ(spec.priority(), -5);
  EXPECT_EQ(spec.labels().at("k"), "v");
  EXPECT_EQ(spec.time_limit().seconds(), 7200);
  EXPECT_EQ(spec.epoch_limit(), 7);
  const CommandResult wrong = RunOn(server, {"train", "--config", config, "--time-limit", "2"});
  EXPECT_EQ(wrong.code, 2);
  EXPECT_THAT(wrong.err, HasSubstr("--time-limit: \"2\" has no unit"));
}

TEST(JobsWatch, AcceptsACompactedRangeOfEvents) {
  FakeHandlers handlers;
  handlers.watch_job = [](const v1::WatchTrainingJobRequest&,
                          absl::FunctionRef<bool(const v1::WatchTrainingJobResponse&)> write) {
    v1::WatchTrainingJobResponse queued = AStateEvent(1, v1::JOB_STATE_QUEUED);
    queued.set_queue_position(2);
    write(queued);
    v1::WatchTrainingJobResponse heartbeat = AHeartbeat();
    heartbeat.set_queue_position(1);
    write(heartbeat);
    write(heartbeat);
    v1::WatchTrainingJobResponse compacted = ALogEvent(40, "");
    compacted.mutable_compacted()->set_first_sequence(2);
    write(compacted);
    write(AStateEvent(41, v1::JOB_STATE_SUCCEEDED));
    return absl::OkStatus();
  };
  const FakeServer server(handlers);
  const CommandResult plain = RunOn(server, {"jobs", "watch", "a"});
  EXPECT_EQ(plain.code, 0) << plain.err;
  EXPECT_THAT(plain.OutLines(),
              ElementsAre("state QUEUED", "position 2 in the queue", "position 1 in the queue",
                          HasSubstr("events 2 to 40 were thinned out"), "state SUCCEEDED",
                          HasSubstr("SUCCEEDED")));
  const auto events = RunJson(server, {"jobs", "watch", "a"}).OutJson();
  ASSERT_THAT(events, SizeIs(3));
  EXPECT_EQ(events[1]["type"], "compacted");
  EXPECT_EQ(events[1]["first_sequence"], 2);
  EXPECT_EQ(events[0]["queue_position"], 2);
}

}  // namespace
}  // namespace vrp::client
