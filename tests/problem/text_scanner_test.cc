// Tests the scanner of lines and words.
#include "core/problem/formats/text/text_scanner.h"

#include <string>

#include "gtest/gtest.h"

namespace vrp {
namespace {

TEST(TextScanner, CountsLinesWithAnyLineEnd) {
  TextScanner scanner("a\nb\r\nc\rd\r\re\n\rf", "t");
  scanner.SkipCommentsFrom('#');
  const std::pair<const char*, int64_t> wanted[] = {{"a", 1}, {"b", 2}, {"c", 3},
                                                    {"d", 4}, {"e", 6}, {"f", 8}};
  for (const auto& [text, line] : wanted) {
    EXPECT_EQ(scanner.NextLine(), text);
    EXPECT_EQ(scanner.line(), line) << text;
  }
  EXPECT_EQ(scanner.NextLine(), std::nullopt);
}

TEST(TextScanner, ReadsTheRestOfALineAfterItsWords) {
  TextScanner scanner("a b c\rd # e\nf", "t");
  scanner.SkipCommentsFrom('#');
  EXPECT_EQ(scanner.NextWord(), "a");
  EXPECT_EQ(scanner.NextLine(), "b c");
  EXPECT_EQ(scanner.NextWord(), "d");
  EXPECT_EQ(scanner.NextLine(), "f");
}

// A search of the rest of the text at each line would take minutes.
TEST(TextScanner, ReadsAMillionLinesThatACarriageReturnEnds) {
  std::string text;
  for (int i = 0; i < 1'000'000; ++i) text += "1 2 3\r";
  TextScanner scanner(text, "t");
  int64_t lines = 0;
  while (scanner.NextLine().has_value()) ++lines;
  EXPECT_EQ(lines, 1'000'000);
}

}  // namespace
}  // namespace vrp
