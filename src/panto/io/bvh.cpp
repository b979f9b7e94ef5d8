#include "panto/io/bvh.hpp"
#include "panto/io/stamps.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_set>
#include <utility>

#include "panto/base/error.hpp"
#include "panto/base/index.hpp"
#include "panto/base/text.hpp"
#include "panto/io/text_lines.hpp"
#include "panto/io/text_scanner.hpp"

namespace panto::io {
namespace {

using Eigen::Vector3d;

constexpr std::array<const char*, 6> kChannelNames{"Xposition", "Yposition", "Zposition",
                                                   "Xrotation", "Yrotation", "Zrotation"};
constexpr int kMaxChannelsPerJoint = 6;
constexpr double kMostTurn = 1e9;              // [deg] larger angles have no digits left
constexpr long long kMaxFrames = 100'000'000;  // ten days at 120 Hz; no recording is longer
// [s] between frames; longer times are milliseconds mistaken for seconds
constexpr double kShortestFrame = 1.0 / kFastestRate, kLongestFrame = 1.0;

// digits after the point
std::size_t decimals(std::string_view number) noexcept {
  const std::size_t point = number.find('.');
  return point == std::string_view::npos ? 0 : number.size() - point - 1;
}

// "-" or "1.2e-": not a number, but the rest of one
bool begins_number(std::string_view token) noexcept {
  return !parse_number(token) && token.find_first_not_of("+-.0123456789eE") == std::string_view::npos;
}

// reads one text without recursion, so no hierarchy can overflow the stack
class Parser {
 public:
  Parser(std::string_view text, const std::string& name, const BvhOptions& options)
      : scan_(text, name), options_(options) {
    clip_.name = name;
    clip_.positions = options.positions;
  }

  BvhClip parse() {
    hierarchy();
    finish_joints();
    motion();
    return std::move(clip_);
  }

 private:
  bool is(std::string_view token, std::string_view keyword) const {
    return equal_ignoring_case(token, keyword);
  }
  void note(std::string text) { clip_.notes.push_back(std::move(text)); }
  std::string at_line() const { return "line " + std::to_string(scan_.line()) + ": "; }

  BvhJoint& joint(int index) { return clip_.joints[static_cast<std::size_t>(index)]; }

  void expect_brace(const std::string& owner) {
    const std::string_view token = scan_.next();
    if (token != "{")
      scan_.fail("expected '{' after " + owner +
                 (token.empty() ? ", but the text ends" : ", not " + in_quotes(token)));
  }

  Vector3d offset(const std::string& owner) {
    Vector3d value;
    for (int i = 0; i < 3; ++i)
      value[i] = scan_.number("number " + std::to_string(i + 1) + " of OFFSET in " + owner);
    return value;
  }

  void hierarchy() {
    std::string_view token = scan_.next();
    if (is(token, "HIERARCHY")) {
      token = scan_.next();
    } else if (is(token, "ROOT")) {
      note(at_line() + "the file does not begin with HIERARCHY");
    } else {
      scan_.fail("a BVH file begins with HIERARCHY, " +
                 (token.empty() ? std::string("but this one is empty") : "not " + in_quotes(token)));
    }
    for (;; token = scan_.next()) {
      if (token.empty()) {
        scan_.fail("the text ends inside the HIERARCHY; expected MOTION" + open_joints());
      } else if (is(token, "MOTION")) {
        if (!open_.empty()) scan_.fail("MOTION begins" + open_joints());
        if (clip_.joints.empty()) scan_.fail("the HIERARCHY has no ROOT");
        return;
      } else if (is(token, "ROOT") || is(token, "JOINT")) {
        begin_joint(is(token, "ROOT"));
      } else if (open_.empty()) {
        scan_.fail("expected ROOT or MOTION, not " + in_quotes(token));
      } else {
        joint_item(token);
      }
    }
  }

  // " while 2 joints are still open (the last is 'Head'): a '}' is missing"
  std::string open_joints() {
    if (open_.empty()) return {};
    return " while " + std::to_string(open_.size()) + (open_.size() == 1 ? " joint is" : " joints are") +
           " still open (the last is " + in_quotes(joint(open_.back()).name) + "): a '}' is missing";
  }

