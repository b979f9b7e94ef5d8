#include "panto/io/motion_readings.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "panto/base/error.hpp"
#include "panto/base/index.hpp"
#include "panto/base/text.hpp"
#include "panto/io/joint_orders.hpp"
#include "panto/math/degrees.hpp"
#include "panto/math/elementary.hpp"
#include "panto/math/euler.hpp"
#include "panto/math/so3.hpp"

namespace panto::io {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using Q = MotionQuestion;

constexpr std::size_t kPairs = 40;  // sampled: a clip is understood by a few postures
// Where half of a witness speaks against a reading: what a published motion keeps well within.
constexpr double kBeyondLimit = 0.1;   // [rad]
constexpr double kBodyOff = 0.02;      // [m]: half a hand off
constexpr double kFloorOff = 0.15;     // [m]: soles from the floor in the median
constexpr double kLevelOff = 0.05;     // [m]: the lowest sole from its median
constexpr double kFootUneven = 0.04;   // [m]: heel over ball of the lower foot
constexpr double kFootMoves = 0.15;    // of the way of the links
constexpr double kUnderSole = 0.02;    // [m]
constexpr double kMoves = 5e-4;        // [m] from frame to frame: less tells nothing of feet that stand
constexpr double kJointsBeyond = 3.0;  // joints beyond limits in a frame: as wrong as can be
constexpr std::array<double, Witnesses::Count> kWeight{2.0, 6.0, 1.0, 1.0, 1.0, 1.5, 1.0, 1.0};

double against(double off, double half) { return off * off / (off * off + half * half); }

// turns y up into z up
Matrix3d stood_up(const Matrix3d& R) {
  Matrix3d up;
  up << R.row(0), -R.row(2), R.row(1);
  return up;
}
Vector3d stood_up(const Vector3d& p) { return {p.x(), -p.z(), p.y()}; }

// the entry of a name, with or without what exporters add to it
template <typename Find>
std::optional<int> find_named(const std::string& name, const char* ending, Find&& find) {
  if (const auto found = find(name)) return found;
  if (const auto found = find(name + ending)) return found;
  if (name.ends_with(ending)) return find(name.substr(0, name.size() - std::string_view(ending).size()));
  return std::nullopt;
}

// Panto's own files say their units and name their joints: only the user can say otherwise.
MotionHints with_own_conventions(MotionHints hints) {
  hints.xyzw = hints.xyzw.value_or(false);
  hints.degrees = hints.degrees.value_or(false);
  hints.length = hints.length.value_or(1.0);
  hints.y_up = hints.y_up.value_or(false);
  return hints;
}

template <typename Order>
void add_once(std::vector<Order>& orders, Order order) {
  if (std::find(orders.begin(), orders.end(), order) == orders.end()) orders.push_back(std::move(order));
}

}  // namespace

double Witnesses::total() const {
  return std::inner_product(against.begin(), against.end(), kWeight.begin(), 0.0);
}

std::string figure_of(const Witnesses& witnesses, Witnesses::Index witness) {
  const double x = witnesses.figure[witness];
  switch (witness) {
    case Witnesses::Limits:
      return decimals(100.0 * x, 0) + " % of the joint values beyond limits";
    case Witnesses::Bodies:
      return "bodies " + decimals(1000.0 * x, x < 0.01 ? 1 : 0) + " mm from forward kinematics";
    case Witnesses::Floor:
      return "soles " + decimals(x, 2) + " m from the floor";
    case Witnesses::Level:
      return "the lowest sole moves up and down by " + decimals(x, 2) + " m";
    case Witnesses::Flat:
      return "lower foot tilted by " + decimals(x, 2) + " m";
    case Witnesses::Still:
      return "the standing foot moves " + decimals(100.0 * x, 0) + " % as far as the body";
    case Witnesses::Under:
      return decimals(x, 1) + " links under the soles";
    default:
      return "trunk " + decimals(x, 0) + " deg off upright";
  }
}

