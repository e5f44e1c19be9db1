#include "core/train/run/training_banner.h"

#include <cmath>

#include "absl/strings/str_join.h"
#include "core/base/text.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace vrp {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class TrainingBannerTest : public testing::Test {
 protected:
  void Configure(const std::string& yaml) {
    const auto config = ParseTrainingConfig("name: a\n" + yaml, "a.yaml");
    ASSERT_TRUE(config.ok()) << config.status();
    config_ = *config;
  }
  void UseGpu() {
    facts_.device = {.id = {DeviceKind::kCuda, 0},
                     .name = "NVIDIA H200",
                     .memory_bytes = int64_t{140} << 30,
                     .amp = true,
                     .bf16 = true};
  }
  std::string Banner() const { return absl::StrJoin(BannerLines(facts_), "\n") + "\n"; }

  TrainingConfig config_;
  BannerFacts facts_{.config = config_,
                     .device = {.id = {}, .name = "Xeon", .memory_bytes = int64_t{8} << 30},
                     .threads = 2,
                     .parameters = 1234,
                     .validation_instances = 20,
                     .reference = "nearest neighbour",
                     .reference_cost = 7.5};
};

TEST_F(TrainingBannerTest, ListsModelDeviceAndComputation) {
  Configure("loader: {workers: 3, prefetch: 4}\ntraining: {epochs: 4, batch_size: 8}\n");
  const std::string banner = Banner();
  for (const char* line :
       {"device: cpu (Xeon, 8.0 GiB)\n", "threads: 2 compute, 3 make batches, up to 4 ahead\n",
        "precision: fp32 (training.amp is off); TF32: off; gradient checkpointing: off; "
        "deterministic: always on a CPU\n",
        "epochs: 4, each of 25 batches of 8\n", "model: ptrnet, 1234 parameters {",
        "validation: 20 instances, gap vs nearest neighbour (mean 7.5000)\n"}) {
    EXPECT_THAT(banner, HasSubstr(line));
  }
  EXPECT_THAT(banner, Not(HasSubstr("ignored")));
}

TEST_F(TrainingBannerTest, ListsTheInputsOfAPointerNetwork) {
  Configure("model: ptrnet\n");
  EXPECT_THAT(Banner(), HasSubstr("input features: 8 per node: x, y, demand, window_open, "
                                  "window_close, service, is_depot, is_visited\n"));
  EXPECT_THAT(Banner(),
              HasSubstr("read at each step: distance_to_node, node_to_depot, wait, slack, "
                        "load_left, time_gone, share_unvisited\n"));
}

TEST_F(TrainingBannerTest, ListsTheInputsOfAGraphTransformer) {
  Configure("model: gt\n");
  EXPECT_THAT(Banner(), HasSubstr("input features: 12 per node: x, y, demand, backhaul, "));
  EXPECT_THAT(Banner(), HasSubstr("is_depot; distances of all pairs of nodes (edge_bias)\n"));
  EXPECT_THAT(Banner(),
              HasSubstr("read at each step: graph_mean, last_node, first_node, load_left, "
                        "time_gone, distance_left, picking_up\n"));
  Configure("model: gt\ngraph_transformer: {edge_bias: false}\n");
  EXPECT_THAT(Banner(), Not(HasSubstr("edge_bias)")));
}

TEST_F(TrainingBannerTest, ListsConfiguredInputsInOrder) {
  Configure("model: gt\nproblem: {instances: own.jsonl, features: [x, early, is_depot]}\n");
  EXPECT_THAT(Banner(), HasSubstr("input features: 3 per node: x, early, is_depot; "));
}

TEST_F(TrainingBannerTest, ListsSettingsThatACpuIgnores) {
  Configure(
      "model: gt\nloader: {pin: true}\n"
      "training: {tf32: true, gradient_checkpointing: true, deterministic: true}\n");
  EXPECT_THAT(Banner(), HasSubstr("ignored on cpu: training.tf32, training.gradient_checkpointing, "
                                  "training.deterministic, loader.pin\n"));
  EXPECT_THAT(Banner(), HasSubstr("TF32: off; gradient checkpointing: off"));
}

TEST_F(TrainingBannerTest, IsTheSameForTheResolvedConfiguration) {
  for (const char* yaml : {"model: gt\n", "model: gt\nloader: {pin: true}\n"}) {
    Configure(yaml);
    const std::string before = Banner();
    const auto resolved = ResolveTrainingConfig(Concat("name: a\n", yaml), "a.yaml");
    ASSERT_TRUE(resolved.ok()) << resolved.status();
    config_ = *ParseTrainingConfig(resolved->yaml, "b.yaml");
    EXPECT_EQ(Banner(), before);
  }
}

TEST_F(TrainingBannerTest, OmitsSettingsThatAreNotSet) {
  Configure("model: gt\nloader: {pin: false}\ntraining: {tf32: false}\n");
  EXPECT_THAT(Banner(), Not(HasSubstr("ignored on cpu")));
}

TEST_F(TrainingBannerTest, ListsSettingsThatAGpuUses) {
  Configure(
      "model: gt\nloader: {workers: 1, pin: true}\n"
      "training: {tf32: true, gradient_checkpointing: true, amp: true}\n");
  UseGpu();
  facts_.precision = Precision::kBf16;
  EXPECT_THAT(Banner(), HasSubstr("device: cuda:0 (NVIDIA H200, 140.0 GiB)\n"));
  EXPECT_THAT(Banner(), HasSubstr("threads: 2 on the host, 1 makes batches"));
  EXPECT_THAT(Banner(),
              HasSubstr("precision: bf16 products, fp32 sums (training.amp); TF32: on; gradient "
                        "checkpointing: on; deterministic: off; pinned memory: on\n"));
  EXPECT_THAT(Banner(), Not(HasSubstr("ignored")));
}

TEST_F(TrainingBannerTest, ExplainsADifferentPrecision) {
  Configure("model: gt\ntraining: {amp: true}\n");
  EXPECT_THAT(Banner(), HasSubstr("precision: fp32: the device has no fast bf16 hardware"));
  facts_.cpu_has_bf16 = true;
  EXPECT_THAT(Banner(),
              HasSubstr("precision: fp32: on a CPU, model gt supports only fp32 products"));
  facts_.precision = Precision::kBf16;
  EXPECT_THAT(Banner(), HasSubstr("precision: bf16 products, fp32 sums (training.amp);"));
  facts_.cpu_has_bf16 = false;
  EXPECT_THAT(Banner(), HasSubstr("(training.amp), emulated: slower than fp32;"));
}

TEST_F(TrainingBannerTest, SaysIfNoInstanceHasAReference) {
  Configure("");
  facts_.reference_cost = std::nan("");
  EXPECT_THAT(Banner(), HasSubstr("validation: 20 instances, none with a reference cost by nearest "
                                  "neighbour\n"));
}

}  // namespace
}  // namespace vrp
