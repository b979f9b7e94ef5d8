#include "panto/ik/modules.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "panto/base/index.hpp"
#include "panto/math/elementary.hpp"
#include "panto/math/so3.hpp"
#include "panto/math/vector_math.hpp"
#include "panto/model/kinematics.hpp"

namespace panto {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

constexpr double kPerpendicular = 1e-4;  // |cos| between axes: error of tables with rounded angles
constexpr double kMeet = 1e-6;           // [m] lines closer than this meet
constexpr double kApart = 1e-4;          // [m] points further apart than this are distinct
constexpr double kTwistMix = 0.5;  // |cos| below which two axes distinguish a twist from the joint after it
constexpr double kReadable = 0.1;  // sine between two axes, one of which shows the rotation about the other

// A sequence of joints that will be a module.
struct Run {
  std::vector<int> bodies;  // proximal first
  bool given = false;       // by a description
  const ModuleDescription* description = nullptr;
};

class Finder {
 public:
  Finder(const Model& model, const std::vector<Target>& rows,
         const std::vector<ModuleDescription>& descriptions)
      : model_(model), tree_(model.tree()), rows_(rows), zero_(model), children_(at(tree_.size())) {
    for (int i = 1; i < tree_.size(); ++i) children_[at(tree_.parent[at(i)])].push_back(i);
    State state = rest_state(model);
    state.s.setZero();
    zero_.update(state);
    check_joints();
    read(descriptions);
  }

  std::vector<Module> find() {
    collect_runs();
    pass_on_twists();
    std::vector<Module> modules;
    for (const Run& run : runs_) {
      modules.push_back(shape(run));
      tell(run, modules.back());
    }
    return modules;
  }

 private:
  // ---- refusals ----
  void check_joints() const {
    for (int i = 0; i < model_.dof(); ++i) {
      if (model_.joint(i).type == JointType::Prismatic)
        refuse("joint '" + model_.joint_names()[at(i)] + "' is a slider, but modules only rotate");
    }
    if (!model_.rows().empty()) {
      const CoupledRow& row = model_.rows().front();
      refuse("row '" + row.name + "' couples joints (" + row.terms.front().joint +
             " and others), which separate modules cannot satisfy");
    }
  }

  [[noreturn]] void refuse(const std::string& reason) const {
    throw MethodError("solver 'modular' cannot follow model '" + model_.name() + "': " + reason);
  }

  // ---- geometry at zero ----
  [[nodiscard]] const Vector3d& axis(int body) const { return zero_.joint_axis()[at(body)]; }
  [[nodiscard]] const Vector3d& origin(int body) const { return zero_.body_position()[at(body)]; }
  [[nodiscard]] const Matrix3d& rotation(int body) const { return zero_.body_rotation()[at(body)]; }
  [[nodiscard]] std::string joint_name(int body) const {
    return model_.joint_names()[at(tree_.dof[at(body)])];
  }
  [[nodiscard]] bool perpendicular(int a, int b) const {
    return std::abs(axis(a).dot(axis(b))) < kPerpendicular;
  }
  [[nodiscard]] double to_axis(const Vector3d& point, int body) const {
    return axis(body).cross(point - origin(body)).norm();
  }
  // The point of b's axis nearest to a's; the axes must not be parallel.
  [[nodiscard]] Vector3d nearest_on(int b, int a) const {
    const Vector3d n = axis(b).cross(axis(a));
    return origin(b) + (origin(a) - origin(b)).cross(axis(a)).dot(n) / n.squaredNorm() * axis(b);
  }

