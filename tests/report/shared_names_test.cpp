#include "panto/report/shared_names.hpp"

#include <gtest/gtest.h>

namespace panto {
namespace {

TEST(SharedNames, AnAbsolutePathLosesItsFoldersARelativeOneStays) {
  EXPECT_EQ(shared_name("/home/ann/takes/walk.bvh"), "walk.bvh");
  EXPECT_EQ(shared_name("/home/ann/takes/"), "takes");
  EXPECT_EQ(shared_name("takes/walk.bvh"), "takes/walk.bvh");
  EXPECT_EQ(shared_name("unitree_g1"), "unitree_g1");
  EXPECT_EQ(shared_name(""), "");
}

TEST(SharedNames, SentencesLoseFoldersAndNothingElse) {
  EXPECT_EQ(without_folders(std::string("/a/b/take.mvnx:12: broken off")), "take.mvnx:12: broken off");
  EXPECT_EQ(without_folders(std::string("mesh '/a/my robot/hand.stl' is missing")),
            "mesh 'hand.stl' is missing");
  EXPECT_EQ(without_folders(std::string("'/my folder/a.bvh' is odd"), {"/my folder/a.bvh"}),
            "'a.bvh' is odd");
  for (const char* kept :
       {"3.2 m/s and 1/s", "joint /base_link turns", "udp://127.0.0.1:7000", "and/or", "/", ""})
    EXPECT_EQ(without_folders(std::string(kept)), kept);
}

TEST(SharedNames, AKnownPathWithSpacesIsFoundWithoutQuotes) {
  EXPECT_EQ(without_folders(std::string("/my folder/a.bvh: odd"), {"/my folder/a.bvh"}), "a.bvh: odd");
}

}  // namespace
}  // namespace panto
