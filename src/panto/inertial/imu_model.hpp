#pragma once
// What inertial sensors anywhere on a moving chain feel, and how that depends on every joint: one pass from
// the root outward for all of them. docs/algorithms/imu_model.md

#include <Eigen/Core>
#include <string>
#include <vector>

#include "panto/base/index.hpp"
#include "panto/inertial/chain_layout.hpp"
#include "panto/sample/imu_mount.hpp"

namespace panto {

/// A point P of a link: a sole, the tip of a pen.
struct PointMount {
  std::string name;
  std::string link;
  Eigen::Vector3d p_LP = Eigen::Vector3d::Zero();  ///< [m]
};

/// Predictions of one sensor, and their slopes by the unknowns on its path only.
struct ImuRows {
  /// Gyroscope [rad/s], accelerometer [m/s^2], magnetometer; no biases. (9)
  Eigen::Matrix<double, 9, 1> y;
  /// (9 x 3m): columns (q, q', q'') of path unknown 0, then of 1, ...
  Eigen::Matrix<double, 9, Eigen::Dynamic> H;
  /// Slope of the heading error by q of path unknown k (m): the upright part of its axis, and nothing else,
  /// so that the field never touches inclination.
  Eigen::VectorXd heading;
};

/// Motion of a point in W, and J, J', J'' (3 x m): the slopes of position by q are J; of velocity by (q, q')
/// J', J; of acceleration by (q, q', q'') J'', 2 J', J.
struct PointRows {
  Eigen::Vector3d p = Eigen::Vector3d::Zero();  ///< [m]
  Eigen::Vector3d v = Eigen::Vector3d::Zero();  ///< [m/s]
  Eigen::Vector3d a = Eigen::Vector3d::Zero();  ///< [m/s^2]
  Eigen::Matrix3Xd J, Jdot, Jddot;
};

/// Direction of a measured field over the ground.
struct Heading {
  double angle = 0.0;  ///< about z from x [rad]
  double level = 0.0;  ///< length of the horizontal part, in the unit of the sample
};

/// Sensors and points on a chain. After construction nothing allocates. The layout must outlive it.
class ImuModel {
 public:
  /// @throws ConfigError naming the sensor or point: unknown link, a link inside a ball, a mounting that is
  /// not a rotation or not finite, a sigma that is not above 0, a name used twice; or gravity or field that
  /// are zero or not finite.
  ImuModel(const ChainLayout& layout, std::vector<ImuMount> imus, std::vector<PointMount> points = {},
           const Surroundings& surroundings = {});

  [[nodiscard]] const ChainLayout& layout() const noexcept { return *layout_; }
  [[nodiscard]] const std::vector<ImuMount>& imus() const noexcept { return imu_mounts_; }
  [[nodiscard]] const std::vector<PointMount>& points() const noexcept { return point_mounts_; }
  [[nodiscard]] const Surroundings& surroundings() const noexcept { return surroundings_; }

  /// Unknowns that a sensor or point depends on, root outward. (m)
  [[nodiscard]] const std::vector<int>& imu_path(int imu) const noexcept;
  [[nodiscard]] const std::vector<int>& point_path(int point) const noexcept;

  /// All predictions and slopes at a motion that the layout made.
  void update(const ChainMotion& motion) noexcept;

  [[nodiscard]] const ImuRows& imu(int imu) const noexcept;
  [[nodiscard]] const PointRows& point(int point) const noexcept;
  /// Orientation of a sensor in W, and its angular velocity and acceleration in world axes.
  [[nodiscard]] const Eigen::Matrix3d& R_WI(int imu) const noexcept;
  [[nodiscard]] const Eigen::Vector3d& w_WI(int imu) const noexcept;
  [[nodiscard]] const Eigen::Vector3d& angular_acceleration(int imu) const noexcept;

  /// Heading of a field measured by a sensor, at the orientation of the last `update`.
  [[nodiscard]] Heading heading(int imu, const Eigen::Vector3d& mag_I) const noexcept;

 private:
  // motion of a body, or of a point on an axis, in W
  struct Body {
    Eigen::Matrix3d R = Eigen::Matrix3d::Identity();
    Eigen::Vector3d p, v, a, w, alpha;
  };
  struct Axis {
    Eigen::Vector3d u, udot, uddot;  // unit vector and its rates
    Eigen::Vector3d p, v, a;         // of a point on it
  };
  // a point and the steps of its path
  struct Place {
    int step = -1;
    Eigen::Vector3d p_S;
    std::vector<int> steps, path;
    PointRows rows;
  };
  struct Sensor {
    Place place;
    Eigen::Matrix3d R_SI;
    Eigen::Matrix3d R_WI = Eigen::Matrix3d::Identity();
    ImuRows rows;
  };

  [[nodiscard]] Place place(const std::string& what, const std::string& name, const std::string& link,
                            const Eigen::Vector3d& p_L);
  [[nodiscard]] const Body& body(int step) const noexcept { return bodies_[at(step + 1)]; }
  void move(int step, const ChainMotion& motion) noexcept;
  void differentiate(Place& place) const noexcept;
  void feel(Sensor& sensor) const noexcept;

  const ChainLayout* layout_;
  std::vector<ImuMount> imu_mounts_;
  std::vector<PointMount> point_mounts_;
  Surroundings surroundings_;
  std::vector<Sensor> sensors_;
  std::vector<Place> places_;
  std::vector<unsigned char> used_;  // by step: on somebody's path
  std::vector<Body> bodies_;         // the root, then by step
  std::vector<Axis> axes_;           // by step
  std::vector<double> angle_, sin_, cos_;
};

}  // namespace panto
