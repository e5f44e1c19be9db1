// Tests evaluation, import and export of models.
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/base/sha256.h"
#include "core/model/weights/safetensors.h"
#include "core/problem/formats/json/json_writer.h"
#include "core/problem/generate/generators.h"
#include "gmock/gmock.h"
#include "server/service/model_evaluation.h"
#include "server/service/model_import.h"
#include "tests/server/daemon_fixture.h"
#include "tests/testing/recorded_watch.h"
#include "vrp/v1/dataset_service.grpc.pb.h"

namespace vrp::test {
namespace {

using testing::HasSubstr;

class ModelServiceTest : public DaemonTest {
 protected:
  void SetUp() override {
    vrpd_.threads = 2;
    AddModel("net", 1);
    Start();
    models_ = v1::ModelService::NewStub(channel_);
  }

  static v1::EvaluateModelRequest RequestForGenerated(int64_t count) {
    v1::EvaluateModelRequest request;
    request.set_model("models/net");
    request.mutable_generate()->set_problem_type(v1::PROBLEM_TYPE_CVRP);
    request.mutable_generate()->set_customer_count(10);
    request.mutable_generate()->set_instance_count(count);
    request.mutable_generate()->set_seed(7);
    return request;
  }
  // Stores the last message's report in `report_`. Returns the status of the call.
  grpc::Status Evaluate(const v1::EvaluateModelRequest& request) {
    Context context;
    const auto stream = models_->EvaluateModel(&context, request);
    report_.Clear();
    for (v1::EvaluateModelResponse message; stream->Read(&message);) {
      EXPECT_FALSE(report_.IsInitialized() && !report_.model().empty())
          << "no message may follow the report";
      EXPECT_LE(message.done(), message.total());
      if (message.has_report()) report_ = message.report();
    }
    return stream->Finish();
  }
  grpc::Status Import(const std::vector<v1::ImportModelRequest>& messages) {
    Context context;
    model_.Clear();
    const auto writer = models_->ImportModel(&context, &model_);
    for (const v1::ImportModelRequest& message : messages) {
      if (!writer->Write(message)) break;
    }
    writer->WritesDone();
    return writer->Finish();
  }
  static v1::ImportModelRequest Header(const std::string& name) {
    v1::ImportModelRequest message;
    message.mutable_header()->set_name(name);
    return message;
  }
  static v1::ImportModelRequest Chunk(const std::string& file, const std::string& data) {
    v1::ImportModelRequest message;
    message.mutable_chunk()->set_file(file);
    message.mutable_chunk()->set_data(data);
    return message;
  }
  std::map<std::string, std::string> Export(const std::string& name) {
    Context context;
    v1::ExportModelRequest request;
    request.set_name(name);
    const auto stream = models_->ExportModel(&context, request);
    std::map<std::string, std::string> files;
    for (v1::ExportModelResponse message; stream->Read(&message);) {
      files[message.chunk().file()] += message.chunk().data();
    }
    EXPECT_TRUE(stream->Finish().ok());
    return files;
  }
  v1::Model Get(const std::string& name) {
    Context context;
    v1::GetModelRequest request;
    request.set_name(name);
    v1::Model model;
    EXPECT_TRUE(models_->GetModel(&context, request, &model).ok());
    return model;
  }

