#include "panto/bridge/following.hpp"

#include <gtest/gtest.h>

#include "panto/base/error.hpp"
#include "panto/stream/protocols.hpp"
#include "tests/support/refusals.hpp"

namespace panto::bridge {
namespace {

using test::names;
using test::refusal_of;

FollowingOptions options_for(const std::string& robot, const std::string& model) {
  FollowingOptions options;
  options.robot = robot;
  options.model = model;
  return options;
}

TEST(Following, NothingFollowsWhereNothingIsAskedFor) {
  const FollowingOptions options;
  EXPECT_FALSE(options.any());
  const auto decoder = stream::person_stream("mvn", std::nullopt);
  const Following following = open_following(options, std::nullopt);
  EXPECT_FALSE(following.model || following.robot || following.average);
  EXPECT_EQ(following.person_names(*decoder), decoder->names()) << "samples go on as they come";
}

TEST(Following, AShippedRobotIsOpenedForThePersonsSize) {
  FollowingOptions options = options_for("unitree_g1", "");
  options.height = 1.6;
  const Following following = open_following(options, scaled_subject(1.9));
  ASSERT_TRUE(following.robot && following.model);
  EXPECT_EQ(following.model->dof(), 29);
  EXPECT_EQ(following.person.height, 1.6) << "what is asked for beats the stream";
  EXPECT_TRUE(following.urdf.empty()) << "a shipped robot has no file of its own";
  EXPECT_FALSE(following.average);
}

TEST(Following, AnAveragePersonIsToldOnlyWhereNobodyKnowsTheSize) {
  EXPECT_TRUE(open_following(options_for("", "human48"), std::nullopt).average);
  EXPECT_FALSE(open_following(options_for("", "human48"), scaled_subject(1.8)).average);
  FollowingOptions sensed = options_for("", "human48");
  sensed.sensors = "suit.toml";
  EXPECT_FALSE(open_following(sensed, std::nullopt).average) << "the mounting says what it knows";
}

TEST(Following, AHumanAndWhoWearsSensorsHaveTheirOwnSegments) {
  const auto suit = stream::person_stream("vmc", std::nullopt);
  const Following human = open_following(options_for("", "human66"), std::nullopt);
  EXPECT_EQ(human.person_names(*suit), human_segment_names());
  const auto sensors = stream::sensor_stream("imu");
  EXPECT_EQ(human.person_names(*sensors), human_segment_names());
}

TEST(Following, WhatCannotBeOpenedIsRefusedBeforeTheStreamBegins) {
  EXPECT_TRUE(names(refusal_of([] { check_following(options_for("unitre_g1", "")); }), "unitre_g1"));
  EXPECT_TRUE(names(refusal_of([] { check_following(options_for("", "human4")); }), "human4"));
  EXPECT_EQ(refusal_of([] { check_following(options_for("g1", "")); }), "");
}

}  // namespace
}  // namespace panto::bridge
