#include "core/jobs/event_rows.h"

#include <set>

#include "core/base/text.h"
#include "core/jobs/job_book.h"
#include "gtest/gtest.h"
#include "tests/jobs/job_test_support.h"
#include "tests/testing/manual_clock.h"
#include "tests/testing/paths.h"

namespace vrp {
namespace {

// A fixture with the event log of a training job of ten steps per epoch.
class EventRowsTest : public ::testing::Test {
 protected:
  EventRowsTest() {
    book_ = *JobBook::Open(folder_.File("state"), &clock_);
    id_ = store().Submit(test::ASpec(), "", 10)->id;
    store().StartNext(JobKind::kTraining).IgnoreError();
  }
  JobStore& store() { return book_->store(); }
  void Update(const std::function<void(JobChange&)>& apply) {
    ASSERT_TRUE(store()
                    .Update(id_, Durability::kNormal,
                            [&](JobChange& change) {
                              apply(change);
                              return absl::OkStatus();
                            })
                    .ok());
  }
  // Stores the events of the given steps, 100 steps per transaction for speed.
  void Train(int64_t first, int64_t last, bool logs = false) {
    for (int64_t step = first; step <= last;) {
      Update([&](JobChange& change) {
        for (int i = 0; i < 100 && step <= last; ++i, ++step) {
          change.RecordProgress({.step = step,
                                 .loss = static_cast<double>(step),
                                 .validation_cost = static_cast<double>(step),
                                 .end_of_epoch = step % 10 == 0});
          if (logs) change.RecordLog("line");
          if (step % 50 == 0) change.RecordCheckpoint(step);
        }
      });
    }
  }
  std::vector<JobEvent> ReadAll(int64_t from) {
    std::vector<JobEvent> all;
    const auto events = *book_->Watch(JobKind::kTraining, id_, from);
    while (true) {
      const absl::StatusOr<std::vector<JobEvent>> next = events->Next(1000);
      EXPECT_TRUE(next.ok()) << next.status();
      if (!next.ok() || next->empty()) return all;
      all.insert(all.end(), next->begin(), next->end());
    }
  }
  int64_t CountRows() { return static_cast<int64_t>(StoredEvents().size()); }
  // Returns the stored events without the entries for compacted ranges.
  std::vector<JobEvent> StoredEvents() {
    std::vector<JobEvent> rows =
        *store().ReadEvents(id_, {.first = 1, .last = 1'000'000, .limit = 1'000'000});
    std::erase_if(rows, [](const auto& event) { return event.type == EventType::kCompacted; });
    return rows;
  }

