#include <functional>
#include <string>
#include <vector>

#include "core/jobs/job_store.h"
#include "gmock/gmock.h"
#include "tests/server/daemon_fixture.h"

namespace vrp::test {
namespace {

// The configuration of jobs if configs/ptrnet_tiny.yaml cannot be read.
constexpr char kConfig[] = R"(name: fake
model: ptrnet
)";

class TrainingServiceTest : public DaemonTest {
 protected:
  void Restart(std::unique_ptr<FakeTrainer> trainer) {
    Start(std::move(trainer));
    stub_ = v1::TrainingService::NewStub(channel_);
  }

  static v1::CreateTrainingJobRequest ARequest(const std::string& request_id = "") {
    v1::CreateTrainingJobRequest request;
    request.mutable_spec()->set_config_yaml(ReadFile("configs/ptrnet_tiny.yaml").value_or(kConfig));
    request.mutable_spec()->set_config_name("tiny.yaml");
    request.set_request_id(request_id);
    return request;
  }
  grpc::Status Create(const v1::CreateTrainingJobRequest& request) {
    Context context;
    job_.Clear();
    return stub_->CreateTrainingJob(&context, request, &job_);
  }
  grpc::Status Cancel(const std::string& name) {
    Context context;
    v1::CancelTrainingJobRequest request;
    request.set_name(name);
    return stub_->CancelTrainingJob(&context, request, &job_);
  }
  struct WatchResult {
    std::vector<v1::WatchTrainingJobResponse> events;  // events without heartbeats
    grpc::Status status;
  };
  // Reads to the end of the stream, or cancels the call once `enough` returns true.
  WatchResult Watch(
      const std::string& name, int64_t from,
      const std::function<bool(const v1::WatchTrainingJobResponse&)>& enough = nullptr) {
    Context context;
    v1::WatchTrainingJobRequest request;
    request.set_name(name);
    request.set_from_sequence(from);
    const auto stream = stub_->WatchTrainingJob(&context, request);
    WatchResult result;
    v1::WatchTrainingJobResponse event;
    while (stream->Read(&event)) {
      if (event.sequence() > 0) result.events.push_back(event);
      if (enough != nullptr && enough(event)) {
        context.TryCancel();
        context.TryCancel();
        break;
      }
    }
    while (stream->Read(&event)) {
    }
    result.status = stream->Finish();
    return result;
  }
  static bool IsStep(const v1::WatchTrainingJobResponse& event, int64_t step) {
    return event.has_progress() && event.progress().step() == step;
  }
  static void ExpectGapFree(const std::vector<v1::WatchTrainingJobResponse>& events,
                            int64_t from = 1) {
    for (size_t i = 0; i < events.size(); ++i)
      EXPECT_EQ(events[i].sequence(), from + static_cast<int64_t>(i));
  }

