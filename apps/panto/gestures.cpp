#include "apps/panto/gestures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "apps/panto/command_line.hpp"
#include "apps/panto/commands.hpp"
#include "panto/base/index.hpp"
#include "panto/base/text.hpp"
#include "panto/evaluation/limb_directions.hpp"
#include "panto/io/text_scanner.hpp"
#include "panto/live/address.hpp"
#include "panto/report/robot_report.hpp"

namespace panto::app {
namespace {

using Json = nlohmann::ordered_json;

// Where a hand is and how it is turned, seen from the pelvis, or the world without one.
void add_sight(const SegmentMotion& place, const SegmentMotion& turn, const SegmentMotion* pelvis,
               PointTrack& hand) {
  constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  const SegmentMotion still{Eigen::Matrix3d::Identity(), Eigen::Vector3d::Zero(), {}, {}, true, true};
  const SegmentMotion& from = pelvis != nullptr ? *pelvis : still;
  hand.p.push_back(Eigen::Vector3d::Constant(unknown));
  hand.R.push_back(Eigen::Matrix3d::Constant(unknown));
  if (!from.has_orientation) return;
  if (place.has_position && from.has_position)
    hand.p.back() = from.R_WS.transpose() * (place.p_WS - from.p_WS);
  if (turn.has_orientation) hand.R.back() = from.R_WS.transpose() * turn.R_WS;
}

// The person's hands as the person's pelvis sees them: where each is, and how that part of the arm is turned
// which is the last that the robot follows.
std::vector<PointTrack> hands_of(const robot::Map& map, const Model& model, const FreeClip& clip,
                                 const std::string& input) {
  constexpr std::array<std::array<HumanSegment, 3>, 2> kArms{
      {{RightHand, RightForeArm, RightUpperArm}, {LeftHand, LeftForeArm, LeftUpperArm}}};
  const auto follows = [&](HumanSegment segment) {
    const auto& all = map.attachments.attachments;
    return std::any_of(all.begin(), all.end(),
                       [&](const Attachment& a) { return a.segment == kHumanSegmentNames[at(segment)]; });
  };
  const std::optional<std::size_t> pelvis = entry_of(clip.names, Pelvis);
  std::vector<PointTrack> hands;
  bool arms = false;
  for (const auto& arm : kArms) {
    const auto last = std::find_if(arm.begin(), arm.end(), follows);
    if (last == arm.end()) continue;
    arms = true;
    std::optional<std::size_t> turned, placed;
    for (auto part = arm.begin(); part != arm.end(); ++part) {
      if (!placed) placed = entry_of(clip.names, *part);
      if (!turned && part >= last) turned = entry_of(clip.names, *part);
    }
    if (!turned) continue;
    hands.push_back({clip.names[*placed], {}, {}});
    for (const SegmentSample& person : clip.persons)
      add_sight(person.segments[*placed], person.segments[*turned],
                pelvis ? &person.segments[*pelvis] : nullptr, hands.back());
  }
  if (arms && hands.empty())
    throw FormatError(input + ": holds no arm that robot '" + model.name() +
                      "' could follow, and so no gestures; panto retarget follows with what there is");
  if (!arms)
    throw ConfigError("robot '" + model.name() + "' has no arm that follows one: it makes no gestures");
  return hands;
}

// "wave.csv" of part 2 of 3: "wave_2.csv"
std::string numbered(const std::string& path, std::size_t part, std::size_t parts) {
  if (parts == 1 || path.empty()) return path;
  const std::string extension = io::extension_of(path);
  return path.substr(0, path.size() - extension.size()) + "_" + std::to_string(part + 1) + extension;
}

// Whether `name` is "wave_3.csv" of the outputs "wave.csv", and another gesture than the first `parts`.
bool left_over(const std::string& name, const std::string& stem, const std::string& extension,
               std::size_t parts) {
  if (name.size() <= stem.size() + extension.size() + 1 || name.rfind(stem + "_", 0) != 0 ||
      io::extension_of(name) != extension)
    return false;
  const char* first = name.data() + stem.size() + 1;
  const char* last = name.data() + name.size() - extension.size();
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(first, last, number);
  return error == std::errc{} && end == last && *first != '0' && (parts < 2 || number > parts);
}

// Gestures that an earlier run left beside those of this one: they are somebody's files, and are named.
std::vector<std::string> left_over(const std::string& path, std::size_t parts, const std::string& input) {
  namespace fs = std::filesystem;
  std::vector<std::string> names;
  std::error_code error;
  const auto add = [&](const fs::path& found) {
    if (!fs::equivalent(found, input, error)) names.push_back(found.string());
  };
  if (parts != 1 && fs::is_regular_file(path, error)) add(path);
  const std::string extension = io::extension_of(path);
  const fs::path whole(path), folder = whole.parent_path();
  const std::string file = whole.filename().string();
  const std::string stem = file.substr(0, file.size() - extension.size());
  for (fs::directory_iterator it(folder.empty() ? fs::path(".") : folder, error), end; !error && it != end;
       it.increment(error)) {
    if (left_over(it->path().filename().string(), stem, extension, parts))
      add(folder / it->path().filename());
  }
  std::sort(names.begin(), names.end());
  return names;
}

void say_left_over(const TrackingOptions& options, std::size_t parts) {
  std::vector<std::string> paths = options.outputs;
  if (!options.report.empty()) paths.push_back(options.report);
  std::string names;
  for (const std::string& path : paths) {
    if (live::is_address(path)) continue;
    for (const std::string& name : left_over(path, parts, options.input))
      names += (names.empty() ? "" : ", ") + name;
  }
  if (!names.empty())
    say({"warning: this run did not write " + names + ": gestures of an earlier one, beside " +
         (parts == 0 ? "none" : counted(static_cast<std::int64_t>(parts), "gesture")) + " of this one"});
}

void check_outputs_of(const TrackingOptions& options, std::size_t parts) {
  if (!options.frames.empty())
    throw ConfigError("--frames '" + options.frames + "': there is no table of frames gesture by gesture");
  for (const std::string& path : options.outputs) {
    if (parts > 1 && live::is_address(path))
      throw ConfigError("output '" + path + "': " + std::to_string(parts) +
                        " gestures do not go to one address; write them to files, or scale the whole "
                        "recording: panto retarget --limits scale");
  }
}

// What makes a gesture must not be slower than what ends it.
void check_speeds(const SegmentationOptions& options) {
  const auto check = [](const char* on, double fast, const char* off, double slow, const std::string& unit) {
    if (fast < slow)
      throw ConfigError(std::string(on) + " " + digits(fast, 4) + " " + unit + " is below " + off + " " +
                        digits(slow, 4) + " " + unit +
                        ": what makes a gesture must not be slower than what ends it");
  };
  check("--speed-on", options.speed_on, "--speed-off", options.speed_off, "m/s");
  check("--turn-on", options.turn_on, "--turn-off", options.turn_off, "rad/s");
}

// What the solver left of the arms' directions, before anything was scaled.
std::vector<LimbDirection> limbs_of(const Tracking& tracking, const Gesture& gesture) {
  const FreeClip& clip = *tracking.free();
  LimbDirections limbs(tracking.model(), tracking.pairs(), clip.names);
  for (int k = gesture.first; k <= gesture.last; ++k)
    limbs.add(clip.samples[at(k)], clip.motion.states[at(k)]);
  return limbs.report();
}

std::vector<Time> stamps_of(const Motion& motion) {
  std::vector<Time> t;
  for (const State& state : motion.states) t.push_back(state.t);
  return t;
}

double seconds_of(const Tracking& tracking, int frame) {
  return to_seconds(tracking.free()->motion.states[at(frame)].t);
}

// Of the gesture as it was recorded: for --json and the page alike.
Json recorded_json(const Tracking& tracking, const Gesture& gesture) {
  Json json{{"first_s", seconds_of(tracking, gesture.first)},
            {"last_s", seconds_of(tracking, gesture.last)},
            {"onset_s", seconds_of(tracking, gesture.onset)},
            {"offset_s", seconds_of(tracking, gesture.offset)},
            {"begin", to_string(gesture.begin)},
            {"end", to_string(gesture.end)},
            {"hand_speed_max_m_s", gesture.speed_max},
            {"hand_turn_max_rad_s", gesture.turn_max},
            {"reason", gesture.reason},
            {"limbs", Json::array()}};
  for (const LimbDirection& limb : limbs_of(tracking, gesture)) {
    const auto number = [](const std::optional<double>& x) { return x ? Json(*x) : Json(nullptr); };
    json["limbs"].push_back({{"segment", limb.segment},
                             {"direction_median_deg", number(limb.median_deg)},
                             {"direction_p95_deg", number(limb.p95_deg)},
                             {"direction_max_deg", number(limb.max_deg)}});
  }
  return json;
}

// What the page says of it, and of the recording that it is a part of.
std::string about(const Tracking& tracking, const Gesture& gesture, const std::string& name) {
  const FreeClip& clip = *tracking.free();
  Json json = recorded_json(tracking, gesture);
  json["name"] = name;
  json["frames"] = gesture.last - gesture.first + 1;
  json["recording_frames"] = clip.samples.size();
  json["recording_s"] =
      seconds_of(tracking, static_cast<int>(clip.samples.size()) - 1) - seconds_of(tracking, 0);
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json gesture_json(const Tracking& tracking, const Gesture& gesture, const TrackingResult& result) {
  Json json = recorded_json(tracking, gesture);
  json["scale_ms"] = 1e3 * tracking.scaled()->seconds();
  json["written"] = result.written;
  json["motion"] = Json::parse(robot_json(tracking, result));
  return json;
}

// "0.31 deg"; what is rounding is not told apart from nothing
std::string degrees(double angle) {
  constexpr double rounding = 1e-3;
  return angle < rounding ? "< 0.001 deg" : digits(angle, 3) + " deg";
}

void print_gesture(const Tracking& tracking, const Gesture& gesture, const TrackingResult& result,
                   std::size_t number) {
  std::printf("\ngesture %zu, %.2f to %.2f s: %s\n", number, seconds_of(tracking, gesture.first),
              seconds_of(tracking, gesture.last), gesture.reason.c_str());
  for (const LimbDirection& limb : limbs_of(tracking, gesture)) {
    if (limb.median_deg)
      std::printf("  %-15s points within %s (median), %s (95 %%) of the person's, before scaling\n",
                  limb.segment.c_str(), degrees(*limb.median_deg).c_str(), degrees(*limb.p95_deg).c_str());
  }
  const FollowingFigures& left = result.robot->following;
  if (left.followable_mean_deg && !left.worst_link.empty())
    std::printf("  after scaling   off by %s (mean), %s (most, %s) where the robot can follow\n",
                degrees(*left.followable_mean_deg).c_str(), degrees(*left.followable_max_deg).c_str(),
                left.worst_link.c_str());
  if (!left.collapsed_link.empty())
    std::printf("  collapsed       %s over 90 deg off for up to %s s\n", left.collapsed_link.c_str(),
                digits(left.collapsed_longest_s, 2).c_str());
  const RobotFigures& figures = result.robot->figures;
  std::printf("  %s, %lld beyond a position, %lld beyond a speed, %lld beyond a coupled limit\n",
              counted(figures.frames, "frame").c_str(), static_cast<long long>(figures.limit_violations),
              static_cast<long long>(figures.velocity_violations),
              static_cast<long long>(figures.row_violations));
  if (const auto stuck = result.card.status_counts[static_cast<std::size_t>(StepStatus::Stuck)]; stuck > 0)
    std::printf("  %s turned the wrong way round and not to be used (stuck)\n",
                counted(stuck, "frame").c_str());
  std::printf("%s", format_scaling(*tracking.scaled(), tracking.model()).c_str());
  for (const std::string& path : result.written) std::printf("  wrote %s\n", printable(path).c_str());
}

void print_heading(const Tracking& tracking, std::size_t gestures) {
  std::printf("%s: %s -> %s, %d joints, solver %s: %s\n", printable(tracking.options().input).c_str(),
              tracking.file().info().format.c_str(), printable(tracking.model().name()).c_str(),
              tracking.model().dof(), to_string(tracking.options().solver),
              counted(static_cast<std::int64_t>(gestures), "gesture").c_str());
}

// Whether frames are so far apart that no speed can be told between them.
bool too_sparse(const std::vector<Time>& t, const SegmentationOptions& options) {
  for (std::size_t k = 1; k < t.size(); ++k)
    if (to_seconds(t[k] - t[k - 1]) <= options.longest_gap) return false;
  return t.size() > 1;
}

std::string sparse_warning(const std::vector<Time>& t, const SegmentationOptions& options) {
  const double rate = static_cast<double>(t.size() - 1) / to_seconds(t.back() - t.front());
  return "warning: the recording has " + digits(rate, 3) +
         " frames a second, too few to tell gestures: between frames more than " +
         digits(options.longest_gap, 3) + " s apart no speed is known. At least " +
         digits(1.0 / options.longest_gap, 3) + " a second are needed, evenly spaced";
}

void print_nothing(const std::vector<Time>& t, const SegmentationOptions& options) {
  if (too_sparse(t, options)) {
    std::printf("no gesture can be told: nothing was written\n");
    return;
  }
  if (t.size() < 2 || to_seconds(t.back() - t.front()) < options.min_duration) {
    std::printf("%s: shorter than a gesture, which lasts at least %g s: nothing was written\n",
                counted(static_cast<std::int64_t>(t.size()), "frame").c_str(), options.min_duration);
    return;
  }
  std::printf(
      "no hand was faster than %g m/s (--speed-on) or turned faster than %g rad/s (--turn-on) for %g s: "
      "nothing was written\n",
      options.speed_on, options.turn_on, options.min_duration);
}

// Gesture i is run next, and where there are several, into numbered files.
void take_gesture(Tracking& tracking, const TrackingOptions& options, const std::vector<Gesture>& gestures,
                  std::size_t i) {
  std::vector<std::string> outputs;
  for (const std::string& path : options.outputs)
    outputs.push_back(live::is_address(path) ? path : numbered(path, i, gestures.size()));
  const std::string name = "gesture " + std::to_string(i + 1) + " of " + std::to_string(gestures.size());
  tracking.take_part({gestures[i].first, gestures[i].last, name, about(tracking, gestures[i], name)},
                     std::move(outputs), numbered(options.report, i, gestures.size()));
}

}  // namespace

int run_gestures(GestureOptions options) {
  options.tracking.turns = true;
  check_outputs_of(options.tracking, 1);
  check_speeds(options.segmentation);
  Tracking tracking(options.tracking);
  const Model& model = tracking.model();
  const FreeClip& clip = *tracking.free();
  const std::vector<Gesture> gestures = segment_gestures(
      stamps_of(clip.motion), hands_of(tracking.robot_map().map, model, clip, options.tracking.input),
      options.segmentation, clip.cuts);
  check_outputs_of(options.tracking, gestures.size());

  Json json{{"solver", to_string(tracking.options().solver)},
            {"robot", model.name()},
            {"frames", clip.samples.size()},
            {"solve_ms", 1e3 * clip.seconds},
            {"gestures", Json::array()}};
  if (!options.json) print_heading(tracking, gestures.size());
  int code = gestures.empty() ? kCheckFailed : kGood;
  for (std::size_t i = 0; i < gestures.size(); ++i) {
    take_gesture(tracking, options.tracking, gestures, i);
    const TrackingResult result = tracking.run();
    code = std::max(code, result.finish());
    if (options.json) {
      json["gestures"].push_back(gesture_json(tracking, gestures[i], result));
    } else {
      print_gesture(tracking, gestures[i], result, i + 1);
    }
  }
  say_left_over(options.tracking, gestures.size());
  code = std::max(code, finish_damaged(clip.problem, static_cast<std::int64_t>(clip.samples.size())));
  if (too_sparse(stamps_of(clip.motion), options.segmentation))
    say({sparse_warning(stamps_of(clip.motion), options.segmentation)});
  if (options.json) {
    std::printf("%s\n", json.dump().c_str());
  } else if (gestures.empty()) {
    print_nothing(stamps_of(clip.motion), options.segmentation);
  }
  return code;
}

}  // namespace panto::app
