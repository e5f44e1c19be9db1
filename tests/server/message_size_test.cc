#include "server/convert/message_size.h"

#include <string>
#include <utility>
#include <vector>

#include "core/base/text.h"
#include "gmock/gmock.h"
#include "google/protobuf/io/coded_stream.h"
#include "google/protobuf/io/zero_copy_stream_impl_lite.h"
#include "gtest/gtest.h"
#include "server/convert/field_violation.h"
#include "tests/server/messages.h"
#include "vrp/v1/solver_service.pb.h"
#include "vrp/v1/training_service.pb.h"

namespace vrp::test {
namespace {

using testing::HasSubstr;

// Limit in bytes that no message of these tests reaches.
constexpr int64_t kUnlimited = int64_t{1} << 40;

absl::StatusOr<int64_t> Estimate(const google::protobuf::Descriptor& type, const std::string& wire,
                                 int64_t max_bytes = kUnlimited) {
  // Reads in small chunks, as from the network.
  google::protobuf::io::ArrayInputStream stream(wire.data(), static_cast<int>(wire.size()), 7);
  return EstimateMessageBytes(type, stream, max_bytes);
}

// Returns the bytes of a length-delimited field.
std::string Field(uint32_t number, const std::string& content) {
  std::string wire;
  {
    google::protobuf::io::StringOutputStream stream(&wire);
    google::protobuf::io::CodedOutputStream out(&stream);
    out.WriteTag(number << 3 | 2);
    out.WriteVarint32(static_cast<uint32_t>(content.size()));
    out.WriteString(content);
  }
  return wire;
}

std::string Repeat(int count, const std::string& piece) {
  std::string all;
  for (int i = 0; i < count; ++i) all += piece;
  return all;
}

// Returns the bytes of a SolveRequest with `fields` in its instance.
std::string InInstance(const std::string& fields) {
  return Field(static_cast<uint32_t>(v1::SolveRequest::kInstanceFieldNumber), fields);
}

// Expects that the estimate for the parsed message is at least its memory.
template <typename Message>
void ExpectCovers(const std::string& wire) {
  Message message;
  ASSERT_TRUE(message.ParseFromString(wire));
  const absl::StatusOr<int64_t> estimate = Estimate(*Message::descriptor(), wire);
  ASSERT_TRUE(estimate.ok()) << estimate.status();
  EXPECT_GE(*estimate, static_cast<int64_t>(message.SpaceUsedLong()));
}

TEST(EstimateMessageBytes, CoversTheMemoryOfTheMessage) {
  using v1::Instance;
  v1::SolveRequest usual;
  *usual.mutable_instance() = ACvrpMessage(50);
  ExpectCovers<v1::SolveRequest>(usual.SerializeAsString());
  ExpectCovers<v1::SolveRequest>("");
  for (const int field : {Instance::kCustomersFieldNumber, Instance::kVehiclesFieldNumber,
                          Instance::kDepotsFieldNumber, Instance::kShipmentsFieldNumber}) {
    ExpectCovers<v1::SolveRequest>(
        InInstance(Repeat(1000, Field(static_cast<uint32_t>(field), ""))));
  }
  const std::string skill = Field(v1::Customer::kRequiredSkillsFieldNumber, "");
  const std::string window = Field(v1::Customer::kTimeWindowsFieldNumber, "");
  const std::string demand = Field(v1::Customer::kDemandFieldNumber, std::string(800, '\0'));
  for (const std::string& content : {skill, window, demand}) {
    ExpectCovers<v1::SolveRequest>(
        InInstance(Field(Instance::kCustomersFieldNumber, Repeat(1000, content))));
  }
  ExpectCovers<v1::SolveRequest>(Repeat(1000, Field(900, "")));  // unknown fields
  ExpectCovers<v1::SolveRequest>(Repeat(1000, Field(5000, "unknown")));
  ExpectCovers<v1::SolveRequest>(Repeat(1000, "\xa3\x38\xa4\x38"));  // groups, as unknown fields
  ExpectCovers<v1::SolveRequest>(Repeat(1000, "\xa0\x38\x01"));      // numbers, as unknown fields
  v1::ListTrainingJobsRequest labels;
  for (int i = 0; i < 1000; ++i) (*labels.mutable_labels())[Concat(i)] = "x";
  ExpectCovers<v1::ListTrainingJobsRequest>(labels.SerializeAsString());
}

TEST(EstimateMessageBytes, CountsFieldsOfAWrongWireType) {
  // The messages have a number field as text, as eight bytes and as four bytes.
  const uint32_t number = v1::ListTrainingJobsRequest::kPageSizeFieldNumber;
  ExpectCovers<v1::ListTrainingJobsRequest>(Repeat(1000, Field(number, "")));
  for (const auto& [wire_type, bytes] : {std::pair(1, 8), std::pair(5, 4)}) {
    const std::string tag(1, static_cast<char>(number << 3 | static_cast<uint32_t>(wire_type)));
    ExpectCovers<v1::ListTrainingJobsRequest>(
        Repeat(1000, tag + std::string(static_cast<size_t>(bytes), 'x')));
  }
}

TEST(EstimateMessageBytes, EstimatesAMatrixWithinTwiceItsBytes) {
  v1::SolveRequest request;
  v1::Matrix& matrix = *request.mutable_instance()->mutable_distance_matrix();
  for (int i = 0; i < 1'000'000; ++i) matrix.add_values(i);
  const std::string wire = request.SerializeAsString();
  EXPECT_LT(*Estimate(*request.GetDescriptor(), wire),
            2 * static_cast<int64_t>(wire.size()) + 10'000);
}

TEST(EstimateMessageBytes, NamesTheFieldThatExceedsTheLimit) {
  const std::string wire =
      InInstance(Repeat(100'000, Field(v1::Instance::kCustomersFieldNumber, "")));
  const absl::StatusOr<int64_t> estimate =
      Estimate(*v1::SolveRequest::descriptor(), wire, int64_t{4} << 20);
  EXPECT_TRUE(absl::IsInvalidArgument(estimate.status()));
  ASSERT_EQ(ViolationsOf(estimate.status()).size(), 1u);
  EXPECT_EQ(ViolationsOf(estimate.status())[0].field, "instance.customers");
  EXPECT_THAT(std::string(estimate.status().message()), HasSubstr("the limit of 4 MiB"));
  const absl::StatusOr<int64_t> unknown =
      Estimate(*v1::SolveRequest::descriptor(), Repeat(100'000, Field(900, "")), int64_t{4} << 20);
  EXPECT_EQ(ViolationsOf(unknown.status())[0].field, "message");
}

TEST(EstimateMessageBytes, AcceptsUnreadableBytes) {
  v1::SolveRequest request;
  *request.mutable_instance() = ACvrpMessage(5);
  const std::string whole = request.SerializeAsString();
  for (size_t length = 0; length < whole.size(); ++length) {
    EXPECT_TRUE(Estimate(*request.GetDescriptor(), whole.substr(0, length)).ok()) << length;
  }
  for (const char* nonsense :
       {"\xff\xff\xff", "\x0a\xff\xff\xff\xff\x0f", "\x0b", "\x0c", "\x07"}) {
    EXPECT_TRUE(Estimate(*request.GetDescriptor(), nonsense).ok()) << nonsense;
  }
  // The bytes are nested groups, deeper than the limit.
  EXPECT_TRUE(Estimate(*request.GetDescriptor(), std::string(1'000'000, '\x0b')).ok());
}

}  // namespace
}  // namespace vrp::test