  void begin_joint(bool says_root) {
    const std::string keyword = says_root ? "ROOT" : "JOINT";
    if (says_root && !open_.empty()) scan_.fail("ROOT inside another joint; expected JOINT" + open_joints());
    if (!says_root && open_.empty()) note(at_line() + "JOINT where ROOT should be");
    if (clip_.joints.size() >= static_cast<std::size_t>(options_.max_joints)) {
      scan_.fail("more than the limit of " + std::to_string(options_.max_joints) + " joints");
    }
    if (open_.size() >= static_cast<std::size_t>(options_.max_depth)) {
      scan_.fail("joints are nested deeper than the limit of " + std::to_string(options_.max_depth));
    }
    // a name may contain blanks: it ends at the end of its line or at the brace
    std::string name;
    for (std::string_view word = scan_.peek_on_line(); !word.empty() && word != "{" && word != "}";
         word = scan_.peek_on_line()) {
      name += (name.empty() ? "" : " ") + std::string(scan_.next());
    }
    if (name.empty()) scan_.fail("expected a name after " + keyword);
    expect_brace(keyword + " " + in_quotes(name));
    BvhJoint fresh;
    fresh.name = std::move(name);
    fresh.parent = open_.empty() ? -1 : open_.back();
    open_.push_back(static_cast<int>(clip_.joints.size()));
    clip_.joints.push_back(std::move(fresh));
    has_offset_.push_back(false);
    has_channels_.push_back(false);
    has_child_.push_back(false);
    if (joint(open_.back()).parent >= 0)
      has_child_[static_cast<std::size_t>(joint(open_.back()).parent)] = true;
  }

  void joint_item(std::string_view token) {
    const int index = open_.back();
    const auto k = static_cast<std::size_t>(index);
    const std::string name = in_quotes(joint(index).name);
    if (token == "}") {
      if (!has_offset_[k]) note(at_line() + "joint " + name + " has no OFFSET; it is taken as zero");
      open_.pop_back();
    } else if (is(token, "OFFSET")) {
      if (has_offset_[k]) scan_.fail("second OFFSET of joint " + name);
      has_offset_[k] = true;
      joint(index).offset = offset("joint " + name);
    } else if (is(token, "CHANNELS")) {
      if (has_channels_[k]) scan_.fail("second CHANNELS of joint " + name);
      has_channels_[k] = true;
      channels(joint(index));
    } else if (is(token, "End")) {
      end_site(joint(index));
    } else {
      scan_.fail("expected OFFSET, CHANNELS, JOINT, End Site or '}' in joint " + name + ", not " +
                 in_quotes(token));
    }
  }

  void channels(BvhJoint& owner) {
    const std::string name = in_quotes(owner.name);
    const long long count =
        scan_.to_count(scan_.next(), "number of CHANNELS of joint " + name, kMaxChannelsPerJoint);
    for (long long i = 0; i < count; ++i) {
      const std::string_view token = scan_.next();
      const auto found = std::find_if(kChannelNames.begin(), kChannelNames.end(),
                                      [&](const char* channel) { return is(token, channel); });
      if (found == kChannelNames.end()) {
        scan_.fail("channel " + std::to_string(i + 1) + " of " + std::to_string(count) + " of joint " + name +
                   " is " + in_quotes(token) +
                   "; expected one of Xposition, Yposition, Zposition, Xrotation, Yrotation, Zrotation");
      }
      const auto channel = static_cast<BvhChannel>(found - kChannelNames.begin());
      // two turns about one axis form an Euler sequence; two moves along one axis are a mistake
      if (!is_rotation(channel) &&
          std::find(owner.channels.begin(), owner.channels.end(), channel) != owner.channels.end()) {
        scan_.fail("joint " + name + " has " + *found + " twice");
      }
      owner.channels.push_back(channel);
    }
  }

  void end_site(BvhJoint& owner) {
    const std::string name = "End Site of " + in_quotes(owner.name);
    if (is(scan_.peek(), "Site")) scan_.next();
    while (!scan_.peek_on_line().empty() && scan_.peek_on_line() != "{")
      scan_.next();  // some exporters add a name
    expect_brace(name);
    Vector3d end = Vector3d::Zero();
    bool given = false;
    for (std::string_view token = scan_.next(); token != "}"; token = scan_.next()) {
      if (is(token, "OFFSET") && !given) {
        end = offset(name);
        given = true;
      } else if (is(token, "CHANNELS") && scan_.peek() == "0") {
        scan_.next();
      } else {
        scan_.fail("expected OFFSET or '}' in " + name +
                   (token.empty() ? ", but the text ends" : ", not " + in_quotes(token)));
      }
    }
    if (!given) note(at_line() + name + " has no OFFSET; it is taken as zero");
    owner.end_sites.push_back(end);
  }

