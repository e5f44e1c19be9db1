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

// A record of the device's work in order, one letter per call, and of the threads that do it.
struct WorkRecord {
  std::string text;
  std::vector<std::thread::id> threads;

  void Add(char letter) {
    text += letter;
    threads.push_back(std::this_thread::get_id());
  }
};

class WorkRecordingSteps final : public CapturedSteps {
 public:
  explicit WorkRecordingSteps(WorkRecord* record) : record_(record) {}
  ~WorkRecordingSteps() override { record_->Add('e'); }

  absl::Status Load(const CapturedStepsState&) override {
    record_->Add('l');
    return absl::OkStatus();
  }
  absl::Status WaitForReportSlot() override {
    waited_ = std::this_thread::get_id();
    return absl::OkStatus();
  }
  absl::Status Step(StepBaseline, const NetworkBatch&) override {
    EXPECT_NE(waited_, std::this_thread::get_id())
        << "the wait must not block the executor's thread";
    record_->Add('s');
    return absl::ResourceExhaustedError("too large");
  }
  absl::Status Step(StepBaseline) override {
    EXPECT_NE(waited_, std::this_thread::get_id())
        << "the wait must not block the executor's thread";
    record_->Add('d');
    return absl::OkStatus();
  }
  absl::Status StepOnLabels(const StepLabels&, const NetworkBatch&) override {
    EXPECT_NE(waited_, std::this_thread::get_id())
        << "the wait must not block the executor's thread";
    record_->Add('a');
    return absl::OkStatus();
  }
  std::vector<CapturedStepReport> TakeReports() override { return {{.step = 7}}; }
  absl::Status Save(CapturedStepsState& state) override {
    record_->Add('v');
    state.steps = 3;
    return absl::OkStatus();
  }
  int64_t batch_bytes() const override { return 12; }
  int64_t matrix_bytes() const override { return 5; }

 private:
  WorkRecord* const record_;
  std::thread::id waited_;
};

class WorkRecordingEngine final : public PolicyEngine {
 public:
  explicit WorkRecordingEngine(WorkRecord* record)
      : record_(record), parameters_(ParameterLayout({}), 1) {}
  ~WorkRecordingEngine() override { record_->Add('E'); }

  std::string_view architecture() const override { return "gt"; }
  const NetworkInputs& inputs() const override { return inputs_; }
  FlatParameters& parameters() override { return parameters_; }
  const FlatParameters& parameters() const override { return parameters_; }
  absl::Status ParametersChanged() override {
    record_->Add('p');
    return absl::DataLossError("weights");
  }
  absl::StatusOr<Trajectories> Run(const NetworkBatch&, const RolloutRequest&) const override {
    record_->Add('r');
    Trajectories five;
    five.count = 5;
    return five;
  }
  absl::StatusOr<GradientOutcome> AddGradient(const NetworkBatch&, const GradientRequest&,
                                              WeighTrajectories) override {
    record_->Add('g');
    return absl::DataLossError("gradient");
  }
  bool can_capture_steps() const override { return true; }
  absl::StatusOr<std::unique_ptr<CapturedSteps>> MakeCapturedSteps(
      const CapturedStepsRequest& request) override {
    record_->Add('w');
    baseline_ = request.baseline;
    return std::make_unique<WorkRecordingSteps>(record_);
  }
  absl::StatusOr<std::map<std::string, double>> ScalarState() const override {
    record_->Add('n');
    return std::map<std::string, double>{{"scale", 4}};
  }
  absl::Status Restore(const std::map<std::string, double>&) override {
    record_->Add('R');
    return absl::DataLossError("numbers");
  }

  const PolicyEngine* baseline_ = nullptr;

 private:
  const NetworkInputs inputs_ = InputsOf(PointerArchitecture(), {});
  WorkRecord* const record_;
  FlatParameters parameters_;
};

class WorkRecordingHooks final : public DeviceHooks {
 public:
  explicit WorkRecordingHooks(WorkRecord* record) : record_(record) {}
  void Begin(Priority priority) override {
    EXPECT_EQ(priority, Priority::kTraining);
    record_->Add('T');
  }
  void ReleaseCachedMemory() override { record_->Add('m'); }

 private:
  WorkRecord* const record_;
};

class OwnedEngineTest : public testing::Test {
 protected:
  OwnedEngineTest() {
    auto engine = std::make_unique<WorkRecordingEngine>(&record_);
    inner_ = engine.get();
    engine_ = MakeOwnedEngine(std::move(engine), *executor_, Priority::kTraining);
  }

  // Shuts the executor down. Returns the recorded work, and checks that this thread did none of it.
  std::string RecordedWork() {
    executor_->Shutdown();
    for (const std::thread::id thread : record_.threads) {
      EXPECT_EQ(thread, record_.threads.front());
      EXPECT_NE(thread, std::this_thread::get_id());
    }
    return record_.text;
  }

  WorkRecord record_;
  std::unique_ptr<DeviceExecutor> executor_ =
      MakeThreadedExecutor(std::make_unique<WorkRecordingHooks>(&record_));
  std::unique_ptr<PolicyEngine> engine_;
  WorkRecordingEngine* inner_ = nullptr;
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
  EXPECT_EQ(RecordedWork(), "TprgnR");
}

TEST_F(OwnedEngineTest, ReleasesMemoryOnDestruction) {
  engine_.reset();
  executor_->Run(Priority::kTraining, [] { return absl::OkStatus(); }).wait();
  EXPECT_EQ(RecordedWork(), "TEm");
}

TEST_F(OwnedEngineTest, RunsCapturedStepsOnTheExecutorsThread) {
  const auto baseline = MakeOwnedEngine(std::make_unique<WorkRecordingEngine>(&record_), *executor_,
                                        Priority::kTraining);
  EXPECT_TRUE(engine_->can_capture_steps());
  auto steps = engine_->MakeCapturedSteps({.baseline = baseline.get()});
  ASSERT_TRUE(steps.ok());
  EXPECT_NE(inner_->baseline_, baseline.get()) << "the inner engine must get the inner baseline";
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
  EXPECT_EQ(RecordedWork(), "Twlsdave");
}

TEST_F(OwnedEngineTest, ReturnsCancelledAfterTheExecutorsShutdown) {
  executor_->Shutdown();
  EXPECT_EQ(engine_->Run({}, {}).status().code(), absl::StatusCode::kCancelled);
  EXPECT_EQ(engine_->MakeCapturedSteps({}).status().code(), absl::StatusCode::kCancelled);
}

}  // namespace
}  // namespace vrp
