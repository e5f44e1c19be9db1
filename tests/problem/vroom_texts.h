// Builds and reads texts of VROOM's JSON input for tests.
#pragma once

#include <string>

#include "core/problem/formats/formats.h"
#include "gtest/gtest.h"

namespace vrp::test {

// Returns the instance of a file, or its error.
inline absl::StatusOr<Instance> ReadVroom(const std::string& text) {
  return ParseJson(text, "v.json");
}

// Returns a file with one matrix of three locations: those of the vehicles and of two tasks.
inline std::string FileWithMatrix(const std::string& vehicles, const std::string& tasks,
                                  const std::string& more = "") {
  return R"({"vehicles": [)" + vehicles + R"(], )" + tasks +
         R"(, "matrices": {"car": {"durations": [[0, 60, 70], [61, 0, 10], [72, 12, 0]])" + more +
         "}}}";
}

inline constexpr char kVehicle[] =
    R"({"id": 4, "start_index": 0, "end_index": 0, "capacity": [5]})";
inline constexpr char kJobs[] =
    R"("jobs": [{"id": 1, "location_index": 1, "delivery": [2], "service": 30},
                {"id": 2, "location_index": 2, "delivery": [3], "time_windows": [[5, 90]]}])";

// Returns the error of a file that the reader refuses.
inline std::string VroomError(const std::string& text) {
  const absl::StatusOr<Instance> instance = ReadVroom(text);
  EXPECT_EQ(instance.status().code(), absl::StatusCode::kInvalidArgument) << instance.status();
  return std::string(instance.status().message());
}

}  // namespace vrp::test
