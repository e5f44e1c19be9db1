// Tests that dispatch models are named like others and used only for dispatch.
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/registry/dispatch_model_files.h"
#include "tests/registry/registry_fixture.h"

namespace vrp {
namespace {

using testing::HasSubstr;

class DispatchModelsTest : public test::RegistryTest {
 protected:
  // Returns a staging folder with a dispatch model.
  std::string Stage(int64_t parameters = -1) {
    const std::string staging = *registry_->StagingDirectory();
    EXPECT_TRUE(test::WriteDispatchModel(staging, 1, parameters).ok());
    return staging;
  }

  const std::unique_ptr<Registry> registry_ = Open();
};

TEST_F(DispatchModelsTest, LoadsOneByVersionAndByAlias) {
  ASSERT_TRUE(registry_->Publish("waves", Stage()).ok());
  ASSERT_TRUE(registry_->Publish("waves", Stage()).ok());
  ASSERT_TRUE(registry_->SetAlias("waves", "production", 1).ok());
  for (const ModelReference& reference : {ModelReference{"waves"}, ModelReference{"waves", 2},
                                          ModelReference{"waves", 0, "production"}}) {
    const auto model = registry_->LoadDispatch(reference);
    ASSERT_TRUE(model.ok()) << model.status();
    EXPECT_EQ(model->settings().network, test::kDispatchModelNetwork);
  }
  EXPECT_THAT(registry_->AliasesOf(*registry_->Get("waves", 1)),
              testing::ElementsAre("production"));
}

TEST_F(DispatchModelsTest, RefusesToPlanRoutesWithOne) {
  ASSERT_TRUE(registry_->Publish("waves", Stage()).ok());
  const auto used = registry_->Use({"waves"});
  EXPECT_EQ(used.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(used.status().message()),
              HasSubstr("models/waves/versions/1: is a dispatch model"));
}

TEST_F(DispatchModelsTest, RefusesToDispatchWithAModelThatPlansRoutes) {
  ASSERT_TRUE(Publish(*registry_, "alpha").ok());
  const auto model = registry_->LoadDispatch({"alpha"});
  EXPECT_EQ(model.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(model.status().message()),
              HasSubstr("models/alpha/versions/1: is a model of the architecture ptrnet"));
}

TEST_F(DispatchModelsTest, RefusesVersionsOfAnotherKind) {
  ASSERT_TRUE(Publish(*registry_, "alpha").ok());
  EXPECT_TRUE(absl::IsFailedPrecondition(registry_->Publish("alpha", Stage()).status()));
}

TEST_F(DispatchModelsTest, ImportsOneWithAMatchingCardOnly) {
  const auto imported = registry_->Import("waves", Stage());
  ASSERT_TRUE(imported.ok()) << imported.status();
  EXPECT_TRUE(registry_->LoadDispatch({"waves", 1}).ok());
  const auto refused = registry_->Import("waves", Stage(7));
  EXPECT_EQ(refused.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(refused.status().message()), HasSubstr("parameters: got 7"));
}

}  // namespace
}  // namespace vrp