MotionReadings::MotionReadings(const RobotArrays& arrays, const MotionRobot& robot, const MotionHints& hints)
    : arrays_(&arrays), robot_(&robot), body_(*robot.model) {
  const MotionHints settled = arrays.is_own() ? with_own_conventions(hints) : hints;
  find_joints(settled);
  find_bodies();
  find_units(settled);
  sample_frames();
  if ((arrays.place.empty() || arrays.turn.empty()) && bodies_.empty())
    throw FormatError(arrays.name + ": its bodies are not those of " + robot.name +
                      ", so its base is unknown");
}

void MotionReadings::find_joints(const MotionHints& hints) {
  const Model& model = *robot_->model;
  const std::size_t count = arrays_->joints.width;
  if (count != at(model.dof()))
    throw FormatError(arrays_->name + ": has " +
                      counted(std::ssize(arrays_->joint_names) == 0 ? static_cast<std::int64_t>(count)
                                                                    : std::ssize(arrays_->joint_names),
                              "joint") +
                      ", " + robot_->name + " has " + std::to_string(model.dof()));
  find_named_joints();
  if (arrays_->is_own() && named_ && !hints.breadth_first) return;
  Order branches{Kind::Branches, depth_first(model)}, levels{Kind::Levels, breadth_first(model)};
  Order own{Kind::Model, std::vector<std::int64_t>(count)};
  std::iota(own.entry.begin(), own.entry.end(), 0);
  if (hints.breadth_first) {
    if (hints.layout && named_) return;  // a layout whose names say the order
    joints_ = {*hints.breadth_first ? levels : branches};
    return;
  }
  if (arrays_->breadth_first) std::swap(branches, levels);
  for (Order* order : {&branches, &levels, &own}) add_once(joints_, std::move(*order));
}

void MotionReadings::find_named_joints() {
  const std::vector<std::string>& names = arrays_->joint_names;
  if (names.empty()) return;
  if (names.size() != arrays_->joints.width) {
    wrong_names_ =
        "names " + counted(std::ssize(names), "joint") + " of " + std::to_string(arrays_->joints.width);
    return;
  }
  const Model& model = *robot_->model;
  Order order{Kind::Names, {}};
  std::vector<std::string> unknown;
  for (const std::string& name : names) {
    const auto found = find_named(name, "_joint", [&](const std::string& n) { return model.find_joint(n); });
    if (!found)
      unknown.push_back(name);
    else if (std::find(order.entry.begin(), order.entry.end(), *found) == order.entry.end())
      order.entry.push_back(*found);
    else
      wrong_names_ = "names the joint '" + name + "' twice";
  }
  if (!unknown.empty())
    wrong_names_ = "names " + counted(std::ssize(unknown), "joint") + " that " + robot_->name + " lacks (" +
                   listed(unknown, 3) + ")";
  named_ = wrong_names_.empty();
  if (named_) joints_.push_back(std::move(order));
}

void MotionReadings::find_bodies() {
  const Model& model = *robot_->model;
  const std::size_t count = arrays_->body_places.width / 3;
  if (count == 0) return;
  if (arrays_->body_names.size() == count) {
    Order order{Kind::Names, {}};
    std::size_t known = 0;
    for (const std::string& name : arrays_->body_names) {
      const auto link = find_named(name, "_link", [&](const std::string& n) { return model.find_link(n); });
      order.entry.push_back(link ? *link : -1);
      known += link ? 1 : 0;
    }
    const auto root = std::find(order.entry.begin(), order.entry.end(), model.root_link());
    if (known > 1 && root != order.entry.end()) {
      world_ = at(static_cast<int>(root - order.entry.begin()));
      bodies_.push_back(std::move(order));
    }
  }
  const std::size_t own = at(model.dof()) + 1;
  if (count != own && count != own + 1) return;
  if (bodies_.empty()) world_ = count - own;
  if (world_ != count - own) return;
  const auto links = [&](Kind kind, const std::vector<std::int64_t>& joints) {
    Order order{kind, std::vector<std::int64_t>(world_, -1)};
    order.entry.push_back(model.root_link());
    for (const std::int64_t dof : joints)
      order.entry.push_back(model.link_index(model.joint(static_cast<int>(dof)).child));
    return order;
  };
  Order branches = links(Kind::Branches, depth_first(model)),
        levels = links(Kind::Levels, breadth_first(model));
  if (arrays_->breadth_first) std::swap(branches, levels);
  add_once(bodies_, std::move(branches));
  add_once(bodies_, std::move(levels));
}

