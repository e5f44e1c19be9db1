#include <atomic>
#include <set>

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
using testing::SizeIs;

class TrainCommand : public testing::Test {
 protected:
  FakeHandlers Handlers() {
    FakeHandlers handlers;
    handlers.create_job = [this](const v1::CreateTrainingJobRequest& request,
                                 const FakeCall&) -> absl::StatusOr<v1::TrainingJob> {
      requests_.push_back(request);
      if (failures_left_-- > 0) return failure_;
      v1::TrainingJob job;
      if (request.validate_only()) {
        job.set_resolved_config_yaml(resolves_ ? "name: tiny\ntraining:\n  epochs: 3\n" : "");
        (*job.mutable_resolved_settings())["training.epochs"] = "3";
        if (!request.config_only()) job.set_resolved_device("cpu");
      } else {
        job.set_name("trainingJobs/j1");
      }
      job.set_state(v1::JOB_STATE_QUEUED);
      job.set_request_id(request.request_id());
      *job.mutable_spec() = request.spec();
      return job;
    };
    handlers.watch_job = [this](const v1::WatchTrainingJobRequest& request, WriteEvent write) {
      watched_ = request.name();
      return watch_(write);
    };
    handlers.get_model = [this](const v1::GetModelRequest& request, const FakeCall&) {
      v1::Model model;
      model.set_name(request.name());
      model.set_architecture(architecture_);
      return absl::StatusOr<v1::Model>(model);
    };
    return handlers;
  }

  CommandResult Train(std::vector<std::string> arguments, const RunSettings& settings = {}) {
    arguments.insert(arguments.begin(), {"--config", config_});
    return RunTrain(arguments, settings);
  }
  CommandResult RunTrain(std::vector<std::string> arguments, const RunSettings& settings = {}) {
    arguments.insert(arguments.begin(), {"train", "--remote", server_.address()});
    return RunCommand(arguments, settings);
  }

  std::vector<v1::CreateTrainingJobRequest> requests_;
  int failures_left_ = 0;
  bool resolves_ = true;
  absl::Status failure_ = absl::UnavailableError("lost");
  std::string watched_;
  std::string architecture_ = "gt";
  std::function<absl::Status(WriteEvent)> watch_ = [](WriteEvent write) {
    write(AStateEvent(1, v1::JOB_STATE_RUNNING));
    write(AProgressEvent(2, 50));
    v1::WatchTrainingJobResponse model = ALogEvent(3, "");
    model.mutable_model()->set_model("models/tiny/versions/1");
    v1::PublishedWeights& published = *model.mutable_model()->mutable_published_weights();
    published.set_epoch(1);
    published.set_step(10);
    published.set_reason(v1::PUBLISH_REASON_BEST_VALIDATION);
    published.set_validation_cost(6.25);
    write(model);
    write(AStateEvent(4, v1::JOB_STATE_SUCCEEDED));
    return absl::OkStatus();
  };
  FakeServer server_{Handlers()};
  const std::string config_ = WriteTestFile("tiny.yaml", "name: tiny\n");
};

TEST_F(TrainCommand, SendsTheConfigurationWithItsOverridesInOrder) {
  const CommandResult result = Train({"--detach", "--set", "training.epochs=2", "--model", "GT+RL",
                                      "--device", "cuda:0", "--set", "a=[1,2]"});
  EXPECT_EQ(result.code, 0) << result.err;
  ASSERT_THAT(requests_, SizeIs(1));
  const v1::TrainingSpec& spec = requests_[0].spec();
  EXPECT_EQ(spec.config_yaml(), "name: tiny\n");
  EXPECT_EQ(spec.config_name(), "tiny.yaml");
  EXPECT_EQ(spec.device(), "cuda:0");
  EXPECT_THAT(spec.overrides(), ElementsAre("model=GT+RL", "training.epochs=2", "a=[1,2]"));
}

TEST_F(TrainCommand, PrintsTheJobWhenDetached) {
  const CommandResult result = Train({"--detach", "--output", "json"});
  ASSERT_THAT(result.OutJson(), SizeIs(1));
  EXPECT_EQ(result.OutJson()[0]["name"], "trainingJobs/j1");
  EXPECT_EQ(result.OutJson()[0]["state"], "QUEUED");
  EXPECT_EQ(Train({"--detach"}).out, "trainingJobs/j1 QUEUED\n");
  EXPECT_EQ(watched_, "");
}

TEST_F(TrainCommand, FollowsTheJobToItsEnd) {
  const CommandResult result = Train({});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(watched_, "trainingJobs/j1");
  EXPECT_EQ(result.out,
            "trainingJobs/j1 QUEUED\n"
            "state RUNNING\n"
            "epoch 2/10  step 50/100  loss 1.25  cost 6.91  val 6.32 (-4.10 % vs nearest "
            "neighbour)  1234 instances/s  0.104 s/step  26.4 s/epoch\n"
            "model models/tiny/versions/1\n"
            "state SUCCEEDED\n"
            "trainingJobs/j1 SUCCEEDED\n"
            "published: weights of epoch 1 (step 10): the best validation, val cost 6.25\n"
            "solve with it: vrpctl solve FILE --strategy seeded --model models/tiny/versions/1\n");
}

