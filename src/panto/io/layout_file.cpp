#include <Eigen/Core>
#include <cmath>
#include <new>
#include <nlohmann/json.hpp>
#include <utility>

#include "panto/base/error.hpp"
#include "panto/base/text.hpp"
#include "panto/io/layout_values.hpp"
#include "panto/io/led_layout.hpp"
#include "panto/io/npy_writer.hpp"
#include "panto/io/part_file.hpp"
#include "panto/io/robot_layout.hpp"
#include "panto/io/stamps.hpp"
#include "panto/io/text_lines.hpp"
#include "panto/io/text_scanner.hpp"
#include "panto/motion/resample.hpp"

namespace panto::io {
namespace {

// Frames at the new rate: an hour at 50 Hz, and so many for each of the motion. More is a gap in the stamps.
constexpr double kFreeFrames = 180'000.0, kFramesEach = 100.0;

std::string description(const LayoutValues& values, const Model& model, double rate_hz) {
  const nlohmann::ordered_json facts{{"source", "panto"},
                                     {"robot", model.name()},
                                     {"motion_fps", rate_hz},
                                     {"dof_names", values.joint_names()},
                                     {"body_names", values.body_names()}};
  return facts.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

std::string numbers_member(const std::vector<double>& numbers, const std::string& shape, bool single) {
  if (!single) return npy(numbers, shape);
  return npy(std::vector<float>(numbers.begin(), numbers.end()), shape);
}

// Readers interpolate between quaternions: from frame to frame none changes its sign.
void keep_signs(LayoutPart part, std::size_t frames, std::vector<double>& numbers) {
  const std::size_t first = part == LayoutPart::Pose ? 3 : 0;
  if (part != LayoutPart::BaseTurn && part != LayoutPart::BodyTurns && part != LayoutPart::Pose) return;
  const std::size_t width = frames == 0 ? 0 : numbers.size() / frames;
  const std::size_t end = part == LayoutPart::Pose ? first + 4 : width;
  for (std::size_t row = width; row < numbers.size(); row += width)
    for (std::size_t k = first; k < end; k += 4) {
      Eigen::Map<Eigen::Vector4d> now(&numbers[row + k]);
      if (now.dot(Eigen::Map<Eigen::Vector4d>(&numbers[row + k - width])) < 0.0) now = -now;
    }
}

// by member, its numbers frame after frame
std::vector<std::vector<double>> numbers_of(const Motion& motion, const RobotLayout& layout,
                                            LayoutValues& values) {
  std::vector<std::vector<double>> numbers(layout.members.size());
  for (const State& state : motion.states) {
    values.move_to(state);
    for (std::size_t i = 0; i < numbers.size(); ++i) values.append(layout.members[i].part, numbers[i]);
  }
  for (std::size_t i = 0; i < numbers.size(); ++i)
    keep_signs(layout.members[i].part, motion.states.size(), numbers[i]);
  return numbers;
}

std::string archive(const Motion& motion, const Model& model, const RobotLayout& layout, double rate_hz) {
  LayoutValues values(model, layout);
  const std::vector<std::vector<double>> numbers = numbers_of(motion, layout, values);
  std::vector<std::pair<std::string, std::string>> members;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const auto& [name, part] = layout.members[i];
    std::string bytes;
    const auto names = [](const std::vector<std::string>& list) {
      return npy(list, std::to_string(list.size()) + ",");
    };
    switch (part) {
      case LayoutPart::Rate:
        bytes = npy(std::vector<double>{rate_hz}, "");
        break;
      case LayoutPart::RateList:
        bytes = npy(std::vector<double>{rate_hz}, "1,");
        break;
      case LayoutPart::JointNames:
        bytes = names(values.joint_names());
        break;
      case LayoutPart::BodyNames:
        bytes = names(values.body_names());
        break;
      case LayoutPart::Description:
        bytes = npy(std::vector<std::string>{description(values, model, rate_hz)}, "");
        break;
      default:
        bytes = numbers_member(numbers[i], std::to_string(motion.states.size()) + ", " + values.shape(part),
                               layout.single);
    }
    members.emplace_back(std::string(name) + ".npy", std::move(bytes));
  }
  return pack_npz(members);
}

std::string head_of(const RobotLayout& layout, const LayoutValues& values) {
  std::string line;
  const auto add = [&line](const std::string& name) { line += (line.empty() ? "" : ",") + name; };
  for (const auto& [name, part] : layout.members) {
    if (part == LayoutPart::Joints)
      for (const std::string& joint : values.joint_names()) add(joint + std::string(name));
    else if (part == LayoutPart::FrameNumber)
      add(std::string(name));
    else
      for (const char axis : {'X', 'Y', 'Z'}) add(std::string(name) + axis);
  }
  return line + "\n";
}

std::string text(const Motion& motion, const Model& model, const RobotLayout& layout) {
  LayoutValues values(model, layout);
  const std::vector<std::vector<double>> numbers = numbers_of(motion, layout, values);
  std::string all = layout.head ? head_of(layout, values) : "";
  const std::size_t frames = motion.states.size();
  for (std::size_t frame = 0; frame < frames; ++frame) {
    std::string line;
    const auto add = [&line](double number) {
      if (!line.empty()) line += ',';
      append_number(number, line);
    };
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      if (layout.members[i].part == LayoutPart::FrameNumber) add(static_cast<double>(frame));
      const std::size_t width = numbers[i].size() / frames;
      for (std::size_t k = 0; k < width; ++k) add(numbers[i][frame * width + k]);
    }
    all += line + '\n';
  }
  return all;
}

void check_output_rate(double rate_hz, const std::string& path) {
  if (!(rate_hz > 0.0 && rate_hz <= kFastestRate))
    throw ConfigError("output '" + path + "': " + digits(rate_hz, 6) +
                      " frames per second; give more than 0 and at most 10000");
}

class LayoutFile final : public StateFile {
 public:
  LayoutFile(const Destination& to, const Model& model, const StateFileOptions& options,
             std::function<Motion(Motion)> finish)
      : model_(&model), layout_(&robot_layout(options.layout)), file_(to), finish_(std::move(finish)) {
    motion_.rate_hz = options.rate_hz;
    rate_hz_ = options.resample_hz != 0.0 ? options.resample_hz
               : layout_->rate_hz > 0.0   ? layout_->rate_hz
                                          : options.rate_hz;
    if (rate_hz_ == 0.0)
      throw ConfigError("output '" + to.path + "': the rate of the motion is not known; give one");
    check_output_rate(rate_hz_, to.path);
    file_.end_header();
  }