  // ---- runs ----
  void read(const std::vector<ModuleDescription>& descriptions) {
    for (const ModuleDescription& d : descriptions) {
      Run run;
      run.given = true;
      run.description = &d;
      const auto wrong = [&](const std::string& what) {
        std::string names;
        for (const std::string& name : d.joints) names += (names.empty() ? "'" : ", '") + name + "'";
        throw ConfigError("module of joints " + (names.empty() ? "(none)" : names) + ": " + what);
      };
      if (d.joints.empty() || d.joints.size() > 3) wrong("a module has one to three joints");
      for (const std::string& name : d.joints) {
        const int dof = model_.joint_index(name);
        const auto found = std::find(tree_.dof.begin() + 1, tree_.dof.end(), dof);
        const int body = static_cast<int>(found - tree_.dof.begin());
        if (!run.bodies.empty()) {
          const int before = run.bodies.back();
          if (tree_.parent[at(body)] != before || children_[at(before)].size() != 1)
            wrong("'" + name + "' is not the only joint after '" + joint_name(before) + "'");
          if (!perpendicular(before, body))
            wrong(degrees_apart(before, body) + ", but must be perpendicular");
        }
        for (const Run& other : given_) {
          if (std::find(other.bodies.begin(), other.bodies.end(), body) != other.bodies.end())
            wrong("'" + name + "' is already in another module");
        }
        run.bodies.push_back(body);
      }
      given_.push_back(run);
    }
  }

  [[nodiscard]] std::string degrees_apart(int a, int b) const {
    const double cosine = std::abs(axis(a).dot(axis(b)));
    const long tenths = std::lround(acos(cosine) * 1800.0 / std::numbers::pi);
    const std::string text = std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " deg";
    return "axes of '" + joint_name(a) + "' and '" + joint_name(b) + "' are " + text + " apart";
  }

  [[nodiscard]] bool has_target(int body) const {
    return std::any_of(rows_.begin(), rows_.end(), [&](const Target& row) {
      return model_.frame(row.link).body == body &&
             (row.orientation_weight > 0.0 || row.position_weight > 0.0);
    });
  }

  void collect_runs() {
    std::vector<int> run_of(at(tree_.size()), -1);
    for (int body = 1; body < tree_.size(); ++body) {
      if (run_of[at(body)] >= 0) continue;
      const int before = tree_.parent[at(body)], number = static_cast<int>(runs_.size());
      const auto given = std::find_if(given_.begin(), given_.end(),
                                      [&](const Run& run) { return run.bodies.front() == body; });
      const bool taken = std::any_of(given_.begin(), given_.end(), [&](const Run& run) {
        return std::find(run.bodies.begin(), run.bodies.end(), body) != run.bodies.end();
      });
      if (given != given_.end()) {
        for (const int b : given->bodies) run_of[at(b)] = number;
        runs_.push_back(*given);
      } else if (before > 0 && !taken && goes_on(runs_[at(run_of[at(before)])], body)) {
        run_of[at(body)] = run_of[at(before)];
        runs_[at(run_of[at(before)])].bodies.push_back(body);
      } else {
        run_of[at(body)] = number;
        runs_.push_back({{body}});
      }
    }
  }

  [[nodiscard]] bool goes_on(const Run& run, int body) const {
    const int before = run.bodies.back();
    return !run.given && run.bodies.size() < 3 && children_[at(before)].size() == 1 && !has_target(before) &&
           perpendicular(before, body);
  }

  // From the outermost inwards: moves the last joint of a sequence to the next one if it rotates about the
  // line to it.
  void pass_on_twists() {
    for (std::size_t i = runs_.size(); i-- > 0;) {
      Run& run = runs_[i];
      const int last = run.bodies.back();
      if (run.given || run.bodies.size() < 2 || children_[at(last)].size() != 1) continue;
      const auto next = std::find_if(runs_.begin(), runs_.end(), [&](const Run& other) {
        return other.bodies.front() == children_[at(last)].front();
      });
      if (next->given || !twists(run, *next)) continue;
      next->bodies.insert(next->bodies.begin(), last);
      run.bodies.pop_back();
    }
  }

  [[nodiscard]] bool twists(const Run& run, const Run& next) const {
    const int last = run.bodies.back(), first = next.bodies.front();
    if (next.bodies.size() > 2 || !perpendicular(last, first)) return false;
    // three joints with nearly parallel outer axes would lock when the limb is straight
    if (next.bodies.size() == 2 && std::abs(axis(last).dot(axis(next.bodies[1]))) > kTwistMix) return false;
    const Vector3d meeting = nearest_on(last, first);
    const int before = run.bodies[run.bodies.size() - 2];
    return to_axis(meeting, first) < kMeet && (meeting - nearest_on(last, before)).norm() > kApart;
  }

