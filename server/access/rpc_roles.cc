#include "server/access/rpc_roles.h"

#include <algorithm>
#include <string>

#include "google/protobuf/descriptor.h"
#include "vrp/v1/options.pb.h"

namespace vrp {
namespace {

// An HTTP page or an RPC of another package, for which no proto states a role.
struct ForeignMethod {
  std::string_view path;
  std::optional<Role> role;
};

constexpr ForeignMethod kForeignMethods[] = {
    // Probes have no token, and health only shows whether the daemon serves.
    {"/grpc.health.v1.Health/Check", std::nullopt},
    {"/grpc.health.v1.Health/Watch", std::nullopt},
    {"/healthz", std::nullopt},
    {"/readyz", std::nullopt},
    {"/metrics", Role::kRead},
    {"/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo", Role::kRead},
};

// Returns the RPC of a path such as "/vrp.v1.SolverService/Solve", or null if no proto defines it.
const google::protobuf::MethodDescriptor* FindRpcByPath(std::string_view path) {
  if (path.empty() || path.front() != '/') return nullptr;
  std::string name(path.substr(1));
  std::replace(name.begin(), name.end(), '/', '.');
  return google::protobuf::DescriptorPool::generated_pool()->FindMethodByName(name);
}

Role RoleFromProto(v1::Role role) {
  switch (role) {
    case v1::ROLE_READ:
      return Role::kRead;
    case v1::ROLE_SOLVE:
      return Role::kSolve;
    case v1::ROLE_TRAIN:
      return Role::kTrain;
    default:
      return Role::kAdmin;
  }
}

}  // namespace

std::optional<Role> RequiredRole(std::string_view method) {
  for (const ForeignMethod& foreign : kForeignMethods) {
    if (foreign.path == method) return foreign.role;
  }
  const google::protobuf::MethodDescriptor* rpc = FindRpcByPath(method);
  if (rpc == nullptr) return Role::kAdmin;
  return RoleFromProto(rpc->options().GetExtension(v1::rpc).role());
}

}  // namespace vrp