  std::unique_ptr<v1::TrainingService::Stub> stub_;
  v1::TrainingJob job_;
};

TEST_F(TrainingServiceTest, TrainsAndStreamsEveryEventOnce) {
  Restart(std::make_unique<FakeTrainer>(5));
  const grpc::Status created = Create(ARequest());
  ASSERT_TRUE(created.ok()) << created.error_message();
  EXPECT_THAT(job_.name(), testing::StartsWith("trainingJobs/"));
  const WatchResult all = Watch(job_.name(), 0);
  ASSERT_TRUE(all.status.ok()) << all.status.error_message();
  ExpectGapFree(all.events);
  ASSERT_FALSE(all.events.empty());
  EXPECT_EQ(all.events.back().state().state(), v1::JOB_STATE_SUCCEEDED)
      << all.events.back().DebugString();

  const WatchResult rest = Watch(job_.name(), 3);
  ExpectGapFree(rest.events, 3);
  EXPECT_EQ(rest.events.size() + 2, all.events.size());
  const int64_t next = static_cast<int64_t>(all.events.size()) + 1;
  EXPECT_EQ(Watch(job_.name(), next + 1).status.error_code(), grpc::OUT_OF_RANGE);
  EXPECT_EQ(Watch(job_.name(), -1).status.error_code(), grpc::INVALID_ARGUMENT);
  EXPECT_EQ(Watch("trainingJobs/nothing", 1).status.error_code(), grpc::NOT_FOUND);

  Context context;
  v1::GetTrainingJobRequest get;
  get.set_name(job_.name());
  ASSERT_TRUE(stub_->GetTrainingJob(&context, get, &job_).ok());
  EXPECT_EQ(job_.state(), v1::JOB_STATE_SUCCEEDED);
  EXPECT_THAT(job_.model(), testing::StartsWith("models/"));
  EXPECT_EQ(Cancel(job_.name()).error_code(), grpc::FAILED_PRECONDITION);
}

TEST_F(TrainingServiceTest, StreamsEachEventNumberOfACompactedLogOnce) {
  Restart(std::make_unique<FakeTrainer>(5, 3));
  ASSERT_TRUE(Create(ARequest()).ok());
  const std::string name = job_.name();
  Watch(name, 1, [](const auto& event) { return IsStep(event, 2); });
  Stop();
  {  // adds thousands of progress events, so that the daemon compacts some
    const auto store = *JobStore::Open(folder_.File("state/jobs.db"), &clock_);
    const auto steps = [](JobChange& change) {
      for (int64_t step = 3; step <= 5500; ++step)
        change.RecordProgress({.epoch = 1, .step = step});
      return absl::OkStatus();
    };
    ASSERT_TRUE(store->Update(name.substr(name.find('/') + 1), Durability::kNormal, steps).ok());
  }
  Restart(std::make_unique<FakeTrainer>(5));
  const WatchResult all = Watch(name, 1);
  ASSERT_TRUE(all.status.ok()) << all.status.error_message();
  int64_t next = 1, compacted = 0, last_compacted = 0;
  for (const v1::WatchTrainingJobResponse& event : all.events) {
    const int64_t first =
        event.has_compacted() ? event.compacted().first_sequence() : event.sequence();
    EXPECT_EQ(first, next);
    EXPECT_LE(first, event.sequence());
    if (event.has_compacted()) last_compacted = event.sequence();
    compacted += event.has_compacted() ? event.sequence() - first + 1 : 0;
    next = event.sequence() + 1;
  }
  EXPECT_EQ(all.events.back().state().state(), v1::JOB_STATE_SUCCEEDED);
  EXPECT_GT(next, 5500);
  EXPECT_GT(compacted, 1000);
  const WatchResult rest = Watch(name, last_compacted);
  EXPECT_EQ(rest.events.front().compacted().first_sequence(), last_compacted);
  EXPECT_EQ(rest.events.front().sequence(), last_compacted);
}

TEST_F(TrainingServiceTest, ContinuesStreamsWithoutAGapAfterARestart) {
  Restart(std::make_unique<FakeTrainer>(6, 4));
  ASSERT_TRUE(Create(ARequest()).ok());
  const WatchResult before =
      Watch(job_.name(), 1, [](const auto& event) { return IsStep(event, 3); });
  EXPECT_EQ(before.status.error_code(), grpc::CANCELLED);
  Restart(std::make_unique<FakeTrainer>(6));
  const WatchResult after = Watch(job_.name(), static_cast<int64_t>(before.events.size()) + 1);
  ASSERT_TRUE(after.status.ok()) << after.status.error_message();
  ExpectGapFree(after.events, static_cast<int64_t>(before.events.size()) + 1);
  const auto resumed = std::find_if(after.events.begin(), after.events.end(),
                                    [](const auto& event) { return event.has_resumed(); });
  ASSERT_NE(resumed, after.events.end());
  EXPECT_EQ(resumed->resumed().resumed_from_step(), 3);
  EXPECT_EQ(resumed->attempt(), 2);
  EXPECT_EQ(after.events.back().state().state(), v1::JOB_STATE_SUCCEEDED);
}

TEST_F(TrainingServiceTest, EndsStreamsWithUnavailableWhenTheDaemonStops) {
  Restart(std::make_unique<FakeTrainer>(6, 4));
  ASSERT_TRUE(Create(ARequest()).ok());
  Context context;
  v1::WatchTrainingJobRequest request;
  request.set_name(job_.name());
  const auto stream = stub_->WatchTrainingJob(&context, request);
  v1::WatchTrainingJobResponse event;
  while (stream->Read(&event) && !IsStep(event, 3)) {
  }
  Stop();
  while (stream->Read(&event)) {
  }
  EXPECT_EQ(stream->Finish().error_code(), grpc::UNAVAILABLE);
}

TEST_F(TrainingServiceTest, IsNotDelayedByASlowReader) {
  auto trainer = std::make_unique<FakeTrainer>(60);
  trainer->set_step_log(std::string(4000, 'x'));  // more events than the slow stream's window takes
  Restart(std::move(trainer));
  ASSERT_TRUE(Create(ARequest()).ok());
  const std::string name = job_.name();
  Context slow_context;
  v1::WatchTrainingJobRequest request;
  request.set_name(name);
  // The test reads this stream only after the daemon has stopped.
  const auto slow = stub_->WatchTrainingJob(&slow_context, request);
  const WatchResult all = Watch(name, 1);
  ASSERT_TRUE(all.status.ok());
  EXPECT_EQ(all.events.back().state().state(), v1::JOB_STATE_SUCCEEDED);
  Stop();
  v1::WatchTrainingJobResponse event;
  while (slow->Read(&event)) {
  }
  EXPECT_FALSE(slow->Finish().ok());
}

TEST_F(TrainingServiceTest, SendsHeartbeatsOnAnIdleStream) {
  heartbeat_ = absl::Milliseconds(5);
  Restart(std::make_unique<FakeTrainer>(6, 4));
  ASSERT_TRUE(Create(ARequest()).ok());
  int heartbeats = 0;
  Watch(job_.name(), 1, [&](const auto& event) {
    heartbeats += event.sequence() == 0 ? 1 : 0;
    EXPECT_TRUE(event.has_time());
    return heartbeats == 3;
  });
  EXPECT_EQ(heartbeats, 3);
}

TEST_F(TrainingServiceTest, CancelsIdempotently) {
  Restart(std::make_unique<FakeTrainer>(6, 4));
  ASSERT_TRUE(Create(ARequest()).ok());
  const std::string name = job_.name();
  Watch(name, 1, [](const auto& event) { return IsStep(event, 3); });
  ASSERT_TRUE(Cancel(name).ok());
  ASSERT_TRUE(Cancel(name).ok());
  const WatchResult all = Watch(name, 1);
  ASSERT_TRUE(all.status.ok());
  EXPECT_EQ(all.events.back().state().state(), v1::JOB_STATE_CANCELLED);
  EXPECT_TRUE(Cancel(name).ok());
  EXPECT_EQ(Cancel("trainingJobs/nothing").error_code(), grpc::NOT_FOUND);
}

TEST_F(TrainingServiceTest, CreatesOnceForARequestId) {
  Restart(std::make_unique<FakeTrainer>(6, 4));
  ASSERT_TRUE(Create(ARequest("again")).ok());
  const std::string name = job_.name();
  ASSERT_TRUE(Create(ARequest("again")).ok());
  EXPECT_EQ(job_.name(), name);
  v1::CreateTrainingJobRequest other = ARequest("again");
  other.mutable_spec()->set_config_name("other.yaml");
  EXPECT_EQ(Create(other).error_code(), grpc::ALREADY_EXISTS);
  const grpc::Status too_long = Create(ARequest(std::string(65, 'x')));
  EXPECT_EQ(BadRequestOf(too_long).field_violations(0).field(), "request_id");
}

TEST_F(TrainingServiceTest, ValidatesWithoutCreating) {
  Restart(std::make_unique<FakeTrainer>());
  v1::CreateTrainingJobRequest request = ARequest();
  request.set_validate_only(true);
  ASSERT_TRUE(Create(request).ok());
  EXPECT_EQ(job_.name(), "");
  for (const bool validate_only : {true, false}) {
    request.mutable_spec()->set_config_yaml("bogus: 1\n");
    request.set_validate_only(validate_only);
    const grpc::Status status = Create(request);
    EXPECT_EQ(status.error_code(), grpc::INVALID_ARGUMENT);
    ASSERT_GE(BadRequestOf(status).field_violations_size(), 1);
    EXPECT_EQ(BadRequestOf(status).field_violations(0).field(), "spec.config_yaml");
    EXPECT_THAT(BadRequestOf(status).field_violations(0).description(),
                testing::HasSubstr("tiny.yaml:1"));
  }
  request.clear_spec();
  EXPECT_EQ(Create(request).error_code(), grpc::INVALID_ARGUMENT);
  Context context;
  v1::ListTrainingJobsResponse response;
  ASSERT_TRUE(stub_->ListTrainingJobs(&context, {}, &response).ok());
  EXPECT_EQ(response.training_jobs_size(), 0);
}

TEST_F(TrainingServiceTest, ReturnsTheResolvedConfigurationWithoutCreating) {
  Restart(std::make_unique<FakeTrainer>());
  v1::CreateTrainingJobRequest request = ARequest();
  request.set_validate_only(true);
  request.mutable_spec()->set_device("cpu");
  request.mutable_spec()->add_overrides("training.epochs=3");
  ASSERT_TRUE(Create(request).ok());
  EXPECT_EQ(job_.resolved_device(), "cpu");
  EXPECT_EQ(job_.resolved_settings().at("training.epochs"), "3");
  EXPECT_EQ(job_.resolved_settings().at("loader.workers"), "1") << "the default";
  const std::string yaml = job_.resolved_config_yaml();
  EXPECT_THAT(yaml, testing::HasSubstr("\n  epochs: 3\n"));
  request.mutable_spec()->clear_overrides();
  request.mutable_spec()->set_config_yaml(yaml);
  ASSERT_TRUE(Create(request).ok());
  EXPECT_EQ(job_.resolved_config_yaml(), yaml);
}

TEST_F(TrainingServiceTest, ReportsAllErrorsOfAStartBeforeCreating) {
  auto trainer = std::make_unique<FakeTrainer>();
  trainer->set_inputs(absl::InvalidArgumentError(
      "problem.instances: open /a: No such file\nvalidation.file: open /b: No such file"));
  Restart(std::move(trainer));
  v1::CreateTrainingJobRequest request = ARequest();
  request.mutable_spec()->set_device("cuda:63");
  for (const bool validate_only : {true, false}) {
    request.set_validate_only(validate_only);
    const grpc::Status status = Create(request);
    EXPECT_EQ(status.error_code(), grpc::INVALID_ARGUMENT);
    const auto violations = BadRequestOf(status).field_violations();
    ASSERT_EQ(violations.size(), 3);
    EXPECT_EQ(violations[0].field(), "spec.device");
    EXPECT_THAT(violations[0].description(), testing::StartsWith("cuda:63 does not exist"));
    EXPECT_EQ(violations[1].field(), "spec.config_yaml");
    EXPECT_EQ(violations[1].description(), "problem.instances: open /a: No such file");
    EXPECT_EQ(violations[2].description(), "validation.file: open /b: No such file");
  }
  request.set_validate_only(true);
  request.set_config_only(true);
  ASSERT_TRUE(Create(request).ok()) << "config_only checks neither files nor devices";
  EXPECT_THAT(job_.resolved_config_yaml(), testing::HasSubstr("name: "));
  EXPECT_EQ(job_.resolved_device(), "");
  request.set_validate_only(false);
  EXPECT_EQ(BadRequestOf(Create(request)).field_violations(0).field(), "config_only");
}

TEST_F(TrainingServiceTest, ListsInPagesNewestFirst) {
  Restart(std::make_unique<FakeTrainer>(1));
  std::vector<std::string> created;
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(Create(ARequest()).ok());
    created.insert(created.begin(), job_.name());
  }
  v1::ListTrainingJobsRequest request;
  request.set_page_size(2);
  std::vector<std::string> listed;
  do {
    Context context;
    v1::ListTrainingJobsResponse response;
    ASSERT_TRUE(stub_->ListTrainingJobs(&context, request, &response).ok());
    for (const auto& job : response.training_jobs()) listed.push_back(job.name());
    request.set_page_token(response.next_page_token());
  } while (!request.page_token().empty());
  EXPECT_EQ(listed, created);
  for (const int size : {-1, 1001}) {
    Context context;
    v1::ListTrainingJobsResponse response;
    request.set_page_size(size);
    const grpc::Status status = stub_->ListTrainingJobs(&context, request, &response);
    EXPECT_EQ(BadRequestOf(status).field_violations(0).field(), "page_size");
  }
  Context context;
  v1::ListTrainingJobsResponse response;
  request.set_page_size(1);
  request.set_page_token("made up");
  EXPECT_EQ(stub_->ListTrainingJobs(&context, request, &response).error_code(),
            grpc::INVALID_ARGUMENT);
}

}  // namespace
}  // namespace vrp::test
