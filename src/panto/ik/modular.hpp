#pragma once
// Modular inverse kinematics: the model is taken apart into hinges, pan-tilt and spherical modules, and each
// is solved by itself, from the base outwards, in the frame that the modules before it have come to. [Tee,
// Yan, Chua, Li, Huang, "Robust Modular Inverse Kinematics for Gesture Imitation in an Upper-Body Humanoid
// Robot"]
//
//   symbol          here            meaning
//   P_j, d_j        Module          turn before the joints, direction of the link
//   A = R_0,j-1 P_j A               the frame before the joints, in the world
//   u, u'           Reading         direction seen from A, and its derivative there
//   omega           w_              angular velocities of the bodies, found on the way out
//   eps, k          options         regularisation and gain

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "panto/ik/base_placement.hpp"
#include "panto/ik/joint_limits.hpp"
#include "panto/ik/module_laws.hpp"
#include "panto/ik/modules.hpp"
#include "panto/ik/solver.hpp"
#include "panto/ik/target_velocity.hpp"

namespace panto {

enum class ModularLaw : unsigned char {
  DriftFree,  ///< angles from every sample by themselves; only the first angle of a module near its singular
              ///< direction remembers  (theory, section 2.4)
  Rates,      ///< the paper's: rates with feedback, integrated; drifts where noise moves around a singular
              ///< direction
};

/// Limits of all joints, in the order of State::s [rad].
struct JointRanges {
  Eigen::VectorXd lower, upper;
};

struct ModularOptions {
  ModularLaw law = ModularLaw::DriftFree;
  std::optional<double> epsilon;  ///< eps_0, >= 0; unset: 0.11, and 2 for Rates
  double inner = 0.01;            ///< beta_1, >= 0
  std::optional<double> outer;    ///< beta_2, > beta_1; unset: 0.25, and 0.1 for Rates
  double gain = 5.0;              ///< k of Rates [1/s], >= 0
  /// With LimitLaw::None, what still tells a branch from its twin half a turn away: limits that the motion is
  /// brought into afterwards. Unset: the nearer branch.
  std::optional<JointRanges> ranges;
  std::vector<ModuleDescription> modules = {};  ///< by hand; all other joints are grouped by their axes
};

/// Eq. (10) as these options have it.
[[nodiscard]] Regularisation regularisation_of(const ModularOptions& options) noexcept;

class ModularSolver final : public Solver {
 public:
  /// `rows` fixes links and weights of all Targets that will come: which of them tells which module. Of
  /// `motion` count pairing and velocity source, limits and the rate of return to rest. With LimitLaw::None
  /// joints go where the targets lead them, beyond limits of angle and speed: for a motion that is scaled
  /// into them as a whole. The model must outlive the solver.
  /// @throws ModelError naming the joint that is in no module, and why; ConfigError naming the option, row or
  /// description that is out of range.
  ModularSolver(const Model& model, const std::vector<Target>& rows, const DynamicalOptions& motion,
                const ModularOptions& options = {});

  /// Saturated when a bound held a joint. Modules whose target is missing in this sample keep their angles;
  /// those that no row tells return to rest.
  [[nodiscard]] StepStatus step(const Targets& targets, State& state) noexcept override;
  void prime(const Targets& targets) noexcept override {
    if (options_.law == ModularLaw::Rates) previous_.prime(targets);  // the other law has no past
  }
  void set_velocities(const Targets& targets, State& state) noexcept override;
  /// In closed form; of two branches the one inside the limits, then the one nearer to `state`. Departure:
  /// Eq. (3) holds for d = e3 alone and gives one branch, without a look at the limits.
  [[nodiscard]] bool find_pose(const Targets& targets, State& state) noexcept override;
  [[nodiscard]] const StepReport& last_report() const noexcept override { return report_; }

  [[nodiscard]] const std::vector<Module>& modules() const noexcept { return modules_; }

