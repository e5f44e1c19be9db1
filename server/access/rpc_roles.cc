#include "server/access/rpc_roles.h"

#include <algorithm>
#include <iterator>

namespace vrp {
namespace {

struct Entry {
  std::string_view method;
  std::optional<Role> role;
};

constexpr Entry kEntries[] = {
    // Tells nothing but whether the daemon serves.
    {"/grpc.health.v1.Health/Check", std::nullopt},
    {"/grpc.health.v1.Health/Watch", std::nullopt},
    // Likewise over HTTP, and the metrics.
    {"/healthz", std::nullopt},
    {"/readyz", std::nullopt},
    {"/metrics", Role::kRead},
    // The API's description.
    {"/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo", Role::kRead},

    {"/vrp.v1.SystemService/GetServerInfo", Role::kRead},
    {"/vrp.v1.SystemService/GetServerStats", Role::kRead},
    {"/vrp.v1.SystemService/SetLogLevel", Role::kAdmin},
    // All jobs and models of all callers.
    {"/vrp.v1.SystemService/BackupServer", Role::kAdmin},

    {"/vrp.v1.SolverService/Solve", Role::kSolve},
    {"/vrp.v1.SolverService/StreamSolve", Role::kSolve},
    {"/vrp.v1.SolverService/BatchSolve", Role::kSolve},
    {"/vrp.v1.SolverService/CheckSolution", Role::kSolve},
    {"/vrp.v1.SolverService/ValidateInstance", Role::kSolve},
    {"/vrp.v1.SolverService/ConvertInstance", Role::kSolve},
    {"/vrp.v1.SolverService/CreateSolveJob", Role::kSolve},
    {"/vrp.v1.SolverService/GetSolveJob", Role::kRead},
    {"/vrp.v1.SolverService/ListSolveJobs", Role::kRead},
    {"/vrp.v1.SolverService/WatchSolveJob", Role::kRead},
    {"/vrp.v1.SolverService/StopSolveJob", Role::kSolve},
    {"/vrp.v1.SolverService/DeleteSolveJob", Role::kSolve},

    {"/vrp.v1.DatasetService/GenerateInstances", Role::kSolve},
    {"/vrp.v1.DatasetService/UploadMatrices", Role::kSolve},
    {"/vrp.v1.DatasetService/ListMatrices", Role::kRead},
    {"/vrp.v1.DatasetService/DeleteMatrices", Role::kSolve},
    {"/vrp.v1.DatasetService/UploadDataset", Role::kTrain},
    {"/vrp.v1.DatasetService/ListDatasets", Role::kRead},
    {"/vrp.v1.DatasetService/GetDataset", Role::kRead},
    {"/vrp.v1.DatasetService/DeleteDataset", Role::kTrain},

    {"/vrp.v1.TrainingService/CreateTrainingJob", Role::kTrain},
    {"/vrp.v1.TrainingService/GetTrainingJob", Role::kRead},
    {"/vrp.v1.TrainingService/ListTrainingJobs", Role::kRead},
    {"/vrp.v1.TrainingService/WatchTrainingJob", Role::kRead},
    {"/vrp.v1.TrainingService/GetTrainingHistory", Role::kRead},
    {"/vrp.v1.TrainingService/StopTrainingJob", Role::kTrain},
    {"/vrp.v1.TrainingService/PauseTrainingJob", Role::kTrain},
    {"/vrp.v1.TrainingService/ResumeTrainingJob", Role::kTrain},
    {"/vrp.v1.TrainingService/CancelTrainingJob", Role::kTrain},
    {"/vrp.v1.TrainingService/DeleteTrainingJob", Role::kTrain},
    {"/vrp.v1.TrainingService/PublishTrainingJob", Role::kTrain},

    {"/vrp.v1.ModelService/ListModels", Role::kRead},
    {"/vrp.v1.ModelService/GetModel", Role::kRead},
    {"/vrp.v1.ModelService/ExportModel", Role::kRead},
    {"/vrp.v1.ModelService/ImportModel", Role::kTrain},
    // Takes the solvers' threads and writes into the model's card.
    {"/vrp.v1.ModelService/EvaluateModel", Role::kTrain},
    {"/vrp.v1.ModelService/SetModelAlias", Role::kTrain},
    {"/vrp.v1.ModelService/DeleteModelAlias", Role::kTrain},
    {"/vrp.v1.ModelService/LoadModel", Role::kTrain},
    {"/vrp.v1.ModelService/UnloadModel", Role::kTrain},
    {"/vrp.v1.ModelService/DeleteModelVersion", Role::kTrain},
};

const Entry* Find(std::string_view method) {
  const auto* found = std::find_if(std::begin(kEntries), std::end(kEntries),
                                   [&](const Entry& entry) { return entry.method == method; });
  return found == std::end(kEntries) ? nullptr : found;
}

}  // namespace

std::optional<Role> RoleNeeded(std::string_view method) {
  const Entry* entry = Find(method);
  return entry == nullptr ? Role::kAdmin : entry->role;
}

bool HasRoleEntry(std::string_view method) { return Find(method) != nullptr; }

}  // namespace vrp
