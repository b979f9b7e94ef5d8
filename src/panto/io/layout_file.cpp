#include <array>
#include <cmath>
#include <new>
#include <utility>

#include "panto/base/error.hpp"
#include "panto/base/text.hpp"
#include "panto/io/layout_values.hpp"
#include "panto/io/npy_writer.hpp"
#include "panto/io/part_file.hpp"
#include "panto/io/robot_layout.hpp"
#include "panto/io/text_lines.hpp"
#include "panto/io/text_scanner.hpp"
#include "panto/motion/derivatives.hpp"
#include "panto/motion/resample.hpp"

namespace panto::io {
namespace {

constexpr double kSameRate = 1e-3;     // share: stamps of a nominal rate are not that exact
constexpr double kFastest = 10'000.0;  // [Hz]
constexpr double kMostFrames = 2e7;    // a day at 200 Hz: more is a gap in the stamps

std::string quoted_json(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) >= 0x20) out += c;
  }
  return out + '"';
}

std::string json_list(const std::vector<std::string>& names) {
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "" : ", ") + quoted_json(name);
  return "[" + list + "]";
}

std::string description(const LayoutValues& values, const Model& model, double rate_hz) {
  return "{\"source\": \"panto\", \"robot\": " + quoted_json(model.name()) +
         ", \"motion_fps\": " + digits(rate_hz, 9) + ", \"dof_names\": " + json_list(values.joint_names()) +
         ", \"body_names\": " + json_list(values.body_names()) + "}";
}

std::string numbers_member(const std::vector<double>& numbers, const std::string& shape, bool single) {
  if (!single) return npy(numbers, shape);
  return npy(std::vector<float>(numbers.begin(), numbers.end()), shape);
}

std::string archive(const Motion& motion, const Model& model, const RobotLayout& layout, double rate_hz) {
  LayoutValues values(model, layout);
  std::vector<std::vector<double>> numbers(layout.members.size());
  for (const State& state : motion.states) {
    values.move_to(state);
    for (std::size_t i = 0; i < numbers.size(); ++i) values.append(layout.members[i].part, numbers[i]);
  }
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
  std::string all = layout.head ? head_of(layout, values) : "";
  std::vector<double> row;
  for (std::size_t frame = 0; frame < motion.states.size(); ++frame) {
    values.move_to(motion.states[frame]);
    row.clear();
    for (const LayoutMember& member : layout.members) {
      if (member.part == LayoutPart::FrameNumber) row.push_back(static_cast<double>(frame));
      values.append(member.part, row);
    }
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i > 0) all += ',';
      append_number(row[i], all);
    }
    all += '\n';
  }
  return all;
}

void check_rate(double rate_hz, const std::string& path) {
  if (!(rate_hz > 0.0 && rate_hz <= kFastest))
    throw ConfigError("output '" + path + "': " + digits(rate_hz, 6) +
                      " frames per second; give more than 0 and at most 10000");
}

// at a steady rate, with velocities that are the derivatives of what is written
Motion resampled(const Motion& motion, double rate_hz) {
  Motion steady = motion;
  steady.contacts.clear();
  if (std::abs(motion.rate_hz - rate_hz) > kSameRate * rate_hz) {
    steady.states.clear();
    Resampler resampler(rate_hz);
    State state;
    for (const State& given : motion.states) {
      resampler.push(given);
      while (resampler.pop(state)) steady.states.push_back(state);
    }
    derive_velocities(steady);
  }
  steady.rate_hz = rate_hz;
  return steady;
}

class LayoutFile final : public StateFile {
 public:
  LayoutFile(const Destination& to, const Model& model, const StateFileOptions& options)
      : model_(&model), layout_(&robot_layout(options.layout)), file_(to) {
    motion_.rate_hz = options.rate_hz;
    rate_hz_ = options.resample_hz != 0.0 ? options.resample_hz
               : layout_->rate_hz > 0.0   ? layout_->rate_hz
                                          : options.rate_hz;
    if (rate_hz_ == 0.0)
      throw ConfigError("output '" + to.path + "': the rate of the motion is not known; give one");
    check_rate(rate_hz_, to.path);
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
    if (!states.empty() && to_seconds(states.back().t - states.front().t) * rate_hz_ > kMostFrames)
      throw Error("output '" + file_.path() +
                  "': over 20 million frames; the stamps of the motion have a gap");
    (void)file_.write(
        layout_bytes(resampled(motion_, rate_hz_), *model_, *layout_, rate_hz_));  // close() throws a failure
    file_.close();
  }

 private:
  const Model* model_;
  const RobotLayout* layout_;
  PartFile file_;
  Motion motion_;
  double rate_hz_ = 0.0;
  bool closed_ = false;
};

}  // namespace

std::string layout_bytes(const Motion& motion, const Model& model, const RobotLayout& layout,
                         double rate_hz) {
  return layout.extension == ".npz" ? archive(motion, model, layout, rate_hz) : text(motion, model, layout);
}

std::unique_ptr<StateFile> create_layout_file(const Destination& to, const Model& model,
                                              const StateFileOptions& options) {
  const RobotLayout& layout = robot_layout(options.layout);
  const std::string name(layout.name);
  if (extension_of(to.path) != layout.extension)
    throw ConfigError("output '" + to.path + "': the layout " + name + " is a " +
                      std::string(layout.extension) + " file");
  if (options.deviations || options.angles != AngleConvention::Model)
    throw ConfigError("output '" + to.path + "': the layout " + name + " holds the model's own joints alone");
  return std::make_unique<LayoutFile>(to, model, options);
}

}  // namespace panto::io