TEST_F(TrainCommand, SaysHowToDispatchWithADispatchModel) {
  architecture_ = "dispatch";
  EXPECT_THAT(Train({}).out,
              HasSubstr("\ndispatch with it: vrpctl dispatch simulate FILE --policy model --model "
                        "models/tiny/versions/1\n"));
}

TEST_F(TrainCommand, SaysHowToSolveWithAHabitModel) {
  architecture_ = "habits";
  EXPECT_THAT(Train({}).out, HasSubstr("\nsolve as your drivers drive: vrpctl solve FILE --model "
                                       "models/tiny/versions/1 --habit-weight 0.3\n"));
}

TEST_F(TrainCommand, PrintsOnlyEventsAsJson) {
  const auto objects = Train({"--output", "json"}).OutJson();
  ASSERT_THAT(objects, SizeIs(4));
  EXPECT_EQ(objects[0]["type"], "state");
  EXPECT_EQ(objects[3]["state"], "SUCCEEDED");
  EXPECT_EQ(objects[2]["published"].dump(),
            R"({"epoch":1,"step":10,"reason":"BEST_VALIDATION","validation_cost":6.25})");
}

TEST_F(TrainCommand, DrawsAProgressBarOnATerminal) {
  const CommandResult result = Train({}, {.terminal_width = 120});
  EXPECT_THAT(result.out, HasSubstr("\r\x1b[K[=="));
  EXPECT_THAT(result.out, HasSubstr("50%"));
}

TEST_F(TrainCommand, RetriesALostCallWithTheSameRequestId) {
  failures_left_ = 1;
  const CommandResult result = Train({"--detach"});
  EXPECT_EQ(result.code, 0) << result.err;
  ASSERT_THAT(requests_, SizeIs(2));
  EXPECT_EQ(requests_[0].request_id(), requests_[1].request_id());
  EXPECT_THAT(requests_[0].request_id(), SizeIs(32));
}

TEST_F(TrainCommand, CreatesANewIdForEachRun) {
  Train({"--detach"});
  Train({"--detach"});
  EXPECT_NE(requests_[0].request_id(), requests_[1].request_id());
}

TEST_F(TrainCommand, UsesTheGivenId) {
  Train({"--detach", "--request-id", "mine"});
  EXPECT_EQ(requests_.at(0).request_id(), "mine");
}

TEST_F(TrainCommand, ValidateOnlyPrintsTheSettings) {
  const CommandResult result = Train({"--validate-only"});
  EXPECT_EQ(result.code, 0);
  EXPECT_TRUE(requests_.at(0).validate_only());
  EXPECT_FALSE(requests_.at(0).config_only());
  EXPECT_EQ(result.out, absl::StrCat("# ", config_, ": valid, would train on cpu\n",
                                     "name: tiny\ntraining:\n  epochs: 3\n"));
  EXPECT_EQ(watched_, "");
  const auto json = Train({"--validate-only", "--output", "json"}).OutJson();
  ASSERT_THAT(json, SizeIs(1));
  EXPECT_EQ(json[0]["resolved_settings"]["training.epochs"], "3");
  EXPECT_EQ(json[0]["resolved_device"], "cpu");
  EXPECT_TRUE(json[0]["name"].is_null());
}

TEST_F(TrainCommand, PrintConfigPrintsTheConfigurationOnly) {
  const CommandResult result = Train({"--print-config", "--set", "training.epochs=3"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.out, "name: tiny\ntraining:\n  epochs: 3\n");
  EXPECT_EQ(result.err, "");
  EXPECT_TRUE(requests_.at(0).validate_only() && requests_.at(0).config_only());
  EXPECT_THAT(requests_[0].spec().overrides(), ElementsAre("training.epochs=3"));
  const auto json = Train({"--print-config", "--output", "json"}).OutJson();
  ASSERT_THAT(json, SizeIs(1));
  EXPECT_EQ(json[0], (nlohmann::json{{"training.epochs", "3"}}));
}

TEST_F(TrainCommand, ReportsADaemonThatIsTooOldToResolveConfigurations) {
  resolves_ = false;
  const CommandResult result = Train({"--print-config"});
  EXPECT_NE(result.code, 0);
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, HasSubstr("too old to resolve"));
}

TEST_F(TrainCommand, TrainsTheDefaultPresetAndNamesIt) {
  const CommandResult result = RunTrain({"--detach"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.err,
              testing::StartsWith("vrpctl: no --config or --preset given: training preset "
                                  "ptrnet_tiny ("));
  EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1);
  EXPECT_EQ(result.out, "trainingJobs/j1 QUEUED\n");
  const v1::TrainingSpec& spec = requests_.at(0).spec();
  EXPECT_EQ(spec.config_name(), "ptrnet_tiny.yaml");
  EXPECT_THAT(spec.config_yaml(), HasSubstr("\nname: ptrnet-tiny\n"));
}

