// Tests `models evaluate`, `import` and `export`.
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/client/fake_server.h"
#include "tests/client/runner.h"

namespace vrp::client {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

TEST(ModelsEvaluateCommand, PrintsARowForEachMode) {
  FakeHandlers handlers;
  handlers.evaluate_model = [](const v1::EvaluateModelRequest& request,
                               absl::FunctionRef<bool(const v1::EvaluateModelResponse&)> write) {
    v1::EvaluateModelResponse response;
    response.set_total(2);
    write(response);
    v1::EvaluationReport& report = *response.mutable_report();
    report.set_model(request.model());
    for (const v1::DecodeMode& mode : request.modes()) {
      v1::ModelEvaluation& row = *report.add_evaluations();
      row.set_data(request.data());
      row.set_mode(absl::StrCat(v1::Strategy_Name(mode.strategy()), " ", mode.width()));
      row.set_instance_count(request.files_size() + request.generate().instance_count());
      row.set_mean_gap(0.0312);
      row.set_reference(absl::StrCat("search ", request.reference_search_time().seconds(), " s"));
    }
    report.set_card_error("it is read-only");
    write(response);
    return absl::OkStatus();
  };
  FakeServer server(handlers);
  const auto json =
      RunJson(server, {"models", "evaluate", "net@3", "--generate", "cvrp20:1000:5", "--mode",
                       "greedy", "--mode", "multi_start:8", "--reference", "search:2s"})
          .OutJson()
          .at(0);
  EXPECT_EQ(json["model"], "models/net/versions/3");
  ASSERT_THAT(json["evaluations"], SizeIs(2));
  EXPECT_EQ(json["evaluations"][1]["mode"], "STRATEGY_MULTI_START 8");
  EXPECT_EQ(json["evaluations"][1]["instances"], 1000);
  EXPECT_EQ(json["evaluations"][1]["reference"], "search 2 s");
  EXPECT_EQ(json["card_written"], false);

  const CommandResult result = RunCommand({"models", "evaluate", "net", "--data",
                                           WriteTestFile("eval.jsonl", "{\"a\":1}\n{\"b\":2}\n"),
                                           "--remote", server.address()});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("eval.jsonl"));
  EXPECT_THAT(result.out, HasSubstr("STRATEGY_GREEDY 0"));
  EXPECT_THAT(result.out, HasSubstr("+3.12 % vs search 0 s"));
  EXPECT_THAT(result.out, HasSubstr("the model's card was not updated: it is read-only"));
}

TEST(ModelsEvaluateCommand, EvaluatesAHabitModelOnAHistory) {
  FakeHandlers handlers;
  handlers.evaluate_model = [](const v1::EvaluateModelRequest& request,
                               absl::FunctionRef<bool(const v1::EvaluateModelResponse&)> write) {
    EXPECT_EQ(request.history(), "datasets/past");
    EXPECT_EQ(request.modes_size(), 0);
    EXPECT_EQ(request.seed(), 0u);
    v1::EvaluateModelResponse response;
    v1::EvaluationReport& report = *response.mutable_report();
    report.set_model("models/drivers/versions/2");
    v1::HabitEvaluation& habits = *report.mutable_habits();
    habits.set_history(request.history());
    habits.set_route_count(8);
    habits.set_day_count(4);
    habits.set_next_stop_accuracy(0.5);
    habits.set_mean_log_probability(-1.25);
    habits.set_route_similarity(0.625);
    habits.set_length_ratio(1.03);
    habits.set_new_stop_count(3);
    habits.set_new_next_stop_accuracy(0.25);
    habits.set_new_mean_log_probability(-2);
    write(response);
    return absl::OkStatus();
  };
  FakeServer server(handlers);
  const std::vector<std::string> words = {"models", "evaluate", "drivers", "--history", "past"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), words.begin(), words.end());
    more.insert(more.end(), {"--remote", server.address()});
    return RunCommand(more);
  };
  const CommandResult text = with({});
  EXPECT_EQ(text.code, 0) << text.err;
  EXPECT_EQ(text.out,
            "model       models/drivers/versions/2\n"
            "history     datasets/past\n"
            "routes      8 of 4 later days\n"
            "next stop   50.0 % right\n"
            "similarity  62.5 % of the legs\n"
            "length      +3.0 % to the driven routes\n"
            "log p       -1.250\n"
            "new stops   3 choices, 25.0 % right, log p -2.000\n");
  const auto json = RunJson(server, words).OutJson().at(0);
  EXPECT_EQ(json["route_similarity"], 0.625);
  EXPECT_EQ(json["length_ratio"], 1.03);
  EXPECT_EQ(json["new_stops"], 3);
  EXPECT_EQ(json["new_mean_log_probability"], -2);
  EXPECT_EQ(with({"--seed", "3"}).code, 2);
}

