// Tests that names in requests cannot reach other files.
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "google/protobuf/dynamic_message.h"
#include "tests/server/all_methods.h"
#include "tests/server/daemon_fixture.h"
#include "tests/server/messages.h"
#include "vrp/v1/dataset_service.grpc.pb.h"

namespace vrp::test {
namespace {

using testing::HasSubstr;

const std::vector<std::string>& UnsafeNames() {
  static const std::vector<std::string> names = {
      "..",
      "../canary",
      "/etc/passwd",
      "models/",
      "models/..",
      "models/.",
      "models/../canary",
      "models/../../canary",
      "models/..%2fcanary",
      "models/..\\canary",
      "models/.hidden",
      "models/../canary/versions/1",
      "models/net/versions/..",
      "models/net/versions/1/../../../canary",
      "models/net/versions/-1",
      "models/net/versions/1e0",
      std::string("models/net\0/versions/1", 22),
      "trainingJobs/..",
      "trainingJobs/../canary",
      "trainingJobs/.hidden",
      "solveJobs/..",
      "solveJobs/../../canary",
      "matrices/..",
      "matrices/../canary",
      "matrices/../../../../../../../../canary",
      "matrices/0123456789abcdef/../0123456789abc",
      "models/" + std::string(100'000, 'a'),
  };
  return names;
}

class NamesTest : public DaemonTest {
 protected:
  void SetUp() override {
    AddModel("net");
    ASSERT_TRUE(EnsureDirectory(folder_.path() + "/canary").ok());
    ASSERT_TRUE(AtomicWriteFile(folder_.path() + "/canary/card.json", "precious").ok());
    Start();
  }
  void TearDown() override {
    EXPECT_EQ(*ReadFile(folder_.path() + "/canary/card.json"), "precious");
    std::set<std::string> remaining;
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path())) {
      remaining.insert(entry.path().filename());
    }
    EXPECT_EQ(remaining, (std::set<std::string>{"canary", "models", "state"}));
    DaemonTest::TearDown();
  }
};

TEST_F(NamesTest, RefusesUnsafeNamesInEveryRpc) {
  int fields = 0;
  for (const google::protobuf::MethodDescriptor* method : AllMethods()) {
    for (const char* field_name : {"name", "model"}) {
      const google::protobuf::Descriptor& type = *method->input_type();
      const google::protobuf::FieldDescriptor* field = type.FindFieldByName(field_name);
      if (field == nullptr || field->type() != google::protobuf::FieldDescriptor::TYPE_STRING) {
        continue;
      }
      ++fields;
      for (const std::string& name : UnsafeNames()) {
        const std::unique_ptr<google::protobuf::Message> request(
            google::protobuf::MessageFactory::generated_factory()->GetPrototype(&type)->New());
        request->GetReflection()->SetString(request.get(), field, name);
        Context context;
        const grpc::Status status =
            CallByPath(channel_, context, PathOf(*method), {request->SerializeAsString()});
        EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT)
            << method->name() << " " << name.substr(0, 60) << ": " << status.error_message();
      }
    }
  }
  EXPECT_GE(fields, 9);
}

TEST_F(NamesTest, RefusesUnsafeModelsAndMatricesInARequest) {
  for (const std::string& name : UnsafeNames()) {
    v1::SolveRequest request;
    *request.mutable_instance() = ACvrpMessage();
    request.set_model(name);
    v1::SolveResponse response;
    const auto stub = v1::SolverService::NewStub(channel_);
    Context by_model;
    EXPECT_EQ(FieldOf(stub->Solve(&by_model, request, &response)), "model") << name.substr(0, 60);
    request.clear_model();
    request.mutable_instance()->set_matrices(name);
    Context by_matrices;
    EXPECT_EQ(stub->Solve(&by_matrices, request, &response).error_code(),
              grpc::StatusCode::INVALID_ARGUMENT)
        << name.substr(0, 60);
  }
}

