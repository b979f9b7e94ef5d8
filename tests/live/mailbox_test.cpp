#include "panto/live/mailbox.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace panto::live {
namespace {

constexpr std::chrono::milliseconds kAtOnce{0}, kLong{10000};

TEST(Mailbox, KeepsTheNewestAndCountsTheOthers) {
  Mailbox<int> box(0, 2);
  for (int i = 1; i <= 5; ++i) box.put(i);
  int value = 0;
  ASSERT_TRUE(box.take(value, kAtOnce));
  EXPECT_EQ(value, 4);
  ASSERT_TRUE(box.take(value, kAtOnce));
  EXPECT_EQ(value, 5);
  EXPECT_FALSE(box.take(value, kAtOnce));
  EXPECT_EQ(box.replaced(), 3);
}

TEST(Mailbox, GivesWhatItHoldsAfterItWasClosed) {
  Mailbox<int> box(0, 4);
  box.put(1);
  box.close();
  EXPECT_FALSE(box.ended());
  int value = 0;
  EXPECT_TRUE(box.take(value, kAtOnce));
  EXPECT_TRUE(box.ended());
  EXPECT_FALSE(box.take(value, kLong)) << "at once, without waiting";
}

TEST(Mailbox, HandsEveryValueToAThreadThatWaits) {
  constexpr int kCount = 20000;
  Mailbox<int> box(0, kCount);
  int next = 1;
  std::thread reader([&] {
    int value = 0;
    while (!box.ended()) {
      if (box.take(value, kLong)) {
        EXPECT_EQ(value, next++);
      }
    }
  });
  for (int i = 1; i <= kCount; ++i) box.put(i);
  box.close();
  reader.join();
  EXPECT_EQ(next, kCount + 1);
  EXPECT_EQ(box.replaced(), 0);
}

}  // namespace
}  // namespace panto::live
