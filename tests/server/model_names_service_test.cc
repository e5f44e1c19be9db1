// Tests aliases, loading, unloading and deletion of models through the API.
#include <atomic>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "core/model/weights/safetensors.h"
#include "gmock/gmock.h"
#include "tests/server/daemon_fixture.h"
#include "tests/server/messages.h"

namespace vrp::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class ModelNamesServiceTest : public DaemonTest {
 protected:
  void SetUp() override {
    vrpd_.threads = 2;
    AddModel("net", 1);
    AddModel("net", 2);
    Start();
    models_ = v1::ModelService::NewStub(channel_);
    solver_ = v1::SolverService::NewStub(channel_);
  }
  grpc::Status SetAlias(const std::string& name, int32_t version) {
    Context context;
    v1::SetModelAliasRequest request;
    request.set_name(name);
    request.set_version(version);
    alias_response_.Clear();
    return models_->SetModelAlias(&context, request, &alias_response_);
  }
  grpc::Status DeleteVersion(const std::string& name) {
    Context context;
    v1::DeleteModelVersionRequest request;
    request.set_name(name);
    v1::DeleteModelVersionResponse response;
    return models_->DeleteModelVersion(&context, request, &response);
  }
  std::vector<std::string> Unload(const std::string& name) {
    Context context;
    v1::UnloadModelRequest request;
    request.set_name(name);
    v1::UnloadModelResponse response;
    EXPECT_TRUE(models_->UnloadModel(&context, request, &response).ok());
    return {response.unloaded_models().begin(), response.unloaded_models().end()};
  }
  v1::Model Load(const std::string& name) {
    Context context;
    v1::LoadModelRequest request;
    request.set_name(name);
    v1::Model model;
    EXPECT_TRUE(models_->LoadModel(&context, request, &model).ok());
    return model;
  }
  v1::Model Get(const std::string& name) {
    Context context;
    v1::GetModelRequest request;
    request.set_name(name);
    v1::Model model;
    EXPECT_TRUE(models_->GetModel(&context, request, &model).ok()) << name;
    return model;
  }
  // Returns the version of the model that solved, or the error.
  std::string SolvingModel(const std::string& model, v1::Strategy strategy = v1::STRATEGY_GREEDY) {
    Context context;
    v1::SolveRequest request;
    *request.mutable_instance() = ACvrpMessage(6);
    request.set_strategy(strategy);
    request.set_model(model);
    request.mutable_budget()->set_seconds(60);  // a late network would name no model
    v1::SolveResponse response;
    const grpc::Status status = solver_->Solve(&context, request, &response);
    return status.ok() ? response.model() : status.error_message();
  }
  grpc::Status Import(const std::string& name) {
    Context context;
    v1::Model model;
    const auto writer = models_->ImportModel(&context, &model);
    v1::ImportModelRequest message;
    message.mutable_header()->set_name(name);
    writer->Write(message);
    const std::string weights = WriteSafetensors({}, {{"made", "here"}});
    for (const auto& [file, content] :
         {std::pair<std::string, std::string>("card.json", WriteModelCard(ACard(weights, ""))),
          std::pair<std::string, std::string>("weights.safetensors", weights)}) {
      message.mutable_chunk()->set_file(file);
      message.mutable_chunk()->set_data(content);
      writer->Write(message);
    }
    writer->WritesDone();
    return writer->Finish();
  }

  std::unique_ptr<v1::ModelService::Stub> models_;
  std::unique_ptr<v1::SolverService::Stub> solver_;
  v1::SetModelAliasResponse alias_response_;
};

TEST_F(ModelNamesServiceTest, RefusesToSolveWithADispatchModel) {
  AddDispatchModel("waves");
  for (const v1::Strategy strategy :
       {v1::STRATEGY_AUTO, v1::STRATEGY_GREEDY, v1::STRATEGY_SEARCH}) {
    EXPECT_THAT(SolvingModel("models/waves", strategy),
                HasSubstr("models/waves/versions/1: is a dispatch model"));
  }
  EXPECT_EQ(Get("models/waves").architecture(), "dispatch");
}

