#include "core/base/json.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace vrp {
namespace {

using testing::HasSubstr;

std::string ErrorOf(std::string_view text, const JsonLimits& limits = {}) {
  const auto result = ParseJsonText(text, "x.json", limits);
  if (result.ok()) return "";
  EXPECT_EQ(result.status().code(), absl::StatusCode::kInvalidArgument);
  return std::string(result.status().message());
}

TEST(JsonTest, ParsesLikeNlohmann) {
  const char* text = R"({"a": [1, -2, 2.5, "x", true, null, {}], "b": {"c": []}})";
  EXPECT_EQ(*ParseJsonText(text, "x"), nlohmann::json::parse(text));
  EXPECT_EQ(*ParseJsonText(" 7 ", "x"), 7);
}

TEST(JsonTest, LocatesSyntaxErrors) {
  EXPECT_THAT(ErrorOf("{\n\"a\": ?}"), HasSubstr("x.json:2:"));
  for (const char* bad : {"", "{", "[1,", "{\"a\":}", "NaN", "[Infinity]", "[1] 2", "{'a':1}",
                          "\"\xFF\"", "[01]", "nul"}) {
    EXPECT_THAT(ErrorOf(bad), HasSubstr("x.json:")) << bad;
  }
}

TEST(JsonTest, RejectsDuplicateKeys) {
  EXPECT_THAT(ErrorOf(R"({"a": 1, "b": 2, "a": 1})"), HasSubstr("key \"a\" appears twice"));
  EXPECT_EQ(ErrorOf(R"([{"a": 1}, {"a": 1}])"), "");
}

TEST(JsonTest, RejectsNumbersBeyondDouble) {
  EXPECT_NE(ErrorOf("[1e999]"), "");
  EXPECT_NE(ErrorOf("[-1e999]"), "");
  EXPECT_EQ(ErrorOf("[1e308, 123456789012345678901234567890]"), "");
}

TEST(JsonTest, StopsAtEachLimit) {
  EXPECT_THAT(ErrorOf("[[[1]]]", {.max_depth = 2}), HasSubstr("deeper than 2"));
  EXPECT_EQ(ErrorOf("[[[1]]]", {.max_depth = 3}), "");
  EXPECT_THAT(ErrorOf("[[],[],[]]", {.max_containers = 3}), HasSubstr("more than 3 arrays"));
  EXPECT_THAT(ErrorOf("[1,2,3]", {.max_values = 2}), HasSubstr("more than 2 values"));
  EXPECT_THAT(ErrorOf("[1,2,3]", {.max_bytes = 6}), HasSubstr("limit of 6"));
}

TEST(JsonTest, RejectsHostileNestingWithoutACrash) {
  EXPECT_THAT(ErrorOf(std::string(1 << 20, '[')), HasSubstr("deeper than"));
  std::string objects;
  for (int i = 0; i < 100000; ++i) objects += "{\"a\":";
  EXPECT_THAT(ErrorOf(objects), HasSubstr("deeper than"));
}

}  // namespace
}  // namespace vrp
