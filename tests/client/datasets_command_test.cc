// Tests `datasets upload`, `list`, `get`, `export` and `delete`.
#include <filesystem>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/client/fake_server.h"
#include "tests/client/runner.h"

namespace vrp::client {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

v1::Dataset ADataset(const std::string& name) {
  v1::Dataset dataset;
  dataset.set_name(name);
  if (name == "datasets/history") {
    dataset.set_kind(v1::DATASET_KIND_REQUEST_LOG);
    dataset.set_day_count(2);
    dataset.set_request_count(7);
    return dataset;
  }
  if (name == "datasets/past") {
    dataset.set_kind(v1::DATASET_KIND_ROUTE_HISTORY);
    dataset.set_day_count(3);
    dataset.set_route_count(9);
    dataset.set_stop_count(70);
    return dataset;
  }
  dataset.set_kind(v1::DATASET_KIND_INSTANCES);
  dataset.set_instance_count(12);
  dataset.set_size_bytes(3000);
  dataset.add_problem_types(v1::PROBLEM_TYPE_CVRP);
  dataset.add_problem_types(v1::PROBLEM_TYPE_TSP);
  dataset.set_min_customers(5);
  dataset.set_max_customers(9);
  dataset.set_instances_with_tours(12);
  dataset.set_instances_with_reference_cost(3);
  dataset.set_sha256("abc");
  return dataset;
}

class DatasetsCommand : public testing::Test {
 protected:
  FakeHandlers Handlers() {
    FakeHandlers handlers;
    handlers.upload_dataset = [this](const std::vector<v1::UploadDatasetRequest>& messages,
                                     const FakeCall&) -> absl::StatusOr<v1::Dataset> {
      uploaded_ = messages;
      if (!refusal_.ok()) return refusal_;
      return ADataset("datasets/" + messages.at(0).header().name());
    };
    handlers.list_datasets = [](const v1::ListDatasetsRequest&,
                                const FakeCall&) -> absl::StatusOr<v1::ListDatasetsResponse> {
      v1::ListDatasetsResponse response;
      *response.add_datasets() = ADataset("datasets/a");
      *response.add_datasets() = ADataset("datasets/history");
      return response;
    };
    handlers.get_dataset = [](const v1::GetDatasetRequest& request,
                              const FakeCall&) -> absl::StatusOr<v1::Dataset> {
      return ADataset(request.name());
    };
    handlers.export_dataset =
        [](const v1::ExportDatasetRequest& request,
           absl::FunctionRef<bool(const v1::ExportDatasetResponse&)> write) -> absl::Status {
      if (request.name() != "datasets/depot7") return absl::NotFoundError("name: no such dataset");
      v1::ExportDatasetResponse response;
      for (const std::string chunk : {"{\"a\":1}\r\n", "\n{}"}) {
        response.set_chunk(chunk);
        write(response);
      }
      return absl::OkStatus();
    };
    handlers.delete_dataset = [this](const v1::DeleteDatasetRequest& request,
                                     const FakeCall&) -> absl::StatusOr<v1::DeleteDatasetResponse> {
      deleted_ = request.name();
      v1::DeleteDatasetResponse response;
      if (deleted_ != "datasets/history") return response;
      response.set_deleted_label_count(60);
      response.add_deleted_simulations("simulations/s1");
      response.add_deleted_simulations("simulations/s2");
      response.add_deleted_training_jobs("trainingJobs/t1");
      response.add_kept_models("models/waves/versions/1");
      return response;
    };
    return handlers;
  }
  CommandResult Run(std::vector<std::string> arguments, const RunSettings& settings = {}) {
    arguments.insert(arguments.begin(), {"--remote", server_.address()});
    return RunCommand(arguments, settings);
  }
  std::string Content() const {
    std::string content;
    for (const v1::UploadDatasetRequest& message : uploaded_) content += message.chunk();
    return content;
  }

