// Tests LibTorch's view of the device, on which the other GPU tests rely.
#include <ATen/ATen.h>

#include <algorithm>

#include "core/device/device_memory.h"
#include "tests/gpu/gpu_testing.h"

namespace vrp {
namespace {

constexpr int64_t kMib = int64_t{1} << 20;

class DeviceGpuTest : public test::GpuTest {};

TEST_F(DeviceGpuTest, ReportsNameMemoryAndMixedPrecision) {
  const DeviceInfo device = test::FirstGpu();
  RecordProperty("device", device.name);
  RecordProperty("memory_mib", std::to_string(device.memory_bytes / kMib));
  EXPECT_EQ(device.id.ToString(), "cuda:0");
  EXPECT_FALSE(device.name.empty());
  EXPECT_FALSE(device.name.starts_with("CUDA device ")) << "must have the driver's name";
  EXPECT_GT(device.memory_bytes, 1024 * kMib);
  EXPECT_TRUE(device.amp);
  EXPECT_TRUE(device.bf16) << "every supported architecture has bf16";
}

TEST_F(DeviceGpuTest, IsChosenByAuto) {
  const auto device = ResolveDevice("auto");
  ASSERT_TRUE(device.ok()) << device.status();
  EXPECT_EQ(*device, test::FirstGpu().id);
}

TEST_F(DeviceGpuTest, ReportsTheMemoryOfTensors) {
  const at::Tensor held = at::zeros({64 * kMib}, at::TensorOptions(at::kByte).device(at::kCUDA, 0));
  const std::vector<DeviceMemory> devices = ReadDeviceMemory();
  ASSERT_FALSE(devices.empty());
  const DeviceMemory& memory = devices[0];
  EXPECT_EQ(memory.id, test::FirstGpu().id);
  EXPECT_GE(memory.allocated, held.numel());
  EXPECT_GE(memory.reserved, memory.allocated);
  EXPECT_GE(memory.total, memory.free + memory.reserved);
}

TEST_F(DeviceGpuTest, MultipliesInFp32AndInBf16LikeTheCpu) {
  const at::Tensor left = at::linspace(-1, 1, 64 * 96).reshape({64, 96});
  const at::Tensor right = at::linspace(1, -2, 96 * 32).reshape({96, 32});
  const at::Tensor wanted = at::matmul(left.to(at::kDouble), right.to(at::kDouble));
  const double largest = wanted.abs().max().item<double>();
  const auto error = [&](at::ScalarType type) {
    const at::Device cuda(at::kCUDA, 0);
    const at::Tensor got = at::matmul(left.to(cuda, type), right.to(cuda, type));
    return (got.cpu().to(at::kDouble) - wanted).abs().max().item<double>() / largest;
  };
  EXPECT_LT(error(at::kFloat), 1e-5);
  EXPECT_LT(error(at::kBFloat16), 0.02);
  EXPECT_GT(error(at::kBFloat16), 1e-5);  // the product was rounded
}

}  // namespace
}  // namespace vrp