void MotionReadings::find_units(const MotionHints& hints) {
  const bool bones = arrays_->fixed_angles;
  xyzw_first_ = arrays_->xyzw;
  const bool quaternions = arrays_->turn.width == 4 || arrays_->turn.empty();
  turn_answers_ = quaternions || bones ? 2 : 1;
  if (hints.xyzw && quaternions) (xyzw_first_ = *hints.xyzw, turn_answers_ = 1);
  angles_ = bones ? std::vector<double>{kDegree, 1.0} : std::vector<double>{1.0, kDegree};
  if (hints.degrees) angles_ = {*hints.degrees ? kDegree : 1.0};
  lengths_ = bones ? std::vector<double>{0.01, 1.0, 0.001} : std::vector<double>{1.0, 0.01, 0.001};
  if (hints.length) lengths_ = {*hints.length};
  up_answers_ = hints.y_up ? 1 : 2;
  y_up_first_ = hints.y_up.value_or(false);
}

void MotionReadings::sample_frames() {
  const std::size_t pairs = std::max<std::size_t>(arrays_->frames - 1, 1);
  const std::size_t count = std::min(kPairs, pairs);
  for (std::size_t i = 0; i < count; ++i) frames_.push_back(i * pairs / count);
}

std::size_t MotionReadings::answers(MotionQuestion question) const {
  switch (question) {
    case Q::JointOrder:
      return joints_.size();
    case Q::BodyOrder:
      return std::max<std::size_t>(bodies_.size(), 1);
    case Q::Turn:
      return turn_answers_;
    case Q::Angles:
      return angles_.size();
    case Q::Length:
      return lengths_.size();
    case Q::Up:
      return up_answers_;
    default:
      return 1;
  }
}

std::string MotionReadings::words(MotionQuestion question, std::size_t answer) const {
  const auto order = [](const Order& known) {
    switch (known.kind) {
      case Kind::Names:
        return "as the file names them";
      case Kind::Branches:
        return "branch by branch (MuJoCo)";
      case Kind::Levels:
        return "level by level (Isaac)";
      default:
        return "as the robot's file";
    }
  };
  switch (question) {
    case Q::Robot:
      return robot_->name;
    case Q::JointOrder:
      return order(joints_[answer]);
    case Q::BodyOrder:
      return bodies_.empty() ? "none" : order(bodies_[answer]);
    case Q::Turn:
      if (arrays_->fixed_angles)
        return answer == 0 ? "angles about fixed x, y, z" : "angles about turned x, y, z";
      if (arrays_->turn.width == 3) return "rotation vectors";
      return xyzw(answer) ? "quaternions x y z w" : "quaternions w x y z";
    case Q::Angles:
      return angles_[answer] == 1.0 ? "radians" : "degrees";
    case Q::Length:
      return lengths_[answer] == 1.0 ? "metres" : lengths_[answer] == 0.01 ? "centimetres" : "millimetres";
    default:
      return (answer == 0) == y_up_first_ ? "y" : "z";
  }
}

std::string MotionReadings::hint(MotionQuestion question, std::size_t answer) const {
  switch (question) {
    case Q::JointOrder:
      return joints_[answer].kind == Kind::Levels ? "isaac-order" : "mujoco-order";
    case Q::Turn:
      return xyzw(answer) ? "xyzw" : "wxyz";
    case Q::Angles:
      return words(question, answer);
    case Q::Length:
      return lengths_[answer] == 1.0 ? "m" : lengths_[answer] == 0.01 ? "cm" : "mm";
    case Q::Up:
      return words(question, answer) + "-up";
    default:
      return {};
  }
}

double MotionReadings::angle_unit(std::size_t answer) const { return angles_[answer]; }

