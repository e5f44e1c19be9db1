#include "core/model/weights/safetensors.h"

#include <cstring>

#include "gtest/gtest.h"

namespace vrp {
namespace {

// Returns a file with `header` and `bytes` bytes of data.
std::string FileOf(const std::string& header, size_t bytes) {
  std::string file;
  for (int i = 0; i < 8; ++i) file.push_back(static_cast<char>(header.size() >> (8 * i) & 0xff));
  return file + header + std::string(bytes, 'x');
}

TEST(SafetensorsTest, ReadsBackWhatItWrote) {
  const std::vector<float> floats = {1.5f, -2, 3};
  const std::vector<int64_t> integers = {7};
  const std::vector<TensorView> tensors = {
      {"b", TensorType::kFloat32, {3, 1}, std::as_bytes(std::span(floats))},
      {"a", TensorType::kInt64, {}, std::as_bytes(std::span(integers))},
      {"none", TensorType::kFloat64, {0, 4}, {}}};
  const auto file = SafetensorsFile::Parse(WriteSafetensors(tensors, {{"k", "v"}}), "w");
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ(file->tensors().size(), 3u);
  EXPECT_EQ(file->metadata().at("k"), "v");
  EXPECT_EQ(file->Find("b")->shape, (std::vector<int64_t>{3, 1}));
  EXPECT_EQ(std::memcmp(file->Find("b")->data.data(), floats.data(), 12), 0);
  EXPECT_EQ(std::memcmp(file->Find("a")->data.data(), integers.data(), 8), 0);
  EXPECT_EQ(file->Find("c"), nullptr);
}

TEST(SafetensorsTest, AlignsTheDataToEightBytes) {
  const std::vector<float> floats = {1};
  const TensorView tensor{"odd_name", TensorType::kFloat32, {1}, std::as_bytes(std::span(floats))};
  const std::string file = WriteSafetensors(std::span(&tensor, 1));
  EXPECT_EQ((file.size() - sizeof(float)) % 8, 0u);
}

struct Malformed {
  const char* name;
  std::string file;
  const char* error_part;
};
void PrintTo(const Malformed& malformed, std::ostream* out) { *out << malformed.name; }

class MalformedSafetensorsTest : public testing::TestWithParam<Malformed> {};

TEST_P(MalformedSafetensorsTest, IsRefusedWithTheReason) {
  const auto file = SafetensorsFile::Parse(GetParam().file, "w.safetensors");
  EXPECT_EQ(file.status().code(), absl::StatusCode::kInvalidArgument);
  const std::string message(file.status().message());
  EXPECT_EQ(message.rfind("w.safetensors", 0), 0u) << message;
  EXPECT_NE(message.find(GetParam().error_part), std::string::npos) << message;
}

std::string FileOfOneTensor(const std::string& entry, size_t bytes) {
  return FileOf(R"({"a":)" + entry + "}", bytes);
}

INSTANTIATE_TEST_SUITE_P(
    Files, MalformedSafetensorsTest,
    testing::Values(
        Malformed{"empty", "", "got 0 bytes"},
        Malformed{"truncated length", "\x01\x02", "got 2 bytes"},
        Malformed{"huge header", std::string(8, '\xff') + "{}", "header length"},
        Malformed{"header beyond the end", FileOf("{}", 0).substr(0, 9), "header length"},
        Malformed{"no JSON", FileOf("{", 0), "header"},
        Malformed{"no object", FileOf("[]", 0), "object"},
        Malformed{"deep", FileOf(R"({"a":[[[[[[]]]]]]})", 0), "header"},
        Malformed{"duplicate",
                  FileOf(R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},)"
                         R"("a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}})",
                         1),
                  "a"},
        Malformed{"unknown type",
                  FileOfOneTensor(R"({"dtype":"F8","shape":[1],"data_offsets":[0,1]})", 1),
                  "dtype"},
        Malformed{"type missing", FileOfOneTensor(R"({"shape":[1],"data_offsets":[0,1],"z":1})", 1),
                  "dtype"},
        Malformed{"extra key",
                  FileOfOneTensor(R"({"dtype":"U8","shape":[1],"data_offsets":[0,1],"z":1})", 1),
                  "wanted an object"},
        Malformed{"negative extent",
                  FileOfOneTensor(R"({"dtype":"U8","shape":[-1],"data_offsets":[0,1]})", 1),
                  "shape"},
        Malformed{"fraction",
                  FileOfOneTensor(R"({"dtype":"U8","shape":[1.0],"data_offsets":[0,1]})", 1),
                  "shape"},
        Malformed{"overflow",
                  FileOfOneTensor(
                      R"({"dtype":"F64","shape":[4294967296,4294967296],"data_offsets":[0,1]})", 1),
                  "bytes"},
        Malformed{
            "beyond int64",
            FileOfOneTensor(R"({"dtype":"U8","shape":[18446744073709551615],"data_offsets":[0,1]})",
                            1),
            "shape"},
        Malformed{"size mismatch",
                  FileOfOneTensor(R"({"dtype":"F32","shape":[2],"data_offsets":[0,4]})", 4),
                  "got 4 bytes"},
        Malformed{"offset beyond",
                  FileOfOneTensor(R"({"dtype":"U8","shape":[2],"data_offsets":[0,2]})", 1),
                  "within the 1 bytes"},
        Malformed{"offsets reversed",
                  FileOfOneTensor(R"({"dtype":"U8","shape":[1],"data_offsets":[1,0]})", 1),
                  "within"},
        Malformed{"rest", FileOfOneTensor(R"({"dtype":"U8","shape":[1],"data_offsets":[0,1]})", 2),
                  "1 bytes after"},
        Malformed{"gap", FileOfOneTensor(R"({"dtype":"U8","shape":[1],"data_offsets":[1,2]})", 2),
                  "gap"},
        Malformed{"overlap",
                  FileOf(R"({"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},)"
                         R"("b":{"dtype":"U8","shape":[2],"data_offsets":[1,3]}})",
                         3),
                  "overlap"},
        Malformed{"metadata", FileOf(R"({"__metadata__":{"k":1}})", 0), "wanted a string"}));

TEST(SafetensorsTest, RefusesEveryTruncationAndSurvivesEveryFlippedByte) {
  const std::vector<float> floats = {1, 2};
  const TensorView tensor{"a", TensorType::kFloat32, {2}, std::as_bytes(std::span(floats))};
  const std::string file = WriteSafetensors(std::span(&tensor, 1));
  for (size_t length = 0; length < file.size(); ++length) {
    EXPECT_FALSE(SafetensorsFile::Parse(file.substr(0, length), "w").ok()) << length;
  }
  for (size_t at = 0; at < file.size() - 8; ++at) {
    std::string flipped = file;
    flipped[at] = static_cast<char>(flipped[at] ^ 0x55);
    const auto parsed = SafetensorsFile::Parse(flipped, "w");
    if (parsed.ok()) {
      EXPECT_LE(parsed->tensors().size(), 1u);
    }
  }
}

}  // namespace
}  // namespace vrp
