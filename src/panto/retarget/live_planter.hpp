#pragma once
// Plants the feet of a robot that follows a stream, with a bounded look-ahead
// (docs/algorithms/planned_feet.md#live).

#include <Eigen/Core>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "panto/base/status.hpp"
#include "panto/motion/live_contacts.hpp"
#include "panto/motion/path_band.hpp"
#include "panto/retarget/body_outline.hpp"
#include "panto/retarget/live_clearer.hpp"
#include "panto/retarget/live_foot.hpp"
#include "panto/retarget/plant_motion.hpp"

namespace panto {

struct LivePlanterOptions {
  double look_ahead = 0.1;  ///< [s], >= 0
  std::optional<double> floor = std::nullopt;
  LiveClearer* clearer = nullptr;  ///< keeps limbs out of the body; null: they stay; must outlive the planter
  PlantMotionOptions planting;     ///< `calm` needs look-ahead, and `base_time` is shorter with it
};

/// What the solver made of one sample.
struct LiveSolved {
  const SegmentSample& person;
  const SegmentSample& posed;  ///< in the robot's proportions
  const State& free;           ///< solved with feet that follow orientations alone
  StepStatus status = StepStatus::Solved;
  bool gap = false;        ///< the sample does not continue the one before
  bool returning = false;  ///< the State is on its way to the sample's pose
  bool joined = true;      ///< the State continues the one before
};

/// A window over a stream of States: the newest are known, the oldest get their feet and base and are
/// published. No allocation after construction.
class LivePlanter {
 public:
  static constexpr std::size_t kMostPending = 128;  ///< samples that wait at most

  /// `segments`: names of the samples. The model must outlive it. @throws ConfigError for a floor that is not
  /// finite.
  LivePlanter(const Model& model, const robot::Skeleton& skeleton, const std::vector<std::string>& segments,
              const SubjectDimensions& person, const LivePlanterOptions& options);

  /// Returns whether there are feet to plant.
  [[nodiscard]] bool able() const noexcept { return !feet_.empty(); }
  /// Returns the height of the floor under the person [m], before the sample is posed and solved.
  [[nodiscard]] double floor_under(const SegmentSample& person) noexcept;

  /// Adds the newest sample. Not while `full`.
  void push(const LiveSolved& solved, const robot::Skeleton& skeleton) noexcept;
  [[nodiscard]] bool full() const noexcept { return pending() >= kMostPending; }
  [[nodiscard]] std::size_t pending() const noexcept { return count_ - published_; }
  /// Returns the stamp of the oldest pending sample; there must be one.
  [[nodiscard]] Time oldest() const noexcept { return frame(published_).out.t; }
  /// Plants and publishes the oldest pending sample, and returns its status; there must be one.
  StepStatus publish(State& state) noexcept;
  void reset() noexcept;

  /// Returns how many stances were let go because the leg did not reach, since construction.
  [[nodiscard]] std::int64_t let_go() const noexcept { return let_go_; }

 private:
  struct Frame {
    StepStatus status = StepStatus::Solved;
    bool joined = false, carried = false, returning = false;
    State free, out;
    Eigen::Vector3d way = Eigen::Vector3d::Zero();   // of the person, scaled
    Eigen::Vector3d path = Eigen::Vector3d::Zero();  // the same, calm
    Eigen::Vector3d base = Eigen::Vector3d::Zero();  // the plan
    double on_soles = 0.0;
    double low = 0.0;  // lowest point of the body above the base's origin [m]
    BaseWish wish;
    std::array<LiveFootFrame, 2> feet;  // by `feet_`
  };

  [[nodiscard]] Frame& frame(std::size_t k) noexcept { return ring_[(head_ + k) % ring_.size()]; }
  [[nodiscard]] const Frame& frame(std::size_t k) const noexcept { return ring_[(head_ + k) % ring_.size()]; }
  [[nodiscard]] double seconds(std::size_t from, std::size_t to) const noexcept {
    return to_seconds(frame(to).out.t - frame(from).out.t);
  }
  [[nodiscard]] bool measured(const LiveSolved& solved, const robot::Skeleton& skeleton, Frame& now) noexcept;
  [[nodiscard]] std::array<Eigen::Vector3d, 4> soles(const SegmentSample& person) const noexcept;
  void measure(Frame& now) noexcept;
  void plan(std::size_t k) noexcept;
  void calm(std::size_t k) noexcept;
  void follow(std::size_t k) noexcept;
  void keep_speed(double dt, State& state) const noexcept;
  [[nodiscard]] std::size_t end_of_part(std::size_t k) const noexcept;
  void mark_stances(std::size_t k) noexcept;
  [[nodiscard]] TouchDown find_stance(std::size_t k, std::size_t i) noexcept;
  void plan_base(std::size_t k) noexcept;
  void land_beside(std::size_t k, std::size_t i) noexcept;
  void add_wish(std::size_t k, int axis, double instant) noexcept;
  void move_legs(std::size_t k) noexcept;
  void derive(std::size_t k) noexcept;
  void drop_old() noexcept;

  const Model* model_;
  LivePlanterOptions options_;
  BodyOutline outline_;
  Kinematics kinematics_;
  LiveContacts contacts_;
  std::array<FootSole, 2> person_soles_;
  std::array<std::optional<std::size_t>, 2> entries_;  // of the feet in samples, right and left
  std::vector<LiveFoot> feet_;
  std::vector<Frame> ring_;
  std::size_t head_ = 0, count_ = 0;
  std::size_t planned_ = 0, published_ = 0;  // frames of the window
  double above_ = 0.0;                       // usual height of the way over the person's, scaled [m]
  bool measured_ = false;
  detail::PathBand band_;
  Eigen::VectorXd lower_, upper_, like_, offset_, calmed_;
  std::int64_t let_go_ = 0;
};

}  // namespace panto
