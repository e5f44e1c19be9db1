#include "core/model/parameter_store.h"

#include <ATen/ATen.h>

#include <cmath>

#include "gtest/gtest.h"

namespace vrp {
namespace {

std::vector<ParameterSpec> Specs() { return {{"a.weight", {2, 3}, 0.5}, {"a.bias", {2}, 0.1}}; }
ParameterStore AStore(uint64_t seed) { return {Specs(), at::TensorOptions(), seed}; }

TEST(ParameterStoreTest, DrawsByItsSeedWithinTheBounds) {
  const ParameterStore store = AStore(1);
  EXPECT_TRUE(at::equal(store.flat(), AStore(1).flat()));
  EXPECT_FALSE(at::equal(store.flat(), AStore(2).flat()));
  EXPECT_LE(store.Get("a.weight").abs().max().item<float>(), 0.5);
  EXPECT_LE(store.Get("a.bias").abs().max().item<float>(), 0.1);
}

TEST(ParameterStoreTest, CollectsGradientsInOneBuffer) {
  ParameterStore store = AStore(1);
  store.TrackGradients();
  (store.Get("a.weight").sum() * 2 + store.Get("a.bias").sum()).backward();
  (store.Get("a.bias").sum()).backward();
  EXPECT_TRUE(at::equal(store.gradient(), at::full({8}, 2.0f)));
}

TEST(ParameterStoreTest, LoadsBitForBitWhatItSaved) {
  const ParameterStore store = AStore(1);
  ParameterStore other = AStore(2);
  ASSERT_TRUE(other.Load(*SafetensorsFile::Parse(store.Save(), "w"), "w").ok());
  EXPECT_TRUE(at::equal(store.flat(), other.flat()));
}

TEST(ParameterStoreTest, NamesAParameterOfAnotherShapeAndChangesNothing) {
  const ParameterStore other({{"a.weight", {3, 2}, 1}, {"a.bias", {2}, 1}}, at::TensorOptions(), 1);
  ParameterStore store = AStore(2);
  const absl::Status status = store.Load(*SafetensorsFile::Parse(other.Save(), "w"), "w");
  EXPECT_EQ(status.message(), "w: a.weight: got F32[3, 2], wanted F32[2, 3]");
  EXPECT_TRUE(at::equal(store.flat(), AStore(2).flat()));
}

TEST(ParameterStoreTest, NamesAParameterThatIsMissingOrUnknown) {
  const ParameterStore fewer({{"a.weight", {2, 3}, 1}}, at::TensorOptions(), 1);
  ParameterStore store = AStore(2);
  EXPECT_EQ(store.Load(*SafetensorsFile::Parse(fewer.Save(), "w"), "w").message(),
            "w: a.bias: missing");
  ParameterStore small({{"a.weight", {2, 3}, 1}}, at::TensorOptions(), 1);
  EXPECT_EQ(small.Load(*SafetensorsFile::Parse(store.Save(), "w"), "w").message(),
            "w: \"a.bias\": this network has no such parameter");
}

TEST(ParameterStoreTest, RefusesAWeightThatIsNoNumber) {
  ParameterStore store = AStore(1);
  store.flat()[6] = std::nanf("");
  ParameterStore other = AStore(2);
  EXPECT_EQ(other.Load(*SafetensorsFile::Parse(store.Save(), "w"), "w").message(),
            "w: a.bias[0]: not a finite number");
}

}  // namespace
}  // namespace vrp