TEST_F(NamesTest, RefusesUnsafeImportNamesAndFiles) {
  const std::string path = "/vrp.v1.ModelService/ImportModel";
  for (const char* name : {"..", "../canary", "a/b", ".hidden", "/tmp/x", ""}) {
    v1::ImportModelRequest header;
    header.mutable_header()->set_name(name);
    Context context;
    EXPECT_EQ(FieldOf(CallByPath(channel_, context, path, {header.SerializeAsString()})),
              "header.name")
        << name;
  }
  for (const char* file : {"..", "../card.json", "/etc/passwd", "card.json/..", "CARD.JSON", ""}) {
    v1::ImportModelRequest header;
    header.mutable_header()->set_name("fresh");
    v1::ImportModelRequest chunk;
    chunk.mutable_chunk()->set_file(file);
    chunk.mutable_chunk()->set_data("x");
    Context context;
    EXPECT_EQ(FieldOf(CallByPath(channel_, context, path,
                                 {header.SerializeAsString(), chunk.SerializeAsString()})),
              "chunk.file")
        << file;
  }
}

TEST_F(NamesTest, DoesNotOpenTheNameOfAnInstanceFile) {
  v1::ValidateInstanceRequest request;
  request.mutable_file()->set_name("../../../../etc/passwd");
  request.mutable_file()->set_content("nonsense");
  v1::ValidateInstanceResponse response;
  Context context;
  ASSERT_TRUE(
      v1::SolverService::NewStub(channel_)->ValidateInstance(&context, request, &response).ok());
  EXPECT_FALSE(response.valid());
  EXPECT_THAT(response.DebugString(), testing::Not(HasSubstr("root:")));
}

class TrainingFilesTest : public NamesTest {
 protected:
  // Returns the status of validating a job whose configuration has `setting`.
  grpc::Status Validate(const std::string& setting) {
    v1::CreateTrainingJobRequest request;
    const bool supervised = setting.starts_with("supervised.");
    request.mutable_spec()->set_config_yaml(
        *ReadFile(supervised ? "configs/ptrnet_supervised.yaml" : "configs/ptrnet_tiny.yaml"));
    request.mutable_spec()->set_config_name("../tiny.yaml");
    if (supervised) request.mutable_spec()->add_overrides("supervised.labels=file");
    request.mutable_spec()->add_overrides(setting);
    request.set_validate_only(true);
    Context context;
    v1::TrainingJob job;
    return v1::TrainingService::NewStub(channel_)->CreateTrainingJob(&context, request, &job);
  }
};

TEST_F(TrainingFilesTest, RefusesFilesOutsideTheDataFolders) {
  ASSERT_TRUE(EnsureDirectory(folder_.path() + "/state/data").ok());
  const std::string data = folder_.path() + "/state/data";
  std::filesystem::create_symlink("/etc", data + "/link");
  vrpd_.data_dirs = {data};
  Start();
  for (const char* key : {"problem.instances", "supervised.label_file", "validation.file",
                          "training.initial_model"}) {
    for (const std::string& file :
         {std::string("/etc/passwd"), data + "/../jobs.db", data + "/link/passwd", data,
          std::string("../canary/card.json"), data + "2/x"}) {
      const grpc::Status status = Validate(Concat(key, "=", file));
      EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT) << key << " " << file;
      EXPECT_THAT(status.error_message(), HasSubstr(key));
      EXPECT_THAT(status.error_message(), HasSubstr("the daemon's option data_dirs (" + data));
    }
    const grpc::Status allowed = Validate(Concat(key, "=", data, "/sets/own.jsonl"));
    EXPECT_TRUE(allowed.ok()) << key << ": " << allowed.error_message();
  }
  EXPECT_TRUE(Validate("training.initial_model=models/net/versions/1").ok());
}

TEST_F(TrainingFilesTest, AllowsAllFilesOnlyForLocalCallersWithoutTlsAndTokens) {
  EXPECT_TRUE(Validate("validation.file=/anywhere").ok());
  VrpdOptions options;
  EXPECT_FALSE(RestrictsTrainingFiles(options));
  options.listen = "unix:/s";
  EXPECT_FALSE(RestrictsTrainingFiles(options));
  options.listen = "0.0.0.0:1";
  EXPECT_TRUE(RestrictsTrainingFiles(options));
  VrpdOptions with_tls;
  with_tls.tls_certificate = "c";
  EXPECT_TRUE(RestrictsTrainingFiles(with_tls));
  VrpdOptions with_tokens;
  with_tokens.tokens = "t";
  EXPECT_TRUE(RestrictsTrainingFiles(with_tokens));
}

}  // namespace
}  // namespace vrp::test
