// The case that a run of engine_bench measures, given on its command line as key=value.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "absl/status/statusor.h"
#include "core/problem/instance/instance.h"

namespace vrp {

struct BenchCase {
  std::string architecture = "gt";
  std::string device = "cpu";  // as ResolveDevice takes it
  bool torch = false;  // the engine with LibTorch inside, on the CPU too, instead of our kernels
  int32_t micro_batch = 0;  // instances at once, where the engine has a choice; 0: all
  // Number of equal parts in which a step's instances are generated and used, as in
  // training.accumulate_steps. Not with labels.
  int32_t accumulate = 1;
  std::string sizes;  // architecture_json; empty: of `model`, or the architecture's defaults
  std::string model;  // folder with weights and card; empty: fresh weights from `seed`
  // Folder of a model whose weights are 1 for trained parameters and 0 for fixed ones; empty: train
  // all. For comparison with networks that have fewer inputs than ours.
  std::string learned;
  ProblemKind kind = ProblemKind::kCvrp;
  int32_t customers = 20;
  int32_t batch = 512;
  int32_t starts = 1;  // trajectories of each instance, from distinct starts where above 1 (POMO)
  // Whether training uses labels (PlanChoices of a nearest-neighbour plan) instead of sampling.
  bool supervised = false;
  bool bf16 = false;
  int32_t threads = 1;
  uint64_t seed = 1;
  double learning_rate = 1e-4;
  std::string instances;           // safetensors file as parity_case.h's, for `greedy`
  std::string baseline_instances;  // likewise, for `costs`
};

// Parses the arguments. kInvalidArgument names the wrong one. `problem` is a word of KindName.
absl::StatusOr<BenchCase> ParseBenchCase(std::span<char* const> arguments);

}  // namespace vrp
