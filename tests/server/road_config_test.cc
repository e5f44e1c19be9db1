// Tests the option road_networks.
#include <string>
#include <vector>

#include "absl/strings/str_split.h"
#include "core/base/file.h"
#include "core/base/text.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/config/command_line.h"
#include "server/config/config_file.h"

namespace vrp {
namespace {

using testing::HasSubstr;

TEST(RoadNetworkOptions, ReadsRoadNetworks) {
  const auto options = ParseConfigFile(
      "road_networks:\n"
      "  truck: {kind: valhalla, url: \"https://roads.example.org/v3/\", costing: truck}\n"
      "  car:\n    kind: osrm\n    url: http://[::1]:5000\n    block_size: 500\n    cache_s: 0\n",
      "c.yaml");
  ASSERT_TRUE(options.ok()) << options.status();
  const std::vector<RoadNetworkOptions>& networks = options->values.road_networks;
  ASSERT_EQ(networks.size(), 2u);
  EXPECT_EQ(networks[0].name, "car");
  EXPECT_EQ(networks[0].profile, "driving");
  EXPECT_EQ(networks[0].block_size, 500);
  EXPECT_EQ(networks[0].cache_s, 0);
  EXPECT_EQ(networks[0].url.ToString(), "http://[::1]:5000");
  EXPECT_EQ(networks[1].profile, "truck");
  EXPECT_EQ(networks[1].block_size, 50);
  EXPECT_EQ(networks[1].url.ToString(), "https://roads.example.org/v3");
  EXPECT_EQ(networks[1].url.port, "443");
}

TEST(RoadNetworkOptions, ReadsTheCommentedExampleOfTheShippedFile) {
  std::string text = *ReadFile("configs/vrpd.yaml");
  const size_t at = text.find("# road_networks:\n");
  ASSERT_NE(at, std::string::npos);
  std::string lines;
  const std::string commented = text.substr(at, text.find("\n\n", at) - at);
  for (const absl::string_view line : absl::StrSplit(commented, '\n')) {
    lines += Concat(line.substr(2), "\n");
  }
  const auto options = ParseConfigFile(lines, "c.yaml");
  ASSERT_TRUE(options.ok()) << options.status();
  EXPECT_EQ(options->values.road_networks.size(), 2u);
}

TEST(RoadNetworkOptions, NamesTheWrongSettingOfARoadNetwork) {
  const auto flag = [](const char* yaml) {
    return std::string(ParseCommandLine({"--state-dir", "/s", "--road-networks", yaml}, "vrpd 1")
                           .status()
                           .message());
  };
  EXPECT_THAT(flag("{car: {kind: osrm}}"),
              HasSubstr("--road-networks: road_networks.car.url: absent"));
  EXPECT_THAT(flag("{car"), HasSubstr("--road-networks"));
}

struct WrongSetting {
  std::string yaml;
  std::string wanted;
};
class WrongRoadNetwork : public testing::TestWithParam<WrongSetting> {};

TEST_P(WrongRoadNetwork, NamesTheSetting) {
  const auto options = ParseConfigFile(GetParam().yaml, "c.yaml");
  EXPECT_EQ(options.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(options.status().message()), HasSubstr(GetParam().wanted));
}

INSTANTIATE_TEST_SUITE_P(
    RoadNetworkOptions, WrongRoadNetwork,
    testing::Values(
        WrongSetting{"road_networks: [car]",
                     "c.yaml:1: road_networks: got a list, wanted a mapping"},
        WrongSetting{
            "road_networks: {car: x}",
            "c.yaml:1: road_networks.car: got \"x\", wanted a mapping such as {kind: osrm"},
        WrongSetting{"road_networks: {a b: {}}", "c.yaml:1: road_networks: got the name \"a b\""},
        WrongSetting{"road_networks: {car: {url: \"http://h\"}}",
                     "c.yaml:1: road_networks.car.kind: absent, wanted osrm or valhalla"},
        WrongSetting{"road_networks: {car: {kind: google, url: \"http://h\"}}",
                     "c.yaml:1: road_networks.car.kind: got \"google\", wanted osrm or valhalla"},
        WrongSetting{"road_networks: {car: {kind: osrm}}",
                     "c.yaml:1: road_networks.car.url: absent"},
        WrongSetting{"road_networks: {car: {kind: osrm, url: \"ftp://h\"}}",
                     "c.yaml:1: road_networks.car.url: got \"ftp://h\", wanted http://HOST:PORT"},
        WrongSetting{"road_networks: {car: {kind: osrm, url: \"http://me:pw@h\"}}",
                     "c.yaml:1: road_networks.car.url: got"},
        WrongSetting{"road_networks: {car: {kind: osrm, url: \"http://h:0\"}}",
                     "c.yaml:1: road_networks.car.url: got"},
        WrongSetting{"road_networks: {car: {kind: osrm, url: \"http://h/?key=1\"}}",
                     "c.yaml:1: road_networks.car.url: got"},
        WrongSetting{
            "road_networks: {car: {kind: osrm, url: \"http://h\", costing: auto}}",
            "c.yaml:1: road_networks.car.costing: unknown key, wanted one of kind, url, profile"},
        WrongSetting{
            "road_networks: {car: {kind: osrm, url: \"http://h\", tries: 0}}",
            "c.yaml:1: road_networks.car.tries: got \"0\", wanted an integer from 1 to 10"},
        WrongSetting{"road_networks: {car: {kind: osrm, url: \"http://h\", profile: a/b}}",
                     "c.yaml:1: road_networks.car.profile: got \"a/b\""},
        WrongSetting{"road_networks: {car: {kind: osrm, url: \"http://h\"}, car: {}}",
                     "c.yaml:1: road_networks.car: given twice"}));

}  // namespace
}  // namespace vrp
