// Reads networks, instances and tours that make_reference.py or compare_rl4co_policy.py wrote to a
// safetensors file, for comparison with our networks.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "core/model/graph_transformer/cpu_graph_transformer.h"
#include "core/model/policy/network_batch.h"
#include "core/model/policy/policy_engine.h"
#include "core/model/weights/safetensors.h"

namespace vrp {

// A network with instances and tours, read from a file. The metadata are "kind" (a name of
// KindName) and "architecture_json". The tensors, for B instances of N nodes, P trajectories of
// each and T steps, are:
//   weights.NAME                    float32, the network's parameters under our names
//   positions [B, N, 2]             float64
//   demands [B, N], capacities [B]  float64; not for a TSP
//   actions [B, P, T]               int32: tours, padded with zeros
//   weights [B, P]                  float64, of the tours' log-likelihoods in the loss
class ParityCase {
 public:
  static absl::StatusOr<ParityCase> Read(const std::string& path);

  const SafetensorsFile& file() const { return file_; }
  const NetworkBatch& batch() const { return batch_; }
  int32_t trajectories() const { return trajectories_; }  // P
  const std::vector<std::vector<int32_t>>& tours() const {
    return tours_;
  }                                                                // [B * P], without padding
  const std::vector<double>& weights() const { return weights_; }  // [B * P]

  // Makes the network with the case's weights on the CPU.
  absl::StatusOr<std::unique_ptr<PolicyEngine>> MakeNetwork() const;
  // Makes the same network in double precision.
  absl::StatusOr<std::unique_ptr<Float64Engine>> MakeFloat64Network() const;
  // Returns a request that forces tours() on P trajectories, with distinct starts if P is above 1.
  RolloutRequest ForcedRequest(CpuPool* pool) const;
  // Copies the loss weights of the trajectories of instances `first` and after, for AddGradient.
  void CopyWeights(int64_t first, std::span<double> weights) const;

 private:
  explicit ParityCase(SafetensorsFile file) : file_(std::move(file)) {}
  absl::Status LoadWeights(PolicyEngine& engine) const;

  SafetensorsFile file_;
  NetworkBatch batch_;
  int32_t trajectories_ = 1;
  std::vector<std::vector<int32_t>> tours_;
  std::vector<double> weights_;
};

// Reads the instances of a case's file, in the form `form`.
absl::StatusOr<NetworkBatch> ReadParityInstances(const std::string& path, const BatchForm& form);

// Returns the elements of a tensor. Fails unless the tensor exists with this type.
absl::StatusOr<std::vector<double>> ReadDoubles(const SafetensorsFile& file, std::string_view name);
absl::StatusOr<std::vector<int32_t>> ReadIntegers(const SafetensorsFile& file,
                                                  std::string_view name);
absl::StatusOr<std::vector<float>> ReadFloats(const SafetensorsFile& file, std::string_view name);

// Returns `actions` [count, steps] as tours without the padding zeros at a tour's end. A TSP's
// tours have no padding; their zeros are city 0.
std::vector<std::vector<int32_t>> SplitTours(const std::vector<int32_t>& actions, int64_t steps,
                                             bool tsp);

}  // namespace vrp
