// The case that a run of engine_bench measures. The command line gives it as key=value.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "absl/status/statusor.h"
#include "core/problem/instance/instance.h"

namespace vrp {

struct BenchCase {
  std::string architecture = "gt";
  std::string device = "cpu";  // in the form that ResolveDevice parses
  bool torch = false;          // whether to use LibTorch instead of our kernels, on the CPU too
  int32_t micro_batch = 0;     // instances computed together, if the engine can choose; 0: all
  // Number of equal parts in which a step's instances are generated and used, as in
  // training.accumulate_steps. Not valid with labels.
  int32_t accumulate = 1;
  std::string sizes;  // architecture_json, used without `model`; empty: rl4co's sizes
  std::string model;  // folder with weights and card; empty: fresh weights from `seed`
  // Folder of a model whose weights are 1 for trained parameters and 0 for fixed ones. Empty: all
  // parameters are trained. Serves comparisons with networks that have fewer inputs than ours.
  std::string learned;
  ProblemKind kind = ProblemKind::kCvrp;
  int32_t customers = 20;
  int32_t batch = 512;
  int32_t starts = 1;  // trajectories per instance; several have distinct starts (POMO)
  // Whether training uses labels (PlanChoices of a nearest-neighbour plan) instead of sampling.
  bool supervised = false;
  bool bf16 = false;  // whether products use bf16
  int32_t threads = 1;
  uint64_t seed = 1;
  double learning_rate = 1e-4;
  std::string instances;           // safetensors file as in parity_case.h, for `greedy`
  std::string baseline_instances;  // safetensors file as in parity_case.h, for `costs`
};

// Parses the arguments. Returns kInvalidArgument naming the wrong argument. `problem` is a
// word of KindName.
absl::StatusOr<BenchCase> ParseBenchCase(std::span<char* const> arguments);

}  // namespace vrp
