#include "server/http/http_methods.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "core/base/text.h"
#include "vrp/v1/dataset_service.pb.h"
#include "vrp/v1/model_service.pb.h"
#include "vrp/v1/options.pb.h"
#include "vrp/v1/solver_service.pb.h"
#include "vrp/v1/system_service.pb.h"
#include "vrp/v1/training_service.pb.h"

namespace vrp {
namespace {

using google::protobuf::FileDescriptor;
using google::protobuf::MethodDescriptor;

HttpMethod MethodOf(const MethodDescriptor& rpc) {
  std::string name = rpc.name();
  name[0] = absl::ascii_tolower(static_cast<unsigned char>(name[0]));
  return {.rpc = &rpc,
          .path = Concat("/v1/", name),
          .grpc_path = Concat("/", rpc.service()->full_name(), "/", rpc.name()),
          .allows_get = rpc.options().GetExtension(v1::rpc).role() == v1::ROLE_READ &&
                        !rpc.client_streaming()};
}

std::vector<HttpMethod> ListMethods() {
  std::vector<HttpMethod> methods;
  // Any message of a file leads to its services.
  for (const FileDescriptor* file :
       {v1::ListMatricesRequest::descriptor()->file(), v1::ListModelsRequest::descriptor()->file(),
        v1::CheckSolutionRequest::descriptor()->file(),
        v1::GetServerInfoRequest::descriptor()->file(),
        v1::ListTrainingJobsRequest::descriptor()->file()}) {
    for (int s = 0; s < file->service_count(); ++s) {
      for (int m = 0; m < file->service(s)->method_count(); ++m) {
        methods.push_back(MethodOf(*file->service(s)->method(m)));
      }
    }
  }
  std::sort(methods.begin(), methods.end(),
            [](const HttpMethod& a, const HttpMethod& b) { return a.path < b.path; });
  return methods;
}

}  // namespace

const std::vector<HttpMethod>& HttpMethods() {
  static const auto& methods = *new std::vector<HttpMethod>(ListMethods());
  return methods;
}

const HttpMethod* FindHttpMethod(std::string_view path) {
  const std::vector<HttpMethod>& methods = HttpMethods();
  const auto found = std::lower_bound(
      methods.begin(), methods.end(), path,
      [](const HttpMethod& method, std::string_view wanted) { return method.path < wanted; });
  return found != methods.end() && found->path == path ? &*found : nullptr;
}

}  // namespace vrp