v1::HabitSearchRow SearchRow(double weight, double share, double directed, double distance) {
  v1::HabitSearchRow row;
  row.set_weight(weight);
  row.set_leg_share(share);
  row.set_directed_leg_share(directed);
  row.set_extra_distance(distance);
  if (weight > 0) row.set_directed_leg_gain_standard_error(0.02);
  if (distance > 0) row.set_extra_distance_standard_error(0.001);
  return row;
}

TEST(ModelsEvaluateCommand, ShowsWhatHabitsCost) {
  FakeHandlers handlers;
  v1::EvaluateModelRequest asked;
  v1::HabitSearchReport search;
  search.set_day_count(5);
  *search.add_rows() = SearchRow(0, 0.5, 0.25, 0);
  *search.add_rows() = SearchRow(0.3, 0.625, 0.5, 0.015);
  *search.mutable_driven() = SearchRow(0, 1, 1, 0.04);
  handlers.evaluate_model = [&](const v1::EvaluateModelRequest& request,
                                absl::FunctionRef<bool(const v1::EvaluateModelResponse&)> write) {
    asked = request;
    v1::EvaluateModelResponse response;
    *response.mutable_report()->mutable_habits()->mutable_search() = search;
    write(response);
    return absl::OkStatus();
  };
  FakeServer server(handlers);
  const std::vector<std::string> words = {"models",
                                          "evaluate",
                                          "drivers",
                                          "--history",
                                          "past",
                                          "--search-days",
                                          "5",
                                          "--budget",
                                          "2s",
                                          "--max-iterations",
                                          "100",
                                          "--habit-weight",
                                          "0.3",
                                          "--remote",
                                          server.address()};
  const CommandResult text = RunCommand(words);
  EXPECT_EQ(text.code, 0) << text.err;
  EXPECT_EQ(asked.habit_search().max_days(), 5);
  EXPECT_EQ(asked.habit_search().budget().seconds(), 2);
  EXPECT_EQ(asked.habit_search().max_iterations(), 100);
  ASSERT_EQ(asked.habit_search().weights_size(), 1);
  EXPECT_EQ(asked.habit_search().weights(0), 0.3);
  EXPECT_THAT(text.out,
              HasSubstr("\nplans of 5 days\n"
                        "PLANS          DRIVEN LEGS  SAME DIRECTION  GAIN         DISTANCE\n"
                        "weight 0       50.0 %       25.0 %\n"
                        "weight 0.3     62.5 %       50.0 %          +25.0 +-3.9  +1.5 +-0.2 %\n"
                        "driven routes  100.0 %      100.0 %                      +4.0 +-0.2 %\n"));
  search.set_skipped_day_count(2);
  search.set_skip_reason("2026-03-01: no depot");
  search.set_late_plan_count(1);
  const CommandResult more = RunCommand(words);
  EXPECT_THAT(more.out, HasSubstr("plans of 5 days, 2 skipped (2026-03-01: no depot)\n"));
  EXPECT_THAT(more.out, HasSubstr("1 plan ended by the budget, with fewer iterations; give a "
                                  "larger --budget\n"));
  const auto json =
      RunJson(server, {"models", "evaluate", "drivers", "--history", "past", "--search-days", "5"})
          .OutJson()
          .at(0)["search"];
  EXPECT_EQ(json["days"], 5);
  EXPECT_EQ(json["late_plans"], 1);
  EXPECT_EQ(json["rows"][1]["directed_leg_share"], 0.5);
  EXPECT_EQ(json["rows"][1]["extra_distance"], 0.015);
  EXPECT_EQ(json["driven"]["extra_distance_stderr"], 0.001);
  EXPECT_EQ(asked.habit_search().weights_size(), 0);
}