  test::TempFolder folder_;
  test::ManualClock clock_;
  std::shared_ptr<JobBook> book_;
  std::string id_;
};

TEST_F(EventRowsTest, LimitsALongLogAndKeepsTheNewestEvents) {
  Train(1, 20'000);
  EXPECT_LT(CountRows(), 1000 + 4000 + 1000 + 600);
  std::vector<JobEvent> events = ReadAll(1);
  const int64_t last = store().Find(JobKind::kTraining, id_)->job.last_sequence;
  EXPECT_EQ(last, 2 + 20'000 + 400);
  for (int64_t i = 0; i < 1000; ++i) {
    EXPECT_EQ(events[events.size() - 1 - static_cast<size_t>(i)].sequence, last - i);
  }
}

TEST_F(EventRowsTest, CoversEverySequenceNumberExactlyOnce) {
  Train(1, 9000, /*logs=*/true);
  for (const int64_t from :
       {int64_t{1}, int64_t{2}, int64_t{777}, int64_t{5000}, int64_t{18'000}}) {
    int64_t next = from;
    int64_t ranges = 0;
    for (const JobEvent& event : ReadAll(from)) {
      const bool range = event.type == EventType::kCompacted;
      EXPECT_EQ(range ? event.first_sequence : event.sequence, next);
      if (range) {
        ++ranges;
        EXPECT_GE(event.sequence, event.first_sequence);
      }
      next = event.sequence + 1;
    }
    EXPECT_EQ(next, store().Find(JobKind::kTraining, id_)->job.last_sequence + 1);
    EXPECT_EQ(ranges > 0, from < 17'000) << from;
  }
}

TEST_F(EventRowsTest, ReportsEventsThinnedDuringAReadToTheReader) {
  Train(1, 3000);
  const auto slow = *book_->Watch(JobKind::kTraining, id_, 1);
  int64_t next = slow->Next(10)->back().sequence + 1;
  Train(3001, 12'000);
  bool reported = false;
  while (next <= store().Find(JobKind::kTraining, id_)->job.last_sequence) {
    const std::vector<JobEvent> events = *slow->Next(1000);
    ASSERT_FALSE(events.empty());
    for (const JobEvent& event : events) {
      const bool range = event.type == EventType::kCompacted;
      reported |= range;
      ASSERT_EQ(range ? event.first_sequence : event.sequence, next);
      next = event.sequence + 1;
    }
  }
  EXPECT_TRUE(reported);
}

TEST_F(EventRowsTest, KeepsStateModelAndEpochEndEvents) {
  Update([](JobChange& change) {
    EXPECT_TRUE(change.MoveTo(JobState::kRunning).ok());
    change.RecordLiveModel("models/a/versions/1", 3);
  });
  Train(1, 12'000);
  std::set<EventType> kinds;
  int64_t epochs = 0, steps = 0;
  const int64_t last = store().Find(JobKind::kTraining, id_)->job.last_sequence;
  for (const JobEvent& event : StoredEvents()) {
    kinds.insert(event.type);
    if (event.type != EventType::kProgress || event.sequence > last - 1600) continue;
    ++(event.progress->end_of_epoch ? epochs : steps);
  }
  EXPECT_TRUE(kinds.contains(EventType::kModel));
  EXPECT_TRUE(kinds.contains(EventType::kState));
  // Thinning keeps one step of each 8, preferably an end of an epoch. Most of these strides have
  // one.
  EXPECT_GT(epochs, 900);
}

TEST_F(EventRowsTest, ReportsAGapNotCausedByThinningAsDataLoss) {
  Train(1, 20);
  {
    const auto database = *Database::Open(folder_.File("state/jobs.db"));
    ASSERT_TRUE(database->Execute("DELETE FROM events WHERE sequence = 7").ok());
  }
  const auto events = *book_->Watch(JobKind::kTraining, id_, 1);
  const absl::Status damaged = events->Next(1000).status();
  EXPECT_TRUE(absl::IsDataLoss(damaged)) << damaged;
}

TEST_F(EventRowsTest, ReturnsTheRequestedNumberOfPointsPreferringEpochEnds) {
  Train(1, 1000);
  const History all = *book_->ReadHistory(JobKind::kTraining, id_, {});
  EXPECT_EQ(all.stored, 1000);
  EXPECT_EQ(all.points.size(), 1000u);
  const History few = *book_->ReadHistory(JobKind::kTraining, id_, {.max_points = 50});
  ASSERT_EQ(few.points.size(), 50u);
  EXPECT_EQ(few.stored, 1000);
  for (size_t i = 0; i < few.points.size(); ++i) {
    EXPECT_TRUE(few.points[i].progress->end_of_epoch) << i;
    EXPECT_NEAR(few.points[i].step, 20 * (static_cast<int64_t>(i) + 1), 20);
  }
  EXPECT_EQ(few.points.back().step, 1000);
  const History part = *book_->ReadHistory(
      JobKind::kTraining, id_, {.first_step = 101, .last_step = 120, .epochs_only = true});
  ASSERT_EQ(part.points.size(), 2u);
  EXPECT_EQ(part.points[0].step, 110);
  EXPECT_EQ(part.points[1].progress->loss, 120);
}

TEST_F(EventRowsTest, CountsRepeatedStepsOnceInTheHistory) {
  Train(1, 30);
  Update([](JobChange& change) { EXPECT_TRUE(change.MoveTo(JobState::kQueued).ok()); });
  store().StartNext(JobKind::kTraining).IgnoreError();
  Update([](JobChange& change) { change.RecordResume(20); });
  Train(21, 25);
  const History history = *book_->ReadHistory(JobKind::kTraining, id_, {});
  ASSERT_EQ(history.points.size(), 25u);
  for (size_t i = 0; i < 25; ++i) {
    EXPECT_EQ(history.points[i].step, static_cast<int64_t>(i) + 1);
    EXPECT_EQ(history.points[i].attempt, i < 20 ? 1 : 2);
  }
}

TEST_F(EventRowsTest, RefusesAHistoryOutOfRange) {
  for (const HistoryRange& range :
       {HistoryRange{.max_points = -1}, HistoryRange{.max_points = 10'001},
        HistoryRange{.first_step = -1}, HistoryRange{.last_step = -1}}) {
    EXPECT_TRUE(
        absl::IsInvalidArgument(book_->ReadHistory(JobKind::kTraining, id_, range).status()));
  }
}

TEST_F(EventRowsTest, KeepsTheBestEpoch) {
  const auto epoch = [this](int64_t step, double cost) {
    Update([=](JobChange& change) {
      change.RecordProgress({.step = step, .validation_cost = cost, .end_of_epoch = true});
    });
  };
  epoch(1, 9.0);
  epoch(2, 7.5);
  epoch(3, 8.0);
  const Job job = store().Find(JobKind::kTraining, id_)->job;
  EXPECT_EQ(job.best->step, 2);
  EXPECT_EQ(job.best->validation_cost, 7.5);
  EXPECT_EQ(job.progress->step, 3);
}

}  // namespace
}  // namespace vrp
