#include "panto/report/page.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>

#include "panto/io/base64.hpp"
#include "panto/io/write_motion.hpp"
#include "panto/model/human.hpp"
#include "panto/model/kinematics.hpp"
#include "tests/io/table_fixture.hpp"

namespace panto {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr std::string_view kPage = "<html><script>@PANTO_RUN@</script></html>";

std::string from_base64(const std::string& text) {
  static const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  unsigned group = 0;
  int bits = 0;
  for (const char c : text) {
    if (c == '=') break;
    group = group << 6U | static_cast<unsigned>(digits.find(c));
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes += static_cast<char>(group >> static_cast<unsigned>(bits) & 0xffU);
  }
  return bytes;
}

// values of a 16-bit array of the page, NaN where nothing is known
std::vector<double> unpacked(const Json& array) {
  const std::string bytes = from_base64(array["data"]);
  const std::size_t columns = array["columns"];
  std::vector<double> values;
  for (std::size_t i = 0; i + 1 < bytes.size(); i += 2) {
    const unsigned code =
        static_cast<unsigned char>(bytes[i]) + 256U * static_cast<unsigned char>(bytes[i + 1]);
    const std::size_t column = i / 2 % columns;
    values.push_back(code == 0xffffU ? std::nan("")
                                     : array["offset"][column].get<double>() +
                                           array["scale"][column].get<double>() * code);
  }
  return values;
}

class ReportPageTest : public test::TableTest {
 protected:
  ReportPageTest() {
    for (int i = 0; i < kHumanSegmentCount; ++i) {
      pairs_.push_back(
          {.segment = i, .link = model_.link_index(human_segment_names()[static_cast<std::size_t>(i)])});
    }
    info_.recording = "take.bvh";
    info_.segments = human_segment_names();
  }
  [[nodiscard]] std::string page_path() const { return path("page.html"); }

  [[nodiscard]] SegmentSample sample_of(const State& state) const {
    Kinematics kinematics(model_);
    kinematics.update(state);
    SegmentSample sample{state.t, {}};
    for (const TrackedPair& pair : pairs_) {
      SegmentMotion segment;
      segment.R_WS = kinematics.R_WL(pair.link);
      segment.p_WS = kinematics.p_WL(pair.link);
      segment.has_orientation = segment.has_position = true;
      sample.segments.push_back(segment);
    }
    return sample;
  }

  [[nodiscard]] State state_at(int frame) const {
    State state = rest_state(model_);
    state.t = frame_time(frame, 60.0);
    state.p_WB = {1234.5, -0.25 * frame, 0.9};
    for (int i = 0; i < model_.dof(); ++i)
      state.s[i] = 3.0 * std::sin(0.37 * i + 0.05 * frame) + (i == 3 ? 40.0 : 0.0);
    return state;
  }

  // the run of a page with these frames
  Json run(int frames, const ReportPageResult& result = {}) {
    ReportPage page(page_path(), model_, pairs_, info_, kPage);
    for (int i = 0; i < frames; ++i) page.add(sample_of(state_at(i)), state_at(i), {.duration_ns = 1000});
    page.close(result);
    return read();
  }

  [[nodiscard]] std::string text() const {
    std::ifstream file(page_path(), std::ios::binary);
    std::ostringstream all;
    all << file.rdbuf();
    return all.str();
  }

  [[nodiscard]] Json read() const {
    const std::string all = text(), before = "<html><script>", after = "</script></html>";
    EXPECT_EQ(all.substr(0, before.size()), before);
    EXPECT_EQ(all.substr(all.size() - after.size()), after);
    return Json::parse(all.substr(before.size(), all.size() - before.size() - after.size()));
  }

