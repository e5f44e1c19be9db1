#include "core/jobs/submission.h"

#include <limits>

#include "absl/strings/match.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/jobs/job_test_support.h"

namespace vrp {
namespace {

using ::testing::HasSubstr;

TEST(SubmissionTest, ReadsTheConfigurationOfAValidSpecification) {
  const auto config = ValidateSpec(test::ASpec(3, 7));
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_EQ(config->name, "tiny");
  EXPECT_EQ(config->epochs, 3);
}

TEST(SubmissionTest, NamesEveryTextThatIsTooLong) {
  JobSpec spec = test::ASpec();
  spec.config_name = std::string(257, 'n');
  spec.overrides = {"training.epochs=1", std::string(4097, 'x')};
  const std::string message(ValidateSpec(spec).status().message());
  EXPECT_THAT(message, HasSubstr("config_name: has 257 bytes, wanted at most 256\n"));
  EXPECT_THAT(message, HasSubstr("overrides[1]: has 4097 bytes"));
}

TEST(SubmissionTest, AcceptsTheLargestConfiguration) {
  JobSpec spec = test::ASpec();
  spec.config_yaml.append((1 << 20) - spec.config_yaml.size(), '\n');
  spec.overrides.assign(1000, "training.epochs=1");
  EXPECT_FALSE(absl::StrContains(ValidateSpec(spec).status().message(), "wanted at most"));
}

TEST(SubmissionTest, NamesAllErrorsAtOnce) {
  JobSpec spec = test::ASpec();
  spec.priority = 5000;
  spec.epoch_limit = -1;
  spec.labels = {{"a b", "x"}, {"team", "\n"}};
  spec.overrides = {"training.epochs=0"};
  const absl::Status status = ValidateSpec(spec).status();
  EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
  for (const char* error :
       {"priority: got 5000", "\nepoch_limit: got -1", "\nlabels: got the key \"a b\"",
        "for team, wanted at most 63", "\n--set: training.epochs: got"}) {
    EXPECT_THAT(std::string(status.message()), HasSubstr(error));
  }
}

TEST(SubmissionTest, LimitsTheBytesOfLabels) {
  JobSpec spec = test::ASpec();
  for (int i = 0; i < 31; ++i) spec.labels["city"] += "ö";  // two bytes each
  EXPECT_THAT(std::string(ValidateSpec(spec).status().message()),
              ::testing::Not(HasSubstr("labels")));
  spec.labels["city"] += "ö";
  EXPECT_THAT(std::string(ValidateSpec(spec).status().message()),
              HasSubstr("for city, wanted at most 63 bytes of printable UTF-8"));
}

struct InvalidSpec {
  const char* name;
  std::function<void(JobSpec&)> change;
  const char* message;
};

class InvalidSpecTest : public ::testing::TestWithParam<InvalidSpec> {};

TEST_P(InvalidSpecTest, ReportsTheFieldName) {
  JobSpec spec = test::ASpec();
  GetParam().change(spec);
  const absl::Status status = ValidateSpec(spec).status();
  EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    All, InvalidSpecTest,
    ::testing::Values(
        InvalidSpec{"EmptyYaml", [](JobSpec& spec) { spec.config_yaml.clear(); }, "tiny.yaml"},
        InvalidSpec{"UnknownKey", [](JobSpec& spec) { spec.config_yaml += "colour: red\n"; },
                    "colour"},
        InvalidSpec{"ModelName", [](JobSpec& spec) { spec.config_yaml = "name: ../x\n"; }, "name"},
        InvalidSpec{"Override", [](JobSpec& spec) { spec.overrides = {"training.epochs=0"}; },
                    "training.epochs"},
        InvalidSpec{"OverrideText", [](JobSpec& spec) { spec.overrides = {"name=\xff"}; },
                    "overrides[0]: got"},
        InvalidSpec{"LongOverride",
                    [](JobSpec& spec) { spec.overrides = {std::string(5000, 'x')}; },
                    "overrides[0]: has 5000 bytes, wanted at most 4096"},
        InvalidSpec{"ManyOverrides",
                    [](JobSpec& spec) { spec.overrides.assign(1001, "training.epochs=1"); },
                    "overrides: has 1001 entries, wanted at most 1000"},
        InvalidSpec{"LongYaml", [](JobSpec& spec) { spec.config_yaml.append(1 << 20, '\n'); },
                    "wanted at most 1048576"},
        InvalidSpec{"ConfigName", [](JobSpec& spec) { spec.config_name = "a\nb"; },
                    "config_name: got"},
        InvalidSpec{"LongDevice", [](JobSpec& spec) { spec.device = std::string(33, 'c'); },
                    "device: has 33 bytes, wanted at most 32"}),
    [](const auto& test) { return test.param.name; });

TEST(SubmissionTest, ReportsAnInvalidDeviceOnlyWithOtherErrors) {
  for (const char* device : {"cuda:63", "toaster", ""}) {
    JobSpec spec = test::ASpec();
    spec.device = device;
    EXPECT_TRUE(ValidateSpec(spec).ok()) << device;
  }
  JobSpec spec = test::ASpec();
  spec.device = "cuda:63";
  spec.overrides = {"training.epochs=0"};
  const std::string message(ValidateSpec(spec).status().message());
  EXPECT_THAT(message, HasSubstr("training.epochs"));
  EXPECT_THAT(message, HasSubstr("\ndevice: cuda:63 does not exist"));
}

TEST(SubmissionTest, RefusesLongOrUnprintableRequestIds) {
  EXPECT_TRUE(CheckRequestId("").ok());
  EXPECT_TRUE(CheckRequestId(std::string(64, 'r')).ok());
  EXPECT_TRUE(absl::IsInvalidArgument(CheckRequestId(std::string(65, 'r'))));
  EXPECT_TRUE(absl::IsInvalidArgument(CheckRequestId("a\nb")));
}

TEST(SubmissionTest, ReadsBackPageTokensAndRefusesOthers) {
  for (const int64_t number : {int64_t{1}, int64_t{77}, std::numeric_limits<int64_t>::max()}) {
    EXPECT_EQ(*ParsePageToken(WritePageToken(number)), number);
  }
  EXPECT_EQ(*ParsePageToken(""), std::numeric_limits<int64_t>::max());
  for (const char* token :
       {"1", "x", "-", "1-00000000", "99999999999999999999-00000000", "1-00000000 "}) {
    EXPECT_TRUE(absl::IsInvalidArgument(ParsePageToken(token).status())) << token;
  }
}

}  // namespace
}  // namespace vrp
