// Tests the control of training jobs over gRPC.
#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "gmock/gmock.h"
#include "tests/server/daemon_fixture.h"
#include "tests/server/messages.h"

namespace vrp::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class TrainingControlTest : public DaemonTest {
 protected:
  void Restart(std::unique_ptr<FakeTrainer> trainer) {
    Start(std::move(trainer));
    stub_ = v1::TrainingService::NewStub(channel_);
  }
  static v1::CreateTrainingJobRequest ARequest() {
    v1::CreateTrainingJobRequest request;
    request.mutable_spec()->set_config_yaml("name: fake\ntraining: {epochs: 3}\n");
    request.mutable_spec()->set_config_name("tiny.yaml");
    return request;
  }
  v1::TrainingJob Create(const v1::CreateTrainingJobRequest& request = ARequest()) {
    Context context;
    v1::TrainingJob job;
    const grpc::Status status = stub_->CreateTrainingJob(&context, request, &job);
    EXPECT_TRUE(status.ok()) << status.error_message();
    return job;
  }
  grpc::Status TryCreate(const v1::CreateTrainingJobRequest& request) {
    Context context;
    v1::TrainingJob job;
    return stub_->CreateTrainingJob(&context, request, &job);
  }
  v1::TrainingJob Get(const std::string& name) {
    Context context;
    v1::GetTrainingJobRequest request;
    request.set_name(name);
    v1::TrainingJob job;
    EXPECT_TRUE(stub_->GetTrainingJob(&context, request, &job).ok());
    return job;
  }
  // Reads events until `enough` returns true, and returns the last event.
  v1::WatchTrainingJobResponse Await(
      const std::string& name,
      const std::function<bool(const v1::WatchTrainingJobResponse&)>& enough) {
    Context context;
    v1::WatchTrainingJobRequest request;
    request.set_name(name);
    const auto stream = stub_->WatchTrainingJob(&context, request);
    v1::WatchTrainingJobResponse event;
    bool found = false;
    while (!found && stream->Read(&event)) found = enough(event);
    EXPECT_TRUE(found);
    context.TryCancel();
    stream->Finish();
    return event;
  }
  void AwaitState(const std::string& name, v1::JobState state) {
    Await(name, [state](const auto& event) { return event.state().state() == state; });
  }
  // Starts a job that blocks before its fourth step. Returns the job's name.
  std::string StartRunningJob() {
    Restart(std::make_unique<FakeTrainer>(6, 4));
    const std::string name = Create().name();
    Await(name, [](const auto& event) { return event.progress().step() == 3; });
    return name;
  }
  template <typename Request, typename Response>
  grpc::Status Call(grpc::Status (v1::TrainingService::Stub::*method)(grpc::ClientContext*,
                                                                      const Request&, Response*),
                    const std::string& name, Response& response) {
    Context context;
    Request request;
    request.set_name(name);
    return (stub_.get()->*method)(&context, request, &response);
  }

  using Stub = v1::TrainingService::Stub;
  std::unique_ptr<Stub> stub_;
  v1::TrainingJob job_;
};

TEST_F(TrainingControlTest, ResumesAPausedJobAfterARestart) {
  const std::string name = StartRunningJob();
  ASSERT_TRUE(Call(&Stub::PauseTrainingJob, name, job_).ok());
  AwaitState(name, v1::JOB_STATE_PAUSED);
  Restart(std::make_unique<FakeTrainer>(6));
  EXPECT_EQ(Get(name).state(), v1::JOB_STATE_PAUSED);
  ASSERT_TRUE(Call(&Stub::ResumeTrainingJob, name, job_).ok());
  AwaitState(name, v1::JOB_STATE_SUCCEEDED);
  const v1::TrainingJob job = Get(name);
  EXPECT_EQ(job.attempt(), 2);
  EXPECT_EQ(job.end_reason(), v1::TRAINING_END_REASON_ALL_EPOCHS);
  EXPECT_EQ(job.best().step(), 1) << "the first of equal validation costs";
  EXPECT_EQ(job.settings().at("training.epochs"), "3");
  EXPECT_EQ(Call(&Stub::PauseTrainingJob, name, job_).error_code(), grpc::FAILED_PRECONDITION);
  EXPECT_EQ(Call(&Stub::ResumeTrainingJob, name, job_).error_code(), grpc::FAILED_PRECONDITION);
  EXPECT_EQ(Call(&Stub::PauseTrainingJob, "nonsense", job_).error_code(), grpc::INVALID_ARGUMENT);
}

