// Tests instances that refer to matrices by name.
#include "core/problem/instance/matrix_source.h"

#include <map>
#include <string>

#include "core/base/text.h"
#include "core/problem/formats/formats.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace vrp {
namespace {

using testing::HasSubstr;

class FakeSource final : public MatrixSource {
 public:
  absl::StatusOr<std::shared_ptr<const Matrices>> Find(std::string_view name) const override {
    const auto found = matrices_.find(std::string(name));
    if (found == matrices_.end())
      return absl::NotFoundError(Concat("got ", Quoted(name), ", which is unknown"));
    return found->second;
  }

 private:
  const std::map<std::string, std::shared_ptr<const Matrices>> matrices_ = {
      {"matrices/two", std::make_shared<Matrices>(Matrices{2, {0, 3, 4, 0}, {0, 5, 6, 0}})},
      {"matrices/bare", std::make_shared<Matrices>(Matrices{2, {0, 8, 9, 0}, {}})},
      {"matrices/three", std::make_shared<Matrices>(Matrices{3, std::vector<double>(9, 1), {}})}};
};

absl::StatusOr<Instance> ReadWithMatrices(const std::string& more, const MatrixSource* source) {
  return ParseInstance(R"({"kind": "cvrp", "demands": [0, 1], )" + more + "}", "m.json",
                       InstanceFormat::kAuto, source);
}

TEST(NamedMatrices, ProvideDistancesAndDurations) {
  const FakeSource source;
  const absl::StatusOr<Instance> instance =
      ReadWithMatrices(R"("matrices": "matrices/two", "vehicles": [{"capacity": 3},
              {"capacity": 3, "matrices": "matrices/bare"}])",
                       &source);
  ASSERT_TRUE(instance.ok()) << instance.status();
  EXPECT_EQ(instance->Distance(0, 1), 3);
  EXPECT_EQ(instance->Duration(1, 0), 6);
  EXPECT_EQ(instance->Distance(instance->vehicles()[1], 1, 0), 9);
}

TEST(NamedMatrices, AreRefusedWithFieldAndReason) {
  const FakeSource source;
  const auto error = [&](const std::string& more, const MatrixSource* from) {
    return std::string(ReadWithMatrices(more, from).status().message());
  };
  const std::string coords = R"("capacity": 3, "coords": [[0, 0], [1, 1]], )";
  EXPECT_EQ(error(coords + R"("matrices": "matrices/three")", &source),
            "m.json: matrices: got \"matrices/three\" of 3 rows, wanted the number of nodes, 2");
  EXPECT_THAT(error(coords + R"("matrices": "matrices/none")", &source),
              HasSubstr("m.json: matrices: got \"matrices/none\", which is unknown"));
  EXPECT_THAT(
      error(coords + R"("matrices": "matrices/two", "distance_matrix": [[0, 1], [1, 0]])", &source),
      HasSubstr("m.json: matrices: given together with a matrix"));
  EXPECT_THAT(
      error(R"("coords": [[0, 0], [1, 1]], "vehicles": [{"matrices": "matrices/three"}])", &source),
      HasSubstr("m.json: vehicles[0].matrices: got \"matrices/three\" of 3 rows"));
  EXPECT_THAT(error(coords + R"("matrices": "matrices/two")", nullptr),
              HasSubstr("m.json: matrices: got \"matrices/two\", which is not supported here"));
}

}  // namespace
}  // namespace vrp
