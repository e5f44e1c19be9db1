// Reads configurations as text and compares their meanings.
#pragma once

#include <fstream>
#include <sstream>
#include <string>

#include "absl/status/statusor.h"
#include "core/train/config/training_config.h"
#include "gtest/gtest.h"

namespace vrp::test {

inline std::string ReadText(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// Returns the text of the error, or an empty text without an error.
template <typename Config>
std::string MessageOf(const absl::StatusOr<Config>& config) {
  return std::string(config.status().message());
}

// Expects that a configuration resolves to text that has the same meaning.
inline void ExpectReadsBack(const std::string& yaml, const ConfigOverrides& overrides) {
  const auto resolved = ResolveTrainingConfig(yaml, "f.yaml", overrides);
  ASSERT_TRUE(resolved.ok()) << resolved.status();
  auto expected = ParseTrainingConfig(yaml, "f.yaml", overrides);
  auto read = ParseTrainingConfig(resolved->yaml, "resolved.yaml");
  ASSERT_TRUE(read.ok()) << read.status() << "\n" << resolved->yaml;
  expected->source = read->source;
  EXPECT_EQ(*expected, *read) << resolved->yaml;
  EXPECT_EQ(ResolveTrainingConfig(resolved->yaml, "resolved.yaml")->yaml, resolved->yaml);
  EXPECT_EQ(*TrainingSettings(resolved->yaml, "resolved.yaml", {}), resolved->settings);
}

}  // namespace vrp::test
