#include "panto/io/npz_motion.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "panto/base/error.hpp"
#include "panto/base/index.hpp"
#include "panto/io/stamps.hpp"
#include "panto/io/text_lines.hpp"
#include "panto/math/so3.hpp"

namespace panto::io {
namespace {

constexpr double kQuaternionNorm = 1e-3;  // tolerance for files

std::string printed(const std::vector<std::size_t>& shape) {
  std::string text = "(";
  for (const std::size_t size : shape) text += (text.size() > 1 ? ", " : "") + std::to_string(size);
  return text + ")";
}

std::vector<std::string> names_of(const NpyArray& array) {
  if (!array.is_text() || array.shape.size() != 1)
    throw FormatError(array.where + ": must be names in one dimension");
  std::vector<std::string> names;
  for (std::size_t i = 0; i < array.count; ++i) names.push_back(array.text(i));
  return names;
}

// Returns an array of numbers or truth values of this shape.
std::optional<NpyArray> find(const NpzArchive& archive, std::string_view key,
                             const std::vector<std::size_t>& shape) {
  const auto member = archive.find(key);
  if (!member) return std::nullopt;
  NpyArray array = archive.array(*member);
  if ((array.is_number() || array.kind == 'b') && array.shape == shape) return array;
  throw FormatError(array.where + ": must be numbers of shape " + printed(shape));
}

double finite(const NpyArray& array, std::size_t index) {
  const double number = array.number(index);
  if (!std::isfinite(number))
    throw FormatError(array.where + ": frame " + std::to_string(index / (array.count / array.shape[0])) +
                      " is not finite");
  return number;
}

// Returns the rotation of the quaternion (w, x, y, z) that begins at `index`.
Eigen::Matrix3d rotation(const NpyArray& array, std::size_t index) {
  Eigen::Vector4d q;
  for (const int i : {0, 1, 2, 3}) q[i] = finite(array, index + at(i));
  if (!(std::abs(q.norm() - 1.0) <= kQuaternionNorm))
    throw FormatError(array.where + ": frame " + std::to_string(index / (array.count / array.shape[0])) +
                      ": a quaternion is not of length 1");
  return so3::from_quaternion_wxyz(q);
}

// NaN: none
std::optional<Anchor> anchor(const NpyArray& array, std::size_t index) {
  if (std::isnan(array.number(index))) return std::nullopt;
  Anchor anchor;
  for (const int i : {0, 1, 2}) anchor.p_WL[i] = finite(array, index + at(i));
  anchor.R_WL = rotation(array, index + 3);
  return anchor;
}

NpyArray need(const NpzArchive& archive, const std::string& name, std::string_view key,
              const std::vector<std::size_t>& shape) {
  if (auto array = find(archive, key, shape)) return std::move(*array);
  throw FormatError(name + ": has no array " + in_quotes(key) + ", which a motion needs");
}

class MotionReader {
 public:
  MotionReader(std::string_view bytes, const std::string& name, const Model& model)
      : name_(name), model_(model), archive_(bytes, name) {}

  Motion read() {
    check_joints();
    read_stamps();
    read_states();
    motion_.contacts = npz_contacts(archive_, name_, motion_.states.size());
    return std::move(motion_);
  }

 private:
  [[nodiscard]] std::optional<NpyArray> find(std::string_view key,
                                             const std::vector<std::size_t>& shape) const {
    return io::find(archive_, key, shape);
  }
  [[nodiscard]] NpyArray need(std::string_view key, const std::vector<std::size_t>& shape) const {
    return io::need(archive_, name_, key, shape);
  }

  // Sets a vector of State to row `frame`.
  template <typename Vector>
  static void set(const NpyArray& array, std::size_t frame, Vector& vector) {
    const std::size_t width = array.shape[1];
    for (std::size_t i = 0; i < width; ++i)
      vector[static_cast<Eigen::Index>(i)] = finite(array, frame * width + i);
  }

  void check_joints() {
    const std::vector<std::string> joints = joints_of_states(archive_);
    if (joints.empty()) throw FormatError(name_ + ": holds no motion of a model's joints");
    if (joints != model_.joint_names())
      throw FormatError(name_ + ": its " + std::to_string(joints.size()) + " joints, from '" +
                        joints.front() + "' on, are not those of model '" + model_.name() + "'");
    motion_.model_name = model_.name();
    motion_.joint_names = joints;
  }

