// Tests `train --sweep` and `sweeps`.
#include <string>
#include <vector>

#include "client/commands/train_sweep.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/client/fake_server.h"
#include "tests/client/runner.h"

namespace vrp::client {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

v1::SweepTrial ATrial(int number, double cost) {
  v1::SweepTrial trial;
  trial.set_number(number);
  (*trial.mutable_settings())["training.learning_rate"] = number == 1 ? "0.1" : "0.01";
  trial.set_job("trainingJobs/t" + std::to_string(number));
  trial.set_state(v1::JOB_STATE_SUCCEEDED);
  trial.set_epoch(4);
  trial.set_total_epochs(4);
  trial.set_validation_cost(cost);
  trial.set_validation_gap(-0.1);
  trial.set_validation_reference("nearest neighbour");
  trial.mutable_run_time()->set_seconds(12);
  return trial;
}

v1::Sweep ASweep(v1::JobState state) {
  v1::Sweep sweep;
  sweep.set_name("sweeps/s1");
  sweep.set_state(state);
  sweep.set_attempt(1);
  sweep.set_model_name("best");
  sweep.set_method(v1::SWEEP_METHOD_RANDOM);
  sweep.set_seed(7);
  sweep.add_keys("training.learning_rate");
  sweep.set_trial_count(3);
  if (state != v1::JOB_STATE_SUCCEEDED) return sweep;
  sweep.set_model("models/best/versions/1");
  *sweep.add_trials() = ATrial(1, 6.5);
  *sweep.add_trials() = ATrial(2, 6.25);
  sweep.mutable_trials(1)->set_best(true);
  sweep.add_trials()->set_number(3);
  return sweep;
}

std::vector<v1::WatchSweepResponse> SweepEvents() {
  std::vector<v1::WatchSweepResponse> events(6);
  for (size_t i = 0; i < events.size(); ++i) {
    events[i].set_sequence(static_cast<int64_t>(i) + 1);
    events[i].set_attempt(1);
    events[i].mutable_time()->set_seconds(1'800'000'000);
  }
  events[0].mutable_state()->set_state(v1::JOB_STATE_RUNNING);
  v1::TrainingProgress& progress = *events[1].mutable_progress()->mutable_progress();
  events[1].mutable_progress()->set_trial(1);
  progress.set_epoch(3);
  progress.set_total_epochs(4);
  progress.set_validation_cost(6.75);
  *events[2].mutable_trial() = ATrial(1, 6.5);
  *events[3].mutable_trial() = ATrial(2, 6.25);
  events[4].mutable_result()->set_best_trial(2);
  events[4].mutable_result()->set_model("models/best/versions/1");
  events[5].mutable_state()->set_state(v1::JOB_STATE_SUCCEEDED);
  return events;
}

class SweepCommandsTest : public testing::Test {
 protected:
  FakeHandlers Handlers() {
    FakeHandlers handlers;
    handlers.create_sweep = [this](const v1::CreateSweepRequest& request, const FakeCall&) {
      created_ = request;
      v1::Sweep sweep = ASweep(v1::JOB_STATE_QUEUED);
      if (request.validate_only()) sweep.add_trials()->set_number(1);
      return sweep;
    };
    handlers.watch_sweep = [this](const v1::WatchSweepRequest& request,
                                  absl::FunctionRef<bool(const v1::WatchSweepResponse&)> write) {
      for (const v1::WatchSweepResponse& event : SweepEvents()) {
        if (event.sequence() >= request.from_sequence()) write(event);
        if (interrupt_ != nullptr && event.has_trial()) {
          interrupt_->Trigger();
          return absl::UnavailableError("the client has gone");
        }
      }
      return absl::OkStatus();
    };
    handlers.get_sweep = [](const v1::GetSweepRequest& request,
                            const FakeCall&) -> absl::StatusOr<v1::Sweep> {
      if (request.name() != "sweeps/s1") return absl::NotFoundError("no such sweep");
      return ASweep(v1::JOB_STATE_SUCCEEDED);
    };
    handlers.list_sweeps = [](const v1::ListSweepsRequest&, const FakeCall&) {
      v1::ListSweepsResponse page;
      *page.add_sweeps() = ASweep(v1::JOB_STATE_RUNNING);
      return page;
    };
    handlers.stop_sweep = [](const v1::StopSweepRequest&, const FakeCall&) {
      return ASweep(v1::JOB_STATE_STOPPING);
    };
    handlers.pause_sweep = [](const v1::PauseSweepRequest&, const FakeCall&) {
      return ASweep(v1::JOB_STATE_PAUSING);
    };
    handlers.resume_sweep = [](const v1::ResumeSweepRequest&, const FakeCall&) {
      return ASweep(v1::JOB_STATE_QUEUED);
    };
    handlers.delete_sweep = [](const v1::DeleteSweepRequest&, const FakeCall&) {
      return v1::DeleteSweepResponse();
    };
    return handlers;
  }
  CommandResult Run(std::vector<std::string> words, const RunSettings& settings = {}) {
    words.insert(words.end(), {"--remote", server_.address()});
    return RunCommand(words, settings);
  }

  v1::CreateSweepRequest created_;
  Interrupt* interrupt_ = nullptr;
  FakeServer server_{Handlers()};
  const std::string base_ = WriteTestFile("base.yaml", "name: base\n");
  const std::string sweep_ = WriteTestFile("sweep.yaml", "method: grid\nconfig: base.yaml\n");
};

TEST_F(SweepCommandsTest, FollowsASweepAndComparesItsTrials) {
  const CommandResult result = Run({"train", "--sweep", sweep_});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out,
              HasSubstr("sweeps/s1 QUEUED\n"
                        "random, 3 trials of training.learning_rate, seed 7\n"
                        "state RUNNING\n"
                        "trial 1, epoch 3/4, val 6.7500\n"
                        "trial 1 (training.learning_rate=0.1) SUCCEEDED after epoch 4/4: "
                        "validation 6.5000 (-10.00 % vs nearest neighbour)\n"));
  EXPECT_THAT(result.out, HasSubstr("trial 2 is the best: models/best/versions/1\n"));
  const size_t best = result.out.find("\n2 (best)  0.01");
  EXPECT_NE(best, std::string::npos) << result.out;
  EXPECT_LT(best, result.out.find("\n1         0.1"));
  EXPECT_THAT(result.out, HasSubstr("\n3         -"));
  EXPECT_THAT(result.out, HasSubstr("WAITING"));
}

TEST_F(SweepCommandsTest, SendsTheConfigurationThatTheFileNames) {
  EXPECT_EQ(Run({"train", "--sweep", sweep_, "--detach", "--set", "training.epochs=3", "--priority",
                 "5", "--label", "team=north", "--time-limit", "2h", "--epoch-limit", "4",
                 "--device", "cpu", "--request-id", "r1"})
                .code,
            0);
  EXPECT_EQ(created_.request_id(), "r1");
  EXPECT_EQ(created_.spec().sweep_yaml(), "method: grid\nconfig: base.yaml\n");
  EXPECT_EQ(created_.spec().sweep_name(), "sweep.yaml");
  const v1::TrainingSpec& base = created_.spec().base();
  EXPECT_EQ(base.config_yaml(), "name: base\n");
  EXPECT_EQ(base.config_name(), "base.yaml");
  EXPECT_THAT(base.overrides(), ElementsAre("training.epochs=3"));
  EXPECT_EQ(base.priority(), 5);
  EXPECT_EQ(base.labels().at("team"), "north");
  EXPECT_EQ(base.time_limit().seconds(), 7200);
  EXPECT_EQ(base.epoch_limit(), 4);
  EXPECT_EQ(base.device(), "cpu");
}

TEST_F(SweepCommandsTest, FindsTheNamedConfiguration) {
  EXPECT_EQ(FindNamedConfig("method: grid\nconfig: \"a b.yaml\" # base").name, "a b.yaml");
  EXPECT_EQ(FindNamedConfig("config: a.yaml   # base").name, "a.yaml");
  const NamedConfig preset = FindNamedConfig("keys: {}\npreset: 'tiny_1'\n");
  EXPECT_TRUE(preset.is_preset);
  EXPECT_EQ(preset.name, "tiny_1");
  EXPECT_EQ(FindNamedConfig("config:\n  name: own\n").name, "");
  EXPECT_EQ(FindNamedConfig("config: # own\n  name: own\n").name, "");
  EXPECT_EQ(FindNamedConfig("config: {name: own}\n").name, "");
  EXPECT_EQ(FindNamedConfig("a:\n  config: b\n").name, "");
}

TEST_F(SweepCommandsTest, NamesAMissingConfiguration) {
  const std::string lost = WriteTestFile("lost.yaml", "config: none.yaml\n");
  const CommandResult missing = Run({"train", "--sweep", lost});
  EXPECT_EQ(missing.code, 2);
  EXPECT_THAT(missing.err, HasSubstr("lost.yaml: config: "));
  const std::string unknown = WriteTestFile("unknown.yaml", "preset: none\n");
  EXPECT_THAT(Run({"train", "--sweep", unknown}).err, HasSubstr("unknown.yaml: preset: "));
  EXPECT_THAT(Run({"train", "--sweep", sweep_, "--preset", "tiny_1"}).err,
              HasSubstr("names its configuration itself, base.yaml; leave out"));
  EXPECT_EQ(Run({"train", "--sweep", "none.yaml"}).code, 2);
}

TEST_F(SweepCommandsTest, TakesTheConfigurationOfAFlag) {
  const std::string bare = WriteTestFile("bare.yaml", "method: grid\n");
  EXPECT_EQ(Run({"train", "--sweep", bare, "--config", base_, "--detach"}).code, 0);
  EXPECT_EQ(created_.spec().base().config_yaml(), "name: base\n");
  EXPECT_EQ(Run({"train", "--sweep", bare, "--detach"}).code, 0);
  EXPECT_EQ(created_.spec().base().config_yaml(), "") << "the daemon finds it in the file";
}

TEST_F(SweepCommandsTest, ValidatesWithoutFollowing) {
  const CommandResult result = Run({"train", "--sweep", sweep_, "--validate-only"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_TRUE(created_.validate_only());
  EXPECT_THAT(result.out, HasSubstr("# valid: random, 3 trials of training.learning_rate, seed 7; "
                                    "the best one becomes models/best\n"));
}

TEST_F(SweepCommandsTest, PrintsAJsonLinePerEvent) {
  const CommandResult result = Run({"train", "--sweep", sweep_, "--output", "json"});
  EXPECT_EQ(result.code, 0) << result.err;
  const auto lines = result.OutJson();
  ASSERT_EQ(lines.size(), 6u);
  EXPECT_EQ(lines[1]["type"], "progress");
  EXPECT_EQ(lines[1]["trial"], 1);
  EXPECT_EQ(lines[1]["validation_cost"], 6.75);
  EXPECT_EQ(lines[3]["type"], "trial");
  EXPECT_EQ(lines[3]["settings"]["training.learning_rate"], "0.01");
  EXPECT_EQ(lines[4]["model"], "models/best/versions/1");
}

TEST_F(SweepCommandsTest, DrawsABarOnATerminal) {
  const CommandResult result = Run({"train", "--sweep", sweep_}, {.terminal_width = 100});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("0 of 3 trials; trial 1, epoch 3/4, val 6.7500"));
  EXPECT_THAT(result.out, HasSubstr("2 of 3 trials"));
}

TEST_F(SweepCommandsTest, InterruptLeavesTheSweepRunning) {
  Interrupt interrupt;
  interrupt_ = &interrupt;
  const CommandResult result = Run({"train", "--sweep", sweep_}, {.interrupt = &interrupt});
  EXPECT_EQ(result.code, 130);
  EXPECT_THAT(result.err, HasSubstr("watch it again: vrpctl sweeps watch sweeps/s1 --remote "));
  EXPECT_THAT(result.err, HasSubstr("vrpctl sweeps stop sweeps/s1"));
}

TEST_F(SweepCommandsTest, ListsShowsAndControlsSweeps) {
  EXPECT_THAT(Run({"sweeps", "list"}).out,
              HasSubstr("random  3       training.learning_rate  models/best\n"));
  const CommandResult got = Run({"sweeps", "get", "s1"});
  EXPECT_THAT(got.out, HasSubstr("models/best/versions/1\n"));
  EXPECT_THAT(got.out, HasSubstr("2 (best)"));
  const auto json = Run({"sweeps", "get", "s1", "--output", "json"}).OutJson();
  EXPECT_EQ(json[0]["trials"][1]["best"], true);
  EXPECT_EQ(json[0]["trials"][2]["job"], nullptr);
  EXPECT_EQ(json[0]["seed"], 7);
  EXPECT_EQ(Run({"sweeps", "stop", "s1"}).out, "sweeps/s1 STOPPING\n");
  EXPECT_EQ(Run({"sweeps", "pause", "sweeps/s1"}).out, "sweeps/s1 PAUSING\n");
  EXPECT_EQ(Run({"sweeps", "resume", "s1"}).out, "sweeps/s1 QUEUED\n");
  EXPECT_THAT(Run({"sweeps", "delete", "s1"}).out, HasSubstr("sweeps/s1"));
  EXPECT_EQ(Run({"sweeps", "get", "none"}).code, 5);
  const CommandResult watched = Run({"sweeps", "watch", "s1", "--from", "5"});
  EXPECT_THAT(watched.out, Not(HasSubstr("epoch 3/4, val")));
}

}  // namespace
}  // namespace vrp::client
