#include "panto/live/address.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "panto/base/error.hpp"

namespace {

using panto::live::is_address;
using panto::live::parse_udp_address;

std::string refusal(const std::string& text) {
  try {
    (void)parse_udp_address(text);
  } catch (const panto::ConfigError& error) {
    return error.what();
  }
  return "nothing";
}

TEST(Address, HasAHostAndAPort) {
  EXPECT_EQ(parse_udp_address("udp://127.0.0.1:7000").host, "127.0.0.1");
  EXPECT_EQ(parse_udp_address("udp://127.0.0.1:7000").port, 7000);
  EXPECT_EQ(parse_udp_address("udp://robot-2.lab:1").host, "robot-2.lab");
  EXPECT_EQ(parse_udp_address("udp://[::1]:65535").host, "::1");
  EXPECT_EQ(parse_udp_address("udp://[::1]:65535").port, 65535);
}

TEST(Address, OfARobotMayNameTheFileOfAKey) {
  using panto::live::parse_link_address;
  EXPECT_EQ(parse_link_address("udp://127.0.0.1:7000").key_file, "");
  const auto with_key = parse_link_address("udp://[::1]:7000?key=/a folder/link.key?1");
  EXPECT_EQ(with_key.at.host, "::1");
  EXPECT_EQ(with_key.at.port, 7000);
  EXPECT_EQ(with_key.key_file, "/a folder/link.key?1");
  for (const char* wrong :
       {"udp://127.0.0.1:7000?", "udp://127.0.0.1:7000?key=", "udp://127.0.0.1:7000?ky=file"}) {
    try {
      (void)parse_link_address(wrong);
      FAIL() << wrong;
    } catch (const panto::ConfigError& error) {
      EXPECT_NE(std::string(error.what()).find("follows the port instead of ?key=FILE"), std::string::npos)
          << error.what();
    }
  }
}

TEST(Address, OfAStreamMayNameOneOfSeveralCharacters) {
  using panto::live::parse_stream_address;
  const std::vector<panto::live::StreamScheme> known = {{.name = "mvn", .port = 9763, .characters = 256},
                                                        {.name = "vmc", .port = 39539}};
  EXPECT_FALSE(parse_stream_address("mvn://", known).character);
  for (const char* address :
       {"mvn://?character=2", "mvn://:9763?character=2", "mvn://[::1]:9763?character=2"}) {
    EXPECT_EQ(parse_stream_address(address, known).character, 2) << address;
    EXPECT_EQ(parse_stream_address(address, known).at.port, 9763) << address;
  }
  const std::pair<const char*, const char*> wrong[] = {
      {"mvn://?character=256", "'256' is not a number from 0 to 255"},
      {"mvn://?character=-1", "'-1' is not a number"},
      {"mvn://?character=1x", "'1x' is not a number"},
      {"mvn://?character=", "'' is not a number"},
      {"mvn://?person=1", "instead of ?character=N"},
      {"mvn://?", "instead of ?character=N"},
      {"vmc://?character=1", "'?character=1' follows the port"}};
  for (const auto& [text, why] : wrong) {
    try {
      (void)parse_stream_address(text, known);
      FAIL() << text;
    } catch (const panto::ConfigError& error) {
      EXPECT_NE(std::string(error.what()).find(why), std::string::npos) << error.what();
    }
  }
}

TEST(Address, SaysWhatIsWrongWithIt) {
  const std::pair<const char*, const char*> wrong[] = {
      {"127.0.0.1:7000", "the scheme is missing"},
      {"tcp://127.0.0.1:7000", "'tcp' is not a known scheme"},
      {"udp:/127.0.0.1:7000", "the scheme is missing"},
      {"udp://", "the host is missing"},
      {"udp://:7000", "the host is missing"},
      {"udp://127.0.0.1", "the port is missing"},
      {"udp://127.0.0.1:", "the port is missing"},
      {"udp://127.0.0.1:0", "'0'"},
      {"udp://127.0.0.1:65536", "'65536'"},
      {"udp://127.0.0.1:-1", "'-1'"},
      {"udp://127.0.0.1:70a", "'70a'"},
      {"udp://127.0.0.1:7000/x", "'7000/x'"},
      {"udp://::1:7000", "brackets"},
      {"udp://[::1:7000", "not closed"},
      {"udp://[::1]7000", "'7000' follows"},
      {"udp://[::1]", "the port is missing"},
      {"udp://a b:7000", "'a b' is not a valid host"},
      {"udp://user@host:7000", "is not a valid host"},
      {"udp://[]:7000", "the host is missing"},
      {"", "the scheme is missing"},
      {"udp://host:99999999999999", "99999"}};
  for (const auto& [text, why] : wrong) {
    EXPECT_NE(refusal(text).find(why), std::string::npos) << text << ": " << refusal(text);
    EXPECT_NE(refusal(text).find("udp://127.0.0.1:7000"), std::string::npos) << "an example is given";
  }
  EXPECT_NE(refusal("udp://" + std::string(300, 'x') + ":1").find("is not a valid host"), std::string::npos);
  EXPECT_LT(refusal("udp://" + std::string(100'000, 'x')).size(), 2000U);
}

TEST(Address, IsNotAPath) {
  EXPECT_TRUE(is_address("udp://127.0.0.1:7000"));
  EXPECT_TRUE(is_address("mvn://x"));
  EXPECT_TRUE(is_address("bvh+udp://x"));
  EXPECT_FALSE(is_address("out.csv"));
  EXPECT_FALSE(is_address("/tmp/a://b"));
  EXPECT_FALSE(is_address("://x"));
  EXPECT_FALSE(is_address("C:/out.csv"));
}

}  // namespace
