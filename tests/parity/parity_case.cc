#include "tests/parity/parity_case.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "core/base/file.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/model/make_engine.h"

namespace vrp {
namespace {

constexpr std::string_view kWeightPrefix = "weights.";

absl::StatusOr<std::string> Metadata(const SafetensorsFile& file, const std::string& key) {
  const auto found = file.metadata().find(key);
  if (found != file.metadata().end()) return found->second;
  return absl::InvalidArgumentError(
      Concat("metadata: got no ", key, ", wanted kind and architecture_json"));
}

template <typename T>
absl::StatusOr<std::vector<T>> ReadTensor(const SafetensorsFile& file, std::string_view name,
                                          TensorType type) {
  const TensorView* const tensor = file.Find(name);
  if (tensor == nullptr || tensor->type != type) {
    return absl::InvalidArgumentError(
        Concat(name, ": got ", tensor == nullptr ? "no tensor" : TensorTypeName(tensor->type),
               ", wanted type ", TensorTypeName(type)));
  }
  std::vector<T> values(tensor->data.size() / sizeof(T));
  std::memcpy(values.data(), tensor->data.data(), tensor->data.size());
  return values;
}

absl::StatusOr<std::vector<int64_t>> Shape(const SafetensorsFile& file, std::string_view name,
                                           size_t dimensions) {
  const TensorView* const tensor = file.Find(name);
  if (tensor != nullptr && tensor->shape.size() == dimensions) return tensor->shape;
  return absl::InvalidArgumentError(Concat(name, ": got ",
                                           tensor == nullptr ? size_t{0} : tensor->shape.size(),
                                           " dimensions, wanted ", dimensions));
}

absl::StatusOr<std::vector<InstanceData>> ReadInstances(const SafetensorsFile& file) {
  VRP_ASSIGN_OR_RETURN(const std::string kind_name, Metadata(file, "kind"));
  const std::optional<ProblemKind> kind = KindFromName(kind_name);
  if (!kind) {
    return absl::InvalidArgumentError(
        Concat("kind: got ", Quoted(kind_name), ", wanted tsp, cvrp or vrptw"));
  }
  VRP_ASSIGN_OR_RETURN(const std::vector<int64_t> shape, Shape(file, "positions", 3));
  VRP_ASSIGN_OR_RETURN(const std::vector<double> positions, ReadDoubles(file, "positions"));
  std::vector<double> demands;
  std::vector<double> capacities;
  if (*kind != ProblemKind::kTsp) {
    VRP_ASSIGN_OR_RETURN(demands, ReadDoubles(file, "demands"));
    VRP_ASSIGN_OR_RETURN(capacities, ReadDoubles(file, "capacities"));
  }
  std::vector<InstanceData> instances(static_cast<size_t>(shape[0]));
  const int64_t nodes = shape[1];
  for (int64_t b = 0; b < shape[0]; ++b) {
    InstanceData& instance = instances[b];
    instance.kind = *kind;
    for (int64_t node = b * nodes; node < (b + 1) * nodes; ++node) {
      instance.positions.push_back({positions[2 * node], positions[2 * node + 1]});
      if (!demands.empty()) instance.demands.push_back(demands[node]);
    }
    if (!capacities.empty()) instance.vehicles = {{.capacity = capacities[b]}};
  }
  return instances;
}

}  // namespace

absl::StatusOr<NetworkBatch> ReadParityInstances(const std::string& path, const BatchForm& form) {
  VRP_ASSIGN_OR_RETURN(std::string bytes, ReadFile(path, kMaxSafetensorsBytes));
  VRP_ASSIGN_OR_RETURN(const SafetensorsFile file, SafetensorsFile::Parse(std::move(bytes), path));
  VRP_ASSIGN_OR_RETURN(const std::vector<InstanceData> instances, ReadInstances(file));
  return MakeNetworkBatch(instances, form);
}

absl::StatusOr<std::vector<double>> ReadDoubles(const SafetensorsFile& file,
                                                std::string_view name) {
  return ReadTensor<double>(file, name, TensorType::kFloat64);
}

absl::StatusOr<std::vector<int32_t>> ReadIntegers(const SafetensorsFile& file,
                                                  std::string_view name) {
  return ReadTensor<int32_t>(file, name, TensorType::kInt32);
}

absl::StatusOr<std::vector<float>> ReadFloats(const SafetensorsFile& file, std::string_view name) {
  return ReadTensor<float>(file, name, TensorType::kFloat32);
}

std::vector<std::vector<int32_t>> SplitTours(const std::vector<int32_t>& actions, int64_t steps,
                                             bool tsp) {
  std::vector<std::vector<int32_t>> tours;
  for (auto at = actions.begin(); at != actions.end(); at += steps) {
    std::vector<int32_t> tour(at, at + steps);
    while (!tsp && !tour.empty() && tour.back() == 0) tour.pop_back();
    tours.push_back(std::move(tour));
  }
  return tours;
}

absl::StatusOr<ParityCase> ParityCase::Read(const std::string& path) {
  VRP_ASSIGN_OR_RETURN(std::string bytes, ReadFile(path, kMaxSafetensorsBytes));
  VRP_ASSIGN_OR_RETURN(SafetensorsFile file, SafetensorsFile::Parse(std::move(bytes), path));
  ParityCase result(std::move(file));
  VRP_ASSIGN_OR_RETURN(const std::vector<InstanceData> instances, ReadInstances(result.file_));
  result.batch_ = MakeNetworkBatch(instances, NodeOrder::kAsGiven);
  VRP_ASSIGN_OR_RETURN(const std::vector<int64_t> shape, Shape(result.file_, "actions", 3));
  VRP_ASSIGN_OR_RETURN(const std::vector<int32_t> actions, ReadIntegers(result.file_, "actions"));
  VRP_ASSIGN_OR_RETURN(result.weights_, ReadDoubles(result.file_, "weights"));
  result.trajectories_ = static_cast<int32_t>(shape[1]);
  result.tours_ = SplitTours(actions, shape[2], instances.front().kind == ProblemKind::kTsp);
  if (result.tours_.size() != result.weights_.size() || shape[0] != result.batch_.size()) {
    return absl::InvalidArgumentError(
        "actions [B, P, T], weights [B, P] and positions [B, N, 2]: got different sizes, wanted "
        "equal B and P");
  }
  return result;
}

absl::StatusOr<std::unique_ptr<PolicyEngine>> ParityCase::MakeNetwork() const {
  VRP_ASSIGN_OR_RETURN(const std::string sizes, Metadata(file_, "architecture_json"));
  EngineRequest request;
  request.architecture = "gt";
  request.architecture_json = sizes;
  VRP_ASSIGN_OR_RETURN(std::unique_ptr<PolicyEngine> engine, MakeEngine(request));
  VRP_RETURN_IF_ERROR(LoadWeights(*engine));
  return engine;
}

absl::StatusOr<std::unique_ptr<Float64Engine>> ParityCase::MakeFloat64Network() const {
  VRP_ASSIGN_OR_RETURN(const std::string sizes, Metadata(file_, "architecture_json"));
  VRP_ASSIGN_OR_RETURN(const GraphTransformerOptions options,
                       ParseGraphTransformerOptions(sizes, "architecture_json"));
  std::unique_ptr<Float64Engine> engine = MakeFloat64GraphTransformer(options, 1);
  VRP_RETURN_IF_ERROR(LoadWeights(*engine));
  return engine;
}

absl::Status ParityCase::LoadWeights(PolicyEngine& engine) const {
  std::vector<TensorView> tensors;
  for (TensorView tensor : file_.tensors()) {
    if (!tensor.name.starts_with(kWeightPrefix)) continue;
    tensor.name.erase(0, kWeightPrefix.size());
    tensors.push_back(std::move(tensor));
  }
  VRP_ASSIGN_OR_RETURN(const SafetensorsFile weights,
                       SafetensorsFile::Parse(WriteSafetensors(tensors), "weights"));
  VRP_RETURN_IF_ERROR(engine.parameters().Load(weights, "weights"));
  return engine.ParametersChanged();
}

RolloutRequest ParityCase::ForcedRequest(CpuPool* pool) const {
  RolloutRequest request;
  request.choice = Choice::kForced;
  request.trajectories = trajectories_;
  request.distinct_starts = trajectories_ > 1;
  request.choices = tours_;
  request.pool = pool;
  return request;
}

void ParityCase::CopyWeights(int64_t first, std::span<double> weights) const {
  std::copy_n(weights_.begin() + first * trajectories_, weights.size(), weights.begin());
}

}  // namespace vrp
