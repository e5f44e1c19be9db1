#include "core/jobs/event_topic.h"

#include "gtest/gtest.h"

namespace vrp {
namespace {

TEST(EventTopicTest, NotifiesAtOnceOfExistingEventsAndLaterOfNewOnes) {
  EventTopic topic;
  topic.Advance(3, false);
  int calls = 0;
  topic.NotifyAt(3, &topic, [&] { ++calls; });
  EXPECT_EQ(calls, 1);
  topic.NotifyAt(4, &topic, [&] { ++calls; });
  EXPECT_EQ(calls, 1);
  topic.Advance(4, false);
  topic.Advance(5, false);
  EXPECT_EQ(calls, 2) << "each callback runs once";
}

TEST(EventTopicTest, IgnoresOlderPositions) {
  EventTopic topic;
  topic.Advance(9, true);
  topic.Advance(8, false);
  EXPECT_EQ(topic.position().last, 9);
  EXPECT_TRUE(topic.position().final);
}

TEST(EventTopicTest, NotifiesAtOnceAtTheFinalPosition) {
  EventTopic topic;
  topic.Advance(2, true);
  int calls = 0;
  topic.NotifyAt(3, &topic, [&] { ++calls; });
  EXPECT_EQ(calls, 1);
}

TEST(EventTopicTest, WakesPresentAndFutureFollowersWhenClosed) {
  EventTopics topics;
  const auto topic = topics.Get("j1");
  int calls = 0;
  topic->NotifyAt(1, &topics, [&] { ++calls; });
  topics.CloseAll();
  EXPECT_EQ(calls, 1);
  topics.Get("j2")->NotifyAt(1, &topics, [&] { ++calls; });
  EXPECT_EQ(calls, 2);
}

TEST(EventTopicTest, DoesNotCallARemovedFollower) {
  EventTopic topic;
  int calls = 0, follower = 0, other = 0;
  topic.NotifyAt(1, &follower, [&] { ++calls; });
  topic.NotifyAt(1, &other, [&] { calls += 10; });
  topic.Forget(&follower);
  topic.Advance(1, false);
  EXPECT_EQ(calls, 10);
}

TEST(EventTopicTest, LetsAFollowerSubscribeAgainFromItsCallback) {
  EventTopic topic;
  int calls = 0;
  topic.NotifyAt(1, &topic, [&] {
    ++calls;
    topic.NotifyAt(2, &topic, [&] { ++calls; });
  });
  topic.Advance(1, false);
  EXPECT_EQ(calls, 1);
  topic.Advance(2, false);
  EXPECT_EQ(calls, 2);
}

TEST(EventTopicsTest, SharesATopicAmongFollowersOfAJob) {
  EventTopics topics;
  const auto topic = topics.Get("j1");
  EXPECT_EQ(topics.Get("j1"), topic);
  EXPECT_NE(topics.Get("j2"), topic);
  Job job;
  job.id = "j1";
  job.last_sequence = 4;
  topics.Advance(job);
  EXPECT_EQ(topic->position().last, 4);
}

}  // namespace
}  // namespace vrp
