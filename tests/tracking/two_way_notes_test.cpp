#include "panto/tracking/two_way_notes.hpp"

#include <gtest/gtest.h>

namespace panto {
namespace {

TEST(TwoWayNotes, NameTheFirstMomentsInOrderAndCountTheOthers) {
  const auto at = [](std::initializer_list<double> seconds) {
    std::vector<Time> moments;
    for (const double s : seconds) moments.push_back(from_seconds(s));
    return at_moments(std::move(moments));
  };
  EXPECT_EQ(at({81.43}), "at 81.43 s");
  EXPECT_EQ(at({81.43, 2.0, 35.33}), "at 2, 35.33, 81.43 s");
  EXPECT_EQ(at({5, 4, 3, 2, 1}), "at 1, 2, 3, 4 s and 1 more moment");
  EXPECT_EQ(at({7, 6, 5, 4, 3, 2, 1}), "at 1, 2, 3, 4 s and 3 more moments");
}

}  // namespace
}  // namespace panto
