// Tests that missing and invalid files of a training are reported before the training begins.
#include <sys/stat.h>

#include <string>

#include "core/base/file.h"
#include "core/model/weights/model_card.h"
#include "core/problem/formats/json/json_writer.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/instance_builder.h"
#include "tests/train/label_line.h"
#include "tests/train/trainer_fixture.h"

namespace vrp {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class InputCheckTest : public test::TrainerFixture {
 protected:
  std::string MakeFile(const std::string& name, const std::string& text) {
    EXPECT_TRUE(AtomicWriteFile(root_ + "/" + name, text).ok());
    return root_ + "/" + name;
  }
  // Returns the errors of a configuration with the overrides.
  std::string ErrorsOf(const ConfigOverrides& overrides) {
    auto config = ParseTrainingConfig("name: a\n", "f.yaml", overrides);
    EXPECT_TRUE(config.ok()) << config.status();
    TrainingRequest request;
    request.config = *config;
    request.models_directories = {root_ + "/models"};
    return std::string(TrainerOf()->CheckInputs(request).message());
  }
  static Instance Small() { return test::AnInstance().WithCustomers(4).Build(); }

  const std::string own_ = MakeFile("own.jsonl", WriteJson(Small()) + "\n");
  const std::string labels_ = MakeFile("labels.jsonl", test::LabelLine(Small()));
};

TEST_F(InputCheckTest, AcceptsReadableFiles) {
  EXPECT_EQ(ErrorsOf({}), "");
  EXPECT_EQ(ErrorsOf({"problem.instances=" + own_, "validation.file=" + own_}), "");
  EXPECT_EQ(ErrorsOf({"training.method=supervised", "supervised.labels=file",
                      "supervised.label_file=" + labels_}),
            "");
}

TEST_F(InputCheckTest, NamesEveryInvalidKeyInOneError) {
  const std::string bad = MakeFile("bad.jsonl", "\n{\"kind\": 7}\n");
  const std::string errors =
      ErrorsOf({"problem.instances=[/nowhere.vrp, " + own_ + ", " + bad + "]",
                "validation.file=" + root_, "training.initial_model=models/none/versions/3"});
  EXPECT_THAT(errors, StartsWith("problem.instances: open /nowhere.vrp: No such file"));
  EXPECT_THAT(errors, HasSubstr("on the daemon's machine; give an absolute path there, or upload"));
  EXPECT_THAT(errors, HasSubstr("\nproblem.instances: " + bad + ":2: "));
  EXPECT_THAT(errors, HasSubstr("\nvalidation.file: " + root_ +
                                ": is not a regular file; name one, or upload a dataset"));
  EXPECT_THAT(
      errors,
      HasSubstr("\ntraining.initial_model: models/none/versions/3: there is no such model"));
  EXPECT_THAT(errors, Not(HasSubstr(own_)));
}

TEST_F(InputCheckTest, ChecksTheLabelFileIfTheMethodReadsIt) {
  const auto errors_of_labels = [this](const std::string& file) {
    return ErrorsOf(
        {"training.method=supervised", "supervised.labels=file", "supervised.label_file=" + file});
  };
  EXPECT_THAT(errors_of_labels(own_), AllOf(StartsWith("supervised.label_file: " + own_ + ":1: "),
                                            HasSubstr("ref_routes")));
  EXPECT_THAT(errors_of_labels(MakeFile("empty.jsonl", "")), HasSubstr("wanted at least one line"));
  // Another method reads no labels.
  EXPECT_EQ(ErrorsOf({"supervised.labels=file", "supervised.label_file=/nowhere"}), "");
}

TEST_F(InputCheckTest, RequiresReferenceCostsIfTheFileIsTheReference) {
  EXPECT_THAT(ErrorsOf({"validation.file=" + own_, "validation.reference=file"}),
              HasSubstr("validation.file: " + own_ + ": instances[0].ref_cost: missing"));
}

TEST_F(InputCheckTest, RefusesAPipeWithoutBlocking) {
  const std::string pipe = root_ + "/pipe.jsonl";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(
      ErrorsOf({"problem.instances=" + pipe}),
      "problem.instances: " + pipe + ": is not a regular file; name one, or upload a dataset");
}

TEST_F(InputCheckTest, OpensALargeFileWithoutReadingIt) {
  const std::string large = MakeFile("large.jsonl", "no instance\n");
  ASSERT_EQ(truncate(large.c_str(), int64_t{65} << 20), 0);
  EXPECT_EQ(ErrorsOf({"problem.instances=" + large}), "");
}

TEST_F(InputCheckTest, RefusesAModelOfAnotherArchitectureOrSize) {
  engines_ = nullptr;
  test::Recorder recorder;
  ASSERT_TRUE(Train("first", test::Yaml(test::kMethods[1]), recorder).ok());
  const std::string model = "training.initial_model=" + ModelOf("first");
  EXPECT_THAT(ErrorsOf({model, "model=gt"}),
              AllOf(StartsWith("training.initial_model: "), HasSubstr("has ptrnet"),
                    HasSubstr("the configuration says gt")));
  EXPECT_THAT(ErrorsOf({model, "network.hidden=64"}), HasSubstr("the configuration says ptrnet"));
  const std::string weights = "training.initial_model=" + ModelOf("first") + "/weights.safetensors";
  EXPECT_THAT(ErrorsOf({weights}), StartsWith("training.initial_model: " + ModelOf("first")));
  EXPECT_THAT(ErrorsOf({"training.initial_model=" + own_}),
              StartsWith("training.initial_model: " + own_));
}

}  // namespace
}  // namespace vrp
