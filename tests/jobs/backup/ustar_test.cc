#include "core/jobs/backup/ustar.h"

#include "core/base/text.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace vrp {
namespace {

using ::testing::HasSubstr;

TEST(UstarTest, ReadsBackTheHeaderItWrote) {
  const std::string folder(70, 'f');
  for (const std::string& path :
       {std::string("a"), std::string(100, 'a'), Concat(folder, "/", folder, "/", folder),
        Concat(std::string(154, 'p'), "/", std::string(100, 'n')),
        Concat(std::string(155, 'p'), "/", std::string(99, 'n'))}) {
    const std::string header = *WriteTarHeader({.path = path,
                                                .size = kMaxTarFileBytes,
                                                .mode = 0640,
                                                .modified = absl::FromUnixSeconds(1'800'000'000)});
    ASSERT_EQ(header.size(), kTarBlockBytes);
    const TarEntry entry = (*ParseTarHeader(header)).value();
    EXPECT_EQ(entry.path, path);
    EXPECT_EQ(entry.size, kMaxTarFileBytes);
    EXPECT_EQ(entry.mode, 0640u);
    EXPECT_EQ(entry.modified, absl::FromUnixSeconds(1'800'000'000));
  }
}

TEST(UstarTest, RefusesPathsAndSizesThatItCannotStore) {
  const auto refusal = [](const std::string& path, int64_t size) {
    return std::string(WriteTarHeader({.path = path, .size = size}).status().message());
  };
  EXPECT_THAT(refusal(std::string(101, 'a'), 1), HasSubstr("wanted a path that tar can hold"));
  EXPECT_THAT(refusal(Concat(std::string(156, 'p'), "/n"), 1),
              HasSubstr("wanted a path that tar can hold"));
  EXPECT_THAT(refusal(Concat(std::string(155, 'p'), "/", std::string(100, 'n')), 1),
              HasSubstr("has 256 bytes, wanted a path that tar can hold"));
  EXPECT_THAT(refusal("", 1), HasSubstr("path"));
  EXPECT_THAT(refusal("big", kMaxTarFileBytes + 1), HasSubstr("big: has 8589934592 bytes"));
}

TEST(UstarTest, DetectsEveryChangedByteOfAHeader) {
  const std::string intact = *WriteTarHeader({.path = "a/b", .size = 5});
  for (size_t at = 0; at < intact.size(); ++at) {
    std::string damaged = intact;
    damaged[at] ^= 0x15;
    EXPECT_FALSE(ParseTarHeader(damaged).ok()) << at;
  }
}

TEST(UstarTest, TreatsAZeroBlockAsTheEndAndAShortBlockAsAnError) {
  EXPECT_FALSE((*ParseTarHeader(std::string(kTarBlockBytes, '\0'))).has_value());
  EXPECT_TRUE(absl::IsDataLoss(ParseTarHeader("short").status()));
}

TEST(UstarTest, PadsToWholeBlocks) {
  EXPECT_EQ(TarPadding(0), 0u);
  EXPECT_EQ(TarPadding(1), 511u);
  EXPECT_EQ(TarPadding(512), 0u);
}

}  // namespace
}  // namespace vrp