TEST(ModelsEvaluateCommand, RefusesInvalidFlagsBeforeSending) {
  FakeServer server({});
  const auto refusal = [&](std::vector<std::string> flags) {
    flags.insert(flags.begin(), {"models", "evaluate", "net"});
    const CommandResult result = RunJson(server, flags);
    EXPECT_EQ(result.code, 2) << result.err;
    return result.err;
  };
  refusal({});
  refusal({"--data", "x.jsonl", "--generate", "cvrp20:10"});
  refusal({"--generate", "cvrp20:10", "--search-days", "2"});
  refusal({"--history", "past", "--search-days", "0"});
  refusal({"--history", "past", "--habit-weight", "1"});
  EXPECT_THAT(refusal({"--history", "past", "--search-days", "2", "--budget", "1"}),
              HasSubstr("--budget: \"1\" has no unit"));
  EXPECT_THAT(refusal({"--data", TestPath("none.jsonl")}), HasSubstr("none.jsonl"));
  EXPECT_THAT(refusal({"--data", WriteTestFile("empty.jsonl", "\n")}), HasSubstr("no instance"));
  for (const char* set : {"cvrp", "cvrp20", "20:10", "cvrp20:x", "cvrp20:1:2:3", "vrp20:10"}) {
    EXPECT_THAT(refusal({"--generate", set}), HasSubstr("cvrp20:1000")) << set;
  }
  for (const char* mode :
       {"fast", "search", "greedy:2", "sample:", "sample:0", "beam:x", "fast:2"}) {
    EXPECT_THAT(refusal({"--generate", "cvrp20:9", "--mode", mode}), HasSubstr("sample:16"))
        << mode;
  }
  EXPECT_THAT(refusal({"--generate", "cvrp20:9", "--reference", "hgs"}), HasSubstr("search:1s"));
  EXPECT_THAT(refusal({"--generate", "cvrp20:9", "--reference", "search:1"}),
              HasSubstr("--reference: \"1\" has no unit"));
}

TEST(ModelsImportCommand, SendsBothFilesInChunks) {
  FakeHandlers handlers;
  handlers.import_model = [](const std::vector<v1::ImportModelRequest>& messages,
                             const FakeCall&) -> absl::StatusOr<v1::Model> {
    v1::Model model;
    model.set_name(absl::StrCat("models/", messages.at(0).header().name(), "/versions/1"));
    std::map<std::string, std::string> files;
    for (const auto& message : messages) files[message.chunk().file()] += message.chunk().data();
    model.set_weights_sha256(absl::StrCat(
        files["card.json"], " ", files["weights.safetensors"].size(), " ", messages.size()));
    return model;
  };
  FakeServer server(handlers);
  WriteTestFile("card.json", "card");
  const std::string weights = WriteTestFile("weights.safetensors", std::string(3 << 20, 'x'));
  const auto json =
      RunJson(server, {"models", "import", weights, "--name", "guest"}).OutJson().at(0);
  EXPECT_EQ(json["name"], "models/guest/versions/1");
  // The upload has the header, the card, three full chunks of weights and an empty last one.
  EXPECT_EQ(json["weights_sha256"], "card 3145728 6");
  const std::string nowhere = TestPath("nowhere/card.json");
  const CommandResult missing = RunJson(server, {"models", "import", nowhere, "--name", "g"});
  EXPECT_EQ(missing.code, 2);
  EXPECT_THAT(missing.err, HasSubstr("nowhere/card.json"));
}

TEST(ModelsImportCommand, RefusesAFileThatIsNoModel) {
  FakeServer server(FakeHandlers{});
  WriteTestFile("card.json", "card");
  const std::string other = WriteTestFile("model.tar", "other");
  const CommandResult result = RunJson(server, {"models", "import", other, "--name", "guest"});
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.err, HasSubstr("model.tar: wanted a folder with card.json and weights"));
}

TEST(ModelsExportCommand, WritesBothFilesOrNone) {
  FakeHandlers handlers;
  handlers.export_model = [](const v1::ExportModelRequest& request,
                             absl::FunctionRef<bool(const v1::ExportModelResponse&)> write) {
    v1::ExportModelResponse response;
    response.mutable_chunk()->set_file("card.json");
    response.mutable_chunk()->set_data("card");
    write(response);
    if (request.name() == "models/broken") return absl::UnavailableError("gone");
    for (const char* data : {"wei", "ghts"}) {
      response.mutable_chunk()->set_file("weights.safetensors");
      response.mutable_chunk()->set_data(data);
      write(response);
    }
    return absl::OkStatus();
  };
  FakeServer server(handlers);
  const std::string folder = TestPath("exported");
  const CommandResult result = RunJson(server, {"models", "export", "net", "--out", folder});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(ReadTestFile(folder + "/card.json"), "card");
  EXPECT_EQ(ReadTestFile(folder + "/weights.safetensors"), "weights");
  const std::string none = TestPath("none");
  EXPECT_NE(RunJson(server, {"models", "export", "broken", "--out", none}).code, 0);
  EXPECT_EQ(ReadTestFile(none + "/card.json"), "<missing>");
}

}  // namespace
}  // namespace vrp::client