 private:
  /// What one sample, or the interval before it, tells a module.
  struct Reading {
    Eigen::Vector3d u, u_rate;        // direction of the link
    Eigen::Vector3d axis, axis_rate;  // of the tilt axis
    Eigen::Matrix3d R, R_rate;        // orientation
    bool direction = false, tilt_axis = false, orientation = false;
    bool rated = false;  // derivatives are known
  };
  /// Which instant is looked at.
  struct Moment {
    const Targets* targets;
    Time since;     // begin of the interval
    double dt;      // its length [s]
    bool interval;  // its begin and mean velocities; else its end and what is measured there
  };
  /// A row at that moment; nullptr: it is not measured.
  struct Sight {
    const Target* at = nullptr;
    Eigen::Vector3d rate = Eigen::Vector3d::Zero();  // angular velocity, or velocity of the origin
    bool rated = false;
  };

  [[nodiscard]] Sight look(int row, bool place, const Moment& moment) const noexcept;
  [[nodiscard]] Reading read(const Module& module, const Moment& moment,
                             const Eigen::Matrix3d& A) const noexcept;
  void read_points(const Module& module, const Moment& moment, const Eigen::Matrix3d& A,
                   Reading& reading) const noexcept;

  // angles q are (pan, tilt + mu, roll); those that a module lacks are zero
  [[nodiscard]] Eigen::Vector3d angles_of(const Module& module, const State& state) const noexcept;
  [[nodiscard]] Eigen::Vector3d angle_rates(const Module& module, const State& state) const noexcept;
  [[nodiscard]] bool follow(const Module& module, const Reading& reading, Eigen::Vector3d& q) noexcept;
  [[nodiscard]] bool choose(const Module& module, const Reading& reading, Eigen::Vector3d& q) const noexcept;
  [[nodiscard]] bool rates(const Module& module, const Reading& reading, const Eigen::Vector3d& q,
                           double gain, Eigen::Vector3d& rate) noexcept;
  [[nodiscard]] const SinCos& turn_by(double pan) noexcept;
  [[nodiscard]] const ModuleLimits& limits_of(const Module& module) const noexcept {
    return module_limits_[static_cast<std::size_t>(&module - modules_.data())];
  }
  void keep_inside(const Module& module, const Reading& reading, Eigen::Vector3d& q) const noexcept;
  [[nodiscard]] bool surely_free(int i, double now, double way, double dt) const noexcept;
  void move(const Module& module, const Eigen::Vector3d& q, double dt, const State& state) noexcept;
  void rest(const Module& module, double dt, const State& state) noexcept;
  void publish(const Module& module, const Eigen::Vector3d& rate, State& state) const noexcept;
  void place(const Module& module, const Eigen::Matrix3d& A, const Eigen::Vector3d& q,
             const Eigen::Vector3d& rate) noexcept;

  void plan_report(const std::vector<Target>& rows);
  void report_here(const Targets& targets) noexcept;
  void begin_at(const State& state) noexcept;
  void step_angles(const Moment& moment, const State& state) noexcept;
  void step_rates(const Moment& moment, const State& state) noexcept;
  void set_rates(const Moment& moment, const State* before, State& state) noexcept;
  void set_base_rates(const Targets& targets, double dt, const State* before, State& state) const noexcept;

  const Model* model_;
  DynamicalOptions motion_;
  ModularOptions options_;
  Regularisation regularisation_;
  BasePlacement base_;
  std::vector<Module> modules_;
  std::vector<ModuleLimits> module_limits_;
  Kinematics kinematics_;
  JointLimits limits_;
  PreviousTargets previous_;
  double pan_ = 0.0;           // the last that was asked for
  SinCos pan_turn_{0.0, 1.0};  // and its sine and cosine
  bool bounded_;               // false: limits are somebody else's
  bool guided_;                // by limits, between branches
  double half_slowness_;       // of a speed's square, the way that it takes to stop [s^2/rad]
  bool bounds_known_ = false;
  Eigen::VectorXd lower_, upper_;           // rates of this step, where they are known
  std::vector<int> between_;                // bodies between a module's joints that rows sit on, inner first
  bool places_known_ = true;                // of all rows with a position, from p_
  std::vector<Eigen::Matrix3d> R_;          // by body: the base and the last ones of modules
  std::vector<Eigen::Vector3d> p_, w_, v_;  // origins where modules have a centre [m], velocities
  State next_;
  StepReport report_;
};

}  // namespace panto
