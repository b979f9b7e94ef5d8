#include "panto/report/robot_list.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "panto/io/shipped_robots.hpp"

namespace panto::report {
namespace {

TEST(RobotList, NamesEveryShippedRobotWithItsJointsAndADescription) {
  const std::string text = robot_list_text();
  const nlohmann::json list = nlohmann::json::parse(robot_list_json()).at("robots");
  ASSERT_EQ(list.size(), io::shipped_robots().size());
  for (const nlohmann::json& robot : list) {
    const std::string name = robot.at("name");
    EXPECT_NE(text.find(name), std::string::npos) << name;
    EXPECT_EQ(robot.at("joints"), io::shipped_robot(name).dof());
    EXPECT_FALSE(robot.at("description").get<std::string>().empty()) << name;
    for (const std::string alias : robot.at("aliases")) EXPECT_EQ(io::unaliased(alias), name);
  }
}

}  // namespace
}  // namespace panto::report