Matrix3d MotionReadings::turn_of(const double* n, std::size_t width, const Reading& reading) const {
  const std::size_t turn = reading[at(static_cast<int>(Q::Turn))];
  Matrix3d R;
  if (width == 4) {
    const bool last = xyzw(turn);
    const Eigen::Vector4d q =
        last ? Eigen::Vector4d(n[3], n[0], n[1], n[2]) : Eigen::Vector4d(n[0], n[1], n[2], n[3]);
    R = so3::from_quaternion_wxyz(q);
  } else if (arrays_->fixed_angles) {
    const Vector3d angles = angles_[reading[at(static_cast<int>(Q::Angles))]] * Vector3d(n[0], n[1], n[2]);
    R = turn == 0 ? euler::from_roll_pitch_yaw(angles) : euler::to_rotation(angles, euler::XYZ);
  } else {
    R = so3::exp(Vector3d(n[0], n[1], n[2]));
  }
  return (reading[at(static_cast<int>(Q::Up))] == 0) == y_up_first_ ? stood_up(R) : R;
}

Vector3d MotionReadings::place_of(const double* n, const Reading& reading) const {
  const Vector3d p = lengths_[reading[at(static_cast<int>(Q::Length))]] * Vector3d(n[0], n[1], n[2]);
  return (reading[at(static_cast<int>(Q::Up))] == 0) == y_up_first_ ? stood_up(p) : p;
}

void MotionReadings::read(const Reading& reading, std::size_t frame, State& state) const {
  const RobotArrays& a = *arrays_;
  state.p_WB =
      place_of(a.place.empty() ? a.body_places.row(frame) + 3 * world_ : a.place.row(frame), reading);
  state.R_WB = a.turn.empty() ? turn_of(a.body_turns.row(frame) + 4 * world_, 4, reading)
                              : turn_of(a.turn.row(frame), a.turn.width, reading);
  const Order& order = joints_[reading[at(static_cast<int>(Q::JointOrder))]];
  const double angle = angles_[reading[at(static_cast<int>(Q::Angles))]];
  const double length = lengths_[reading[at(static_cast<int>(Q::Length))]];
  for (std::size_t i = 0; i < order.entry.size(); ++i) {
    const bool slides = robot_->model->joint(static_cast<int>(order.entry[i])).type == JointType::Prismatic;
    state.s[order.entry[i]] = (slides ? length : angle) * a.joints.row(frame)[i];
  }
}

Matrix3d MotionReadings::body_turn(const Reading& reading, std::size_t frame, std::size_t body) const {
  return turn_of(arrays_->body_turns.row(frame) + 4 * body, 4, reading);
}

void MotionReadings::weigh_pose(const State& state, std::vector<Vector3d>& soles, Witnesses& sums) const {
  const Model& model = *robot_->model;
  double beyond = 0.0, count = 0.0;
  for (int i = 0; i < model.dof(); ++i) {
    const double off = std::max({0.0, model.lower()[i] - state.s[i], state.s[i] - model.upper()[i]});
    beyond += against(off, kBeyondLimit);
    count += off > kBeyondLimit ? 1.0 : 0.0;
  }
  sums.against[Witnesses::Limits] += std::min(1.0, beyond / kJointsBeyond);
  sums.figure[Witnesses::Limits] += count / std::max(1, model.dof());
  const double cosine = std::clamp((body_.R_WL(robot_->trunk) * robot_->up).z(), -1.0, 1.0);
  sums.against[Witnesses::Upright] += 0.25 * (1.0 - cosine) * (1.0 - cosine);
  sums.figure[Witnesses::Upright] += kToDegrees * panto::acos(cosine);
  soles.clear();
  for (const MotionRobot::Foot& foot : robot_->feet)
    for (const Vector3d& point : {foot.heel, foot.ball})
      soles.push_back(body_.p_WL(foot.link) + body_.R_WL(foot.link) * point);
  if (soles.empty()) return;
  double lowest = kInfinity;
  std::size_t low_foot = 0;
  for (std::size_t i = 0; i < soles.size(); ++i)
    if (soles[i].z() < lowest) (lowest = soles[i].z(), low_foot = i / 2);
  const double tilt = std::abs(soles[2 * low_foot].z() - soles[2 * low_foot + 1].z());
  sums.against[Witnesses::Flat] += against(tilt, kFootUneven);
  sums.figure[Witnesses::Flat] += tilt;
  double under = 0.0;
  for (const Vector3d& p : body_.body_position()) under += p.z() < lowest - kUnderSole ? 1.0 : 0.0;
  sums.against[Witnesses::Under] += std::min(1.0, under / kJointsBeyond);
  sums.figure[Witnesses::Under] += under;
}