TEST_F(TrainingControlTest, PublishesTheWeightsOfAStoppedJob) {
  const std::string name = StartRunningJob();
  ASSERT_TRUE(Call(&Stub::StopTrainingJob, name, job_).ok());
  EXPECT_EQ(job_.state(), v1::JOB_STATE_STOPPING);
  const auto model = Await(name, [](const auto& event) { return event.has_model(); });
  EXPECT_EQ(model.model().published_weights().step(), 3);
  AwaitState(name, v1::JOB_STATE_SUCCEEDED);
  const v1::TrainingJob job = Get(name);
  EXPECT_EQ(job.end_reason(), v1::TRAINING_END_REASON_STOPPED);
  EXPECT_EQ(job.model(), "models/fake/versions/1");
  EXPECT_EQ(job.published_weights().epoch(), 1);
  EXPECT_EQ(job.published_weights().step(), 3);
  EXPECT_EQ(job.published_weights().reason(), v1::PUBLISH_REASON_BEST_VALIDATION);
  EXPECT_EQ(job.published_weights().validation_cost(), 6);
  EXPECT_TRUE(job.stop_requested());
  EXPECT_TRUE(Call(&Stub::StopTrainingJob, name, job_).ok()) << "a second stop has no effect";
  EXPECT_EQ(Call(&Stub::StopTrainingJob, "trainingJobs/nothing", job_).error_code(),
            grpc::NOT_FOUND);
}

TEST_F(TrainingControlTest, CancelsAStoppedJobThatNeverRan) {
  StartRunningJob();
  const std::string name = Create().name();
  ASSERT_TRUE(Call(&Stub::StopTrainingJob, name, job_).ok());
  EXPECT_EQ(job_.state(), v1::JOB_STATE_CANCELLED);
  EXPECT_FALSE(job_.has_published_weights());
}

TEST_F(TrainingControlTest, RefusesAModelOfAnotherArchitecture) {
  const std::string name = StartRunningJob();
  trainer_->Release();
  AwaitState(name, v1::JOB_STATE_SUCCEEDED);
  v1::CreateTrainingJobRequest request = ARequest();
  request.mutable_spec()->add_overrides("model=GT+RL");
  for (const bool validate_only : {false, true}) {
    request.set_validate_only(validate_only);
    const grpc::Status status = TryCreate(request);
    EXPECT_EQ(status.error_code(), grpc::FAILED_PRECONDITION);
    EXPECT_THAT(status.error_message(),
                HasSubstr("models/fake: got a model of the architecture gt, wanted ptrnet, which "
                          "models/fake/versions/1 has"));
    EXPECT_THAT(status.error_message(), HasSubstr("choose another name, as in `name: fake-gt`"));
  }
  request.mutable_spec()->add_overrides("name=other");
  EXPECT_TRUE(TryCreate(request).ok());
}

TEST_F(TrainingControlTest, ResolvesABareNameToAFinishedVersion) {
  const std::string name = StartRunningJob();
  v1::PublishTrainingJobResponse published;
  ASSERT_TRUE(Call(&Stub::PublishTrainingJob, name, published).ok());
  const auto models = v1::ModelService::NewStub(channel_);
  const auto get = [&](const std::string& wanted, v1::Model& model) {
    Context context;
    v1::GetModelRequest request;
    request.set_name(wanted);
    return models->GetModel(&context, request, &model);
  };
  v1::Model model;
  const grpc::Status refused = get("models/fake", model);
  EXPECT_EQ(refused.error_code(), grpc::FAILED_PRECONDITION);
  EXPECT_THAT(refused.error_message(),
              HasSubstr("use models/fake/aliases/live (vrpctl: fake@live) or models/fake/"));
  ASSERT_TRUE(get("models/fake/aliases/live", model).ok());
  EXPECT_EQ(model.name(), "models/fake/versions/1");
  EXPECT_TRUE(model.live());
  EXPECT_THAT(model.aliases(), ElementsAre("live"));

  Context unloading, aliasing;
  v1::UnloadModelRequest unload;
  unload.set_name("models/fake");
  v1::UnloadModelResponse unloaded;
  ASSERT_TRUE(models->UnloadModel(&unloading, unload, &unloaded).ok());
  EXPECT_THAT(unloaded.unloaded_models(), ElementsAre("models/fake/versions/1"));
  v1::SetModelAliasRequest alias;
  alias.set_name("models/fake/aliases/live");
  alias.set_version(1);
  v1::SetModelAliasResponse set;
  EXPECT_EQ(models->SetModelAlias(&aliasing, alias, &set).error_code(), grpc::INVALID_ARGUMENT);

  trainer_->Release();
  AwaitState(name, v1::JOB_STATE_SUCCEEDED);
  ASSERT_TRUE(get("models/fake", model).ok());
  EXPECT_EQ(model.name(), "models/fake/versions/2");
  EXPECT_FALSE(model.live());
  ASSERT_TRUE(get("models/fake/aliases/live", model).ok());
  EXPECT_EQ(model.name(), "models/fake/versions/2");
}

