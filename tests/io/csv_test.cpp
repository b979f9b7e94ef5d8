#include "panto/io/csv.hpp"

#include <sys/resource.h>
#include <sys/stat.h>

#include <clocale>
#include <cmath>
#include <csignal>
#include <limits>

#include "panto/io/isb_columns.hpp"
#include "panto/io/part_file.hpp"
#include "panto/io/state_file.hpp"
#include "panto/io/text_lines.hpp"
#include "panto/model/human.hpp"
#include "tests/io/table_fixture.hpp"
#include "tests/support/test_data.hpp"

namespace panto::io {
namespace {

using test::error_of;
using test::random_state;
using test::segment_tree;
using test::slurp;
using test::small_robot;

class PartFileTest : public test::TableTest {};
class CsvFileTest : public test::TableTest {};
class CsvReader : public test::TableTest {
 protected:
  static Motion read(const std::string& text, const Model& model) {
    std::istringstream stream(text);
    return read_csv_motion(stream, "a.csv", model);
  }
};

constexpr const char* kHeader =
    "time_s,base_x_m,base_y_m,base_z_m,base_qw,base_qx,base_qy,base_qz,wheel_rad,elbow_rad,rail_m\n";

// --- PartFile

TEST_F(PartFileTest, AppearsUnderItsNameOnlyWhenItIsClosed) {
  PartFile file(path("a.txt"));
  EXPECT_TRUE(file.write("hello"));
  EXPECT_FALSE(std::filesystem::exists(path("a.txt")));
  EXPECT_TRUE(std::filesystem::exists(path("a.txt.part")));
  file.close();
  EXPECT_EQ(slurp(path("a.txt")), "hello");
  EXPECT_FALSE(std::filesystem::exists(path("a.txt.part")));
  EXPECT_FALSE(file.write("more"));
  EXPECT_NO_THROW(file.close());
}

TEST_F(PartFileTest, StaysAsPartWhenItIsNotClosed) {
  put("a.txt", "old");
  { EXPECT_TRUE(PartFile(path("a.txt")).write("new")); }
  EXPECT_EQ(slurp(path("a.txt")), "old");
  EXPECT_EQ(slurp(path("a.txt.part")), "new");
}

TEST_F(PartFileTest, PatchesPlaceholdersWhereTheyStand) {
  PartFile file(path("a.txt"));
  EXPECT_TRUE(file.write("n="));
  const int first = file.write_placeholder("000");
  EXPECT_TRUE(file.write(" m="));
  const int second = file.write_placeholder("--");
  EXPECT_TRUE(file.write(" end"));
  file.patch(first, "042");
  file.patch(second, "ok");
  EXPECT_THROW(file.patch(second, "too long"), Error);
  file.close();
  EXPECT_EQ(slurp(path("a.txt")), "n=042 m=ok end");
}

TEST_F(PartFileTest, NamesThePlaceAndTheReasonWhenItCannotBeCreated) {
  EXPECT_NE(error_of([&] { PartFile file(path("no/such/folder.csv")); }).find("folder.csv.part"),
            std::string::npos);
  std::filesystem::create_directory(path("folder"));
  EXPECT_NE(error_of([&] { PartFile file(path("folder")); }).find("a folder has that name"),
            std::string::npos);
  EXPECT_THROW(PartFile(""), Error);
}

TEST_F(PartFileTest, NeverWritesOverAPartThatIsThere) {
  put("a.txt.part", "somebody's");
  const std::string message = error_of([&] { PartFile file(path("a.txt")); });
  EXPECT_EQ(message, path("a.txt.part") +
                         " exists, but no program is writing it: a run may have been killed. Look at what it "
                         "holds, then move "
                         "or remove it");
  EXPECT_EQ(slurp(path("a.txt.part")), "somebody's") << "it may even be the recording that is being read";
  {
    PartFile first(path("b.txt"));
    EXPECT_NE(error_of([&] { PartFile second(path("b.txt")); }).find("another run"), std::string::npos);
    EXPECT_TRUE(std::filesystem::exists(path("b.txt.part"))) << "the first run goes on";
  }
}

TEST_F(PartFileTest, DoesNotWriteThroughALinkNamedPart) {
  put("precious.txt", "precious");
  std::filesystem::create_symlink(path("precious.txt"), path("a.txt.part"));
  std::filesystem::create_symlink(path("nothing"), path("b.txt.part"));
  for (const char* name : {"a.txt", "b.txt"})
    EXPECT_NE(error_of([&] { PartFile file(path(name)); }).find(".part exists"), std::string::npos) << name;
  EXPECT_EQ(slurp(path("precious.txt")), "precious");
  EXPECT_FALSE(std::filesystem::exists(path("nothing")));
}

TEST_F(PartFileTest, ReplacesTheFileBehindALinkAndKeepsTheLink) {
  std::filesystem::create_directory(path("store"));
  put("store/real.txt", "old");
  std::filesystem::create_symlink("store/real.txt", path("link.txt"));
  PartFile file(path("link.txt"));
  EXPECT_TRUE(file.write("new"));
  EXPECT_TRUE(std::filesystem::exists(path("store/real.txt.part")));
  file.close();
  EXPECT_TRUE(std::filesystem::is_symlink(path("link.txt")));
  EXPECT_EQ(slurp(path("store/real.txt")), "new");
  EXPECT_FALSE(std::filesystem::exists(path("link.txt.part")));
}

TEST_F(PartFileTest, RefusesPathsThatAreNoRegularFile) {
  ASSERT_EQ(::mkfifo(path("pipe.csv").c_str(), 0600), 0);
  std::filesystem::create_symlink("/dev/null", path("device.csv"));
  std::filesystem::create_symlink(path("nothing"), path("dangling.csv"));
  for (const std::string& name : {path("pipe.csv"), path("device.csv"), std::string("/dev/null")})
    EXPECT_NE(error_of([&] { PartFile file(name); }).find("is not a regular file"), std::string::npos)
        << name;
  EXPECT_NE(error_of([&] { PartFile file(path("dangling.csv")); }).find("it is a broken link"),
            std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(path("pipe.csv.part")));
  EXPECT_EQ(std::filesystem::status(path("pipe.csv")).type(), std::filesystem::file_type::fifo);
}

TEST_F(PartFileTest, LeavesNoPartBehindThatHoldsNoMoreThanAHeader) {
  { const PartFile empty(path("a.txt")); }
  EXPECT_FALSE(std::filesystem::exists(path("a.txt.part"))) << "it would block the next run";
  {
    PartFile file(path("a.txt"));
    EXPECT_TRUE(file.write("time,x\n"));
    file.end_header();
  }
  EXPECT_FALSE(std::filesystem::exists(path("a.txt.part")));
  {
    PartFile file(path("a.txt"));
    EXPECT_TRUE(file.write("time,x\n"));
    file.end_header();
    EXPECT_TRUE(file.write("0,1\n"));
  }
  EXPECT_EQ(slurp(path("a.txt.part")), "time,x\n0,1\n");
}

TEST_F(PartFileTest, AStateFileWithoutStatesLeavesNothingWhenItIsNotClosed) {
  const Model tree = segment_tree();
  const Model human = human66();
  for (const char* name : {"a.csv", "a.mot", "a.sto"}) {
    { const auto file = create_state_file(path(name), tree, {.rate_hz = 60.0}); }
    EXPECT_FALSE(std::filesystem::exists(path(name) + ".part")) << name;
  }
  for (const char* name : {"a.bvh", "a.mvnx"}) {
    { const auto file = create_state_file(path(name), human, {.rate_hz = 60.0}); }
    EXPECT_FALSE(std::filesystem::exists(path(name) + ".part")) << name;
  }
}

TEST_F(PartFileTest, ReportsAFullDiskAtClose) {
  // a limit on the size of files stands for the disk's
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  rlimit small = before;
  small.rlim_cur = 16384;
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const Model model = small_robot();
  const auto file = create_csv(path("a.csv"), model, {});
  State state = rest_state(model);
  WriteStatus last = WriteStatus::Written;
  for (int i = 0; i < 3000; ++i) {
    state.t = i;
    last = file->write(state);
  }
  const std::string message = error_of([&] { file->close(); });
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(last, WriteStatus::Dropped) << "the buffer must have overflowed by now";
  EXPECT_NE(message.find("File too large"), std::string::npos) << message;
  EXPECT_FALSE(std::filesystem::exists(path("a.csv")));
  EXPECT_EQ(std::filesystem::file_size(path("a.csv.part")), 16384U)
      << "the file keeps the part written so far";
}

// --- numbers

TEST(TextLines, StampsAreWrittenAndReadExactly) {
  const auto text_of = [](Time t) {
    std::string text;
    append_seconds(t, text);
    return text;
  };
  EXPECT_EQ(text_of(0), "0");
  EXPECT_EQ(text_of(4'166'667), "0.004166667");
  EXPECT_EQ(text_of(-1'500'000'000), "-1.5");
  EXPECT_EQ(text_of(std::numeric_limits<Time>::min()), "-9223372036.854775808");
  std::mt19937_64 random(1);
  for (int i = 0; i < test::scaled(10'000); ++i) {
    // below 1e9 s the text is read digit by digit: exact where a double (53 bits) is not
    const Time t = static_cast<Time>(random() % 999'999'999'999'999'999ULL) * (i % 2 == 0 ? 1 : -1);
    EXPECT_EQ(parse_seconds(text_of(t)), t);
  }
  EXPECT_EQ(parse_seconds("1e-3"), 1'000'000);
  EXPECT_EQ(parse_seconds("0.0041666666666"), 4'166'667) << "more than nine decimals are rounded";
  for (const char* bad : {"", "-", ".", "1e10", "nan", "1.2.3", "1,5", "0x1"})
    EXPECT_FALSE(parse_seconds(bad)) << bad;
}

TEST(TextLines, NumbersDoNotNeedALocaleAndReadBackAsThemselves) {
  std::mt19937_64 random(2);
  for (int i = 0; i < test::scaled(10'000); ++i) {
    const double value = std::bit_cast<double>(random());
    if (!std::isfinite(value)) continue;
    std::string text;
    append_number(value, text);
    EXPECT_EQ(parse_number(text), value);
    EXPECT_LE(text.size(), 24U) << "the writers reserve lines by this length";
  }
  EXPECT_EQ(parse_number("+1.5"), 1.5);
  EXPECT_TRUE(std::isnan(*parse_number("NaN")));
  EXPECT_TRUE(std::isinf(*parse_number("1e999")));
  EXPECT_EQ(parse_number("-1e-999"), 0.0);
  for (const char* bad : {"", "+", "+-1", "1 ", "1,5", "abc", "1e"}) EXPECT_FALSE(parse_number(bad)) << bad;
}

// --- writer

TEST_F(CsvFileTest, HasAHeaderWithNamesAndUnitsAndShortestNumbers) {
  const Model model = small_robot();
  const auto file = create_csv(path("a.csv"), model, {});
  State state = rest_state(model);
  state.t = 10'000'000;
  state.p_WB = {0.1, -0.0, 2.0};
  state.R_WB = so3::about_axis(2, std::numbers::pi);
  state.s << 0.3, -1.25, 1e-7;
  EXPECT_EQ(file->write(state), WriteStatus::Written);
  file->close();
  const std::string text = slurp(path("a.csv"));
  EXPECT_EQ(text.substr(0, text.find('\n') + 1), kHeader);
  EXPECT_TRUE(text.ends_with(",0.3,-1.25,1e-07\n")) << text;
  EXPECT_NE(text.find("\n0.01,0.1,0,2,"), std::string::npos) << text;
}

TEST_F(CsvFileTest, ReadsBackTheSameBits) {
  const Model model = segment_tree();
  std::mt19937_64 random(3);
  std::vector<State> states;
  const auto file = create_csv(path("a.csv"), model, {});
  for (int i = 0; i < 100; ++i) {
    states.push_back(random_state(model, frame_time(i, 240.0), random));
    ASSERT_EQ(file->write(states.back()), WriteStatus::Written);
  }
  file->close();
  const Motion motion = read_csv_motion(path("a.csv"), model);
  ASSERT_EQ(motion.states.size(), states.size());
  EXPECT_EQ(motion.joint_names, model.joint_names());
  EXPECT_NEAR(motion.rate_hz, 240.0, 1e-6);
  for (std::size_t i = 0; i < states.size(); ++i) {
    EXPECT_EQ(motion.states[i].t, states[i].t);
    EXPECT_EQ(motion.states[i].p_WB, states[i].p_WB);
    EXPECT_EQ(motion.states[i].s, states[i].s);
    // a quaternion lies between: some roundings of 1.1e-16
    EXPECT_LT((motion.states[i].R_WB - states[i].R_WB).cwiseAbs().maxCoeff(), 2e-15);
    EXPECT_TRUE(is_valid(motion.states[i], model));
  }
}

TEST_F(CsvFileTest, StandardDeviationsStandBehindTheJointsAndArePassedOver) {
  const Model model = small_robot();
  Eigen::VectorXd deviation = Eigen::Vector3d(0.1, 0.2, 0.3);
  StateFileOptions options{100.0};
  options.deviations = true;
  std::mt19937_64 random(3);
  const State first = random_state(model, 0, random), second = random_state(model, 10, random);
  const auto file = create_csv(path("a.csv"), model, options);
  EXPECT_EQ(file->write_with(first, deviation), WriteStatus::Written);
  deviation[1] = 0.5;
  EXPECT_EQ(file->write_with(second, deviation), WriteStatus::Written);
  file->close();
  const std::string text = slurp(path("a.csv"));
  EXPECT_EQ(text.substr(0, text.find('\n')), std::string(kHeader, std::string_view(kHeader).size() - 1) +
                                                 ",wheel_sd_rad,elbow_sd_rad,rail_sd_m");
  EXPECT_NE(text.find(",0.1,0.2,0.3\n"), std::string::npos);
  EXPECT_TRUE(text.ends_with(",0.1,0.5,0.3\n")) << "as they stood when the state was written";
  const Motion motion = read_csv_motion(path("a.csv"), model);
  ASSERT_EQ(motion.states.size(), 2u);
  EXPECT_EQ(motion.states[1].s, second.s);
  for (const char* other : {"a.bvh", "a.mvnx"})
    EXPECT_NE(
        error_of([&] { (void)create_state_file(path(other), model, options); }).find("standard deviations"),
        std::string::npos);
  options.angles = AngleConvention::Isb;
  EXPECT_NE(
      error_of([&] { (void)create_state_file(path("b.csv"), model, options); }).find("standard deviations"),
      std::string::npos);
}

TEST_F(CsvFileTest, DropsStatesThatAreNotValidOrNotNewer) {
  const Model model = small_robot();
  const auto file = create_csv(path("a.csv"), model, {});
  State state = rest_state(model);
  EXPECT_EQ(file->write(state), WriteStatus::Written);
  EXPECT_EQ(file->write(state), WriteStatus::Dropped) << "same stamp";
  state.t = 1;
  state.s[0] = std::nan("");
  EXPECT_EQ(file->write(state), WriteStatus::Dropped);
  state.s.resize(1);
  EXPECT_EQ(file->write(state), WriteStatus::Dropped);
  file->close();
  EXPECT_EQ(file->write(rest_state(model)), WriteStatus::Dropped) << "closed";
  EXPECT_EQ(read_csv_motion(path("a.csv"), model).states.size(), 1U);
}

TEST_F(CsvFileTest, WritesIsbAnglesInDegrees) {
  const Model model = segment_tree();
  const auto file = create_csv(path("a.csv"), model, {.angles = AngleConvention::Isb});
  State state = rest_state(model);
  // MVN's y points left: the shank turns backwards about +y, which is knee flexion, z > 0 in ISB
  state.s[model.joint_index("jRightKnee_roty")] = 30.0 * test::kDegree;
  EXPECT_EQ(file->write(state), WriteStatus::Written);
  file->close();
  // the T-pose itself has the arms at 90 deg
  const auto rest = IsbColumns(model).angles(rest_state(model));
  LineReader reader(path("a.csv"));
  std::string_view line;
  ASSERT_TRUE(reader.next(line));
  std::vector<std::string> names, values;
  const auto split = [](std::string_view text, std::vector<std::string>& cells) {
    std::istringstream stream{std::string(text)};
    for (std::string cell; std::getline(stream, cell, ',');) cells.push_back(cell);
  };
  split(line, names);
  ASSERT_TRUE(reader.next(line));
  split(line, values);
  ASSERT_EQ(names.size(), 1U + 3 * 22);
  ASSERT_EQ(values.size(), names.size());
  EXPECT_EQ(names[1], "L5S1_x_deg");
  EXPECT_EQ(names.back(), "LeftBallFoot_z_deg");
  for (std::size_t i = 1; i < names.size(); ++i) {
    const double expected = names[i] == "RightKnee_z_deg"
                                ? 30.0
                                : rest[(i - 1) / 3][static_cast<int>((i - 1) % 3)] / test::kDegree;
    EXPECT_NEAR(*parse_number(values[i]), expected, 1e-12) << names[i];
  }
}

TEST_F(CsvFileTest, RefusesIsbAnglesOfARobotAndLeavesNoFile) {
  const Model model = small_robot();
  const std::string text =
      error_of([&] { (void)create_csv(path("a.csv"), model, {.angles = AngleConvention::Isb}); });
  EXPECT_NE(text.find("no link 'Pelvis'"), std::string::npos) << text;
  EXPECT_FALSE(std::filesystem::exists(path("a.csv.part")));
}

TEST_F(CsvFileTest, QuotesJointNamesThatHoldACommaOrAQuote) {
  ModelSpec spec = small_robot().spec();
  spec.joints[0].name = "a,\"b\"";
  const Model model(std::move(spec));
  const auto file = create_csv(path("a.csv"), model, {});
  EXPECT_EQ(file->write(rest_state(model)), WriteStatus::Written);
  file->close();
  EXPECT_NE(slurp(path("a.csv")).find(",\"a,\"\"b\"\"_rad\","), std::string::npos);
  EXPECT_EQ(read_csv_motion(path("a.csv"), model).states.size(), 1U);
}

// --- reader

TEST_F(CsvReader, NamesTheLineAndWhatWouldBeRight) {
  const Model model = small_robot();
  const std::string good = std::string(kHeader) + "0,0,0,0,1,0,0,0,0,0,0\n";
  const struct {
    std::string text, expected;
  } cases[] = {
      {"", ":1: empty"},
      {"time_s,base_x_m\n", ":1: 2 columns"},
      {"time,base_x_m\n", ":1: column 1 is 'time'"},
      {std::string(kHeader) + "0,0,0,0,1,0,0,0,0,0\n", ":2: 10 cells instead of 11"},
      {good + "0.1,0,0,0,1,0,0,0,0,0,0,0\n", ":3: more than 11 cells"},
      {good + "0,0,0,0,1,0,0,0,0,0,0\n", ":3: the time does not increase"},
      {good + "0.1,0,0,0,1,0,0,0,zero,0,0\n", ":3: cell 9 is 'zero'"},
      {good + "0.1,0,0,0,1,0,0,0,nan,0,0\n", ":3: cell 9 is 'nan'"},
      {good + "0.1,0,0,0,1,0,0,0,,0,0\n", ":3: cell 9 is ''"},
      {good + "0.1,0,0,0,0.9,0,0,0,0,0,0\n", ":3: the base quaternion has length 0.9"},
      {good + "1e15,0,0,0,1,0,0,0,0,0,0\n", ":3: the time '1e15' s is out of range"},
      {good + "0.1,0,0,0,1,0,0", ":3: 7 cells instead of 11; the file seems to be truncated"},
  };
  for (const auto& c : cases) {
    const std::string text = error_of([&] { (void)read(c.text, model); });
    EXPECT_TRUE(text.starts_with("a.csv" + c.expected)) << text << "\nexpected " << c.expected;
  }
  EXPECT_THROW((void)read_csv_motion(path("absent.csv"), model), FormatError);
  EXPECT_THROW((void)read_csv_motion(std::filesystem::path(path("x")).parent_path().string(), model),
               FormatError);
}

TEST_F(CsvReader, TakesCarriageReturnsByteOrderMarksAndBlanks) {
  std::string text = "\xEF\xBB\xBF" + std::string(kHeader) + "0, 0,0 ,0,1,0,0,0,+0.5,0,0\n\n";
  for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos; at += 2) text.insert(at, "\r");
  const Motion motion = read(text, small_robot());
  ASSERT_EQ(motion.states.size(), 1U);
  EXPECT_EQ(motion.states[0].s[0], 0.5);
  EXPECT_EQ(motion.rate_hz, 0.0);
}

TEST_F(CsvReader, CallsABinaryFileBinaryAndNotTextWithOldLineEnds) {
  using namespace std::string_literals;
  const Model model = small_robot();
  for (const std::string& bytes :
       {"PK\x03\x04\0\0\r1\n"s, "\x89PNG\r\x1A\n"s, std::string(LineReader::kLongestLine + 100'000, '\0')})
    EXPECT_TRUE(error_of([&] { (void)read(bytes, model); }).starts_with("a.csv:1: this is a binary file"));
  EXPECT_TRUE(error_of([&] {
                (void)read("time_s,a\r0,1\r", model);
              }).starts_with("a.csv:1: the lines end with carriage returns only"));
}

TEST_F(CsvReader, StopsAtALineWithoutEnd) {
  const std::string text = error_of(
      [&] { (void)read(kHeader + std::string(LineReader::kLongestLine + 100'000, '0'), small_robot()); });
  EXPECT_NE(text.find(":2: this line is longer than 4 MiB"), std::string::npos) << text;
}

TEST_F(CsvReader, SurvivesEveryTruncationAndRandomCorruption) {
  const Model model = small_robot();
  std::mt19937_64 random(4);
  {
    const auto file = create_csv(path("good.csv"), model, {});
    for (int i = 0; i < 5; ++i) (void)file->write(random_state(model, frame_time(i, 60.0), random));
    file->close();
  }
  const std::string good = slurp(path("good.csv"));
  const auto try_read = [&](const std::string& text) {
    try {
      for (const State& state : read(text, model).states) EXPECT_TRUE(is_valid(state, model));
    } catch (const FormatError& error) {
      EXPECT_TRUE(std::string_view(error.what()).starts_with("a.csv:"));
    }
  };
  for (std::size_t length = 0; length < good.size(); ++length) try_read(good.substr(0, length));
  for (int i = 0; i < test::scaled(2000); ++i) {
    std::string text = good;
    for (std::uint64_t flips = 1 + random() % 8; flips > 0; --flips) {
      text[random() % text.size()] = static_cast<char>(random());
    }
    try_read(text);
  }
}

}  // namespace
}  // namespace panto::io
