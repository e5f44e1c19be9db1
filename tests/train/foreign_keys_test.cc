// Tests that errors for keys of PyTorch trainers suggest our keys.
#include "core/train/config/foreign_keys.h"

#include <regex>
#include <set>
#include <string>

#include "absl/strings/str_split.h"
#include "core/base/text.h"
#include "core/train/config/training_config.h"
#include "gtest/gtest.h"

namespace vrp {
namespace {

std::string ErrorOf(const std::string& yaml, const ConfigOverrides& overrides = {}) {
  return std::string(ParseTrainingConfig("name: a\n" + yaml, "f", overrides).status().message());
}

TEST(ForeignKeysTest, AreAnsweredWithOurKey) {
  EXPECT_EQ(ErrorOf("training: {use_amp: true}\n"),
            "f:2: \"training.use_amp\": unknown key; use training.amp");
  EXPECT_EQ(ErrorOf("lr: 0.1\n"), "f:2: \"lr\": unknown key; use training.learning_rate");
  EXPECT_EQ(ErrorOf("optimizer: {lr: 0.1}\n"),
            "f:2: \"optimizer.lr\": unknown key; use training.learning_rate");
  EXPECT_EQ(ErrorOf("", {"loader.num-workers=4"}),
            "--set: \"loader.num-workers\": unknown key; use loader.workers");
  EXPECT_EQ(ErrorOf("training: {optimizer: {lr: 1}}\n"),
            "f:2: \"training.optimizer\": unknown key; not configurable: the optimiser is "
            "AdamW; its keys are training.learning_rate and training.weight_decay");
}

TEST(ForeignKeysTest, AreAnsweredWithTheReasonIfNotConfigurable) {
  for (const char* key : {"cudnn_benchmark", "persistent_workers", "compile", "shuffle"}) {
    EXPECT_NE(ErrorOf("training: {" + std::string(key) + ": true}\n").find("not configurable: "),
              std::string::npos)
        << key;
  }
}

TEST(ForeignKeysTest, CoverCommonTrainers) {
  for (const char* key : {"use_amp",
                          "num_workers",
                          "hidden_dim",
                          "num_layers",
                          "num_epochs",
                          "prefetch_factor",
                          "pin_memory",
                          "persistent_workers",
                          "accumulation_steps",
                          "lr",
                          "cudnn_benchmark",
                          "dropout_rate",
                          "weight_decay_rate",
                          "grad_clip",
                          "max_grad_norm",
                          "batch",
                          "scheduler",
                          "gamma",
                          "device",
                          "seed"}) {
    for (const std::string& path : {std::string(key), "training." + std::string(key)}) {
      if (path == "training.seed") continue;
      EXPECT_FALSE(ForeignKeyHint(path).empty()) << path;
      EXPECT_NE(ErrorOf("", {path + "=1"}).find(std::string(ForeignKeyHint(path))),
                std::string::npos)
          << path;
    }
  }
  EXPECT_TRUE(ForeignKeyHint("training.amp").empty());
  EXPECT_TRUE(ForeignKeyHint("").empty());
}

// A hint must not suggest a key that does not exist.
TEST(ForeignKeysTest, NameExistingKeys) {
  const std::regex key("[a-z_]+\\.[a-z0-9_]+");
  std::set<std::string> names;
  for (const ForeignKey& foreign : ForeignKeys()) {
    for (const absl::string_view name : absl::StrSplit(ToAbsl(foreign.names), ' ')) {
      EXPECT_TRUE(names.insert(std::string(name)).second) << name << " has two hints";
    }
    const std::string hint(foreign.hint);
    EXPECT_TRUE(hint.starts_with("use ") || hint.starts_with("not configurable: ") ||
                hint.starts_with("not a configuration key: "))
        << hint;
    for (std::sregex_iterator found(hint.begin(), hint.end(), key), end; found != end; ++found) {
      EXPECT_EQ(ErrorOf("", {found->str() + "=[[]]"}).find("unknown key"), std::string::npos)
          << found->str();
    }
  }
}

}  // namespace
}  // namespace vrp