TEST_F(TrainingControlTest, DeletesOnlyFinishedJobsAndKeepsTheirModels) {
  const std::string name = StartRunningJob();
  v1::DeleteTrainingJobResponse response;
  EXPECT_EQ(Call(&Stub::DeleteTrainingJob, name, response).error_code(), grpc::FAILED_PRECONDITION);
  trainer_->Release();
  AwaitState(name, v1::JOB_STATE_SUCCEEDED);
  const grpc::Status deleted = Call(&Stub::DeleteTrainingJob, name, response);
  ASSERT_TRUE(deleted.ok()) << deleted.error_message();
  EXPECT_EQ(Call(&Stub::GetTrainingJob, name, job_).error_code(), grpc::NOT_FOUND);
  Context context;
  v1::GetModelRequest request;
  request.set_name("models/fake/versions/1");
  v1::Model model;
  EXPECT_TRUE(v1::ModelService::NewStub(channel_)->GetModel(&context, request, &model).ok());
}

TEST_F(TrainingControlTest, ReportsTheQueuePosition) {
  heartbeat_ = absl::Milliseconds(20);
  StartRunningJob();
  v1::CreateTrainingJobRequest request = ARequest();
  const std::string plain = Create(request).name();
  request.mutable_spec()->set_priority(9);
  const v1::TrainingJob urgent = Create(request);
  EXPECT_EQ(urgent.queue_position(), 1);
  EXPECT_EQ(Get(plain).queue_position(), 2);
  EXPECT_EQ(Await(plain, [](const auto& event) { return event.sequence() == 1; }).queue_position(),
            2);
  Context context;
  v1::WatchTrainingJobRequest watch;
  watch.set_name(plain);
  const auto stream = stub_->WatchTrainingJob(&context, watch);
  v1::WatchTrainingJobResponse event;
  while (stream->Read(&event) && event.sequence() != 0) continue;
  EXPECT_EQ(event.queue_position(), 2) << "a heartbeat";
  ASSERT_TRUE(Call(&Stub::CancelTrainingJob, urgent.name(), job_).ok());
  while (stream->Read(&event) && event.queue_position() != 1) continue;
  EXPECT_EQ(event.queue_position(), 1) << "the job has moved up";
  context.TryCancel();
  stream->Finish();
}

TEST_F(TrainingControlTest, SelectsJobsByLabelsAndRefusesInvalidSpecs) {
  StartRunningJob();
  v1::CreateTrainingJobRequest request = ARequest();
  (*request.mutable_spec()->mutable_labels())["team"] = "north";
  const std::string labelled = Create(request).name();
  Context context;
  v1::ListTrainingJobsRequest list;
  (*list.mutable_labels())["team"] = "north";
  v1::ListTrainingJobsResponse listed;
  ASSERT_TRUE(stub_->ListTrainingJobs(&context, list, &listed).ok());
  ASSERT_EQ(listed.training_jobs_size(), 1);
  EXPECT_EQ(listed.training_jobs(0).name(), labelled);
  EXPECT_EQ(listed.training_jobs(0).spec().labels().at("team"), "north");
  (*request.mutable_spec()->mutable_labels())["not good"] = "";
  EXPECT_EQ(FieldOf(TryCreate(request)), "spec.labels");
  request = ARequest();
  request.mutable_spec()->set_priority(-1001);
  EXPECT_EQ(FieldOf(TryCreate(request)), "spec.priority");
  request = ARequest();
  request.mutable_spec()->mutable_time_limit()->set_seconds(-1);
  EXPECT_EQ(FieldOf(TryCreate(request)), "spec.time_limit");
  request = ARequest();
  request.mutable_spec()->set_epoch_limit(-1);
  EXPECT_EQ(FieldOf(TryCreate(request)), "spec.epoch_limit");
}

