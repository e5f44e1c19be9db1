// Tests the presets built into vrpctl.
#include "client/presets/presets.h"

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/client/runner.h"

namespace vrp::client {
namespace {

using testing::HasSubstr;

std::string ReadWhole(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

TEST(Presets, AreTheTrainingFilesOfTheConfigsFolder) {
  std::set<std::string> names;
  for (const Preset& preset : Presets()) {
    names.insert(std::string(preset.name));
    EXPECT_EQ(preset.yaml, ReadWhole("configs/" + preset.FileName()));
  }
  std::set<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator("configs")) {
    if (entry.path().extension() == ".yaml") files.insert(entry.path().stem());
  }
  EXPECT_EQ(files.erase("vrpd"), 1u) << "the daemon's own configuration";
  EXPECT_EQ(names, files);
}

// Checks two lines, because the list of presets shows both.
TEST(Presets, BeginWithTwoCommentLines) {
  for (const Preset& preset : Presets()) {
    for (const std::string& line : {preset.Description(), preset.SizeAndTime()}) {
      EXPECT_GE(line.size(), 10u) << preset.name;
      EXPECT_LE(line.size(), 75u) << preset.name << ": " << line;
    }
    EXPECT_THAT(preset.SizeAndTime(), HasSubstr("2 cores")) << preset.name;
  }
}

TEST(Presets, KnowTheirArchitectures) {
  EXPECT_THAT(PresetArchitectures(),
              testing::ElementsAre("dispatch", "estimate", "gt", "habits", "ptrnet"));
}

TEST(Presets, IncludeTheDefault) { EXPECT_TRUE(FindPreset(kDefaultPreset).ok()); }

TEST(PresetList, IsPrintedWithoutADaemon) {
  const CommandResult result = RunCommand({"train", "--list-presets", "--remote", "127.0.0.1:1"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, testing::StartsWith("NAME "));
  const auto objects =
      RunCommand({"train", "--list-presets", "--output", "json", "--remote", "127.0.0.1:1"})
          .OutJson();
  ASSERT_EQ(objects.size(), Presets().size());
  for (size_t i = 0; i < objects.size(); ++i) {
    EXPECT_EQ(objects[i]["name"], std::string(Presets()[i].name));
    EXPECT_EQ(objects[i]["takes"], Presets()[i].SizeAndTime());
    EXPECT_THAT(result.out, HasSubstr(Presets()[i].Description()));
  }
}

}  // namespace
}  // namespace vrp::client