  // ---- shapes ----
  [[nodiscard]] Module shape(const Run& run) const {
    Module module;
    const std::size_t n = run.bodies.size();
    module.kind = n == 1 ? ModuleKind::Hinge : n == 2 ? ModuleKind::PanTilt : ModuleKind::Spherical;
    module.parent = tree_.parent[at(run.bodies.front())];
    module.last = run.bodies.back();
    for (std::size_t k = 0; k < n; ++k) {
      const std::size_t slot = n == 1 ? 1 : k;
      module.body[slot] = run.bodies[k];
      module.dof[slot] = tree_.dof[at(run.bodies[k])];
    }
    const Vector3d y = axis(module.body[1]);
    const Vector3d z = n == 1 ? y.unitOrthogonal() : axis(module.body[0]);
    Matrix3d P;
    P.col(0) = y.cross(z).normalized();
    P.col(2) = (P.col(0).cross(y)).normalized();
    P.col(1) = P.col(2).cross(P.col(0));
    if (n == 3) {
      const Vector3d x = axis(module.body[2]);
      module.mu = atan2(-x.dot(P.col(2)), x.dot(P.col(0)));
    }
    const Matrix3d& parent = rotation(module.parent);
    module.P = parent.transpose() * P;
    module.Q = so3::about_axis(1, -module.mu) * P.transpose() * rotation(module.last);
    place(run, module);
    return module;
  }

  void place(const Run& run, Module& module) const {
    const Vector3d centre =
        run.bodies.size() == 1 ? origin(run.bodies.front()) : nearest_on(run.bodies[1], run.bodies[0]);
    module.one_point = std::all_of(run.bodies.begin(), run.bodies.end(),
                                   [&](int body) { return to_axis(centre, body) < kMeet; });
    module.centre_P = rotation(module.parent).transpose() * (centre - origin(module.parent));
    module.centre_B = rotation(module.last).transpose() * (centre - origin(module.last));
  }

  // ---- targets that determine the angles ----
  [[nodiscard]] int orientation_row(int body) const {
    for (std::size_t j = 0; j < rows_.size(); ++j) {
      if (rows_[j].orientation_weight > 0.0 && model_.frame(rows_[j].link).body == body)
        return static_cast<int>(j);
    }
    return -1;
  }
  // A world direction at zero, in the link of a row.
  [[nodiscard]] Vector3d in_row(const Vector3d& v, int row) const {
    return zero_.R_WL(rows_[at(row)].link).transpose() * v;
  }

  void tell(const Run& run, Module& module) const {
    const int own = orientation_row(module.last);
    if (module.kind == ModuleKind::Spherical) {
      module.orientation_row = own;
      if (own >= 0) module.R_LF = module.Q * model_.frame(rows_[at(own)].link).R_BL;
    } else {
      const Vector3d tilt_axis = axis(module.body[1]);
      Vector3d d = Vector3d::Zero();  // in the world, at zero
      if (own >= 0) {
        d = own_direction(run, module);
        module.direction = {own, in_row(d, own)};
      } else if (!tell_by_next(module, d)) {
        tell_by_points(module, d);
      }
      if (module.kind == ModuleKind::PanTilt) {
        module.axis_row = own >= 0 ? own : orientation_row(module.body[0]);
        if (module.axis_row >= 0) module.axis_F = in_row(tilt_axis, module.axis_row);
        module.direction_first = own < 0;
      }
      module.d = module.P.transpose() * rotation(module.parent).transpose() * d;
    }
    if (!module.told()) check_reason(run);
  }

  // The given direction, or that of the link from its shape; perpendicular to the last axis.
  [[nodiscard]] Vector3d own_direction(const Run& run, const Module& module) const {
    const Vector3d a = axis(module.body[1]);
    const auto across = [&](const Vector3d& v) -> Vector3d { return v - v.dot(a) * a; };
    if (run.description != nullptr && run.description->direction) {
      const int link = model_.link_index(model_.joint(module.dof[1]).child);
      const Vector3d given = zero_.R_WL(link) * run.description->direction->normalized();
      if (!(across(given).norm() > 1.0 - kPerpendicular))
        throw ConfigError("module of joint '" + joint_name(module.body[1]) +
                          "': the direction must be perpendicular to the joint's axis");
      return across(given).normalized();
    }
    std::vector<Vector3d> candidates;
    for (const int child : children_[at(module.last)])
      candidates.push_back(across(origin(child) - origin(module.last)));
    for (int l = 0; l < model_.link_count(); ++l) {
      if (model_.frame(l).body == module.last)
        candidates.push_back(across(zero_.R_WL(l) * model_.links()[at(l)].com));
    }
    for (const Vector3d& v : candidates) {
      if (v.norm() > kApart) return v.normalized();
    }
    return a.unitOrthogonal();
  }