TEST_F(TrainingControlTest, ReturnsAtMostTheRequestedHistoryPoints) {
  const std::string name = StartRunningJob();
  trainer_->Release();
  AwaitState(name, v1::JOB_STATE_SUCCEEDED);
  const auto history = [&](int64_t from, int32_t points) {
    Context context;
    v1::GetTrainingHistoryRequest request;
    request.set_name(name);
    request.set_from_step(from);
    request.set_max_points(points);
    v1::GetTrainingHistoryResponse response;
    const grpc::Status status = stub_->GetTrainingHistory(&context, request, &response);
    EXPECT_TRUE(status.ok()) << status.error_message();
    return response;
  };
  EXPECT_EQ(history(0, 0).points_size(), 6);
  EXPECT_EQ(history(3, 2).points_size(), 2);
  EXPECT_EQ(history(3, 2).stored_points(), 4);
  EXPECT_EQ(history(3, 2).points(1).progress().step(), 6);
  Context context;
  v1::GetTrainingHistoryRequest request;
  request.set_name(name);
  request.set_max_points(10'001);
  v1::GetTrainingHistoryResponse response;
  EXPECT_EQ(FieldOf(stub_->GetTrainingHistory(&context, request, &response)), "max_points");
}

TEST_F(TrainingControlTest, AnswersEverySolveWhileAJobPublishes) {
  vrpd_.solve_queue = 1000;
  const std::string name = StartRunningJob();
  v1::PublishTrainingJobResponse published;
  ASSERT_TRUE(Call(&Stub::PublishTrainingJob, name, published).ok());
  EXPECT_EQ(published.model(), "models/fake/versions/1");
  std::atomic<bool> done{false};
  std::atomic<int> solved{0}, failed{0};
  const auto solve = [&] {
    const auto solver = v1::SolverService::NewStub(channel_);
    while (!done) {
      Context context;
      v1::SolveRequest request;
      *request.mutable_instance() = ACvrpMessage();
      request.set_model("models/fake/aliases/live");
      request.set_strategy(v1::STRATEGY_GREEDY);
      v1::SolveResponse response;
      ++(solver->Solve(&context, request, &response).ok() ? solved : failed);
    }
  };
  std::thread first(solve), second(solve);
  for (int version = 2; version <= 8; ++version) {
    const int before = solved;
    const grpc::Status status = Call(&Stub::PublishTrainingJob, name, published);
    ASSERT_TRUE(status.ok()) << status.error_message();
    EXPECT_EQ(published.model(), "models/fake/versions/" + std::to_string(version));
    while (solved <= before && failed == 0) std::this_thread::yield();
  }
  done = true;
  first.join();
  second.join();
  EXPECT_EQ(failed, 0) << "of " << solved + failed << " requests";
  EXPECT_GE(solved, 7);
  EXPECT_EQ(Get(name).model(), "models/fake/versions/8");
  EXPECT_EQ(Get(name).state(), v1::JOB_STATE_RUNNING);
  trainer_->Release();
  AwaitState(name, v1::JOB_STATE_SUCCEEDED);
  EXPECT_EQ(Call(&Stub::PublishTrainingJob, name, published).error_code(),
            grpc::FAILED_PRECONDITION);
}

TEST_F(TrainingControlTest, StopsTheDaemonDuringPublications) {
  Restart(std::make_unique<FakeTrainer>(6, 4));
  const std::string name = Create().name();
  Await(name, [](const auto& event) { return event.progress().step() == 3; });
  std::thread publisher([&] {
    for (int i = 0; i < 50; ++i) {
      v1::PublishTrainingJobResponse published;
      if (!Call(&Stub::PublishTrainingJob, name, published).ok()) return;
    }
  });
  Stop();
  publisher.join();
}

}  // namespace
}  // namespace vrp::test
