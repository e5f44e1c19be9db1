#include "core/train/config/yaml_tree.h"

#include "gtest/gtest.h"

namespace vrp {
namespace {

TEST(YamlTreeTest, KeepsKeysInOrderWithTheirLines) {
  const auto tree = ParseYamlTree("b: 1\na:\n  c: \"2\"\n  d: [x, y]\n", "f");
  ASSERT_TRUE(tree.ok()) << tree.status();
  EXPECT_EQ(tree->keys, (std::vector<std::string>{"b", "a"}));
  const YamlNode& section = tree->children[1];
  EXPECT_EQ(section.children[0].line, 3);
  EXPECT_TRUE(section.children[0].quoted);
  EXPECT_FALSE(tree->children[0].quoted);
  EXPECT_EQ(section.children[1].Shown(), "a list");
}

TEST(YamlTreeTest, ParsesEmptyTextAsNull) {
  for (const char* text : {"", "\n", "# only a comment\n", "---\n"}) {
    const auto tree = ParseYamlTree(text, "f");
    ASSERT_TRUE(tree.ok()) << text;
    EXPECT_EQ(tree->kind, YamlKind::kNull) << text;
  }
}

struct InvalidYaml {
  std::string text;
  const char* message;

  friend void PrintTo(const InvalidYaml& bad, std::ostream* out) { *out << bad.text.substr(0, 20); }
};

class InvalidYamlTest : public testing::TestWithParam<InvalidYaml> {};

TEST_P(InvalidYamlTest, IsRefusedWithItsLine) {
  const auto tree = ParseYamlTree(GetParam().text, "f.yaml");
  ASSERT_EQ(tree.status().code(), absl::StatusCode::kInvalidArgument);
  const std::string message(tree.status().message());
  EXPECT_EQ(message.rfind("f.yaml:", 0), 0u) << message;
  EXPECT_NE(message.find(GetParam().message), std::string::npos) << message;
}

INSTANTIATE_TEST_SUITE_P(
    Texts, InvalidYamlTest,
    testing::Values(InvalidYaml{"a: 1\nb: 2\na: 3\n", ":3: the key \"a\" appears twice"},
                    InvalidYaml{"a:\n  b: 1\n  b: 1\n", ":3: the key \"b\" appears twice"},
                    InvalidYaml{"a: &x 1\n", ":1: anchors"}, InvalidYaml{"a: 1\nb: *x\n", ":2:"},
                    InvalidYaml{"a: &a [*a, *a]\n", "anchors"},
                    InvalidYaml{"a: !!binary x\n", "tags"},
                    InvalidYaml{"? [1]\n: 2\n", "a key must be text"},
                    InvalidYaml{"~: 2\n", "a key must be text"}, InvalidYaml{"a: [1\n", ":"},
                    InvalidYaml{"a: b: c\n", ":1:"}, InvalidYaml{"\ta: 1\n", ":1:"},
                    InvalidYaml{"a: 1\n---\nb: 1\n", "more than one document"},
                    InvalidYaml{std::string("a: \0", 4), ":1: got a control character"},
                    InvalidYaml{"x: 1\na: \x1b[31m\n", ":2: got a control character"},
                    InvalidYaml{"a: \xff\n", "UTF-8"},
                    InvalidYaml{std::string(1 << 21, ' '), "wanted at most 1048576"},
                    InvalidYaml{std::string(1 << 20, '['), ""},
                    InvalidYaml{"a: [[[[[[[[[[]]]]]]]]]]", "nested deeper than 8"},
                    InvalidYaml{std::string(1 << 20, '{'), ""}));

TEST(YamlTreeTest, RefusesDeepBlocksAndManyValues) {
  std::string deep;
  for (int i = 0; i < 600; ++i) deep += std::string(static_cast<size_t>(i), ' ') + "a:\n";
  EXPECT_FALSE(ParseYamlTree(deep, "f").ok());
  std::string dashes;
  for (int i = 0; i < 100'000; ++i) dashes += "- ";
  EXPECT_FALSE(ParseYamlTree(dashes, "f").ok());
  std::string many = "[";
  for (int i = 0; i < 20'000; ++i) many += "1,";
  EXPECT_FALSE(ParseYamlTree(many + "1]", "f").ok());
}

TEST(YamlTreeTest, SurvivesEveryTruncation) {
  const std::string text = "a: {b: 'c', d: [1, \"x\"]}\ne: |\n  text\nf: -1.5e3 # comment\n";
  for (size_t length = 0; length <= text.size(); ++length) {
    (void)ParseYamlTree(text.substr(0, length), "f");
  }
}

}  // namespace
}  // namespace vrp
