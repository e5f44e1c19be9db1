// Tests SweepService of a running daemon.
#include <memory>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "tests/server/daemon_fixture.h"
#include "vrp/v1/sweep_service.grpc.pb.h"

namespace vrp::test {
namespace {

using testing::HasSubstr;

class SweepServiceTest : public DaemonTest {
 protected:
  void SetUp() override { Restart(std::make_unique<FakeTrainer>()); }
  void Restart(std::unique_ptr<FakeTrainer> trainer) {
    Start(std::move(trainer));
    sweeps_ = v1::SweepService::NewStub(channel_);
    training_ = v1::TrainingService::NewStub(channel_);
  }

  static v1::CreateSweepRequest ASweepRequest() {
    v1::CreateSweepRequest request;
    request.mutable_spec()->set_sweep_yaml(
        "method: grid\nname: best\nkeys:\n  training.seed: [1, 2]\n  training.batch_size: [8, 16]");
    request.mutable_spec()->set_sweep_name("s.yaml");
    request.mutable_spec()->mutable_base()->set_config_yaml("name: fake\n");
    (*request.mutable_spec()->mutable_base()->mutable_labels())["team"] = "north";
    return request;
  }
  grpc::Status Create(const v1::CreateSweepRequest& request) {
    Context context;
    sweep_.Clear();
    return sweeps_->CreateSweep(&context, request, &sweep_);
  }
  grpc::Status Get(const std::string& name) {
    Context context;
    v1::GetSweepRequest request;
    request.set_name(name);
    sweep_.Clear();
    return sweeps_->GetSweep(&context, request, &sweep_);
  }
  template <typename Request>
  grpc::Status Change(const std::string& name,
                      grpc::Status (v1::SweepService::Stub::*method)(grpc::ClientContext*,
                                                                     const Request&, v1::Sweep*)) {
    Context context;
    Request request;
    request.set_name(name);
    return ((*sweeps_).*method)(&context, request, &sweep_);
  }
  // Returns the events from number `from` to the end of the sweep.
  std::vector<v1::WatchSweepResponse> Watch(const std::string& name, int64_t from = 1) {
    Context context;
    v1::WatchSweepRequest request;
    request.set_name(name);
    request.set_from_sequence(from);
    const auto stream = sweeps_->WatchSweep(&context, request);
    std::vector<v1::WatchSweepResponse> events;
    v1::WatchSweepResponse event;
    while (stream->Read(&event)) {
      if (event.sequence() > 0) events.push_back(event);
    }
    EXPECT_TRUE(stream->Finish().ok());
    return events;
  }

