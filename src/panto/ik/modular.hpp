#pragma once
// Modular inverse kinematics: divides the model into hinges, pan-tilt and spherical modules and solves each
// on its own, from the base outwards, in the frame that results from the modules before it. [Tee, Yan, Chua,
// Li, Huang, "Robust Modular Inverse Kinematics for Gesture Imitation in an Upper-Body Humanoid Robot"]
//
//   symbol          here            meaning
//   P_j, d_j        Module          turn before the joints, direction of the link
//   A = R_0,j-1 P_j A               the frame before the joints, in the world
//   u, u'           Reading         direction seen from A, and its derivative there
//   omega           w_              angular velocities of the bodies, found on the way out
//   eps, k          options         regularisation and gain

#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "panto/ik/base_placement.hpp"
#include "panto/ik/joint_limits.hpp"
#include "panto/ik/module_laws.hpp"
#include "panto/ik/modules.hpp"
#include "panto/ik/solver.hpp"
#include "panto/ik/solver_options.hpp"
#include "panto/ik/target_velocity.hpp"
#include "panto/math/four_wide.hpp"

namespace panto {

/// Returns Eq. (10) with these options.
[[nodiscard]] Regularisation regularisation_of(const ModularOptions& options) noexcept;

class ModularSolver final : public Solver {
 public:
  /// `rows` fixes links and weights of all later Targets: which of them determines which module. Uses
  /// pairing, velocity source, limits and the rate of return to rest of `motion`. With LimitLaw::None, joints
  /// follow the targets beyond limits of angle and speed: for a motion that is scaled into them as a whole.
  /// The model must outlive the solver. @throws ModelError naming the joint that is in no module, and why;
  /// ConfigError naming the option, row or description that is out of range.
  ModularSolver(const Model& model, const std::vector<Target>& rows, const DynamicalOptions& motion,
                const ModularOptions& options = {});

  /// Makes a step. Saturated if a bound held a joint. Modules whose target is missing in this sample keep
  /// their angles; those without any row return to rest.
  [[nodiscard]] StepStatus step(const Targets& targets, State& state) noexcept override;
  void prime(const Targets& targets) noexcept override {
    if (options_.law == ModularLaw::Rates) previous_.prime(targets);  // the other law has no past
  }
  void set_velocities(const Targets& targets, State& state) noexcept override;
  /// Finds a pose in closed form; of two branches, the one inside the limits, then the one nearer to `state`.
  /// Departure: Eq. (3) holds for d = e3 alone and gives one branch, regardless of limits.
  [[nodiscard]] bool find_pose(const Targets& targets, State& state) noexcept override;
  [[nodiscard]] const StepReport& last_report() const noexcept override { return report_; }

  [[nodiscard]] const std::vector<Module>& modules() const noexcept { return modules_; }

 private:
  /// Measurements for a module from one sample, or from the interval before it.
  struct Reading {
    Eigen::Vector3d u, u_rate;        // direction of the link
    Eigen::Vector3d axis, axis_rate;  // of the tilt axis
    Eigen::Matrix3d R, R_rate;        // orientation
    bool direction = false, tilt_axis = false, orientation = false;
    double told = 0.0;   // weight of the direction for the pan
    bool rated = false;  // derivatives are known
  };
  /// The instant that is evaluated.
  struct Moment {
    const Targets* targets;
    Time since;     // start of the interval
    double dt;      // its length [s]
    bool interval;  // its start and mean velocities; else its end and the velocities measured there
  };
  /// A row at that moment; nullptr: not measured.
  struct Sight {
    const Target* at = nullptr;
    Eigen::Vector3d rate;  // angular velocity, or velocity of the origin
    bool rated = false;
  };

  void look(int row, bool place, const Moment& moment, Sight& sight) const noexcept;
  void look_between(int row, bool place, const Moment& moment, Sight& sight) const noexcept;
  [[nodiscard]] Reading read(const Module& module, const Moment& moment, const FourWide& A) const noexcept;
  void read_points(const Module& module, const Moment& moment, const FourWide& A,
                   Reading& reading) const noexcept;