void MotionReadings::weigh_bodies(const Reading& reading, std::size_t frame, const State& state,
                                  Witnesses& sums) const {
  const std::vector<std::int64_t>& links = bodies_[reading[at(static_cast<int>(Q::BodyOrder))]].entry;
  double off = 0.0, known = 0.0;
  for (std::size_t b = 0; b < links.size(); ++b) {
    if (links[b] < 0) continue;
    const int link = static_cast<int>(links[b]);
    const double* n = arrays_->body_places.row(frame) + 3 * b;
    Vector3d p = body_.p_WL(link);
    if (arrays_->local_bodies) {
      p = state.R_WB.transpose() * (p - state.p_WB);
      off += (p - lengths_[reading[at(static_cast<int>(Q::Length))]] * Vector3d(n[0], n[1], n[2])).norm();
    } else {
      off += (p - place_of(n, reading)).norm();
    }
    if (!arrays_->body_turns.empty()) off += 0.1 * (body_.R_WL(link) - body_turn(reading, frame, b)).norm();
    known += 1.0;
  }
  sums.against[Witnesses::Bodies] += against(off / known, kBodyOff);
  sums.figure[Witnesses::Bodies] += off / known;
}

Witnesses MotionReadings::weigh(const Reading& reading) {
  Witnesses sums;
  State state = rest_state(*robot_->model);
  std::vector<Vector3d> soles, next;
  std::vector<double> heights;
  double moving = 0.0;
  for (const std::size_t frame : frames_) {
    read(reading, frame, state);
    body_.update(state);
    weigh_pose(state, soles, sums);
    if (!bodies_.empty()) weigh_bodies(reading, frame, state, sums);
    if (soles.empty()) continue;
    heights.push_back(std::min_element(soles.begin(), soles.end(), [](const Vector3d& a, const Vector3d& b) {
                        return a.z() < b.z();
                      })->z());
    if (frame + 1 >= arrays_->frames) continue;
    const std::vector<Vector3d> links = body_.body_position();
    read(reading, frame + 1, state);
    body_.update(state);
    double way = 0.0, least = kInfinity;
    for (std::size_t i = 0; i < links.size(); ++i) way += (body_.body_position()[i] - links[i]).norm();
    way /= static_cast<double>(links.size());
    if (way < kMoves) continue;
    for (std::size_t i = 0; i < soles.size(); ++i) {
      const MotionRobot::Foot& foot = robot_->feet[i / 2];
      const Vector3d now =
          body_.p_WL(foot.link) + body_.R_WL(foot.link) * (i % 2 == 0 ? foot.heel : foot.ball);
      least = std::min(least, (now - soles[i]).norm());
    }
    moving += 1.0;
    sums.against[Witnesses::Still] += against(least / way, kFootMoves);
    sums.figure[Witnesses::Still] += least / way;
  }
  for (std::size_t i = 0; i < Witnesses::Count; ++i) {
    const double count = i == Witnesses::Still ? std::max(1.0, moving) : static_cast<double>(frames_.size());
    sums.against[i] /= count;
    sums.figure[i] /= count;
  }
  if (heights.empty()) return sums;
  std::vector<double> sorted = heights;
  std::sort(sorted.begin(), sorted.end());
  const double floor = sorted[sorted.size() / 2];
  sums.against[Witnesses::Floor] = against(floor, kFloorOff);
  sums.figure[Witnesses::Floor] = std::abs(floor);
  for (const double height : heights) {
    sums.against[Witnesses::Level] +=
        against(height - floor, kLevelOff) / static_cast<double>(heights.size());
    sums.figure[Witnesses::Level] += std::abs(height - floor) / static_cast<double>(heights.size());
  }
  return sums;
}

double MotionReadings::difference(const Reading& a, const Reading& b) {
  State first = rest_state(*robot_->model), second = first;
  double most = 0.0;
  for (const std::size_t frame : frames_) {
    read(a, frame, first);
    read(b, frame, second);
    most = std::max(most, (first.s - second.s).cwiseAbs().maxCoeff());
    most = std::max(most, (first.p_WB - second.p_WB).norm());
    most = std::max(most, (first.R_WB - second.R_WB).norm());
  }
  return most;
}

}  // namespace panto::io
