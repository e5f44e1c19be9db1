#include "server/service/reflection_handler.h"

#include <set>
#include <string>
#include <vector>

#include "core/base/text.h"
#include "google/protobuf/descriptor.h"
#include "google/protobuf/descriptor.pb.h"

namespace vrp {
namespace {

namespace reflection = ::grpc::reflection::v1alpha;
using google::protobuf::DescriptorPool;
using google::protobuf::FileDescriptor;

constexpr const char* kReflectedServices[] = {
    "grpc.health.v1.Health",    "grpc.reflection.v1alpha.ServerReflection",
    "vrp.v1.DatasetService",    "vrp.v1.DispatchService",
    "vrp.v1.EstimateService",   "vrp.v1.ModelService",
    "vrp.v1.SimulationService", "vrp.v1.SolverService",
    "vrp.v1.SweepService",      "vrp.v1.SystemService",
    "vrp.v1.TrainingService"};

void AddFiles(const FileDescriptor& file, std::set<const FileDescriptor*>& added,
              reflection::FileDescriptorResponse& files) {
  if (!added.insert(&file).second) return;
  google::protobuf::FileDescriptorProto message;
  file.CopyTo(&message);
  message.SerializeToString(files.add_file_descriptor_proto());
  for (int i = 0; i < file.dependency_count(); ++i) AddFiles(*file.dependency(i), added, files);
}

// Returns the response for the file that defines a name. If `file` is null, no file defines it.
reflection::ServerReflectionResponse FileResponse(const FileDescriptor* file,
                                                  const std::string& name) {
  if (file == nullptr) {
    return ReflectError(absl::NotFoundError(
        Concat("there is no ", Quoted(name), "; list_services names all services")));
  }
  reflection::ServerReflectionResponse response;
  std::set<const FileDescriptor*> added;
  AddFiles(*file, added, *response.mutable_file_descriptor_response());
  return response;
}

reflection::ServerReflectionResponse ExtensionFile(const reflection::ExtensionRequest& request) {
  const DescriptorPool& pool = *DescriptorPool::generated_pool();
  const auto* const type = pool.FindMessageTypeByName(request.containing_type());
  const auto* const extension =
      type == nullptr ? nullptr : pool.FindExtensionByNumber(type, request.extension_number());
  return FileResponse(extension == nullptr ? nullptr : extension->file(),
                      Concat(request.containing_type(), " ", request.extension_number()));
}

reflection::ServerReflectionResponse ExtensionNumbers(const std::string& name) {
  const DescriptorPool& pool = *DescriptorPool::generated_pool();
  const auto* const type = pool.FindMessageTypeByName(name);
  if (type == nullptr) return FileResponse(nullptr, name);
  reflection::ServerReflectionResponse response;
  reflection::ExtensionNumberResponse& numbers = *response.mutable_all_extension_numbers_response();
  numbers.set_base_type_name(name);
  std::vector<const google::protobuf::FieldDescriptor*> extensions;
  pool.FindAllExtensions(type, &extensions);
  for (const auto* extension : extensions) numbers.add_extension_number(extension->number());
  return response;
}

reflection::ServerReflectionResponse ServicesResponse() {
  reflection::ServerReflectionResponse response;
  for (const char* name : kReflectedServices) {
    response.mutable_list_services_response()->add_service()->set_name(name);
  }
  return response;
}

reflection::ServerReflectionResponse Answer(const reflection::ServerReflectionRequest& request) {
  using Request = reflection::ServerReflectionRequest;
  const DescriptorPool& pool = *DescriptorPool::generated_pool();
  switch (request.message_request_case()) {
    case Request::kFileByFilename:
      return FileResponse(pool.FindFileByName(request.file_by_filename()),
                          request.file_by_filename());
    case Request::kFileContainingSymbol:
      return FileResponse(pool.FindFileContainingSymbol(request.file_containing_symbol()),
                          request.file_containing_symbol());
    case Request::kFileContainingExtension:
      return ExtensionFile(request.file_containing_extension());
    case Request::kAllExtensionNumbersOfType:
      return ExtensionNumbers(request.all_extension_numbers_of_type());
    case Request::kListServices:
      return ServicesResponse();
    case Request::MESSAGE_REQUEST_NOT_SET:
      break;
  }
  return ReflectError(absl::InvalidArgumentError(
      "message_request: absent, wanted one of its fields, such as list_services"));
}

}  // namespace

reflection::ServerReflectionResponse Reflect(const reflection::ServerReflectionRequest& request) {
  reflection::ServerReflectionResponse response = Answer(request);
  response.set_valid_host(request.host());
  *response.mutable_original_request() = request;
  return response;
}

reflection::ServerReflectionResponse ReflectError(const absl::Status& status) {
  reflection::ServerReflectionResponse response;
  response.mutable_error_response()->set_error_code(static_cast<int32_t>(status.code()));
  response.mutable_error_response()->set_error_message(std::string(status.message()));
  return response;
}

}  // namespace vrp
