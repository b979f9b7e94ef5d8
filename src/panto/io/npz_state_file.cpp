// Writes States as a NumPy archive for learning and simulation.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <new>
#include <utility>

#include "panto/base/error.hpp"
#include "panto/base/index.hpp"
#include "panto/io/joint_orders.hpp"
#include "panto/io/npy_writer.hpp"
#include "panto/io/part_file.hpp"
#include "panto/io/state_file.hpp"
#include "panto/math/so3.hpp"

namespace panto::io {
namespace {

constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();

std::vector<std::string> in_order(const std::vector<std::string>& names,
                                  const std::vector<std::int64_t>& order) {
  std::vector<std::string> sorted;
  sorted.reserve(order.size());
  for (const std::int64_t i : order) sorted.push_back(names[static_cast<std::size_t>(i)]);
  return sorted;
}

class NpzStateFile final : public StateFile {
 public:
  NpzStateFile(const Destination& to, const Model& model, const StateFileOptions& options)
      : model_(&model), has_deviations_(options.deviations), rate_hz_(options.rate_hz), file_(to) {
    file_.end_header();
  }

  void set_contacts(std::span<const LinkContacts> contacts) override {
    contacts_.assign(contacts.begin(), contacts.end());
  }

  WriteStatus write(const State& state) noexcept override { return write_with(state, {}); }

  WriteStatus write_with(const State& state, const Eigen::VectorXd& deviation) noexcept override {
    const std::size_t given = given_++;
    if (!is_valid(state, *model_) || (!times_.empty() && state.t <= last_)) return WriteStatus::Dropped;
    const std::size_t frames = times_.size();
    try {
      const auto add = [](const auto& from, std::vector<double>& to) {
        to.insert(to.end(), from.begin(), from.end());
      };
      add(state.p_WB, position_);
      add(so3::to_quaternion_wxyz(state.R_WB), quaternion_);
      add(state.v_WB, velocity_);
      add(state.w_WB, turn_);
      add(state.s, s_);
      add(state.sdot, sdot_);
      const std::size_t joints = at(model_->dof());
      if (has_deviations_ && deviation.size() == model_->dof()) add(deviation, sd_);
      if (has_deviations_) sd_.resize((frames + 1) * joints, kNoNumber);
      if (!contacts_.empty()) frame_.push_back(given);
      times_.push_back(to_seconds(state.t));
    } catch (const std::bad_alloc&) {
      const std::size_t joints = frames * static_cast<std::size_t>(model_->dof());
      for (auto* list : {&position_, &velocity_, &turn_}) list->resize(3 * frames);
      quaternion_.resize(4 * frames);
      for (auto* list : {&s_, &sdot_}) list->resize(joints);
      if (has_deviations_) sd_.resize(joints);
      if (!contacts_.empty()) frame_.resize(frames);
      return WriteStatus::Dropped;
    }
    last_ = state.t;
    return WriteStatus::Written;
  }

  void close() override {
    if (closed_) return;
    closed_ = true;
    const std::string frames = std::to_string(times_.size()), joints = std::to_string(model_->dof());
    const std::vector<std::int64_t> isaac = breadth_first(*model_), mujoco = depth_first(*model_);
    const std::vector<std::string>& names = model_->joint_names();
    std::vector<std::pair<std::string, std::string>> members{
        {"times_s.npy", npy(times_, frames + ",")},
        {"rate_hz.npy", npy(std::vector<double>{rate_hz_}, "")},
        {"model.npy", npy(std::vector<std::string>{model_->name()}, "")},
        {"base_position.npy", npy(position_, frames + ", 3")},
        {"base_quaternion_wxyz.npy", npy(quaternion_, frames + ", 4")},
        {"base_linear_velocity.npy", npy(velocity_, frames + ", 3")},
        {"base_angular_velocity.npy", npy(turn_, frames + ", 3")},
        {"joint_names.npy", npy(names, joints + ",")},
        {"joint_position.npy", npy(s_, frames + ", " + joints)},
        {"joint_velocity.npy", npy(sdot_, frames + ", " + joints)},
        {"isaac_order.npy", npy(isaac, joints + ",")},
        {"isaac_joint_names.npy", npy(in_order(names, isaac), joints + ",")},
        {"mujoco_order.npy", npy(mujoco, joints + ",")},
        {"mujoco_joint_names.npy", npy(in_order(names, mujoco), joints + ",")}};
    if (has_deviations_) members.emplace_back("joint_deviation.npy", npy(sd_, frames + ", " + joints));
    if (!contacts_.empty()) add_contacts(frames, members);
    (void)file_.write(pack_npz(members));  // close() throws a failure
    file_.close();
  }

 private:
  void add_contacts(const std::string& frames, std::vector<std::pair<std::string, std::string>>& members) {
    const std::string feet = std::to_string(contacts_.size());
    std::vector<std::string> names;
    std::vector<unsigned char> stands, points;
    std::vector<double> anchors;
    bool held = false;
    for (const LinkContacts& foot : contacts_) {
      names.push_back(foot.link);
      held = held || !foot.anchor.empty();
    }
    for (const std::size_t frame : frame_) {
      for (const LinkContacts& foot : contacts_) {
        const bool known = frame < foot.heel.size();
        stands.push_back(known && foot.stands(frame) ? 1 : 0);
        points.push_back(known ? foot.heel[frame] : 0);
        points.push_back(known ? foot.ball[frame] : 0);
        const bool anchored = frame < foot.anchor.size() && foot.anchor[frame];
        const Anchor anchor = anchored ? *foot.anchor[frame] : Anchor{};
        for (const double x : anchor.p_WL) anchors.push_back(anchored ? x : kNoNumber);
        for (const double x : so3::to_quaternion_wxyz(anchor.R_WL))
          anchors.push_back(anchored ? x : kNoNumber);
      }
    }
    members.emplace_back("contact_names.npy", npy(names, feet + ","));
    members.emplace_back("contacts.npy", npy(stands, frames + ", " + feet));
    members.emplace_back("contact_points.npy", npy(points, frames + ", " + feet + ", 2"));
    if (held) members.emplace_back("contact_anchors.npy", npy(anchors, frames + ", " + feet + ", 7"));
  }

  const Model* model_;
  bool has_deviations_;
  double rate_hz_;
  PartFile file_;
  Time last_ = 0;
  bool closed_ = false;
  std::vector<LinkContacts> contacts_;
  std::size_t given_ = 0;           // States given to `write`
  std::vector<std::size_t> frame_;  // of the contacts, by State written
  std::vector<double> times_, position_, quaternion_, velocity_, turn_, s_, sdot_, sd_;
};

}  // namespace

std::unique_ptr<StateFile> create_npz_states(const Destination& to, const Model& model,
                                             const StateFileOptions& options) {
  if (options.angles != AngleConvention::Model)
    throw ConfigError(
        "output '" + to.path +
        "': angles of another convention need a table (.mot, .sto); .npz holds the model's joints");
  return std::make_unique<NpzStateFile>(to, model, options);
}

}  // namespace panto::io
