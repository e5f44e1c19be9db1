#include "core/search/route/undo_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace vrp {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Returns whether a copy was made.
bool SaveText(UndoLog<std::string>& log, int32_t slot, const std::string& text) {
  bool is_new = false;
  log.Save(slot, [&](std::string& copy) {
    copy = text;
    is_new = true;
  });
  return is_new;
}

TEST(UndoLogTest, KeepsEachSlotAsItWasBeforeItsFirstChange) {
  UndoLog<std::string> log;
  log.Begin();
  EXPECT_TRUE(SaveText(log, 3, "first"));
  EXPECT_TRUE(SaveText(log, 0, "other"));
  EXPECT_FALSE(SaveText(log, 3, "second"));
  ASSERT_EQ(log.saved().size(), 2);
  EXPECT_EQ(log.saved()[0].slot, 3);
  EXPECT_EQ(log.saved()[0].copy, "first");
  EXPECT_EQ(log.saved()[1].slot, 0);
  EXPECT_EQ(log.saved()[1].copy, "other");
}

TEST(UndoLogTest, ReturnsTheCopyThatASlotAlreadyHas) {
  UndoLog<std::string> log;
  log.Begin();
  SaveText(log, 2, "two");
  SaveText(log, 1, "one");
  std::string* copy = log.Save(2, [](std::string& filled) { filled = "again"; });
  ASSERT_NE(copy, nullptr);
  EXPECT_EQ(*copy, "two");
}

TEST(UndoLogTest, ForgetsTheTransactionBefore) {
  UndoLog<std::string> log;
  log.Begin();
  SaveText(log, 1, "one");
  log.Begin();
  EXPECT_THAT(log.saved(), IsEmpty());
  EXPECT_TRUE(SaveText(log, 1, "later"));
  EXPECT_EQ(log.saved()[0].copy, "later");
}

TEST(UndoLogTest, SavesNothingOutsideATransaction) {
  UndoLog<std::string> log;
  EXPECT_FALSE(SaveText(log, 1, "before"));
  log.Begin();
  log.Stop();
  EXPECT_EQ(log.Save(1, [](std::string&) {}), nullptr);
  EXPECT_THAT(log.saved(), IsEmpty());
}

TEST(ChangedSlotsTest, ListsEachSlotOnceUntilTaken) {
  ChangedSlots changed;
  for (const int32_t slot : {5, 2, 5}) changed.Mark(slot);
  EXPECT_THAT(changed.Take(), ElementsAre(5, 2));
  EXPECT_THAT(changed.Take(), IsEmpty());
  changed.Mark(2);
  EXPECT_THAT(changed.Take(), ElementsAre(2));
}

}  // namespace
}  // namespace vrp
