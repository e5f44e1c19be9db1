// Tests the registry of architectures, and the sizes that each one accepts.
#include "core/model/architectures.h"

#include <set>
#include <string>

#include "core/model/policy/network_inputs.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace vrp {
namespace {

using testing::HasSubstr;

std::string ErrorOf(const Architecture& architecture, const nlohmann::json& sizes) {
  return std::string(architecture.parse_sizes(sizes.dump(), "card").status().message());
}

TEST(ArchitecturesTest, AreFoundByNameButNotByAlias) {
  for (const Architecture* architecture : Architectures()) {
    EXPECT_EQ(FindArchitecture(architecture->name), architecture);
    for (const std::string_view alias : architecture->aliases) {
      EXPECT_EQ(FindArchitecture(alias), nullptr) << alias;
    }
  }
  EXPECT_EQ(FindArchitecture("lstm"), nullptr);
  EXPECT_EQ(ArchitectureNames(), "\"ptrnet\" or \"gt\"");
}

TEST(ArchitecturesTest, HaveUniqueNames) {
  std::set<std::string_view> names;
  for (const Architecture* architecture : Architectures()) {
    EXPECT_TRUE(names.insert(architecture->name).second);
    EXPECT_TRUE(names.insert(architecture->section).second);
    for (const std::string_view alias : architecture->aliases) {
      EXPECT_TRUE(names.insert(alias).second) << alias;
    }
  }
}

TEST(ArchitecturesTest, AcceptTheirDefaultSizesAndInputs) {
  for (const Architecture* architecture : Architectures()) {
    SCOPED_TRACE(architecture->name);
    const NetworkSizes sizes = architecture->default_sizes();
    EXPECT_EQ(*architecture->parse_sizes(sizes.json, "card"), sizes);
    EXPECT_GT(architecture->layout(sizes).size(), 0);
    EXPECT_EQ(WantedInputsText(*architecture, DefaultInputs(*architecture)), "");
    EXPECT_EQ(nlohmann::json::parse(sizes.json).size(), architecture->options.size());
  }
}

TEST(ArchitecturesTest, RefuseSizesOutOfRangeMissingOrUnknown) {
  for (const Architecture* architecture : Architectures()) {
    for (const NetworkOption& option : architecture->options) {
      SCOPED_TRACE(option.key);
      const nlohmann::json defaults = nlohmann::json::parse(architecture->default_sizes().json);
      nlohmann::json sizes = defaults;
      sizes[option.key] = option.high + 1;
      if (defaults[option.key].is_number_integer()) sizes[option.key] = int64_t(option.high) + 16;
      EXPECT_THAT(ErrorOf(*architecture, sizes),
                  HasSubstr("card: architecture_json." + std::string(option.key) + ": got"));
      sizes[option.key] = nullptr;
      EXPECT_THAT(ErrorOf(*architecture, sizes), HasSubstr("got null, wanted"));
      sizes.erase(option.key);
      EXPECT_THAT(ErrorOf(*architecture, sizes),
                  HasSubstr("wanted an object with exactly these keys"));
      sizes["other"] = 1;
      EXPECT_THAT(ErrorOf(*architecture, sizes), HasSubstr("got nothing, wanted"));
    }
  }
}

TEST(ArchitecturesTest, AllowFineTuningToChangeOnlyDropout) {
  const Architecture& architecture = *FindArchitecture("ptrnet");
  const NetworkSizes defaults = architecture.default_sizes();
  nlohmann::json other = nlohmann::json::parse(defaults.json);
  other["dropout"] = 0.5;
  EXPECT_EQ(architecture.parse_sizes(other.dump(), "card")->fixed_json, defaults.fixed_json);
  other["logit_clip"] = 5.0;
  EXPECT_NE(architecture.parse_sizes(other.dump(), "card")->fixed_json, defaults.fixed_json);
}

}  // namespace
}  // namespace vrp
