// Builds and reads texts of VRPLIB files for tests.
#pragma once

#include <string>

#include "core/problem/formats/formats.h"
#include "gtest/gtest.h"

namespace vrp::test {

// Returns the instance of a valid text.
inline Instance ReadDialect(const std::string& text) {
  absl::StatusOr<Instance> instance = ParseInstance(text, "d.vrp");
  EXPECT_TRUE(instance.ok()) << instance.status() << "\n" << text;
  return *std::move(instance);
}

// Returns the error of a text that the reader refuses.
inline std::string DialectError(const std::string& text) {
  const absl::StatusOr<Instance> instance = ParseInstance(text, "d.vrp");
  EXPECT_EQ(instance.status().code(), absl::StatusCode::kInvalidArgument) << text;
  return std::string(instance.status().message());
}

// Returns a TSP of three nodes. `more` holds further keywords.
inline std::string TspText(const std::string& weights, const std::string& coords,
                           const std::string& more = "") {
  return "TYPE : TSP\nDIMENSION : 3\n" + more + "EDGE_WEIGHT_TYPE : " + weights +
         "\nNODE_COORD_SECTION\n" + coords + "EOF\n";
}

inline constexpr char kTriangle[] = "1 0 0\n2 1.5 2\n3 6 8.5\n";

// Returns a file of `type` with three customers at distances 3, 4 and 5 from the depot.
inline std::string CvrpText(const std::string& type, const std::string& keywords,
                            const std::string& sections) {
  return (type.empty() ? "" : "TYPE : " + type + "\n") + "DIMENSION : 4\n" + keywords +
         "EDGE_WEIGHT_TYPE : EUC_2D\nNODE_COORD_SECTION\n1 0 0\n2 3 0\n3 0 4\n4 -5 0\n" + sections +
         "DEPOT_SECTION\n1\n-1\nEOF\n";
}

inline constexpr char kDemandSection[] = "DEMAND_SECTION\n1 0\n2 1\n3 2\n4 3\n";
inline constexpr char kWindowSection[] = "TIME_WINDOW_SECTION\n1 0 99\n2 0 90\n3 10 90\n4 0 90\n";

inline constexpr char kTwoDepotText[] = R"(TYPE : MDVRP
DIMENSION : 5
CAPACITY : 3
%EDGE_WEIGHT_TYPE : EUC_2D
NODE_COORD_SECTION
1 0 0
2 90 0
3 1 0
4 89 0
5 91 0
DEMAND_SECTION
1 0
2 0
3 1
4 1
5 1
DEPOT_SECTION
1
2
-1
)";

// Returns an MDVRP with two depots. `more` holds further keywords.
inline std::string TwoDepotText(const std::string& more) {
  std::string text = kTwoDepotText;
  return text.replace(text.find('%'), 1, more);
}

}  // namespace vrp::test