  WriteStatus write(const State& state) noexcept override {
    if (!is_valid(state, *model_) || (!motion_.states.empty() && state.t <= motion_.states.back().t))
      return WriteStatus::Dropped;
    try {
      motion_.states.push_back(state);
    } catch (const std::bad_alloc&) {
      return WriteStatus::Dropped;
    }
    return WriteStatus::Written;
  }

  void close() override {
    if (std::exchange(closed_, true)) return;
    const auto& states = motion_.states;
    const double most = kFreeFrames + kFramesEach * static_cast<double>(states.size());
    if (!states.empty() && to_seconds(states.back().t - states.front().t) * rate_hz_ > most)
      throw Error("output '" + file_.path() + "': over " + digits(most, 9) + " frames of " +
                  std::to_string(states.size()) + "; the stamps of the motion have a gap");
    Motion motion = resampled(std::move(motion_), rate_hz_);
    if (finish_ && !motion.states.empty()) motion = finish_(std::move(motion));
    (void)file_.write(layout_bytes(motion, *model_, *layout_, rate_hz_));  // close() throws a failure
    file_.close();
  }

 private:
  const Model* model_;
  const RobotLayout* layout_;
  PartFile file_;
  std::function<Motion(Motion)> finish_;
  Motion motion_;
  double rate_hz_ = 0.0;
  bool closed_ = false;
};

}  // namespace

std::string layout_bytes(const Motion& motion, const Model& model, const RobotLayout& layout,
                         double rate_hz) {
  return layout.extension == ".npz" ? archive(motion, model, layout, rate_hz) : text(motion, model, layout);
}

void check_layout_name(const std::string& path, std::string_view layout) {
  const std::string extension(robot_layout(layout).extension);
  if (extension_of(path) == extension) return;
  const std::string stem = path.substr(0, path.size() - extension_of(path).size());
  throw ConfigError("output '" + path + "': the layout " + std::string(layout) + " is a " + extension +
                    " file; name it " + stem + extension);
}

std::unique_ptr<StateFile> create_layout_file(const Destination& to, const Model& model,
                                              const StateFileOptions& options) {
  return create_layout_file(to, model, options, {});
}

std::unique_ptr<StateFile> create_layout_file(const Destination& to, const Model& model,
                                              const StateFileOptions& options,
                                              std::function<Motion(Motion)> finish) {
  check_layout_name(to.path, options.layout);
  const RobotLayout& layout = robot_layout(options.layout);
  const std::string name(layout.name);
  if (options.deviations || options.angles != AngleConvention::Model)
    throw ConfigError("output '" + to.path + "': the layout " + name + " holds the model's own joints alone");
  return std::make_unique<LayoutFile>(to, model, options, std::move(finish));
}

}  // namespace panto::io
