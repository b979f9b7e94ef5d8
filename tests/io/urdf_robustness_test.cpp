// Hostile and damaged URDFs: an error or a model, in bounded time and memory.  [faults F15-F18]

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "panto/io/urdf.hpp"
#include "tests/support/corruption.hpp"
#include "tests/support/random_model.hpp"
#include "tests/support/sanitizers.hpp"
#include "tests/support/test_data.hpp"

namespace panto::io {
namespace {

std::string read_all(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::pair<std::string, std::string>> small_files() {
  std::vector<std::pair<std::string, std::string>> found;
  std::error_code none;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(test::data_root() / "models", none)) {
    if (entry.path().extension() != ".urdf" || entry.file_size() >= 65536) continue;
    found.emplace_back(entry.path().filename().string(), read_all(entry.path().string()));
  }
  std::sort(found.begin(), found.end());
  return found;
}

// what the reader made of `text`: "" for a model, else its message. Anything but a FormatError fails the
// test.
std::string outcome(std::string_view text, const std::string& name) {
  try {
    const ModelSpec spec = read_urdf_spec(text, name);
    const Model model{spec};
    EXPECT_LE(model.links().size(), kUrdfMaxLinks);
    return "";
  } catch (const FormatError& error) {
    const std::string what = error.what();
    EXPECT_EQ(what.substr(0, name.size() + 1), name + ":") << "the message begins with the place";
    EXPECT_LT(what.size(), 2000u);
    return what;
  } catch (const std::exception& error) {
    ADD_FAILURE() << name << ": " << error.what();
    return error.what();
  }
}

// processor time, so that a busy machine does not fail the test
double seconds_for(const std::string& text, std::string* what) {
  const std::clock_t start = std::clock();
  *what = outcome(text, "hostile");
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

const double kSlowdown = test::sanitized() ? 10.0 : 1.0;

// the brief of fault F17: refused, or read, within a second
void expect_quick(const std::string& text, const std::string& part) {
  std::string what;
  const double seconds = seconds_for(text, &what);
  EXPECT_LT(seconds, 1.0 * kSlowdown) << what;
  if (part.empty()) {
    EXPECT_EQ(what, "");
  } else {
    EXPECT_NE(what.find(part), std::string::npos) << what;
  }
}

std::string repeated(const std::string& text, std::size_t count) {
  std::string all;
  all.reserve(text.size() * count);
  for (std::size_t i = 0; i < count; ++i) all += text;
  return all;
}

// a chain of `count` links
std::string chain(std::size_t count, const std::string& type) {
  std::string text = "<robot name='chain'><link name='l0'/>";
  for (std::size_t i = 1; i < count; ++i) {
    const std::string child = "l" + std::to_string(i), parent = "l" + std::to_string(i - 1);
    text += "<joint name='j" + std::to_string(i) + "' type='" + type + "'><parent link='" + parent +
            "'/><child link='" + child + "'/></joint><link name='" + child + "'/>";
  }
  return text + "</robot>";
}

TEST(UrdfRobustness, EveryTruncationIsAnErrorOrAModel) {
  PANTO_NEED_DATA("models");
  for (const auto& [name, text] : small_files()) {
    const std::size_t whole = text.rfind("</robot>") + 8;
    test::try_truncations(text, 2000, [&, &file = name](std::string_view part) {
      const std::string what = outcome(part, file);
      // before the closing tag nothing is whole; after it only comments and blanks are lost
      EXPECT_TRUE(part.size() >= whole || !what.empty()) << file << " cut at " << part.size();
    });
  }
}

TEST(UrdfRobustness, EveryCorruptionIsAnErrorOrAModel) {
  PANTO_NEED_DATA("models");
  test::CorruptionCount count;
  for (const auto& [name, text] : small_files()) {
    count += test::try_corruptions(text, 7, [&file = name](std::string_view damaged) {
      const std::string what = outcome(damaged, file);
      if (!what.empty()) throw FormatError(what);
    });
  }
  EXPECT_GT(count.recovered, 0);
  EXPECT_GT(count.refused, 1000) << "most damage breaks the XML";
  EXPECT_EQ(count.broken, 0);
}

// damage that keeps the XML whole reaches the checks behind the parser
TEST(UrdfRobustness, EveryDamagedValueIsAnErrorOrAModel) {
  PANTO_NEED_DATA("models");
  const std::vector<std::string> values{
      "",        "nan",      "1e308",    "-1e308", "0 0 0",  "1 1e308 1",
      "-",       "0",        "1e-320",   "l",      "Pelvis", "fixed",
      "planar",  "floating", "revolute", "&lol;",  "${x}",   std::string(100000, '9'),
      "\xFF\xFE"};
  int models = 0;
  for (const auto& [name, text] : small_files()) {
    std::mt19937_64 random(11);
    models += test::try_values(
        text, values, random, test::scaled(300),
        [&, &file = name](const std::string& damaged) { return outcome(damaged, file).empty(); });
  }
  EXPECT_GT(models, 50) << "many values (colours, meshes) do not matter";
}

TEST(UrdfRobustness, TooManyLinksAreRefusedBeforeTheyCostAnything) {
  std::string million = "<robot name='r'>";
  for (int i = 0; i < 1'000'000; ++i) million += "<link name='l" + std::to_string(i) + "'/>";
  expect_quick(million + "</robot>", "tags exceed the limit of 500000");
  std::string many = "<robot name='r'>";
  for (int i = 0; i < 20'000; ++i) many += "<link name='l" + std::to_string(i) + "'/>";
  expect_quick(many + "</robot>", "more than 10000 links");
}

TEST(UrdfRobustness, TheLongestChainAllowedIsReadWithinASecond) {
  expect_quick(chain(kUrdfMaxLinks, "continuous"), "");
  expect_quick(chain(kUrdfMaxLinks, "fixed"), "");
  expect_quick(chain(50'000, "continuous"), "more than 10000 links");
  expect_quick(chain(110'000, "continuous"), "tags exceed the limit of 500000");
}

TEST(UrdfRobustness, ALargeCycleIsFoundWithinASecond) {
  std::string text = chain(kUrdfMaxLinks, "fixed");
  text.resize(text.size() - 8);
  text += "<joint name='back' type='fixed'><parent link='l9999'/><child link='l0'/></joint></robot>";
  expect_quick(text, "the joints form a cycle");
}

TEST(UrdfRobustness, DeepNestingIsRefusedWithoutRecursion) {
  expect_quick("<robot name='r'>" + repeated("<a>", 200'000) + repeated("</a>", 200'000) + "</robot>",
               "elements nest deeper than 256");
  expect_quick(repeated("<a>", 1'000'000), "tags exceed the limit of");
  expect_quick(repeated("<a>", 400'000), "not well-formed XML");
  expect_quick("<!DOCTYPE r " + repeated("[<!", 200'000), "not well-formed XML");
}

TEST(UrdfRobustness, EntitiesAreNeverExpanded) {
  std::string bomb = "<?xml version='1.0'?><!DOCTYPE robot [<!ENTITY a0 'lol'>";
  for (int i = 1; i < 30; ++i) {
    const std::string below = "&a" + std::to_string(i - 1) + ";";
    bomb += "<!ENTITY a" + std::to_string(i) + " '" + repeated(below, 10) + "'>";
  }
  bomb += "]><robot name='&a29;'><link name='&a29;'/></robot>";
  EXPECT_EQ(read_urdf_spec(bomb, "bomb").links[0].name, "&a29;");
  const std::string file =
      "<!DOCTYPE robot [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><robot name='&x;'><link name='a'/></robot>";
  EXPECT_EQ(read_urdf_spec(file, "external").name, "&x;");
}

TEST(UrdfRobustness, MemoryStaysBelow256MebibytesForTheWorstFileAllowed) {
  if (test::sanitized()) GTEST_SKIP() << "the sanitizer's own memory would be measured";
  // as many tags and attributes as are let through, padded to the largest size
  std::string worst = "<robot name='r'>" + repeated("<a b='' c=''/>x", kUrdfMaxTags - 10) + "</robot>";
  worst.resize(kUrdfMaxBytes, ' ');
  expect_quick(worst, "the robot has no <link>");
  // again in a process of its own, whose peak is not that of the tests before
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    (void)outcome(worst, "worst");
    _exit(0);
  }
  int status = 0;
  rusage usage{};
  ASSERT_EQ(wait4(child, &status, 0, &usage), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_LT(usage.ru_maxrss, 256 * 1024) << "peak [KiB]";
}

TEST(UrdfRobustness, EndlessFilesAreRefusedAtTheSizeLimit) {
  if (!std::filesystem::exists("/dev/zero")) GTEST_SKIP() << "needs /dev/zero";
  EXPECT_THROW((void)read_urdf("/dev/zero"), FormatError);
  const auto path = std::filesystem::temp_directory_path() / "panto_sparse_test.urdf";
  std::ofstream(path).put('<');
  std::filesystem::resize_file(path, std::uintmax_t{10} << 30);
  const std::clock_t start = std::clock();
  EXPECT_THROW((void)read_urdf(path.string()), FormatError);
  EXPECT_LT(std::clock() - start, CLOCKS_PER_SEC) << "10 GiB are not read";
  std::filesystem::remove(path);
}

TEST(UrdfRobustness, OtherEncodingsAndBinaryAreRefused) {
  const std::string utf16{"\xFF\xFE<\0r\0o\0b\0o\0t\0/\0>\0", 18};
  EXPECT_NE(outcome(utf16, "utf16").find("is zero; a URDF is UTF-8 text"), std::string::npos);
  test::Random random(5);
  for (int round = 0; round < 200; ++round) {
    std::string noise(1 + random() % 4096, ' ');
    for (char& c : noise) c = static_cast<char>(random());
    EXPECT_NE(outcome(noise, "noise"), "");
  }
}

TEST(UrdfRobustness, HostileNamesDoNotFloodMessages) {
  const std::string name(1'000'000, 'n');
  expect_quick("<robot name='r'><link name='" + name + "'/><link name='" + name + "'/></robot>",
               "already on line 1");
  expect_quick("<robot name='r'><link name='a'/><joint name='j' type='" + name +
                   "'><parent link='a'/><child link='a'/>" + "</joint></robot>",
               "is unknown");
  expect_quick("<" + name + "/>", "the outermost element");
  expect_quick("<robot name='r'>" +
                   repeated("<link name='a'><inertial><mass value='" + name + "'/></inertial></link>", 3) +
                   "</robot>",
               "not a");
}

}  // namespace
}  // namespace panto::io
