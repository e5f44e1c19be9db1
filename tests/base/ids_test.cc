#include "core/base/ids.h"

#include <set>

#include "core/base/sha256.h"
#include "core/base/text.h"
#include "gtest/gtest.h"

namespace vrp {
namespace {

TEST(IdsTest, NewIdsAreValidAndDiffer) {
  std::set<std::string> ids;
  for (int i = 0; i < 1000; ++i) {
    const std::string id = NewId();
    EXPECT_EQ(id.size(), 16u);
    EXPECT_TRUE(id[0] >= 'a' && id[0] <= 'z') << id;
    EXPECT_TRUE(ValidateId("id", id).ok()) << id;
    ids.insert(id);
  }
  EXPECT_EQ(ids.size(), 1000u);
}

TEST(IdsTest, AcceptsPlainNamesOnly) {
  for (const char* good : {"a", "7", "my-model_2.1", "x00"}) {
    EXPECT_TRUE(ValidateId("name", good).ok()) << good;
  }
  EXPECT_TRUE(ValidateId("name", std::string(63, 'a')).ok());
  for (const std::string& bad :
       {std::string(), std::string("../x"), std::string("-a"), std::string(".a"), std::string("A"),
        std::string("a/b"), std::string("a b"), std::string("a\0b", 3), std::string(64, 'a'),
        std::string("\xC3\xA4")}) {
    const absl::Status status = ValidateId("model.name", bad);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << bad;
    EXPECT_TRUE(FromAbsl(status.message()).starts_with("model.name: got \"")) << status;
  }
}

TEST(Sha256Test, GivesTheKnownDigests) {
  // The digest of "abc" is in FIPS 180-2, appendix B.1.
  EXPECT_EQ(Sha256Hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(Sha256Hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

TEST(TextTest, AcceptsOnlyPrintableUtf8) {
  for (const char* good : {"", "abc", "Z\xC3\xBCrich", "\xE2\x82\xAC", "\xF0\x9F\x9A\x9A"}) {
    EXPECT_TRUE(IsPrintableUtf8(good)) << good;
  }
  for (const char* bad : {"a\n", "\x7F", "\xFF", "\xC3", "\xC0\x80", "\xE0\x80\x80", "\xED\xA0\x80",
                          "\xF4\x90\x80\x80", "\xC2\x85", "\x80"}) {
    EXPECT_FALSE(IsPrintableUtf8(bad)) << Quoted(bad);
  }
}

TEST(TextTest, QuotesLongAndUnprintableTextSafely) {
  EXPECT_EQ(Quoted("a\nb"), "\"a\\nb\"");
  EXPECT_LT(Quoted(std::string(100000, 'x')).size(), 100u);
  EXPECT_TRUE(IsPrintableUtf8(Quoted("\xFF\x01\xE2\x82")));
}

}  // namespace
}  // namespace vrp