TEST_F(ModelNamesServiceTest, AcceptsAnAliasWhereverAModelIsNamed) {
  ASSERT_TRUE(SetAlias("models/net/aliases/production", 1).ok());
  EXPECT_EQ(alias_response_.model(), "models/net/versions/1");
  EXPECT_EQ(alias_response_.previous_model(), "");
  EXPECT_EQ(SolvingModel("models/net/aliases/production"), "models/net/versions/1");
  EXPECT_EQ(Get("models/net/aliases/production").name(), "models/net/versions/1");
  EXPECT_THAT(Get("models/net/versions/1").aliases(), ElementsAre("production"));
  EXPECT_THAT(Get("models/net").aliases(), IsEmpty());
  ASSERT_TRUE(SetAlias("models/net/aliases/production", 2).ok());
  EXPECT_EQ(alias_response_.previous_model(), "models/net/versions/1");
  EXPECT_EQ(SolvingModel("models/net/aliases/production"), "models/net/versions/2");

  v1::EvaluateModelRequest evaluate;
  evaluate.set_model("models/net/aliases/production");
  evaluate.mutable_generate()->set_problem_type(v1::PROBLEM_TYPE_CVRP);
  evaluate.mutable_generate()->set_customer_count(5);
  evaluate.mutable_generate()->set_instance_count(2);
  Context context, export_context;
  const auto evaluated = models_->EvaluateModel(&context, evaluate);
  v1::EvaluationReport report;
  for (v1::EvaluateModelResponse m; evaluated->Read(&m);) report = m.report();
  EXPECT_TRUE(evaluated->Finish().ok());
  EXPECT_EQ(report.model(), "models/net/versions/2");
  v1::ExportModelRequest request;
  request.set_name("models/net/aliases/production");
  const auto exported = models_->ExportModel(&export_context, request);
  for (v1::ExportModelResponse m; exported->Read(&m);) continue;
  EXPECT_TRUE(exported->Finish().ok());
}

TEST_F(ModelNamesServiceTest, NamesTheFieldOfAnInvalidName) {
  for (const char* name : {"models/net", "models/net/versions/1", "models/net/aliases/1",
                           "models/net/aliases/latest", "net@production", ""}) {
    const grpc::Status status = SetAlias(name, 1);
    EXPECT_EQ(status.error_code(), grpc::INVALID_ARGUMENT) << name;
    EXPECT_EQ(FieldOf(status), "name") << name;
  }
  EXPECT_EQ(FieldOf(SetAlias("models/net/aliases/a", 0)), "version");
  EXPECT_EQ(SetAlias("models/net/aliases/a", 7).error_code(), grpc::NOT_FOUND);
  EXPECT_EQ(FieldOf(DeleteVersion("models/net")), "name");
  EXPECT_THAT(SolvingModel("models/net/aliases/absent"), HasSubstr("no such alias"));
}

TEST_F(ModelNamesServiceTest, RefusesToDeleteAVersionWithAnAlias) {
  ASSERT_TRUE(SetAlias("models/net/aliases/production", 2).ok());
  const grpc::Status refused = DeleteVersion("models/net/versions/2");
  EXPECT_EQ(refused.error_code(), grpc::FAILED_PRECONDITION);
  EXPECT_THAT(refused.error_message(), HasSubstr("is named by production"));
  Context context;
  v1::DeleteModelAliasRequest request;
  request.set_name("models/net/aliases/production");
  v1::DeleteModelAliasResponse response;
  ASSERT_TRUE(models_->DeleteModelAlias(&context, request, &response).ok());
  EXPECT_TRUE(DeleteVersion("models/net/versions/2").ok());
  EXPECT_EQ(SolvingModel("models/net"), "models/net/versions/1");
  EXPECT_EQ(DeleteVersion("models/net/versions/2").error_code(), grpc::NOT_FOUND);
}

TEST_F(ModelNamesServiceTest, LoadsAndUnloadsAModelByName) {
  EXPECT_FALSE(Get("models/net").loaded());
  EXPECT_TRUE(Load("models/net").loaded());
  EXPECT_TRUE(Load("models/net/versions/1").loaded());
  EXPECT_TRUE(Get("models/net").loaded());
  EXPECT_THAT(Unload("models/net/versions/1"), ElementsAre("models/net/versions/1"));
  EXPECT_THAT(Unload("models/net"), ElementsAre("models/net/versions/2"));
  EXPECT_THAT(Unload("models/net"), IsEmpty());
  EXPECT_EQ(SolvingModel("models/net"), "models/net/versions/2");  // loads the model again
  EXPECT_TRUE(Get("models/net").loaded());
}

TEST_F(ModelNamesServiceTest, LosesNoSolveWhileTheModelIsReplaced) {
  std::atomic<bool> done = false;
  std::atomic<int> solved = 0, lost = 0;
  std::vector<std::thread> callers;
  for (int i = 0; i < 2; ++i) {
    callers.emplace_back([&] {
      while (!done) {
        const bool answered = SolvingModel("models/net").starts_with("models/net/versions/");
        ++(answered ? solved : lost);
      }
    });
  }
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(Import("net").ok());
  done = true;
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(lost, 0);
  EXPECT_GT(solved, 20);
  EXPECT_EQ(SolvingModel("models/net"), "models/net/versions/102");
}

}  // namespace
}  // namespace vrp::test
