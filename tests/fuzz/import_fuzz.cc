// Fuzzes the messages of ImportModel (see framed.h). A published model can be loaded and
// exported, and a refused one leaves no weights. No network is built from the weights, because
// clang, which the fuzzers need, cannot compile the kernels.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/registry/registry.h"
#include "server/service/model_import.h"
#include "tests/fuzz/framed.h"
#include "tests/fuzz/scratch_folder.h"
#include "tests/registry/fake_model.h"
#include "vrp/v1/model_service.pb.h"

namespace vrp {
namespace {

void Require(bool holds) {
  if (!holds) std::abort();
}

absl::StatusOr<std::unique_ptr<Policy>> LoadFake(const std::string&, DeviceId device) {
  return std::make_unique<test::FakePolicy>(device);
}

void UseAndDelete(Registry& registry, const v1::Model& model) {
  const std::vector<ModelVersion> versions = registry.List();
  Require(versions.size() == 1);
  Require(registry.Load(versions.front().name, versions.front().version).ok());
  v1::ExportModelRequest request;
  request.set_name(model.name());
  auto source = OpenModelExport(registry, request);
  Require(source.ok());
  while (!(*source)->AtEnd()) Require((*source)->Next().ok());
  Require(registry.Delete(versions.front().name, versions.front().version).ok());
}

void Import(Registry& registry, std::string_view rest) {
  ModelImport import(registry, /*quota=*/nullptr);
  while (const auto message = fuzz::TakeMessage<v1::ImportModelRequest>(rest)) {
    if (!import.Take(*message).ok()) return;
  }
  const absl::StatusOr<v1::Model> model = import.Finish();
  if (model.ok()) UseAndDelete(registry, *model);
}

}  // namespace
}  // namespace vrp

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string folder = (vrp::fuzz::ScratchFolder() / "models").string();
  static const std::unique_ptr<vrp::Registry> registry =
      vrp::Registry::Create({.directory = folder, .loader = vrp::LoadFake}).value();
  vrp::Import(*registry, {reinterpret_cast<const char*>(data), size});
  vrp::Require(registry->List().empty());
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    vrp::Require(entry.path().filename() != vrp::kWeightsFile);
  }
  return 0;
}