TEST_F(TrainCommand, AcceptsDashesAndUnderscoresInPresetNames) {
  for (const char* name : {"tiny_1", "tiny-1"}) {
    const CommandResult result = RunTrain({"--preset", name, "--detach"});
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_EQ(result.err, "");
    EXPECT_EQ(requests_.back().spec().config_name(), "tiny_1.yaml");
  }
}

TEST_F(TrainCommand, ListsThePresetsForAnUnknownName) {
  const CommandResult result = RunTrain({"--preset", "tinny"});
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.err, HasSubstr("--preset: got \"tinny\", wanted one of "));
  EXPECT_THAT(result.err, HasSubstr("ptrnet_tiny, tiny_1"));
  EXPECT_THAT(requests_, SizeIs(0));
}

TEST_F(TrainCommand, RefusesAPresetWithAFile) {
  const CommandResult result = Train({"--preset", "tiny_1"});
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.err, testing::AllOf(HasSubstr("--preset"), HasSubstr("--config")));
}

TEST_F(TrainCommand, RefusesFlagsThatExcludeEachOther) {
  EXPECT_EQ(Train({"--validate-only", "--print-config"}).code, 2);
  EXPECT_EQ(RunTrain({"--preset", "tiny_1", "--list-presets"}).code, 2);
  for (const char* flag : {"--validate-only", "--print-config"}) {
    const CommandResult result = Train({flag, "--detach"});
    EXPECT_EQ(result.code, 2) << flag;
    EXPECT_THAT(result.err, HasSubstr("--detach: given together with")) << flag;
  }
  EXPECT_THAT(requests_, SizeIs(0));
}

TEST_F(TrainCommand, NamesThePresetInItsErrors) {
  failures_left_ = 1;
  failure_ = ABadRequest(absl::StatusCode::kInvalidArgument,
                         "tiny_1.yaml:9: epochs: got \"x\", wanted an integer", "", "");
  EXPECT_THAT(RunTrain({"--preset", "tiny_1"}).err,
              HasSubstr("vrpctl: train: tiny_1.yaml:9: epochs: got"));
}

TEST_F(TrainCommand, ShowsEachErrorOfTheConfiguration) {
  failures_left_ = 1;
  failure_ = ABadRequest(absl::StatusCode::kInvalidArgument, "tiny.yaml:1: naem: unknown key",
                         "batch_size", "tiny.yaml:2: batch_size: got \"x\", wanted an integer");
  const CommandResult result = Train({});
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.err,
              HasSubstr(absl::StrCat("vrpctl: train: ", config_, ":1: naem: unknown key\n")));
  EXPECT_THAT(result.err, HasSubstr("  tiny.yaml:2: batch_size: got \"x\", wanted an integer\n"));
  EXPECT_THAT(requests_, SizeIs(1)) << "an invalid configuration is not sent again";
}

TEST_F(TrainCommand, FailsWithTheJobsError) {
  watch_ = [](WriteEvent write) {
    write(AStateEvent(1, v1::JOB_STATE_FAILED, "out of memory"));
    return absl::OkStatus();
  };
  const CommandResult result = Train({"--output", "json"});
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.err, HasSubstr("trainingJobs/j1 FAILED: out of memory"));
}

TEST_F(TrainCommand, DetachesOnCtrlC) {
  Interrupt interrupt;
  watch_ = [&](WriteEvent write) {
    interrupt.Trigger();
    while (write(AHeartbeat())) {
    }
    return absl::OkStatus();
  };
  const CommandResult result = Train({}, {.interrupt = &interrupt});
  EXPECT_EQ(result.code, 130);
  EXPECT_THAT(result.err, HasSubstr(absl::StrCat("vrpctl jobs watch trainingJobs/j1 --remote ",
                                                 server_.address())));
}

TEST_F(TrainCommand, FollowsTheJobAcrossARestartOfTheDaemon) {
  std::atomic<int> calls = 0;
  const auto default_watch = watch_;
  watch_ = [&](WriteEvent write) {
    return calls++ == 0 ? absl::UnavailableError("stopping") : default_watch(write);
  };
  EXPECT_EQ(Train({}).code, 0);
}

TEST_F(TrainCommand, RefusesAnInvalidOverride) {
  for (const char* text : {"epochs", "=3", ""}) {
    EXPECT_EQ(Train({"--set", text}).code, 2) << text;
  }
  EXPECT_THAT(requests_, SizeIs(0));
}

TEST_F(TrainCommand, RefusesAConfigurationThatIsNotUtf8) {
  const std::string path = WriteTestFile("binary.yaml", "\xFF\xFE");
  const CommandResult result =
      RunCommand({"train", "--config", path, "--remote", server_.address()});
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.err, HasSubstr("not UTF-8"));
}

TEST_F(TrainCommand, ReportsAMissingConfiguration) {
  const CommandResult result =
      RunCommand({"train", "--config", TestPath("no.yaml"), "--remote", server_.address()});
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.err, HasSubstr("no.yaml: No such file"));
}

}  // namespace
}  // namespace vrp::client
