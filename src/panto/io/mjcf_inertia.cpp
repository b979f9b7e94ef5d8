#include <fmt/core.h>

#include <cmath>
#include <numbers>

#include "panto/io/mjcf_geom.hpp"

namespace panto::io::mjcf {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using Kind = LinkShape::Kind;

constexpr double kPi = std::numbers::pi;
constexpr double kDensity = 1000.0;  // [kg/m^3] MuJoCo's

// a homogeneous body of mass 1
struct Solid {
  double volume;
  Vector3d inertia;  // about its centre, in its axes, for the mass 1
};

Vector3d round(double across, double along) { return {across, across, along}; }

Solid capsule(double r, double length) {
  const double ball = 4.0 / 3.0 * kPi * r * r * r, tube = kPi * r * r * length;
  const double m = tube / (ball + tube), caps = 1.0 - m;  // shares of the mass
  const double across = m * (3.0 * r * r + length * length) / 12.0 +
                        caps * (0.4 * r * r + 0.375 * r * length + 0.25 * length * length);
  return {ball + tube, round(across, 0.5 * m * r * r + 0.4 * caps * r * r)};
}

Solid solid_of(const LinkShape& shape) {
  const double a = shape.size.x(), b = shape.size.y(), c = shape.size.z();
  switch (shape.kind) {
    case Kind::Sphere:
      return {4.0 / 3.0 * kPi * a * a * a, Vector3d::Constant(0.4 * a * a)};
    case Kind::Cylinder:
      return {kPi * a * a * b, round((3.0 * a * a + b * b) / 12.0, 0.5 * a * a)};
    case Kind::Capsule:
      return capsule(a, b);
    case Kind::Ellipsoid:
      return {4.0 / 3.0 * kPi * a * b * c, Vector3d(b * b + c * c, a * a + c * c, a * a + b * b) / 5.0};
    case Kind::Box:
      return {a * b * c, Vector3d(b * b + c * c, a * a + c * c, a * a + b * b) / 12.0};
    case Kind::Mesh:
      break;
  }
  return {0.0, Vector3d::Zero()};
}

Matrix3d about(const Vector3d& p, double mass) {
  return mass * (p.squaredNorm() * Matrix3d::Identity() - p * p.transpose());
}

Matrix3d symmetric(const Matrix3d& I) { return 0.5 * (I + I.transpose()); }

void read_inertial(const Element& element, const Compiler& compiler, Link& link) {
  const Pose pose = pose_of(element, compiler);
  if (!element.has("mass")) element.fail("attribute 'mass' is missing");
  link.mass = element.number("mass", 0.0);
  if (!(link.mass >= 0.0)) element.fail(fmt::format("mass={} is negative", link.mass));
  link.com = pose.p;
  Matrix3d I = element.vector("diaginertia", Vector3d::Zero()).asDiagonal();
  if (const auto f = element.numbers("fullinertia", 6, 6)) {
    if (element.has("diaginertia")) element.fail("diaginertia and fullinertia; give one");
    I << (*f)[0], (*f)[3], (*f)[4],  //
        (*f)[3], (*f)[1], (*f)[5],   //
        (*f)[4], (*f)[5], (*f)[2];
  }
  link.inertia = symmetric(pose.R * I * pose.R.transpose());
  if (!link.inertia.allFinite()) element.fail("the inertia is too large for a double");
}

// the mass of a geom; a mesh without `mass` has none here
double mass_of(const Element& element, const Geom& geom, double volume, const Context& context) {
  if (element.has("mass")) return element.number("mass", 0.0);
  const double density = element.number("density", kDensity);
  if (geom.shape.kind == Kind::Mesh && density > 0.0)
    context.remarks.add("masses of meshes are unknown and left out", geom.shape.link);
  return density * volume;
}

void add_geoms(const Body& body, const Context& context, const Assets& assets, Link& link) {
  const auto& [first, last] = context.compiler.inertia_groups;
  Vector3d moment = Vector3d::Zero();
  Matrix3d I = Matrix3d::Zero();  // about the link's origin
  for (const Placed& placed : body.geoms) {
    const Geom geom = read_geom(placed, body.name, context, assets);
    const double group = placed.element.number("group", 0.0);
    if (!geom.problem.empty() || group < first || group > last) continue;
    const Solid solid = solid_of(geom.shape);
    const double mass = mass_of(placed.element, geom, solid.volume, context);
    if (!(mass >= 0.0) || !std::isfinite(mass)) placed.element.fail("its mass must be a number >= 0");
    const Matrix3d& R = geom.shape.R_LG;
    link.mass += mass;
    moment += mass * geom.shape.p_LG;
    I += R * Matrix3d((mass * solid.inertia).asDiagonal()) * R.transpose() + about(geom.shape.p_LG, mass);
  }
  if (!(link.mass > 0.0)) return;
  link.com = moment / link.mass;
  link.inertia = symmetric(I - about(link.com, link.mass));
}

}  // namespace

void set_inertia(const Body& body, const Context& context, const Assets& assets, Link& link) {
  const int from_geoms = context.compiler.inertia_from_geoms;
  if (body.inertial && from_geoms != 1) {
    read_inertial(Element(context.document, body.inertial, "inertial", nullptr), context.compiler, link);
  } else if (from_geoms != 0) {
    add_geoms(body, context, assets, link);
  }
}

}  // namespace panto::io::mjcf
