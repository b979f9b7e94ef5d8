#pragma once
// All ways to read the arrays of a motion on one robot, and what speaks against each. Internal.

#include <Eigen/Core>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "panto/io/tell_motion.hpp"
#include "panto/model/kinematics.hpp"

namespace panto::io {

/// One way to read arrays: by question the number of an answer, 0 the layout's own.
using Reading = std::array<std::size_t, kMotionQuestions>;

/// What speaks against a reading: 0 nothing, 1 all of it. Figures in words are in the same order.
struct Witnesses {
  enum Index : unsigned char { Limits, Bodies, Floor, Level, Flat, Still, Under, Upright, Count };
  std::array<double, Count> against{};
  std::array<double, Count> figure{};  ///< what `against` rests on, in the units of `figure_of`
  [[nodiscard]] double total() const;
};
/// Returns a figure in words: "9 % of the values beyond limits".
[[nodiscard]] std::string figure_of(const Witnesses& witnesses, Witnesses::Index witness);

/// The readings of arrays on one robot. Arrays and robot must outlive it.
class MotionReadings {
 public:
  /// @throws FormatError for another number of joints, or without a base.
  MotionReadings(const RobotArrays& arrays, const MotionRobot& robot, const MotionHints& hints);

  [[nodiscard]] const MotionRobot& robot() const noexcept { return *robot_; }
  /// Returns how many answers a question has.
  [[nodiscard]] std::size_t answers(MotionQuestion question) const;
  /// Returns an answer in words, and the word of `--from` that settles it.
  [[nodiscard]] std::string words(MotionQuestion question, std::size_t answer) const;
  [[nodiscard]] std::string hint(MotionQuestion question, std::size_t answer) const;
  [[nodiscard]] bool names_joints() const noexcept { return named_; }
  /// Returns what is wrong with the names of joints in the file, which are not used; empty: nothing.
  [[nodiscard]] const std::string& wrong_names() const noexcept { return wrong_names_; }
  [[nodiscard]] bool reads_bodies() const noexcept { return !bodies_.empty(); }
  [[nodiscard]] bool xyzw(std::size_t answer) const { return (answer == 0) == xyzw_first_; }
  [[nodiscard]] double angle_unit(std::size_t answer) const;

  /// Weighs a reading.
  [[nodiscard]] Witnesses weigh(const Reading& reading);
  /// Returns the largest difference of two readings in any sampled frame: joints [rad], places of links [m].
  [[nodiscard]] double difference(const Reading& a, const Reading& b);
  /// Sets `state` to a frame, without velocities and stamp.
  void read(const Reading& reading, std::size_t frame, State& state) const;
  /// Returns the orientation of body `body` of the file in a frame.
  [[nodiscard]] Eigen::Matrix3d body_turn(const Reading& reading, std::size_t frame, std::size_t body) const;

 private:
  enum class Kind : unsigned char { Names, Branches, Levels, Model };
  struct Order {
    Kind kind = Kind::Names;
    std::vector<std::int64_t> entry;  // of joints: positions in State::s; of bodies: links, -1: none of ours
    bool operator==(const Order& other) const { return entry == other.entry; }
  };
  void find_joints(const MotionHints& hints);
  void find_named_joints();
  void find_bodies();
  void find_units(const MotionHints& hints);
  void sample_frames();
  [[nodiscard]] Eigen::Matrix3d turn_of(const double* numbers, std::size_t width,
                                        const Reading& reading) const;
  [[nodiscard]] Eigen::Vector3d place_of(const double* numbers, const Reading& reading) const;
  void weigh_pose(const State& state, std::vector<Eigen::Vector3d>& soles, Witnesses& sums) const;
  void weigh_bodies(const Reading& reading, std::size_t frame, const State& state, Witnesses& sums) const;

  const RobotArrays* arrays_;
  const MotionRobot* robot_;
  Kinematics body_;
  std::vector<Order> joints_, bodies_;
  std::size_t world_ = 0;  // bodies of the file before the root
  std::string wrong_names_;
  bool named_ = false, xyzw_first_ = false;
  std::size_t turn_answers_ = 1, up_answers_ = 1;
  bool y_up_first_ = false;
  std::vector<double> angles_, lengths_;  // units: [rad], [m]
  std::vector<std::size_t> frames_;       // sampled: pairs with the next one
};

}  // namespace panto::io
