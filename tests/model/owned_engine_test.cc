#include "core/model/policy/owned_engine.h"

#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/model/pointer_network/pointer_architecture.h"
#include "gtest/gtest.h"

namespace vrp {
namespace {

// A record of the device's work in order, and of the threads that do it.
struct Notes {
  std::string text;
  std::vector<std::thread::id> threads;

  void Add(char letter) {
    text += letter;
    threads.push_back(std::this_thread::get_id());
  }
};

class NotedSteps final : public CapturedSteps {
 public:
  explicit NotedSteps(Notes* notes) : notes_(notes) {}
  ~NotedSteps() override { notes_->Add('e'); }

  absl::Status Load(const CapturedStepsState&) override {
    notes_->Add('l');
    return absl::OkStatus();
  }
  absl::Status WaitForReportSlot() override {
    waited_ = std::this_thread::get_id();
    return absl::OkStatus();
  }
  absl::Status Step(StepBaseline, const NetworkBatch&) override {
    EXPECT_NE(waited_, std::this_thread::get_id()) << "requests had to wait, too";
    notes_->Add('s');
    return absl::ResourceExhaustedError("too large");
  }
  absl::Status Step(StepBaseline) override {
    EXPECT_NE(waited_, std::this_thread::get_id()) << "requests had to wait, too";
    notes_->Add('d');
    return absl::OkStatus();
  }
  absl::Status StepOnLabels(const StepLabels&, const NetworkBatch&) override {
    EXPECT_NE(waited_, std::this_thread::get_id()) << "requests had to wait, too";
    notes_->Add('a');
    return absl::OkStatus();
  }
  std::vector<CapturedStepReport> TakeReports() override { return {{.step = 7}}; }
  absl::Status Save(CapturedStepsState& state) override {
    notes_->Add('v');
    state.steps = 3;
    return absl::OkStatus();
  }
  int64_t batch_bytes() const override { return 12; }
  int64_t matrix_bytes() const override { return 5; }

 private:
  Notes* const notes_;
  std::thread::id waited_;
};

class NotedEngine final : public PolicyEngine {
 public:
  explicit NotedEngine(Notes* notes) : notes_(notes), parameters_(ParameterLayout({}), 1) {}
  ~NotedEngine() override { notes_->Add('E'); }

  std::string_view architecture() const override { return "gt"; }
  const NetworkInputs& inputs() const override { return inputs_; }
  FlatParameters& parameters() override { return parameters_; }
  const FlatParameters& parameters() const override { return parameters_; }
  absl::Status ParametersChanged() override {
    notes_->Add('p');
    return absl::DataLossError("weights");
  }
  absl::StatusOr<Trajectories> Run(const NetworkBatch&, const RolloutRequest&) const override {
    notes_->Add('r');
    Trajectories five;
    five.count = 5;
    return five;
  }
  absl::StatusOr<GradientOutcome> AddGradient(const NetworkBatch&, const GradientRequest&,
                                              WeighTrajectories) override {
    notes_->Add('g');
    return absl::DataLossError("gradient");
  }
  bool can_capture_steps() const override { return true; }
  absl::StatusOr<std::unique_ptr<CapturedSteps>> MakeCapturedSteps(
      const CapturedStepsRequest& request) override {
    notes_->Add('w');
    baseline_ = request.baseline;
    return std::make_unique<NotedSteps>(notes_);
  }
  absl::StatusOr<std::map<std::string, double>> ScalarState() const override {
    notes_->Add('n');
    return std::map<std::string, double>{{"scale", 4}};
  }
  absl::Status Restore(const std::map<std::string, double>&) override {
    notes_->Add('R');
    return absl::DataLossError("numbers");
  }

  const PolicyEngine* baseline_ = nullptr;

 private:
  const NetworkInputs inputs_ = InputsOf(PointerArchitecture(), {});
  Notes* const notes_;
  FlatParameters parameters_;
};

class NotedMemory final : public DeviceHooks {
 public:
  explicit NotedMemory(Notes* notes) : notes_(notes) {}
  void Begin(Priority priority) override {
    EXPECT_EQ(priority, Priority::kTraining);
    notes_->Add('T');
  }
  void ReleaseCachedMemory() override { notes_->Add('m'); }