  void read_stamps() {
    const auto member = archive_.find("times_s");
    if (!member) throw FormatError(name_ + ": has no array 'times_s', which a motion needs");
    const std::size_t frames = archive_.array(*member).count;
    const NpyArray stamps = need("times_s", {frames});
    std::vector<Time> times;
    for (std::size_t k = 0; k < frames; ++k) {
      const double seconds = finite(stamps, k);
      if (std::abs(seconds) > to_seconds(kLatestStamp))
        throw FormatError(stamps.where + ": frame " + std::to_string(k) + " is out of range");
      const Time t = from_seconds(seconds);
      const auto before = times.empty() ? std::nullopt : std::optional(times.back());
      if (const std::string refusal = refusal_of_stamp(t, before); !refusal.empty())
        throw FormatError(stamps.where + ": frame " + std::to_string(k) + ": " + refusal);
      times.push_back(t);
      motion_.states.push_back(rest_state(model_));
      motion_.states.back().t = t;
    }
    const auto rate = find("rate_hz", {});
    motion_.rate_hz = rate && is_rate(rate->number(0)) ? rate->number(0) : usual_rate(times);
  }

  void read_states() {
    const std::size_t frames = motion_.states.size(), joints = at(model_.dof());
    const NpyArray position = need("base_position", {frames, 3});
    const NpyArray turn = need("base_quaternion_wxyz", {frames, 4});
    const NpyArray s = need("joint_position", {frames, joints});
    const auto v = find("base_linear_velocity", {frames, 3}), w = find("base_angular_velocity", {frames, 3});
    const auto sdot = find("joint_velocity", {frames, joints});
    for (std::size_t k = 0; k < frames; ++k) {
      State& state = motion_.states[k];
      set(position, k, state.p_WB);
      state.R_WB = rotation(turn, 4 * k);
      set(s, k, state.s);
      if (v) set(*v, k, state.v_WB);
      if (w) set(*w, k, state.w_WB);
      if (sdot) set(*sdot, k, state.sdot);
    }
  }

  const std::string& name_;
  const Model& model_;
  NpzArchive archive_;
  Motion motion_;
};

}  // namespace

std::vector<LinkContacts> npz_contacts(const NpzArchive& archive, const std::string& name,
                                       std::size_t frames) {
  const auto member = archive.find("contact_names");
  if (!member) return {};
  const std::vector<std::string> links = names_of(archive.array(*member));
  const std::size_t feet = links.size();
  for (std::size_t i = 0; i < feet; ++i)
    if (std::find(links.begin(), links.begin() + static_cast<std::ptrdiff_t>(i), links[i]) !=
        links.begin() + static_cast<std::ptrdiff_t>(i))
      throw FormatError(name + ": 'contact_names' has " + in_quotes(links[i]) + " twice");
  const NpyArray points = need(archive, name, "contact_points", {frames, feet, 2});
  const auto anchors = find(archive, "contact_anchors", {frames, feet, 7});
  std::vector<LinkContacts> contacts;
  for (std::size_t i = 0; i < feet; ++i) {
    LinkContacts& foot = contacts.emplace_back(LinkContacts{links[i], {}, {}});
    for (std::size_t k = 0; k < frames; ++k) {
      const std::size_t here = k * feet + i;
      foot.heel.push_back(finite(points, 2 * here) != 0.0 ? 1 : 0);
      foot.ball.push_back(finite(points, 2 * here + 1) != 0.0 ? 1 : 0);
      if (anchors) foot.anchor.push_back(anchor(*anchors, 7 * here));
    }
  }
  return contacts;
}

std::vector<std::string> joints_of_states(const NpzArchive& archive) {
  const auto names = archive.find("joint_names");
  if (!names || !archive.find("joint_position") || !archive.find("base_quaternion_wxyz")) return {};
  return names_of(archive.array(*names));
}

Motion read_npz_motion(std::string_view bytes, const std::string& name, const Model& model) {
  return MotionReader(bytes, name, model).read();
}

}  // namespace panto::io
