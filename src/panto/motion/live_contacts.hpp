#pragma once
// Contacts of soles in a stream, with a bounded look-ahead (docs/algorithms/planned_feet.md#live).

#include <Eigen/Core>
#include <optional>
#include <span>
#include <vector>

#include "panto/base/time.hpp"
#include "panto/motion/foot_contacts.hpp"

namespace panto {

/// Decides when points of soles are in contact, from a window of a stream: the evidence of `find_contacts`,
/// with the floor estimated on the way. Frames count from the oldest in the window. No allocation after
/// construction.
class LiveContacts {
 public:
  /// `points`: how many; `frames`: the most that the window holds; `floor`: its height, else estimated [m].
  /// @throws ConfigError for a floor that is not finite.
  LiveContacts(std::size_t points, std::size_t frames, const ContactOptions& options,
               std::optional<double> floor);

  /// Takes the lowest of the first points that are measured as the floor, unless it is known.
  void begin(std::span<const Eigen::Vector3d> points) noexcept;
  /// Adds the newest frame. `joined`: it continues the one before. Points that are not finite are not
  /// measured. The window must not be full.
  void push(Time t, bool joined, std::span<const Eigen::Vector3d> points) noexcept;
  /// Removes the oldest frame, which must be decided.
  void pop() noexcept;
  /// Judges frame `first` and all later ones; those before `first` are decided.
  void judge(std::size_t first) noexcept;
  /// Decides frame `k`, the first that is not decided.
  void decide(std::size_t k) noexcept;
  void reset() noexcept;

  [[nodiscard]] bool stands(std::size_t point, std::size_t k) const noexcept {
    return points_[point].flag[k] != 0;
  }
  /// Returns the height of the floor under the person [m].
  [[nodiscard]] double ground() const noexcept { return ground_; }

 private:
  struct Memory {  // of the last decided frame
    bool standing = false;
    Eigen::Vector2d place = Eigen::Vector2d::Zero();  // where the contact began
    double factor = 1.0;                              // of speeds: a point that creeps must be slower
    Time stood = 0;
  };
  struct Point {
    std::vector<Eigen::Vector3d> p;
    std::vector<double> height, speed;
    std::vector<unsigned char> flag;
    Memory memory;
    double level = 0.0;  // its height in contact
    bool levelled = false;
    double swing = 0.0;  // [m/s] highest speed, which fades
  };

  void fit(Point& point, std::size_t k) const noexcept;
  void find_level(Point& point, double dt) noexcept;
  void find_ground(double dt) noexcept;
  void grow_forwards(Point& point, std::size_t first) const noexcept;
  void grow_backwards(Point& point, std::size_t first) const noexcept;
  void close_gaps(Point& point, std::size_t first) const noexcept;
  void drop_short(Point& point, std::size_t first) const noexcept;
  [[nodiscard]] double level(const Point& point) const noexcept;

  ContactOptions options_;
  std::optional<double> floor_;
  double scale_ = 1.0;
  std::vector<Time> t_;
  std::vector<unsigned char> joined_;
  std::vector<Point> points_;
  double ground_ = 0.0;
  bool grounded_ = false;
};

}  // namespace panto