  std::unique_ptr<v1::SweepService::Stub> sweeps_;
  std::unique_ptr<v1::TrainingService::Stub> training_;
  v1::Sweep sweep_;
};

TEST_F(SweepServiceTest, ComparesTrialsAndPublishesTheBest) {
  ASSERT_TRUE(Create(ASweepRequest()).ok());
  const std::string name = sweep_.name();
  EXPECT_THAT(name, HasSubstr("sweeps/"));
  EXPECT_EQ(sweep_.trial_count(), 4);
  EXPECT_EQ(sweep_.spec().sweep_name(), "s.yaml");
  const std::vector<v1::WatchSweepResponse> events = Watch(name);
  int trials = 0;
  for (const v1::WatchSweepResponse& event : events) {
    if (!event.has_trial()) continue;
    ++trials;
    EXPECT_EQ(event.trial().settings().size(), 2u);
    EXPECT_EQ(event.trial().validation_cost(), 6);
  }
  EXPECT_EQ(trials, 4);
  ASSERT_GE(events.size(), 2u);
  EXPECT_EQ(events[events.size() - 2].result().model(), "models/best/versions/1");
  EXPECT_EQ(events[events.size() - 2].result().best_trial(), 1);
  ASSERT_TRUE(Get(name).ok());
  EXPECT_EQ(sweep_.state(), v1::JOB_STATE_SUCCEEDED) << sweep_.error().message();
  EXPECT_EQ(sweep_.model(), "models/best/versions/1");
  EXPECT_EQ(sweep_.finished_count(), 4);
  ASSERT_EQ(sweep_.trials_size(), 4);
  EXPECT_TRUE(sweep_.trials(0).best()) << "of equal trials, the first is the best";
  EXPECT_EQ(sweep_.trials(3).settings().at("training.batch_size"), "16");
  Context context;
  v1::GetTrainingJobRequest request;
  request.set_name(sweep_.trials(3).job());
  v1::TrainingJob job;
  ASSERT_TRUE(training_->GetTrainingJob(&context, request, &job).ok());
  EXPECT_EQ(job.sweep(), name);
  EXPECT_EQ(job.trial(), 4);
  EXPECT_EQ(job.spec().labels().at("team"), "north");
  EXPECT_EQ(job.spec().labels().at("sweep"), "best");
}

TEST_F(SweepServiceTest, ListsWithoutTrialsAndDeletes) {
  ASSERT_TRUE(Create(ASweepRequest()).ok());
  const std::string name = sweep_.name();
  Watch(name);
  Context context;
  v1::ListSweepsResponse page;
  ASSERT_TRUE(sweeps_->ListSweeps(&context, {}, &page).ok());
  ASSERT_EQ(page.sweeps_size(), 1);
  EXPECT_EQ(page.sweeps(0).model_name(), "best");
  EXPECT_FALSE(page.sweeps(0).has_spec());
  EXPECT_EQ(page.sweeps(0).trials_size(), 0);
  Context deletion;
  v1::DeleteSweepRequest request;
  request.set_name(name);
  v1::DeleteSweepResponse response;
  ASSERT_TRUE(sweeps_->DeleteSweep(&deletion, request, &response).ok());
  EXPECT_EQ(Get(name).error_code(), grpc::StatusCode::NOT_FOUND);
}

TEST_F(SweepServiceTest, NamesEachWrongField) {
  v1::CreateSweepRequest request = ASweepRequest();
  request.mutable_spec()->set_sweep_yaml(
      "method: grid\nkeys:\n  training.sed: [1]\n"
      "  training.batch_size: [many]");
  const grpc::Status status = Create(request);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  const google::rpc::BadRequest details = BadRequestOf(status);
  ASSERT_EQ(details.field_violations_size(), 2) << status.error_message();
  EXPECT_EQ(details.field_violations(0).field(), "spec.sweep_yaml");
  EXPECT_THAT(details.field_violations(0).description(),
              HasSubstr("s.yaml:3: keys.training.sed: unknown key"));
  EXPECT_THAT(details.field_violations(1).description(),
              HasSubstr("s.yaml:4: keys.training.batch_size.values[0]: got \"many\""));
  EXPECT_EQ(FieldOf(Create({})), "spec.sweep_yaml");
  request = ASweepRequest();
  request.mutable_spec()->mutable_base()->set_priority(5000);
  EXPECT_EQ(FieldOf(Create(request)), "spec.base.priority");
  request = ASweepRequest();
  request.mutable_spec()->set_sweep_name(std::string(300, 'x'));
  EXPECT_EQ(FieldOf(Create(request)), "spec.sweep_name");
  request = ASweepRequest();
  request.set_request_id("a\nb");
  EXPECT_EQ(FieldOf(Create(request)), "request_id");
  EXPECT_EQ(Get("trainingJobs/abc").error_code(), grpc::StatusCode::INVALID_ARGUMENT);
}

TEST_F(SweepServiceTest, RefusesFilesOutsideTheAllowedFolders) {
  vrpd_.data_dirs = {folder_.path() + "/data"};
  Restart(std::make_unique<FakeTrainer>());
  v1::CreateSweepRequest request = ASweepRequest();
  request.mutable_spec()->mutable_base()->add_overrides("validation.file=/etc/passwd");
  const grpc::Status status = Create(request);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_THAT(status.error_message(), HasSubstr("validation.file: got \"/etc/passwd\""));
}

TEST_F(SweepServiceTest, ValidatesWithoutStarting) {
  v1::CreateSweepRequest request = ASweepRequest();
  request.set_validate_only(true);
  ASSERT_TRUE(Create(request).ok());
  EXPECT_EQ(sweep_.name(), "");
  EXPECT_EQ(sweep_.trials_size(), 4);
  EXPECT_EQ(sweep_.trials(1).settings().at("training.batch_size"), "16");
}

TEST_F(SweepServiceTest, TheSameRequestIdCreatesOneSweep) {
  v1::CreateSweepRequest request = ASweepRequest();
  request.set_request_id("once");
  ASSERT_TRUE(Create(request).ok());
  const std::string name = sweep_.name();
  ASSERT_TRUE(Create(request).ok());
  EXPECT_EQ(sweep_.name(), name);
  request.mutable_spec()->mutable_base()->add_overrides("training.epochs=7");
  EXPECT_EQ(Create(request).error_code(), grpc::StatusCode::ALREADY_EXISTS);
  Watch(name);
}

TEST_F(SweepServiceTest, StopsPausesAndResumesAcrossARestart) {
  Restart(std::make_unique<FakeTrainer>(5, 3));
  ASSERT_TRUE(Create(ASweepRequest()).ok());
  const std::string name = sweep_.name();
  do {
    ASSERT_TRUE(Get(name).ok());
  } while (!sweep_.trials(0).has_validation_cost());
  ASSERT_TRUE(Change(name, &v1::SweepService::Stub::PauseSweep).ok());
  do {
    ASSERT_TRUE(Get(name).ok());
  } while (sweep_.state() != v1::JOB_STATE_PAUSED);
  EXPECT_EQ(sweep_.trials(0).state(), v1::JOB_STATE_PAUSED);
  Restart(std::make_unique<FakeTrainer>());
  ASSERT_TRUE(Get(name).ok());
  EXPECT_EQ(sweep_.state(), v1::JOB_STATE_PAUSED);
  ASSERT_TRUE(Change(name, &v1::SweepService::Stub::ResumeSweep).ok());
  Watch(name);
  ASSERT_TRUE(Get(name).ok());
  EXPECT_EQ(sweep_.state(), v1::JOB_STATE_SUCCEEDED) << sweep_.error().message();
  EXPECT_EQ(sweep_.attempt(), 2);
  // An ended sweep stays as it is.
  ASSERT_TRUE(Change(name, &v1::SweepService::Stub::StopSweep).ok());
  EXPECT_EQ(Change(name, &v1::SweepService::Stub::PauseSweep).error_code(),
            grpc::StatusCode::FAILED_PRECONDITION);
}

}  // namespace
}  // namespace vrp::test
