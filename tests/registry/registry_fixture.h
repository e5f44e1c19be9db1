// A fixture that opens registries on a folder of fake models.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/registry/registry.h"
#include "gtest/gtest.h"
#include "tests/registry/fake_model.h"
#include "tests/testing/paths.h"

namespace vrp::test {

inline absl::StatusOr<std::unique_ptr<Policy>> LoadFake(const std::string&, DeviceId device) {
  return std::make_unique<FakePolicy>(device);
}

class RegistryTest : public ::testing::Test {
 protected:
  std::unique_ptr<Registry> Open(PolicyLoader loader = LoadFake,
                                 std::vector<std::string> shipped = {}) {
    absl::StatusOr<std::unique_ptr<Registry>> registry =
        Registry::Create({.directory = models_,
                          .read_only_directories = std::move(shipped),
                          .loader = std::move(loader)});
    EXPECT_TRUE(registry.ok()) << registry.status();
    return *std::move(registry);
  }
  // Writes the files of a model without the registry and returns their folder.
  std::string AddByHand(const std::string& root, std::string_view name, int32_t version) {
    const std::string directory = Concat(root, "/", name, "/", version);
    std::filesystem::create_directories(directory);
    EXPECT_TRUE(WriteFakeModel(directory, "").ok());
    return directory;
  }
  absl::StatusOr<ModelVersion> Publish(Registry& registry, std::string_view name,
                                       std::string job = "") {
    VRP_ASSIGN_OR_RETURN(const std::string staging, registry.StagingDirectory());
    VRP_RETURN_IF_ERROR(WriteFakeModel(staging, std::move(job)));
    return registry.Publish(name, staging);
  }
  static std::vector<std::string> Names(const std::vector<ModelVersion>& versions) {
    std::vector<std::string> names;
    for (const ModelVersion& version : versions)
      names.push_back(ModelResourceName(version.name, version.version));
    return names;
  }
  std::vector<std::string> StagingFolders() const {
    std::vector<std::string> folders;
    for (const auto& entry : std::filesystem::directory_iterator(models_ + "/.staging"))
      folders.push_back(entry.path().string());
    return folders;
  }

  TempFolder folder_;
  const std::string models_ = folder_.File("models");
};

}  // namespace vrp::test