  std::unique_ptr<v1::ModelService::Stub> models_;
  v1::EvaluationReport report_;
  v1::Model model_;
};

TEST_F(ModelServiceTest, EvaluatesAGeneratedSetAndWritesTheCard) {
  v1::EvaluateModelRequest request = RequestForGenerated(30);
  request.add_modes()->set_strategy(v1::STRATEGY_GREEDY);
  request.add_modes()->set_strategy(v1::STRATEGY_MULTI_START);
  request.mutable_reference_search_time()->set_nanos(2'000'000);
  const grpc::Status status = Evaluate(request);
  ASSERT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(report_.model(), "models/net/versions/1");
  EXPECT_EQ(report_.card_error(), "");
  ASSERT_EQ(report_.evaluations_size(), 2);
  const v1::ModelEvaluation& row = report_.evaluations(0);
  EXPECT_EQ(row.data(), "cvrp10:30:7");
  EXPECT_EQ(row.mode(), "greedy");
  EXPECT_EQ(report_.evaluations(1).mode(), "multi_start 8");
  EXPECT_EQ(row.instance_count(), 30);
  EXPECT_EQ(row.reference(), "search 2 ms");
  EXPECT_GT(row.mean_gap(), 0);  // the fake policy builds nearest-neighbour plans
  EXPECT_GT(row.standard_error(), 0);
  ASSERT_EQ(row.sizes_size(), 1);
  EXPECT_EQ(row.sizes(0).min_customers(), 10);

  // A repeated evaluation replaces the rows.
  ASSERT_TRUE(Evaluate(request).ok());
  const v1::Model model = Get("models/net");
  ASSERT_EQ(model.evaluations_size(), 2);
  EXPECT_EQ(model.evaluations(0).mean_cost(), row.mean_cost());
  EXPECT_TRUE(model.evaluations(0).has_evaluate_time());
}

TEST_F(ModelServiceTest, EvaluatesFilesAgainstTheirReferences) {
  v1::EvaluateModelRequest request;
  request.set_model("models/net/versions/1");
  request.set_data("set.jsonl");
  v1::InstanceFile& file = *request.add_files();
  InstanceData data = GenerateInstanceData({.customers = 3}, 0);
  data.reference_cost = 0.5;
  file.set_content(WriteJson(Instance::Create(std::move(data)).value()));
  const grpc::Status status = Evaluate(request);
  ASSERT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(report_.evaluations(0).data(), "set.jsonl");
  EXPECT_EQ(report_.evaluations(0).reference(), "file's reference costs");
  EXPECT_DOUBLE_EQ(report_.evaluations(0).mean_gap(), report_.evaluations(0).mean_cost() / 0.5 - 1);
}

TEST_F(ModelServiceTest, NamesTheFieldOfAnInvalidEvaluation) {
  const auto refusal = [this](const std::function<void(v1::EvaluateModelRequest&)>& change) {
    v1::EvaluateModelRequest request = RequestForGenerated(2);
    change(request);
    const grpc::Status status = Evaluate(request);
    EXPECT_EQ(status.error_code(), grpc::INVALID_ARGUMENT) << status.error_message();
    return status.error_message();
  };
  EXPECT_THAT(refusal([](auto& r) { r.clear_generate(); }), HasSubstr("files: absent"));
  EXPECT_THAT(refusal([](auto& r) { r.set_model("net"); }), HasSubstr("model: got \"net\""));
  EXPECT_THAT(refusal([](auto& r) { r.add_modes()->set_strategy(v1::STRATEGY_SEARCH); }),
              HasSubstr("modes[0].strategy"));
  EXPECT_THAT(refusal([](auto& r) {
                r.add_modes()->set_strategy(v1::STRATEGY_SAMPLE);
                r.mutable_modes(0)->set_width(-1);
              }),
              HasSubstr("modes[0].width"));
  EXPECT_THAT(refusal([](auto& r) { r.mutable_reference_search_time()->set_seconds(3600); }),
              HasSubstr("reference_search_time"));
  EXPECT_THAT(refusal([](auto& r) { r.mutable_generate()->set_instance_count(200'000); }),
              HasSubstr("generate.instance_count"));
  const std::pair<std::string, std::function<void(v1::GenerateInstancesRequest&)>> wrong[] = {
      {"problem_type", [](auto& set) { set.set_problem_type(v1::PROBLEM_TYPE_UNSPECIFIED); }},
      {"customer_count", [](auto& set) { set.set_customer_count(0); }},
      {"instance_count", [](auto& set) { set.set_instance_count(0); }},
      {"capacity", [](auto& set) { set.set_capacity(-1); }},
      {"capacity", [](auto& set) { set.set_capacity(2); }}};
  for (const auto& [field, change] : wrong) {
    v1::EvaluateModelRequest request = RequestForGenerated(2);
    change(*request.mutable_generate());
    EXPECT_EQ(FieldOf(Evaluate(request)), "generate." + field);
  }
  EXPECT_THAT(refusal([](auto& r) { r.add_files(); }), HasSubstr("generate: given"));
  EXPECT_THAT(refusal([](auto& r) {
                r.clear_generate();
                r.add_files()->set_content("nonsense");
              }),
              HasSubstr("files[0]: "));
  v1::EvaluateModelRequest unknown = RequestForGenerated(2);
  unknown.set_model("models/nobody");
  EXPECT_EQ(Evaluate(unknown).error_code(), grpc::NOT_FOUND);
}

TEST_F(ModelServiceTest, ImportsAnExportedModel) {
  const std::string weights = WriteSafetensors({}, {{"made", "here"}});
  ModelCard card = ACard(weights, "trainingJobs/elsewhere");
  card.evaluations = {{.data = "d", .mode = "greedy", .instances = 3, .mean_cost = 5}};
  const std::string text = WriteModelCard(card);
  // Uploads the card in two chunks.
  const grpc::Status status =
      Import({Header("guest"), Chunk("card.json", text.substr(0, 10)),
              Chunk("card.json", text.substr(10)), Chunk("weights.safetensors", weights)});
  ASSERT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(model_.name(), "models/guest/versions/1");
  EXPECT_EQ(model_.training_job(), "");
  EXPECT_EQ(model_.evaluations_size(), 1);

  const std::map<std::string, std::string> files = Export("models/guest");
  ASSERT_EQ(files.size(), 2u);
  EXPECT_EQ(files.at("weights.safetensors"), weights);
  ASSERT_TRUE(Import({Header("guest"), Chunk("card.json", files.at("card.json")),
                      Chunk("weights.safetensors", weights)})
                  .ok());
  EXPECT_EQ(model_.name(), "models/guest/versions/2");
}

TEST_F(ModelServiceTest, RefusesInvalidImportsAndLeavesNothingBehind) {
  const std::string weights = WriteSafetensors({});
  const std::string card = WriteModelCard(ACard(weights, ""));
  const auto refusal = [this](const std::vector<v1::ImportModelRequest>& messages,
                              grpc::StatusCode code = grpc::INVALID_ARGUMENT) {
    const grpc::Status status = Import(messages);
    EXPECT_EQ(status.error_code(), code) << status.error_message();
    return status.error_message();
  };
  EXPECT_THAT(refusal({}), HasSubstr("header: absent"));
  EXPECT_THAT(refusal({Chunk("card.json", card)}), HasSubstr("header: absent"));
  EXPECT_THAT(refusal({Header("../etc")}), HasSubstr("header.name"));
  EXPECT_THAT(refusal({Header("a"), Header("b")}), HasSubstr("header: given twice"));
  EXPECT_THAT(refusal({Header("a"), Chunk("../card.json", card)}), HasSubstr("chunk.file"));
  EXPECT_THAT(refusal({Header("a"), Chunk("card.json", card)}), HasSubstr("weights.safetensors"));
  EXPECT_THAT(refusal({Header("a"), Chunk("weights.safetensors", weights)}),
              HasSubstr("card.json"));
  EXPECT_THAT(
      refusal({Header("a"), Chunk("card.json", "{}"), Chunk("weights.safetensors", weights)}),
      HasSubstr("card.json: schema_version"));
  EXPECT_THAT(refusal({Header("a"), Chunk("card.json", card),
                       Chunk("weights.safetensors", "no header at all")}),
              HasSubstr("weights.safetensors: "));
  const std::string other = WriteModelCard(ACard("other weights", ""));
  EXPECT_THAT(
      refusal({Header("a"), Chunk("card.json", other), Chunk("weights.safetensors", weights)},
              grpc::DATA_LOSS),
      HasSubstr("SHA-256"));
  ModelCard wrong_size = ACard(weights, "");
  wrong_size.parameters = 13;  // the network has 12 parameters
  EXPECT_THAT(refusal({Header("a"), Chunk("card.json", WriteModelCard(wrong_size)),
                       Chunk("weights.safetensors", weights)}),
              HasSubstr("card.json: parameters: got 13, wanted 12"));
  EXPECT_THAT(refusal({Header("a"), Chunk("card.json", std::string((4 << 20) - 9, ' ')),
                       Chunk("card.json", std::string(10, ' '))},
                      grpc::RESOURCE_EXHAUSTED),
              HasSubstr("card.json: has more than"));
  EXPECT_THAT(model_.name(), "");
  EXPECT_FALSE(std::filesystem::exists(folder_.path() + "/models/a"));
  Stop();  // waits for the end of the last upload
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path() + "/models/.staging"));
}

TEST_F(ModelServiceTest, RefusesUploadsBeyondTheQuotaOfTheStateFolder) {
  vrpd_.state_quota_mb = 1;
  Start();
  models_ = v1::ModelService::NewStub(channel_);
  ASSERT_TRUE(AtomicWriteFile(folder_.File("state/large"), std::string(2'000'000, 'x')).ok());
  const grpc::Status import = Import({Header("a")});
  EXPECT_EQ(import.error_code(), grpc::RESOURCE_EXHAUSTED);
  EXPECT_THAT(import.error_message(), HasSubstr("large 2.0 MB"));
  Context context;
  v1::Matrices stored;
  const auto upload = v1::DatasetService::NewStub(channel_)->UploadMatrices(&context, &stored);
  v1::UploadMatricesRequest message;
  message.mutable_header()->set_size(2);
  upload->Write(message);
  message.mutable_chunk()->mutable_values()->Resize(4, 1.0);
  upload->Write(message);
  upload->WritesDone();
  const grpc::Status uploaded = upload->Finish();
  EXPECT_EQ(uploaded.error_code(), grpc::RESOURCE_EXHAUSTED);
  EXPECT_THAT(uploaded.error_message(), HasSubstr("MB more are needed"));
}

TEST(ModelEvaluationTest, ReportsEachStepToTheWatch) {
  const TempFolder folder;
  const std::string version = folder.File("models/net/1");
  ASSERT_TRUE(EnsureDirectory(version).ok());
  ASSERT_TRUE(WriteFakeModel(version, "").ok());
  const auto registry =
      *Registry::Create({.directory = folder.File("models"), .loader = FakeLoader()});
  RecordedWatch watch;
  const SystemClock clock;
  BusyThreads busy(1);
  v1::EvaluateModelRequest request;
  request.set_model("models/net");
  request.mutable_generate()->set_problem_type(v1::PROBLEM_TYPE_CVRP);
  request.mutable_generate()->set_customer_count(5);
  request.mutable_generate()->set_instance_count(1);
  const auto source = OpenModelEvaluation(
      {.registry = registry.get(), .clock = &clock, .busy = &busy, .watch = watch.Function()},
      request);
  ASSERT_TRUE(source.ok()) << source.status();
  while (!(*source)->AtEnd()) {
    ASSERT_TRUE((*source)->Next().ok());
    EXPECT_THAT(watch.Take(), testing::ElementsAre("evaluation of models/net/versions/1",
                                                   "end of evaluation of models/net/versions/1"));
  }
}

TEST(ModelImportTest, RefusesAModelAboveTheQuota) {
  const TempFolder folder;
  const auto state = *StateFolder::Open(folder.File("state"));
  const StateQuota quota(*state, 1'000'000);
  const auto registry =
      *Registry::Create({.directory = folder.File("state/models"), .loader = FakeLoader()});
  {
    ModelImport import(*registry, &quota);
    v1::ImportModelRequest message;
    message.mutable_header()->set_name("a");
    ASSERT_TRUE(import.Take(message).ok());
    message.mutable_chunk()->set_file("card.json");
    message.mutable_chunk()->set_data("{}");
    ASSERT_TRUE(import.Take(message).ok());
    message.mutable_chunk()->set_file("weights.safetensors");
    message.mutable_chunk()->set_data(std::string(2'000'000, 'x'));
    ASSERT_TRUE(import.Take(message).ok());
    const absl::Status status = import.Finish().status();
    EXPECT_TRUE(absl::IsResourceExhausted(status)) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr("models 2.0 MB"));
  }
  EXPECT_TRUE(quota.Check().ok());
}

TEST_F(ModelServiceTest, PublishesNothingOfACancelledUpload) {
  const std::string weights = WriteSafetensors({});
  {
    Context context;
    v1::Model model;
    const auto writer = models_->ImportModel(&context, &model);
    ASSERT_TRUE(writer->Write(Header("half")));
    ASSERT_TRUE(writer->Write(Chunk("card.json", WriteModelCard(ACard(weights, "")))));
    ASSERT_TRUE(writer->Write(Chunk("weights.safetensors", weights)));
    context.TryCancel();
    context.TryCancel();
    EXPECT_EQ(writer->Finish().error_code(), grpc::CANCELLED);
  }
  Stop();
  EXPECT_FALSE(std::filesystem::exists(folder_.path() + "/models/half"));
}

}  // namespace
}  // namespace vrp::test