  absl::Status refusal_;
  std::vector<v1::UploadDatasetRequest> uploaded_;
  std::string deleted_;
  FakeServer server_{Handlers()};
};

TEST_F(DatasetsCommand, UploadsAFileInChunks) {
  const std::string text(1'000'000, 'x');
  const std::string file = WriteTestFile("own.jsonl", text);
  const CommandResult result = Run({"datasets", "upload", file, "--name", "depot7"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(uploaded_.at(0).header().name(), "depot7");
  EXPECT_EQ(uploaded_.at(0).header().file_name(), "own.jsonl");
  EXPECT_EQ(uploaded_.at(0).header().size_bytes(), 1'000'000);
  EXPECT_GT(uploaded_.size(), 3u);
  EXPECT_EQ(Content(), text);
  EXPECT_THAT(result.out, HasSubstr("dataset    datasets/depot7\n"));
  EXPECT_THAT(result.out, HasSubstr("tours      all\n"));
  EXPECT_THAT(result.out, HasSubstr("ref_cost   3 of 12\n"));
  EXPECT_THAT(result.out, HasSubstr("--set problem.instances=datasets/depot7\n"));
  EXPECT_THAT(result.err, IsEmpty());
}

TEST_F(DatasetsCommand, UploadsStandardInput) {
  const CommandResult result =
      Run({"datasets", "upload", "-", "--name", "depot7", "--output", "json"},
          {.standard_input = "{}\n{}\n"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(Content(), "{}\n{}\n");
  EXPECT_EQ(uploaded_.at(0).header().size_bytes(), 0);
  EXPECT_THAT(Keys(result.OutJson().at(0)),
              ElementsAre("name", "kind", "days", "requests", "routes", "stops", "instances",
                          "problem_types", "min_customers", "max_customers", "instances_with_tours",
                          "instances_with_reference_cost", "feature_columns", "bytes",
                          "create_time", "sha256"));
}

TEST_F(DatasetsCommand, ShowsAProgressBarOnATerminal) {
  const std::string file = WriteTestFile("bar.jsonl", std::string(1'000'000, 'x'));
  const CommandResult result =
      Run({"datasets", "upload", file, "--name", "x"}, {.terminal_width = 60});
  EXPECT_THAT(result.err, HasSubstr("100%"));
}

TEST_F(DatasetsCommand, PrintsTheDaemonsRefusal) {
  const std::string file = WriteTestFile("bad.jsonl", "{}\n");
  refusal_ = absl::InvalidArgumentError("bad.jsonl:1: kind: absent\nbad.jsonl:4: kind: absent");
  const CommandResult bad = Run({"datasets", "upload", file, "--name", "x"});
  EXPECT_EQ(bad.code, 2);
  EXPECT_THAT(bad.err, HasSubstr(file + ":1: kind: absent\n  bad.jsonl:4: kind: absent\n"));
  refusal_ = absl::AlreadyExistsError("header.name: datasets/x has other content already");
  const CommandResult taken = Run({"datasets", "upload", file, "--name", "x"});
  EXPECT_NE(taken.code, 0);
  EXPECT_THAT(taken.err, HasSubstr("other content already"));
  EXPECT_THAT(taken.err, testing::Not(HasSubstr("--request-id")));
  EXPECT_EQ(Run({"datasets", "upload", TestPath("none.jsonl"), "--name", "x"}).code, 2);
}

TEST_F(DatasetsCommand, DescribesARequestLogByItsDaysAndRequests) {
  const std::string file = WriteTestFile("log.jsonl", "{}\n");
  const CommandResult uploaded = Run({"datasets", "upload", file, "--name", "history"});
  EXPECT_THAT(uploaded.out, HasSubstr("kind      request_log\ndays      2\nrequests  7\n"));
  EXPECT_THAT(uploaded.out, HasSubstr("vrpctl dispatch simulate datasets/history --site FILE\n"));
  EXPECT_THAT(uploaded.out, testing::Not(HasSubstr("tours")));
  EXPECT_THAT(Run({"datasets", "list"}).out,
              HasSubstr("datasets/history  request_log  2 days, 7 requests"));
}

TEST_F(DatasetsCommand, DescribesARouteHistoryByItsDaysRoutesAndStops) {
  const std::string file = WriteTestFile("past.jsonl", "{}\n");
  const CommandResult uploaded = Run({"datasets", "upload", file, "--name", "past"});
  EXPECT_THAT(uploaded.out,
              HasSubstr("kind     route_history\ndays     3\nroutes   9\nstops    70\n"));
  EXPECT_THAT(uploaded.out,
              HasSubstr("vrpctl train --preset habits --set habits.history=datasets/past\n"));
}

TEST_F(DatasetsCommand, ExportsTheContentByteForByte) {
  EXPECT_EQ(Run({"datasets", "export", "depot7"}).out, "{\"a\":1}\r\n\n{}");
  const std::string file = TestPath("exported.jsonl");
  const CommandResult result = Run({"datasets", "export", "datasets/depot7", "--out", file});
  EXPECT_EQ(result.out, "datasets/depot7: written to " + file + "\n");
  EXPECT_EQ(ReadTestFile(file), "{\"a\":1}\r\n\n{}");
  const CommandResult none = Run({"datasets", "export", "none", "--out", TestPath("none.jsonl")});
  EXPECT_NE(none.code, 0);
  EXPECT_THAT(none.err, HasSubstr("datasets/none"));
  EXPECT_FALSE(std::filesystem::exists(TestPath("none.jsonl")));
}

TEST_F(DatasetsCommand, ListsShowsAndDeletesDatasets) {
  const CommandResult list = Run({"datasets", "list"});
  EXPECT_THAT(list.out,
              HasSubstr("datasets/a        instances    12                  cvrp tsp  5 to 9 "
                        "    all    3 KiB"));
  EXPECT_EQ(Run({"datasets", "list", "--output", "json"}).OutJson().size(), 2u);
  EXPECT_THAT(Run({"datasets", "get", "depot7"}).out, HasSubstr("datasets/depot7\n"));
  EXPECT_EQ(Run({"datasets", "delete", "datasets/depot7"}).out, "datasets/depot7: deleted\n");
  EXPECT_EQ(deleted_, "datasets/depot7");
}

TEST_F(DatasetsCommand, SaysWhatADeletionRemovedAndWhatItKept) {
  EXPECT_EQ(Run({"datasets", "delete", "history"}).out,
            "datasets/history: deleted\n"
            "removed: 60 labels, 2 simulations, 1 training job\n"
            "kept: models/waves/versions/1, whose weights were trained on it\n");
  const auto json = Run({"datasets", "delete", "history", "--output", "json"}).OutJson().at(0);
  EXPECT_EQ(json.at("deleted"), "datasets/history");
  EXPECT_EQ(json.at("labels"), 60);
  EXPECT_EQ(json.at("simulations").at(1), "simulations/s2");
  EXPECT_EQ(json.at("training_jobs").size(), 1u);
  EXPECT_EQ(json.at("kept_models").at(0), "models/waves/versions/1");
}

}  // namespace
}  // namespace vrp::client
