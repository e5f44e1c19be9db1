// Lists the RPCs of the protos and calls any of them by path.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/base/text.h"
#include "google/protobuf/descriptor.h"
#include "grpcpp/generic/generic_stub.h"
#include "grpcpp/grpcpp.h"
#include "gtest/gtest.h"

namespace vrp::test {

// Returns the RPCs of all files in proto/vrp/v1.
inline std::vector<const google::protobuf::MethodDescriptor*> AllMethods() {
  std::vector<const google::protobuf::MethodDescriptor*> methods;
  for (const auto& file : std::filesystem::directory_iterator("proto/vrp/v1")) {
    if (file.path().extension() != ".proto") continue;
    const google::protobuf::FileDescriptor* descriptor =
        google::protobuf::DescriptorPool::generated_pool()->FindFileByName(
            "vrp/v1/" + file.path().filename().string());
    EXPECT_NE(descriptor, nullptr) << file.path();
    for (int s = 0; descriptor != nullptr && s < descriptor->service_count(); ++s) {
      for (int m = 0; m < descriptor->service(s)->method_count(); ++m) {
        methods.push_back(descriptor->service(s)->method(m));
      }
    }
  }
  EXPECT_GE(methods.size(), 25u);
  return methods;
}

// Returns the path of an RPC, such as "/vrp.v1.SolverService/Solve".
inline std::string PathOf(const google::protobuf::MethodDescriptor& method) {
  return Concat("/", method.service()->full_name(), "/", method.name());
}

// Sends the serialized `requests`, reads all responses and returns the status of the call.
inline grpc::Status CallByPath(const std::shared_ptr<grpc::Channel>& channel,
                               grpc::ClientContext& context, const std::string& path,
                               const std::vector<std::string>& requests) {
  grpc::CompletionQueue queue;
  const auto wait = [&queue] {
    void* tag = nullptr;
    bool ok = false;
    return queue.Next(&tag, &ok) && ok;
  };
  const auto call = grpc::GenericStub(channel).PrepareCall(&context, path, &queue);
  call->StartCall(nullptr);
  wait();
  for (const std::string& request : requests) {
    const grpc::Slice slice(request);
    call->Write(grpc::ByteBuffer(&slice, 1), nullptr);
    wait();
  }
  call->WritesDone(nullptr);
  wait();
  grpc::ByteBuffer message;
  do {
    call->Read(&message, nullptr);
  } while (wait());
  grpc::Status status;
  call->Finish(&status, nullptr);
  wait();
  return status;
}

}  // namespace vrp::test