  void finish_joints() {
    std::size_t bare = 0;
    std::string first;
    std::unordered_set<std::string_view> names;
    for (std::size_t i = 0; i < clip_.joints.size(); ++i) {
      BvhJoint& j = clip_.joints[i];
      j.first_channel = clip_.channel_count;
      clip_.channel_count += static_cast<int>(j.channels.size());
      if (!has_child_[i] && j.end_sites.empty() && bare++ == 0) first = j.name;
      if (!names.insert(j.name).second)
        note("joint name " + in_quotes(j.name) + " is used twice; it refers to the first joint of that name");
    }
    if (bare > 0)
      note("no End Site at " + std::to_string(bare) + " joint(s) without children, the first is " +
           in_quotes(first));
  }

  // the value after "Frames:", "Frames :", "Frames:12" or "frames 12"
  std::string_view labelled(std::string_view label, const std::string& shown) {
    std::string_view token = scan_.next();
    if (!is(token.substr(0, label.size()), label)) {
      scan_.fail("expected '" + shown + "'" +
                 (token.empty() ? ", but the text ends" : ", not " + in_quotes(token)));
    }
    token.remove_prefix(label.size());
    if (token.empty() && scan_.peek().substr(0, 1) == ":") token = scan_.next();
    if (token.substr(0, 1) == ":") token.remove_prefix(1);
    if (token.empty()) token = scan_.next();
    if (token.empty()) scan_.fail("the text ends where the value of '" + shown + "' should be");
    return token;
  }

  void check_frame_time(long long declared) {
    double& time = clip_.frame_time;
    const bool usual = time >= kShortestFrame && time <= kLongestFrame;
    if (usual) return;
    std::string value;
    append_number(time, value);
    if (declared <= 1 && time >= 0.0) {
      time = 1.0 / 30.0;
      note(at_line() + "Frame Time is " + value + "; it is not needed for one frame or none");
      return;
    }
    scan_.fail("Frame Time is " + value + "; expected seconds from 1e-4 to 1, such as 0.01667 for 60 Hz" +
               (time > kLongestFrame ? " (this looks like milliseconds, or frames per second)" : ""));
  }

  void motion() {
    const long long declared = scan_.to_count(labelled("Frames", "Frames:"), "number of Frames", kMaxFrames);
    if (!is(scan_.next(), "Frame")) scan_.fail("expected 'Frame Time:' after the number of frames");
    clip_.frame_time = scan_.to_number(labelled("Time", "Frame Time:"), "Frame Time");
    check_frame_time(declared);
    clip_.rate_hz = snapped_rate(clip_.frame_time);
    if (clip_.channel_count == 0) {
      note("no joint has channels: there is no motion to read");
      return;
    }
    values(declared);
  }

  // Numbers count, not lines. But if frame 0 has its own line, every frame must: one number too many or too
  // few would shift all later numbers into other channels.
  void count_on_line() {
    if (scan_.line() != data_line_) {
      end_line();
      data_line_ = scan_.line();
      ++data_lines_;
      numbers_on_line_ = 0;
    }
    ++numbers_on_line_;
  }

  // for every line but the last one, which may be cut off
  void end_line() {
    const auto width = static_cast<std::size_t>(clip_.channel_count);
    // line 0 is the Frame Time line; no frame is expected there
    if (data_lines_ == 0) {
      frame_per_line_ = numbers_on_line_ == 0;
    } else if (data_lines_ == 1) {
      frame_per_line_ = frame_per_line_ && numbers_on_line_ == width;
      first_line_ = data_line_;
      width_of_lines_ = numbers_on_line_;
    } else if (frame_per_line_ && numbers_on_line_ != width) {
      throw FormatError(clip_.name + ":" + std::to_string(data_line_) + ": this line has " +
                        std::to_string(numbers_on_line_) + " numbers, but a frame has " +
                        std::to_string(width) + "; the first frame has its own line, so every frame must");
    } else if (numbers_on_line_ != width_of_lines_) {
      width_of_lines_ = 0;
    }
  }

  // Frames may span lines. But lines of one common length are refused when they are longer than a frame and
  // no multiple of it, or when there is one line per frame and its length does not divide a frame.
  void check_width_of_lines(long long declared) const {
    const auto width = static_cast<std::size_t>(clip_.channel_count);
    if (frame_per_line_ || width_of_lines_ == 0 || data_lines_ < 3) return;
    const bool more = width_of_lines_ > width && width_of_lines_ % width != 0;
    const bool fewer = width_of_lines_ < width && width % width_of_lines_ != 0 &&
                       data_lines_ == static_cast<std::size_t>(declared);
    if (!more && !fewer) return;
    throw FormatError(clip_.name + ":" + std::to_string(first_line_) + ": this line has " +
                      std::to_string(width_of_lines_) +
                      " numbers, like every other line, but the joints have " + std::to_string(width) +
                      " channels");
  }