 private:
  Notes* const notes_;
};

class OwnedEngineTest : public testing::Test {
 protected:
  OwnedEngineTest() {
    auto engine = std::make_unique<NotedEngine>(&notes_);
    inner_ = engine.get();
    engine_ = MakeOwnedEngine(std::move(engine), *executor_, Priority::kTraining);
  }

  // Returns the recorded work, and checks that this thread did none of it.
  std::string Noted() {
    executor_->Shutdown();
    for (const std::thread::id thread : notes_.threads) {
      EXPECT_EQ(thread, notes_.threads.front());
      EXPECT_NE(thread, std::this_thread::get_id());
    }
    return notes_.text;
  }

  Notes notes_;
  std::unique_ptr<DeviceExecutor> executor_ =
      MakeThreadedExecutor(std::make_unique<NotedMemory>(&notes_));
  std::unique_ptr<PolicyEngine> engine_;
  NotedEngine* inner_ = nullptr;
};

TEST_F(OwnedEngineTest, RunsAllWorkOnTheExecutorsThread) {
  EXPECT_EQ(engine_->architecture(), "gt");
  EXPECT_EQ(engine_->batch_form().order, NodeOrder::kByAngle);
  EXPECT_EQ(engine_->ParametersChanged(), absl::DataLossError("weights"));
  EXPECT_EQ(engine_->Run({}, {})->count, 5);
  const auto weigh = [](int64_t, std::span<const double>, std::span<double>) {};
  EXPECT_EQ(engine_->AddGradient({}, {}, weigh).status(), absl::DataLossError("gradient"));
  EXPECT_EQ(engine_->ScalarState()->at("scale"), 4);
  EXPECT_EQ(engine_->Restore({}), absl::DataLossError("numbers"));
  EXPECT_EQ(Noted(), "TprgnR");
}

TEST_F(OwnedEngineTest, ReleasesMemoryOnDestruction) {
  engine_.reset();
  executor_->Run(Priority::kTraining, [] { return absl::OkStatus(); }).wait();
  EXPECT_EQ(Noted(), "TEm");
}

TEST_F(OwnedEngineTest, RunsCapturedStepsOnTheExecutorsThread) {
  const auto baseline =
      MakeOwnedEngine(std::make_unique<NotedEngine>(&notes_), *executor_, Priority::kTraining);
  EXPECT_TRUE(engine_->can_capture_steps());
  auto steps = engine_->MakeCapturedSteps({.baseline = baseline.get()});
  ASSERT_TRUE(steps.ok());
  EXPECT_NE(inner_->baseline_, baseline.get()) << "the engine knows others of its kind alone";
  EXPECT_NE(inner_->baseline_, nullptr);
  EXPECT_TRUE((*steps)->Load({}).ok());
  EXPECT_EQ((*steps)->Step(StepBaseline::kShared, {}), absl::ResourceExhaustedError("too large"));
  EXPECT_TRUE((*steps)->Step(StepBaseline::kShared).ok());
  EXPECT_TRUE((*steps)->StepOnLabels({}, {}).ok());
  CapturedStepsState state;
  EXPECT_TRUE((*steps)->Save(state).ok());
  EXPECT_EQ(state.steps, 3);
  EXPECT_EQ((*steps)->TakeReports().front().step, 7);
  EXPECT_EQ((*steps)->batch_bytes(), 12);
  EXPECT_EQ((*steps)->matrix_bytes(), 5);
  steps->reset();
  EXPECT_EQ(Noted(), "Twlsdave");
}

TEST_F(OwnedEngineTest, ReportsAnUnservedDevice) {
  executor_->Shutdown();
  EXPECT_EQ(engine_->Run({}, {}).status().code(), absl::StatusCode::kCancelled);
  EXPECT_EQ(engine_->MakeCapturedSteps({}).status().code(), absl::StatusCode::kCancelled);
}

}  // namespace
}  // namespace vrp
