// Tests captured steps on a device with too little memory for them.
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "core/train/run/checkpoint.h"
#include "gtest/gtest.h"
#include "tests/train/training_device_fixture.h"

namespace vrp {
namespace {

using test::ApplyChange;
using test::Change;
using test::kAccumulate;
using test::kLowerRate;
using test::kPointer;
using test::kTransformer;
using test::Method;
using test::Recorder;
using test::TrainingDeviceFixture;

// A fixture for training runs with too little memory. Compares their progress with that of runs on
// the host.
class TrainingMemoryTest : public TrainingDeviceFixture {
 protected:
  static std::string Yaml(const Method& method, const char* model = kTransformer) {
    return ApplyChange(test::Yaml(method, model), kLowerRate);
  }
  void ExpectTheHostsSteps(const std::string& name, const std::string& yaml,
                           const Recorder& actual) {
    Recorder expected;
    ASSERT_TRUE(TrainWithEngines(false, name + "-host", yaml, expected).ok());
    ASSERT_EQ(actual.steps.size(), expected.steps.size());
    for (size_t i = 0; i < expected.steps.size(); ++i) {
      SCOPED_TRACE(i + 1);
      EXPECT_EQ(actual.steps[i].step, expected.steps[i].step);
      EXPECT_EQ(actual.steps[i].instances_seen, expected.steps[i].instances_seen);
      EXPECT_NEAR(actual.steps[i].train_cost, expected.steps[i].train_cost, 1e-9);
      EXPECT_NEAR(actual.steps[i].loss, expected.steps[i].loss, 1e-5);
      EXPECT_TRUE(std::isfinite(actual.steps[i].totals.seconds));
    }
    // Weights are not compared: Adam makes full updates of gradients that are only rounding.
    ASSERT_EQ(actual.epochs.size(), expected.epochs.size());
    for (size_t i = 0; i < expected.epochs.size(); ++i) {
      EXPECT_NEAR(actual.epochs[i].validation_cost, expected.epochs[i].validation_cost, 1e-6);
    }
  }
  // Returns the micro-batch of the newest checkpoint.
  double MicroBatch(const std::string& name) const {
    return ReadNewestCheckpoint(root_ + "/" + name + "/checkpoint")->scalars.at("micro_batch");
  }
  static void ExpectLine(const Recorder& recorder, const std::string& line) {
    EXPECT_NE(recorder.log.find(line + "\n"), std::string::npos) << line << ":\n" << recorder.log;
  }
};

TEST_F(TrainingMemoryTest, HalvesTheMicroBatchUntilItFits) {
  const std::vector<std::pair<Method, const char*>> kinds = {{test::kMethods[0], kTransformer},
                                                             {test::kMethods[1], kTransformer},
                                                             {test::kMethods[2], kTransformer},
                                                             {test::kMethods[1], kPointer},
                                                             {test::kMethods[4], kPointer}};
  for (const auto& [method, model] : kinds) {
    const std::string name = std::string(method.name) + (model == kPointer ? "Pointer" : "");
    SCOPED_TRACE(name);
    const std::string yaml = Yaml(method, model);
    memory_ = {};
    Recorder two;  // with two instances at once
    const Change accumulating = {"batch_size: 8", "batch_size: 8, accumulate_steps: 4"};
    ASSERT_TRUE(TrainWithEngines(true, name + "-two", ApplyChange(yaml, accumulating), two).ok());
    memory_.limit = memory_.peak * 11 / 10;
    Recorder halved;
    const auto result = TrainWithEngines(true, name, yaml, halved);
    ASSERT_TRUE(result.ok()) << result.status();
    ExpectLine(halved, "step 1: out of memory; continues with 4 instances at once");
    ExpectLine(halved, "step 1: out of memory; continues with 2 instances at once");
    EXPECT_EQ(halved.log.find("2: out of memory"), std::string::npos) << halved.log;
    EXPECT_EQ(halved.log.find("on the host from here on"), std::string::npos) << halved.log;
    EXPECT_EQ(MicroBatch(name), 2);
    ExpectTheHostsSteps(name, yaml, halved);
  }
}

TEST_F(TrainingMemoryTest, HalvesTheMicroBatchIfAGraphDoesNotFit) {
  const std::string yaml = Yaml(test::kMethods[1]);
  refused_graphs_ = 2;
  Recorder halved;
  ASSERT_TRUE(TrainWithEngines(true, "halved", yaml, halved).ok());
  // The first step after a new capture runs without a graph.
  ExpectLine(halved, "step 2: out of memory; continues with 4 instances at once");
  ExpectLine(halved, "step 3: out of memory; continues with 2 instances at once");
  EXPECT_EQ(halved.log.find("on the host from here on"), std::string::npos) << halved.log;
  EXPECT_EQ(counts_.captures, 3);
  EXPECT_EQ(counts_.replays, 17);
  ExpectTheHostsSteps("halved", yaml, halved);
}

TEST_F(TrainingMemoryTest, KeepsTheNumberOfPartsAfterAnInterruption) {
  const std::string yaml = Yaml(test::kMethods[1]);
  refused_graphs_ = 1;
  Recorder reference;
  ASSERT_TRUE(TrainWithEngines(true, "reference", yaml, reference).ok());
  refused_graphs_ = 1;
  Recorder first;
  first.cancel_at = 8;
  EXPECT_EQ(TrainWithEngines(true, "interrupted", yaml, first).status().code(),
            absl::StatusCode::kCancelled);
  Recorder second;
  ASSERT_TRUE(TrainWithEngines(true, "interrupted", yaml, second).ok());
  ExpectLine(second, "steps: captured on the device in 2 parts, reported every 16");
  EXPECT_EQ(WeightsOf("reference"), WeightsOf("interrupted"));
}

TEST_F(TrainingMemoryTest, StartsWithTheAccumulatedParts) {
  refused_graphs_ = 1;
  const std::string yaml = ApplyChange(Yaml(test::kMethods[1]), kAccumulate);
  Recorder halved;
  ASSERT_TRUE(TrainWithEngines(true, "halved", yaml, halved).ok());
  ExpectLine(halved, "step 2: out of memory; continues with 2 instances at once");
  ExpectTheHostsSteps("halved", yaml, halved);
}

TEST_F(TrainingMemoryTest, ContinuesOnTheHostIfNoInstanceFits) {
  for (const Change& change : {Change{"batch_size: 8", "batch_size: 8"}, kAccumulate}) {
    const std::string yaml = ApplyChange(Yaml(test::kMethods[2]), change);
    memory_.limit = 1;
    const std::string name = change.second;
    Recorder on_host;
    const auto result = TrainWithEngines(true, name, yaml, on_host);
    ASSERT_TRUE(result.ok()) << result.status();
    ExpectLine(on_host, "step 1: out of memory; continues with 1 instances at once");
    ExpectLine(on_host, "step 1: on the host from here on: out of memory");
    EXPECT_EQ(MicroBatch(name), 0);  // the host's steps have enough memory
    ExpectTheHostsSteps(name, yaml, on_host);
  }
}

TEST_F(TrainingMemoryTest, ContinuesOnTheHostIfNothingCanBeCaptured) {
  // For the pointer network, the host makes the instances, some of them ahead.
  for (const char* const model : {kTransformer, kPointer}) {
    const std::string yaml = ApplyChange(Yaml(test::kMethods[1], model), kAccumulate);
    capture_status_ = absl::InternalError("no graphs");
    refused_graphs_ = 1;
    const std::string name = model == kPointer ? "pointer" : "transformer";
    Recorder refused;
    const auto result = TrainWithEngines(true, name, yaml, refused);
    ASSERT_TRUE(result.ok()) << result.status();
    ExpectLine(refused, "step 2: on the host from here on: no graphs");
    EXPECT_EQ(refused.log.find("out of memory"), std::string::npos) << refused.log;
    ExpectTheHostsSteps(name, yaml, refused);
  }
}

}  // namespace
}  // namespace vrp