  // numbers after the declared frames are skipped, but not on the last frame's line
  void check_line_of_last_frame() {
    if (data_lines_ < 2 || scan_.peek_on_line().empty()) return;
    TextScanner rest = scan_;
    std::size_t more = 0;
    for (; !rest.peek_on_line().empty(); rest.next()) ++more;
    if (rest.peek().empty()) return;
    numbers_on_line_ += more;
    end_line();
  }

  // reads up to `wanted` numbers; true when the last one may have lost digits to a cut
  bool numbers(std::size_t wanted, std::size_t width) {
    std::string_view token, previous;
    while (clip_.values.size() < wanted) {
      double value = 0.0;
      if (const std::string_view plain = scan_.plain_number(value); !plain.empty()) {
        token = plain;
        count_on_line();
        check_turn(value, width);
        clip_.values.push_back(value);
        continue;
      }
      if (scan_.peek().empty()) break;
      previous = token;
      token = scan_.next();
      count_on_line();
      // the last number of a truncated text may have lost digits
      const bool missing = clip_.values.size() + 1 < wanted;
      if (scan_.touches_end()) {
        if (begins_number(token) || (missing && decimals(token) < decimals(previous))) return true;
        if ((clip_.values.size() + 1) % width != 0) return false;
      }
      const double read = scan_.to_number(token, place_of_number(width));
      check_turn(read, width);
      clip_.values.push_back(read);
    }
    return false;
  }

  // for the number about to be stored
  void check_turn(double value, std::size_t width) {
    if (!(std::abs(value) > kMostTurn)) return;
    const auto column = static_cast<int>(clip_.values.size() % width);
    const auto behind = std::find_if(clip_.joints.begin(), clip_.joints.end(),
                                     [&](const BvhJoint& joint) { return joint.first_channel > column; });
    const BvhJoint& joint = *std::prev(behind);
    const BvhChannel channel = joint.channels[at(column - joint.first_channel)];
    if (!is_rotation(channel)) return;
    scan_.fail(place_of_number(width) + ", " + to_string(channel) + " of joint " + in_quotes(joint.name) +
               ", is beyond 1e9 degrees: not an angle of a body");
  }

  // "number 3 of 96 of frame 17"
  [[nodiscard]] std::string place_of_number(std::size_t width) const {
    const std::size_t index = clip_.values.size();
    return "number " + std::to_string(index % width + 1) + " of " + std::to_string(width) + " of frame " +
           std::to_string(index / width);
  }

  void values(long long declared) {
    const auto width = static_cast<std::size_t>(clip_.channel_count);
    // a declared count must not cost memory: a number takes at least two bytes
    const std::size_t possible = scan_.bytes_left() / 2 + 1;
    std::size_t wanted = static_cast<std::size_t>(declared) * width;
    clip_.values.reserve(std::min(wanted, possible));
    data_line_ = scan_.line();

    const bool cut = numbers(wanted, width);
    check_line_of_last_frame();
    check_width_of_lines(declared);
    const std::size_t got = clip_.values.size(), frames = got / width;
    if (frames < static_cast<std::size_t>(declared)) {
      note(counted(declared, "frame") + (declared == 1 ? " is" : " are") + " declared but only " +
           std::to_string(frames) + (frames == 1 ? " is" : " are") + " complete" +
           (got % width != 0 || cut ? "; the truncated one is left out" : ""));
      clip_.damage = clip_.notes.back();
    }
    clip_.values.resize(frames * width);
    clip_.frame_count = static_cast<std::int64_t>(frames);
    if (got == wanted && !scan_.peek().empty()) {
      scan_.next();
      note(at_line() + "data continues after the " + std::to_string(declared) +
           " declared frames; the rest is left out");
    }
  }

  TextScanner scan_;
  BvhOptions options_;
  BvhClip clip_;
  std::vector<int> open_;  // joints with an open brace, outermost first
  // lines of the frames
  std::size_t data_line_ = 0, data_lines_ = 0, numbers_on_line_ = 0;
  std::size_t first_line_ = 0, width_of_lines_ = 0;  // 0: lines differ
  bool frame_per_line_ = false;
  std::vector<bool> has_offset_, has_channels_, has_child_;
};

}  // namespace

const char* to_string(BvhChannel channel) noexcept {
  return kChannelNames[static_cast<std::size_t>(channel)];
}

BvhClip read_bvh(std::string_view text, const std::string& name, const BvhOptions& options) {
  if (text.size() > options.max_bytes) {
    throw FormatError(name + ": larger than " + std::to_string(options.max_bytes) +
                      " bytes, which is the limit");
  }
  return Parser(text, name, options).parse();
}

BvhClip read_bvh_file(const std::string& path, const BvhOptions& options) {
  return read_bvh(read_text_file(path, options.max_bytes), path, options);
}

}  // namespace panto::io