  Model model_ = human66();
  std::vector<TrackedPair> pairs_;
  ReportPageInfo info_;
};

TEST(Base64, TheVectorsOfItsStandard) {
  EXPECT_EQ(io::to_base64(""), "");
  EXPECT_EQ(io::to_base64("f"), "Zg==");
  EXPECT_EQ(io::to_base64("fo"), "Zm8=");
  EXPECT_EQ(io::to_base64("foo"), "Zm9v");
  EXPECT_EQ(io::to_base64("foob"), "Zm9vYg==");
  EXPECT_EQ(io::to_base64("fooba"), "Zm9vYmE=");
  EXPECT_EQ(io::to_base64("foobar"), "Zm9vYmFy");
  EXPECT_EQ(io::to_base64(std::string_view("\xff\xfe\x00", 3)), "//4A");
}

TEST_F(ReportPageTest, JointAnglesComeBackWithinAHundredthOfADegree) {
  const Json page = run(200);
  const std::vector<double> s = unpacked(page["timeline"]["s"]);
  ASSERT_EQ(s.size(), 200u * 66u);
  double worst = 0.0;
  for (int frame = 0; frame < 200; ++frame) {
    const State state = state_at(frame);
    for (int i = 0; i < model_.dof(); ++i)
      worst = std::max(worst, std::abs(s[static_cast<std::size_t>(66 * frame + i)] - state.s[i]));
  }
  EXPECT_LT(worst / test::kDegree, 0.01)
      << "16 bits over the range of each joint; the page promises 0.05 deg";
}

TEST_F(ReportPageTest, TheSourceComesBackWithinATenthOfAMillimetreFarFromTheOrigin) {
  const Json page = run(50);
  const std::vector<double> relative = unpacked(page["timeline"]["source"]);
  const std::string raw = from_base64(page["timeline"]["p_WB"]["data"]);
  for (int frame = 0; frame < 50; ++frame) {
    const SegmentSample sample = sample_of(state_at(frame));
    std::array<float, 3> base{};
    std::memcpy(base.data(), raw.data() + 12 * frame, 12);
    for (std::size_t k = 0; k < 23; ++k) {
      for (std::size_t axis = 0; axis < 3; ++axis) {
        const double x = base[axis] + relative[(static_cast<std::size_t>(frame) * 23 + k) * 3 + axis];
        EXPECT_NEAR(x, sample.segments[k].p_WS[static_cast<Eigen::Index>(axis)], 2e-4);
      }
    }
  }
}

TEST_F(ReportPageTest, TheSourcesSkeletonIsJoinedAsTheModelIs) {
  const Json page = run(1);
  for (std::size_t i = 0; i < kHumanSegmentCount; ++i)
    EXPECT_EQ(page["source"]["parent"][i], kHumanSegmentParent[i]);
}

TEST_F(ReportPageTest, HostileTextIsTextAndNothingElse) {
  info_.recording = "</script><script>alert(1)</script>\" ' & <!-- \xff\xfe\x80 .bvh";
  info_.settings = {{"--model", "<b>\"x\"</b>\n\t\x01"}};
  info_.segments[3] = "]]></script>";
  ReportPageResult result;
  result.notes = {"</SCRIPT >", std::string("nul \0 byte", 10), "truncated \xe2\x82"};
  result.rig.emplace();
  result.rig->map.segments[0] = {.joint = 0, .reason = "named <Hips>"};
  result.rig->map.decisions.push_back({"</script>", "\xc3\x28", "\\u003c/script>", 0.5});
  result.rig_joints = {"Hips</script>"};
  const Json page = run(2, result);
  EXPECT_EQ(page["recording"].get<std::string>(),
            "</script><script>alert(1)</script>\" ' & <!-- \uFFFD\uFFFD\uFFFD .bvh");
  EXPECT_EQ(page["settings"][0][1], "<b>\"x\"</b>\n\t\x01");
  EXPECT_EQ(page["notes"][1].get<std::string>(), std::string("nul \0 byte", 10));
  EXPECT_EQ(page["rig"]["segments"][0]["joint"], "Hips</script>");
  EXPECT_EQ(page["rig"]["decisions"][0]["reason"], "\\u003c/script>");
  const std::string all = text();
  EXPECT_EQ(all.find('<', std::string_view("<html><script>").size()),
            all.size() - std::string_view("</script></html>").size())
      << "between the template's own elements no text may open or end one";
}

TEST_F(ReportPageTest, WhatIsNotKnownIsNullOrNothingAndNeverNaN) {
  ReportPageResult result;
  result.card.rate_hz = std::nan("");
  result.card.angle_max_deg = std::numeric_limits<double>::infinity();
  ReportPage page(page_path(), model_, pairs_, info_, kPage);
  State state = state_at(0);
  state.s[5] = std::nan("");
  SegmentSample sample = sample_of(state_at(0));
  sample.segments[4].has_position = false;
  page.add(sample, state, {});
  page.close(result);
  const Json run = read();
  EXPECT_TRUE(run["card"]["rate_hz"].is_null());
  EXPECT_TRUE(run["card"]["angle_max_deg"].is_null());
  EXPECT_TRUE(std::isnan(unpacked(run["timeline"]["s"])[5]));
  EXPECT_TRUE(std::isnan(unpacked(run["timeline"]["source"])[12]));
  EXPECT_FALSE(std::isnan(unpacked(run["timeline"]["source"])[11]));
  EXPECT_TRUE(run["model"]["joints"][0]["lower"].is_null()) << "human66 has no limits";
}

TEST_F(ReportPageTest, ASegmentWithAPlaceAndNoOrientationHangsOnItsNeighbourToo) {
  const auto hand = static_cast<std::size_t>(
      std::find(info_.segments.begin(), info_.segments.end(), "RightHand") - info_.segments.begin());
  ASSERT_LT(hand, info_.segments.size());
  pairs_.erase(pairs_.begin() + static_cast<std::ptrdiff_t>(hand));
  EXPECT_EQ(run(1)["source"]["parent"][hand], kHumanSegmentParent[hand]) << "the forearm carries the hand";
  info_.segments[hand] = "Prop";
  EXPECT_EQ(run(1)["source"]["parent"][hand], -1) << "what the model does not have hangs on nothing";
}

TEST_F(ReportPageTest, NoFramesAndOneFrameArePagesToo) {
  const Json none = run(0);
  EXPECT_EQ(none["timeline"]["shown"], 0);
  EXPECT_EQ(none["timeline"]["s"]["data"], "");
  EXPECT_EQ(run(1)["timeline"]["shown"], 1);
}

TEST_F(ReportPageTest, LimitsAreBitsByJoint) {
  const Model limited = human48();
  std::vector<TrackedPair> pairs{{.segment = 0, .link = limited.link_index("Pelvis")}};
  State state = rest_state(limited);
  const int knee = limited.joint_index("jRightKnee_roty");
  state.s[knee] = limited.upper()[knee];
  ReportPage page(page_path(), limited, pairs, info_, kPage);
  page.add({0, std::vector<SegmentMotion>(23)}, state, {});
  page.close({});
  const std::string bits = from_base64(read()["timeline"]["on_limit"]["data"]);
  ASSERT_EQ(bits.size(), 6u) << "48 joints";
  EXPECT_TRUE(static_cast<unsigned char>(bits[static_cast<std::size_t>(knee / 8)]) >> (knee % 8) & 1);
}

TEST_F(ReportPageTest, ContactsAreThoseOfTheFramesWhoseStepsAdvanced) {
  LinkContacts right{.link = "RightFoot", .heel = {1, 0, 1}, .ball = {0, 1, 1}}, left = right;
  left.link = "LeftFoot";
  left.heel = left.ball = {0, 0, 0};
  const auto write = [&](const std::vector<LinkContacts>& contacts) {
    ReportPage page(page_path(), model_, pairs_, info_, kPage);
    page.set_contacts(contacts);
    for (int i = 0; i < 4; ++i) {
      const StepStatus status = i == 1 ? StepStatus::NumericalFailure : StepStatus::Solved;
      page.add(sample_of(state_at(i)), state_at(i), {.status = status});
    }
    page.close({});
    return read()["timeline"];
  };
  const Json timeline = write({right, left});
  EXPECT_EQ(timeline["contacts"]["links"], Json({"RightFoot", "LeftFoot"}));
  const std::string bits = from_base64(timeline["contacts"]["data"]);
  ASSERT_EQ(bits.size(), 8u) << "two feet in four frames";
  std::string feet;
  for (const std::size_t i : {0u, 4u, 6u}) feet += static_cast<char>('0' + bits[i]);
  EXPECT_EQ(feet, "123") << "heel, ball, both in the frames that were solved";
  right.heel.push_back(1);
  EXPECT_FALSE(write({right, left}).contains("contacts")) << "they are of other frames";
}

TEST_F(ReportPageTest, ARobotsPersonIsDrawnInsteadOfItsTargetsAndLooksWhereItLooked) {
  ReportPage page(page_path(), model_, pairs_, info_, kPage);
  SegmentSample person = sample_of(state_at(0));
  person.segments[0].p_WS += Eigen::Vector3d(0.0, 0.5, 0.0);
  page.show_person(person);
  page.add(sample_of(state_at(0)), state_at(0), {});
  page.add(sample_of(state_at(1)), state_at(1), {});
  page.close({});
  const Json run = read();
  const std::vector<double> source = unpacked(run["timeline"]["source"]);
  EXPECT_NEAR(source[1], 0.5, 1e-4) << "the person's pelvis";
  EXPECT_NEAR(source[1 + 3 * info_.segments.size()], 0.0, 1e-4) << "shown for one frame alone";
  EXPECT_NEAR(run["pairs"][0]["max_rad"].get<double>(), 0.0, 1e-6) << "the target is judged";
  ASSERT_EQ(run["source"]["ends"].size(), 5u) << "head, hands, toes";
  const auto head = run["source"]["ends"][0].get<std::size_t>();
  ASSERT_EQ(info_.segments[head], "Head");
  const std::vector<double> turn = unpacked(run["timeline"]["source_end_turn_xyzw"]);
  const Eigen::Quaterniond shown(turn[3], turn[0], turn[1], turn[2]), was(person.segments[head].R_WS);
  EXPECT_LT(shown.normalized().angularDistance(was), 1e-3);
}

TEST_F(ReportPageTest, AFileThatIsNotClosedLeavesNothingBehind) {
  { const ReportPage page(page_path(), model_, pairs_, info_, kPage); }
  EXPECT_FALSE(fs::exists(page_path()));
  EXPECT_FALSE(fs::exists(page_path() + ".part"));
}

TEST_F(ReportPageTest, TheFileAppearsOnlyWhenItIsWhole) {
  ReportPage page(page_path(), model_, pairs_, info_, kPage);
  EXPECT_FALSE(fs::exists(page_path()));
  page.close({});
  EXPECT_TRUE(fs::exists(page_path()));
  EXPECT_FALSE(fs::exists(page_path() + ".part"));
}

TEST_F(ReportPageTest, RefusesATemplateWithoutOnePlaceForTheRun) {
  EXPECT_THROW(ReportPage(page_path(), model_, pairs_, info_, "<html></html>"), Error);
  EXPECT_THROW(ReportPage(page_path(), model_, pairs_, info_, "@PANTO_RUN@ @PANTO_RUN@"), Error);
  EXPECT_THROW(ReportPage(page_path(), model_, pairs_, info_, ""), Error);
  EXPECT_THROW(ReportPage(page_path(), model_, {{.segment = 0, .link = 999}}, info_, kPage), ConfigError);
  EXPECT_FALSE(fs::exists(page_path() + ".part")) << "what is refused leaves no file";
}

TEST(ReportPageTemplate, IsThereOrSaysWhatToInstall) {
  const std::string_view page = report_page_template(), missing = report_page_missing();
  EXPECT_NE(page.empty(), missing.empty());
  if (page.empty()) {
    EXPECT_NE(missing.find("built without the page"), std::string_view::npos);
    return;
  }
  EXPECT_EQ(page.find(kReportPagePlace), page.rfind(kReportPagePlace));
  EXPECT_LT(page.size(), 900'000u) << "a minute of motion must fit beside it in 3 MB";
  for (const char* const notice : {"Three.js Authors", "three.js authors", "Leon Sorokin"})
    EXPECT_NE(page.find(notice), std::string_view::npos) << notice;
  EXPECT_EQ(page.find("<link rel=\"stylesheet\""), std::string_view::npos);
  EXPECT_EQ(page.find("<script src"), std::string_view::npos);
}

}  // namespace
}  // namespace panto