  // angles q are (pan, tilt + mu, roll); angles that a module lacks are zero. A is Angle, or BareTurn if the
  // angles are computed later
  template <typename A>
  using Three = std::array<A, 3>;
  using Angles = Three<Angle>;
  /// Which of the three angles a module has: [first, end).
  struct Span {
    std::size_t first, end;
  };
  [[nodiscard]] static Span span_of(const Module& module) noexcept {
    return {module.kind == ModuleKind::Hinge ? std::size_t{1} : 0,
            module.kind == ModuleKind::Spherical ? std::size_t{3} : 2};
  }
  void take_turns(const State& state) noexcept;
  void give_angles() noexcept;
  [[nodiscard]] std::size_t slot_of(const Module& module) const noexcept {
    return 3 * static_cast<std::size_t>(&module - modules_.data());
  }
  template <typename A>
  [[nodiscard]] Three<A> turns_of(const Module& module) const noexcept {
    Three<A> q;
    const std::size_t slot = slot_of(module);
    for (std::size_t k = 0; k < 3; ++k)
      q[k] = as<A>({slots_.from[slot + k], {slots_.sin[slot + k], slots_.cos[slot + k]}});
    return q;
  }
  void keep(const Module& module, const Three<BareTurn>& q, const Eigen::Vector3d& rate) noexcept {
    const std::size_t slot = slot_of(module);
    for (std::size_t k = 0; k < 3; ++k) {
      slots_.to_sin[slot + k] = q[k].turn.sin;
      slots_.to_cos[slot + k] = q[k].turn.cos;
      slots_.rate[slot + k] = rate[static_cast<Eigen::Index>(k)];
    }
  }
  [[nodiscard]] Eigen::Vector3d values_of(const Module& module, const State& state) const noexcept;
  template <typename A>
  [[nodiscard]] bool follow(const Module& module, const Reading& reading, Three<A>& q) const noexcept;
  [[nodiscard]] double axis_share(const Module& module, const Reading& reading) const noexcept;
  [[nodiscard]] bool choose(const Module& module, const Reading& reading, Eigen::Vector3d& q) const noexcept;
  template <typename A>
  [[nodiscard]] bool rates(const Module& module, const Reading& reading, const Three<A>& q, double gain,
                           Eigen::Vector3d& rate) const noexcept;
  [[nodiscard]] const ModuleLimits& limits_of(const Module& module) const noexcept {
    return module_limits_[static_cast<std::size_t>(&module - modules_.data())];
  }
  template <typename A>
  [[nodiscard]] LimitsOf<A> limits_as(const Module& module) const noexcept {
    if constexpr (std::is_same_v<A, Angle>) {
      return limits_of(module);
    } else {
      return {&slots_.room[slot_of(module)]};
    }
  }
  void keep_inside(const Module& module, const Reading& reading, Angles& q) const noexcept;
  void move(const Module& module, Angles& q, double dt, const State& state) noexcept;
  [[nodiscard]] double held(int i, double wanted, double dt, const State& state) noexcept;
  void rest(const Module& module, Angles& q, double dt, const State& state) noexcept;
  void publish(const Module& module, Eigen::Vector3d& rate, State& state) const noexcept;
  [[nodiscard]] FourWide frame_before(const Module& module) const noexcept {
    return times(N_[static_cast<std::size_t>(module.parent)], place_of(module).P.data());
  }
  template <typename A>
  void place(const Module& module, const FourWide& before, const Three<A>& q,
             const Eigen::Vector3d& rate) noexcept;

  void plan_places();
  void plan_report(const std::vector<Target>& rows);
  void report_here(const Targets& targets) noexcept;
  void begin_at(const State& state) noexcept;
  template <typename A>
  void solve_angles(const Moment& moment, const State& state) noexcept;
  void solve_freely(const Moment& moment, const State& state) noexcept;
  [[nodiscard]] bool surely_free(double dt) noexcept;
  void solve_carefully(const Moment& moment, const State& state) noexcept;
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
  bool bounded_;             // false: limits are applied elsewhere
  double half_slowness_;     // stopping distance over the speed's square [s^2/rad]
  double slow_share_ = 1.0;  // share of the way to a merely supporting axis in this step
  bool bounds_known_ = false;
  Eigen::VectorXd lower_, upper_;  // bounds on the rates of this step, if known

  // A module leaves its last body's frame before Q: every constant after it includes that Q.
  struct Place {
    Eigen::Matrix3d P;                 // Q of the previous module, times P
    Eigen::Vector3d centre_P, centre;  // in the frame before Q of the previous module, and of this one [m]
  };
  // A joint and its number among `slots_`: three per module.
  struct Joint {
    int dof;
    std::size_t slot;
    double shift;  // mu, of a tilt [rad]
  };
  // By slot: a State's angles with sines, cosines and `ModuleRoom`, the same of the angles found, rates, and
  // bounds [rad], [rad/s]. A slot without a joint stays zero, without bounds.
  struct Slots {
    std::vector<double> from, sin, cos, room, to, to_sin, to_cos, rate, low, high, fast;
  };
  // What a row is compared with: N_[body] Q_F, and the origin's position.
  struct Seen {
    std::size_t body;
    bool turned;  // Q_F is not the identity
    Eigen::Matrix3d Q_F;
    Eigen::Vector3d p;
  };
  [[nodiscard]] Eigen::Vector3d turning(int body) const noexcept {
    const FourWide::Column& w = w_[static_cast<std::size_t>(body)].v;
    return {w[0], w[1], w[2]};
  }
  void plan_slots();
  [[nodiscard]] Eigen::Matrix3d turn_behind(const Module& module, std::size_t k) const;
  [[nodiscard]] const Place& place_of(const Module& module) const noexcept {
    return places_[static_cast<std::size_t>(&module - modules_.data())];
  }
  std::vector<Place> places_;  // by module
  std::vector<Joint> joints_;
  Slots slots_;
  std::vector<Seen> seen_;              // by row
  bool places_known_ = true;            // of all rows with a position, from p_
  bool points_matter_ = false;          // p_ and v_ are needed
  std::vector<FourWide> N_;             // by body: the base, and bodies before Q of their modules
  std::vector<FourWideVector> w_;       // by body: angular velocities
  std::vector<Eigen::Vector3d> p_, v_;  // origins where modules have a centre [m], velocities
  State next_;
  StepReport report_;
};

}  // namespace panto