  // The next joint's axis does not move with that joint: a target on the link after it determines the axis.
  [[nodiscard]] bool tell_by_next(Module& module, Vector3d& d) const {
    for (const int child : children_[at(module.last)]) {
      const int row = orientation_row(child);
      if (row < 0) continue;
      const bool fits = module.kind == ModuleKind::Hinge
                            ? axis(child).cross(axis(module.body[1])).norm() > kReadable
                            : perpendicular(module.body[1], child);
      if (!fits) continue;
      d = axis(child);
      module.direction = {row, in_row(d, row)};
      return true;
    }
    return false;
  }

  // From the module's centre to a point that the joints after it do not move.
  void tell_by_points(Module& module, Vector3d& d) const {
    if (!module.one_point) return;
    const Vector3d centre = origin(module.last) + rotation(module.last) * module.centre_B;
    for (std::size_t j = 0; j < rows_.size(); ++j) {
      const Vector3d point = zero_.p_WL(rows_[j].link), way = point - centre;
      const int body = model_.frame(rows_[j].link).body;
      if (!(rows_[j].position_weight > 0.0) || !stays(point, body, module.last) || way.norm() < kApart)
        continue;
      const double along = std::abs(way.normalized().dot(axis(module.body[1])));
      if (module.kind == ModuleKind::Hinge ? along > std::sqrt(1.0 - kReadable * kReadable)
                                           : along > kPerpendicular)
        continue;
      d = way.normalized();
      module.direction.to = static_cast<int>(j);
      break;
    }
    if (!module.direction.known()) return;
    for (std::size_t j = 0; j < rows_.size(); ++j) {
      const int body = model_.frame(rows_[j].link).body;
      const bool near = body == module.parent || std::count(module.body.begin(), module.body.end(), body) > 0;
      if (rows_[j].position_weight > 0.0 && near && (zero_.p_WL(rows_[j].link) - centre).norm() < kMeet)
        module.direction.from = static_cast<int>(j);
    }
  }

  // `body` is `last`, or after joints whose axes pass through the point.
  [[nodiscard]] bool stays(const Vector3d& point, int body, int last) const {
    for (; body > last; body = tree_.parent[at(body)]) {
      if (to_axis(point, body) > kMeet) return false;
    }
    return body == last;
  }

  // A module without targets rests, unless only its axes prevent a target after it from determining it.
  void check_reason(const Run& run) const {
    const int last = run.bodies.back();
    if (children_[at(last)].size() != 1 || run.bodies.size() == 3 || has_target(last)) return;
    const int next = children_[at(last)].front();
    if (perpendicular(last, next) || !target_behind(next)) return;
    refuse(degrees_apart(last, next) +
           "; modules need perpendicular axes, or a target on the link between them ('" +
           model_.joint(tree_.dof[at(last)]).child + "')");
  }

  [[nodiscard]] bool target_behind(int body) const {
    if (has_target(body)) return true;
    const auto& children = children_[at(body)];
    return std::any_of(children.begin(), children.end(), [&](int child) { return target_behind(child); });
  }

  const Model& model_;
  const Tree& tree_;
  const std::vector<Target>& rows_;
  Kinematics zero_;
  std::vector<std::vector<int>> children_;
  std::vector<Run> runs_, given_;
};

}  // namespace

const char* to_string(ModuleKind kind) noexcept {
  switch (kind) {
    case ModuleKind::Hinge:
      return "hinge";
    case ModuleKind::PanTilt:
      return "pan-tilt";
    case ModuleKind::Spherical:
      return "spherical";
  }
  return "";
}

std::vector<Module> find_modules(const Model& model, const std::vector<Target>& rows,
                                 const std::vector<ModuleDescription>& descriptions) {
  return Finder(model, rows, descriptions).find();
}

}  // namespace panto
