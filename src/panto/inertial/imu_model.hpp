#pragma once
// Predicts the readings of inertial sensors anywhere on a moving chain, and their derivatives by every joint,
// in one pass from the root outward. docs/algorithms/imu_model.md

#include <Eigen/Core>
#include <string>
#include <vector>

#include "panto/base/index.hpp"
#include "panto/inertial/chain_layout.hpp"
#include "panto/inertial/sensor_setup.hpp"
#include "panto/sample/imu_sample.hpp"

namespace panto {

/// A segment's length that matters for sensors: from the joint that moves it to one further out.
struct ChainLength {
  std::string joint;     ///< the one further out; for a ball the first of three
  std::string link;      ///< the segment, parent of this joint
  double nominal = 0.0;  ///< [m]
  int step = -1;         ///< step of that joint in the layout
};

/// Difference of a body from its model. Empty vectors: none.
struct ChainShape {
  Eigen::VectorXd place;   ///< offsets of sensors on their links, in link axes [m], (3 per sensor)
  Eigen::VectorXd length;  ///< by `ImuModel::lengths()` [m]
};

/// Predictions of one sensor and their derivatives by the unknowns on its path.
struct ImuRows {
  /// Gyroscope [rad/s], accelerometer [m/s^2], magnetometer; without biases. (9)
  Eigen::Matrix<double, 9, 1> y;
  /// (9 x 3m): columns (q, q', q'') of path unknown 0, then of 1, ...
  Eigen::Matrix<double, 9, Eigen::Dynamic> H;
  /// Derivative of the heading error by q of path unknown k (m): only the vertical part of its axis, so that
  /// the field never affects inclination.
  Eigen::VectorXd heading;
  /// Derivatives of the accelerometer by the sensor's position on its link, in link axes [1/s^2].
  Eigen::Matrix3d by_place = Eigen::Matrix3d::Zero();
  /// The same by every length on its path (3 x lengths).
  Eigen::Matrix3Xd by_length;
};

/// Motion of a point in W, and J, J', J'' (3 x m): the derivatives of position by q are J; of velocity by (q,
/// q') J', J; of acceleration by (q, q', q'') J'', 2 J', J.
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

/// Sensors and points on a chain. No allocation after construction. The layout must outlive this object.
class ImuModel {
 public:
  /// @throws ConfigError naming the sensor or point: unknown link, a link inside a ball, a mounting that is
  /// not a rotation or not finite, a sigma that is not above 0, a duplicate name; or zero or non-finite
  /// gravity or field.
  ImuModel(const ChainLayout& layout, std::vector<ImuMount> imus, std::vector<PointMount> points = {},
           const Surroundings& surroundings = {});

  [[nodiscard]] const ChainLayout& layout() const noexcept { return *layout_; }
  [[nodiscard]] const std::vector<ImuMount>& imus() const noexcept { return imu_mounts_; }
  [[nodiscard]] const std::vector<PointMount>& points() const noexcept { return point_mounts_; }
  [[nodiscard]] const Surroundings& surroundings() const noexcept { return surroundings_; }

  /// Returns the unknowns that a sensor or point depends on, root outward. (m)
  [[nodiscard]] const std::vector<int>& imu_path(int imu) const noexcept;
  [[nodiscard]] const std::vector<int>& point_path(int point) const noexcept;

  /// Returns the lengths that some sensor depends on: from joint to joint, 2 cm or more, after a moving
  /// joint.
  [[nodiscard]] const std::vector<ChainLength>& lengths() const noexcept { return lengths_; }
  /// Returns the indices of lengths that a sensor depends on, root outward.
  [[nodiscard]] const std::vector<int>& imu_lengths(int imu) const noexcept;

  /// Computes all predictions and derivatives at a motion of the layout for the model's shape; without
  /// derivatives by the shape.
  void update(const ChainMotion& motion) noexcept;
  /// The same for a body that differs from the model, with derivatives of the readings by its shape. Vectors
  /// that are not empty must have the sizes of `ChainShape`.
  void update(const ChainMotion& motion, const ChainShape& shape) noexcept;

  [[nodiscard]] const ImuRows& imu(int imu) const noexcept;
  [[nodiscard]] const PointRows& point(int point) const noexcept;
  /// Return the orientation of a sensor in W, and its angular velocity and acceleration in world axes.
  [[nodiscard]] const Eigen::Matrix3d& R_WI(int imu) const noexcept;
  [[nodiscard]] const Eigen::Vector3d& w_WI(int imu) const noexcept;
  [[nodiscard]] const Eigen::Vector3d& angular_acceleration(int imu) const noexcept;
  /// Returns the turn rate of the direction of one of `lengths()` [rad/s].
  [[nodiscard]] double turning_of(int length) const noexcept;

  /// Returns the heading of a field measured by a sensor, at the orientation of the last `update`.
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
    Eigen::Matrix3d R_SI, R_SL;
    Eigen::Vector3d p_S;  // of its position in the model
    std::vector<int> lengths;
    Eigen::Matrix3d R_WI = Eigen::Matrix3d::Identity();
    ImuRows rows;
  };

  [[nodiscard]] Place place(const std::string& what, const std::string& name, const std::string& link,
                            const Eigen::Vector3d& p_L);
  [[nodiscard]] const Body& body(int step) const noexcept { return bodies_[at(step + 1)]; }
  void add_lengths();
  [[nodiscard]] Eigen::Vector3d direction(const ChainLength& length) const noexcept;
  void take(const ChainShape& shape) noexcept;
  void predict(const ChainMotion& motion) noexcept;
  void move(int step, const ChainMotion& motion) noexcept;
  void differentiate(Place& place) const noexcept;
  void feel(Sensor& sensor) const noexcept;
  void feel_shape(Sensor& sensor) const noexcept;

  const ChainLayout* layout_;
  std::vector<ImuMount> imu_mounts_;
  std::vector<PointMount> point_mounts_;
  Surroundings surroundings_;
  std::vector<Sensor> sensors_;
  std::vector<Place> places_;
  std::vector<ChainLength> lengths_;
  std::vector<Eigen::Vector3d> lever_;  // by step: p_PJ of the body
  bool shaped_ = false;                 // levers or positions differ from the model
  std::vector<unsigned char> used_;     // by step: on the path of a sensor or point
  std::vector<Body> bodies_;            // the root, then by step
  std::vector<Axis> axes_;              // by step
  std::vector<double> angle_, sin_, cos_;
};

}  // namespace panto
