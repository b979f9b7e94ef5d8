#pragma once
// A robot's body as points with a radius, to keep it above the floor z = 0.

#include <vector>

#include "panto/evaluation/capsules.hpp"
#include "panto/motion/motion.hpp"
#include "panto/robot/skeleton.hpp"

namespace panto {

/// The outline of a robot's body: trunk, thighs, knees, arms and head; feet are not part of it.
class BodyOutline {
 public:
  /// The model must outlive it. Takes shapes of links where the model has them; other hands
  /// end at the corners of their links.
  BodyOutline(const Model& model, const robot::Skeleton& skeleton);

  /// Returns the height of the lowest point without the hands [m]; infinity for a robot without such parts.
  [[nodiscard]] double lowest(const Kinematics& kinematics) const noexcept;

  /// Raises hands that would be under the floor; the arms give way. `cuts`: frames of the motion that do not
  /// continue the one before. Changes joints after the trunk alone, within their limits.
  void raise_hands(Motion& motion, const std::vector<int>& cuts) const;

 private:
  struct Part {
    std::vector<LinkPoint> points;
    double radius = 0.0;
  };
  struct Hand {
    int link = 0, forearm = -1;
    std::vector<Part> parts;
    bool shaped = false;  // its shape is known
  };

  [[nodiscard]] static double lowest_of(const Part& part, const Kinematics& kinematics) noexcept;
  bool raise(const Hand& hand, Motion& motion, const std::vector<int>& cuts) const;

  const Model* model_;
  int trunk_ = -1;
  std::vector<Part> body_;
  std::vector<Hand> hands_;
};

}  // namespace panto
