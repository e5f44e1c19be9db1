// Trains habit models on a history in a folder of the test.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "core/base/file.h"
#include "core/base/text.h"
#include "core/model/habits/habit_model_files.h"
#include "core/train/habits/habits_trainer.h"
#include "tests/train/trainer_fixture.h"

namespace vrp::test {

class HabitsFixture : public TrainerFixture {
 protected:
  // `habits` are the settings of the section besides the history, and `sections` has the other
  // sections of the configuration.
  HabitsFixture(std::string_view routes, std::string_view habits, std::string_view sections)
      : yaml_(Concat("name: ours\nmodel: habits\nhabits: {history: ", history_, ", ", habits, "}\n",
                     sections)) {
    EXPECT_TRUE(AtomicWriteFile(history_, routes).ok());
  }

  TrainingRequest RequestFor(const std::string& name, const ConfigOverrides& overrides) const {
    TrainingRequest request = limits_;
    const auto config = ParseTrainingConfig(yaml_, "test.yaml", overrides);
    EXPECT_TRUE(config.ok()) << config.status();
    request.config = *config;
    request.threads = 2;
    request.job_name = "trainingJobs/test";
    request.checkpoint_directory = root_ + "/" + name + "/checkpoint";
    request.model_directory = ModelOf(name);
    std::filesystem::create_directories(request.checkpoint_directory);
    return request;
  }
  // Trains in the folder `name`. A second run of the same name resumes from its checkpoint.
  absl::StatusOr<TrainingResult> Train(const std::string& name, Recorder& recorder,
                                       const ConfigOverrides& overrides = {}) {
    return MakeHabitsTrainer()->Train(RequestFor(name, overrides),
                                      {absl::InfiniteFuture(), recorder.cancel}, recorder);
  }
  // Trains without time, and expects a model after one step.
  void ExpectAModelAtTheTimeLimit(const std::string& name) {
    limits_.time_limit = absl::ZeroDuration();
    Recorder recorder;
    const auto result = Train(name, recorder);
    ASSERT_TRUE(result.ok()) << result.status();
    EXPECT_EQ(result->end, TrainingEnd::kTimeLimit);
    EXPECT_EQ(result->steps, 1);
    EXPECT_TRUE(LoadHabitModel(ModelOf(name), name).ok());
  }

  const std::string history_ = root_ + "/past.jsonl";

 private:
  const std::string yaml_;
};

}  // namespace vrp::test
