#include "panto/math/convex_hull.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <set>
#include <utility>

#include "panto/base/index.hpp"
#include "panto/math/vector_math.hpp"

namespace panto {
namespace {

using Eigen::Vector3d;

// relative to the size: points that near are one, and points are moved by up to half of that, so that no four
// are on a plane
constexpr double kEqual = 3e-4, kShaken = 1e-5;
constexpr double kRounding = 1e-12;  // of the size
constexpr double kFlat = 1e-6;       // thickness relative to the size below which points are on a plane
// steps of the sequence that spreads best over a square (powers of the plastic number's inverse)
constexpr double kStepU = 0.7548776662466927, kStepV = 0.5698402909980532;

struct Face {
  std::array<int, 3> corners;
  Vector3d normal;
  double offset;
  [[nodiscard]] double height(const Vector3d& p) const { return normal.dot(p) - offset; }
};

Face face_of(const std::vector<Vector3d>& points, int a, int b, int c) {
  const Vector3d normal = (points[at(b)] - points[at(a)]).cross(points[at(c)] - points[at(a)]).normalized();
  return {{a, b, c}, normal, normal.dot(points[at(a)])};
}

template <typename Measure>
int farthest(const std::vector<Vector3d>& points, Measure&& measure) {
  int best = 0;
  double most = -1.0;
  for (int i = 0; i < static_cast<int>(points.size()); ++i) {
    const double now = measure(points[at(i)]);
    if (now > most) {
      most = now;
      best = i;
    }
  }
  return best;
}

// Returns four faces of a tetrahedron of the points; none when they are on a plane.
std::vector<Face> first_faces(const std::vector<Vector3d>& points) {
  const int a = farthest(points, [&](const Vector3d& p) { return (p - points[0]).norm(); });
  const int b = farthest(points, [&](const Vector3d& p) { return (p - points[at(a)]).norm(); });
  const Vector3d along = points[at(b)] - points[at(a)];
  const double size = along.norm();
  if (!(size > 0.0)) return {};
  const int c = farthest(points, [&](const Vector3d& p) { return (p - points[at(a)]).cross(along).norm(); });
  const Vector3d across = (points[at(c)] - points[at(a)]).cross(along);
  if (!(across.norm() > kFlat * size * size)) return {};
  const Vector3d up = across.normalized();
  const int d = farthest(points, [&](const Vector3d& p) { return std::abs(up.dot(p - points[at(a)])); });
  if (!(std::abs(up.dot(points[at(d)] - points[at(a)])) > kFlat * size)) return {};
  std::vector<Face> faces{face_of(points, a, b, c), face_of(points, a, d, b), face_of(points, b, d, c),
                          face_of(points, c, d, a)};
  if (faces[0].height(points[at(d)]) > 0.0)
    faces = {face_of(points, a, c, b), face_of(points, a, b, d), face_of(points, b, c, d),
             face_of(points, c, a, d)};
  return faces;
}

// Returns the edges of the visible faces that end what is visible, in the faces' direction; nothing when they
// are not one closed line.
std::vector<std::pair<int, int>> horizon_of(const std::vector<Face>& visible) {
  std::set<std::pair<int, int>> edges;
  for (const Face& face : visible)
    for (std::size_t i = 0; i < 3; ++i) edges.emplace(face.corners[i], face.corners[(i + 1) % 3]);
  std::map<int, int> next;
  for (const auto& [from, to] : edges)
    if (edges.count({to, from}) == 0 && !next.emplace(from, to).second) return {};
  std::vector<std::pair<int, int>> horizon;
  for (int at = next.empty() ? 0 : next.begin()->first; horizon.size() < next.size();) {
    const auto edge = next.find(at);
    if (edge == next.end() || (!horizon.empty() && at == horizon.front().first)) return {};
    horizon.emplace_back(*edge);
    at = edge->second;
  }
  return horizon;
}

// Leaves out equal points and moves the others a little, always in the same way: rounding then decides
// nothing.
std::vector<Vector3d> shaken(const std::vector<Vector3d>& given, double size) {
  std::vector<Vector3d> points;
  for (const Vector3d& p : given)
    if (std::none_of(points.begin(), points.end(),
                     [&](const Vector3d& q) { return (p - q).norm() < kEqual * size; }))
      points.push_back(p);
  double k = 0.0;
  for (Vector3d& p : points)
    for (const double step : {kStepU, kStepV, kStepU * kStepV}) {
      k += 1.0;
      p[static_cast<int>(k) % 3] += kShaken * size * (k * step - std::floor(k * step) - 0.5);
    }
  return points;
}

void add_point(const std::vector<Vector3d>& points, int index, double least, std::vector<Face>& faces) {
  std::vector<Face> visible, hidden;
  for (const Face& face : faces) (face.height(points[at(index)]) > least ? visible : hidden).push_back(face);
  if (visible.empty()) return;
  const auto horizon = horizon_of(visible);
  if (horizon.size() < 3) return;  // rounding: the point is on the surface
  for (const auto& [from, to] : horizon) {
    hidden.push_back(face_of(points, from, to, index));
    if (!hidden.back().normal.allFinite() || hidden.back().normal.isZero()) return;
  }
  faces = std::move(hidden);
}

double twice_area(const ConvexHull& hull, const std::array<int, 3>& t) noexcept {
  const Vector3d& p = hull.points[at(t[0])];
  return (hull.points[at(t[1])] - p).cross(hull.points[at(t[2])] - p).norm();
}

}  // namespace

std::vector<Vector3d> extreme_points(const std::vector<Vector3d>& points, int directions) {
  std::set<std::size_t> chosen;
  for (int i = 0; i < directions; ++i) {
    const double z = 1.0 - (2.0 * i + 1.0) / directions;
    const auto [sin, cos] = sincos(std::numbers::pi * (3.0 - std::sqrt(5.0)) * i);
    const double ring = std::sqrt(1.0 - z * z);
    const Vector3d direction(ring * cos, ring * sin, z);
    std::size_t best = points.size();
    double most = -1e300;
    for (std::size_t k = 0; k < points.size(); ++k) {
      const double now = direction.dot(points[k]);
      if (now > most && std::abs(now) < 1e300) {
        most = now;
        best = k;
      }
    }
    if (best < points.size()) chosen.insert(best);
  }
  std::vector<Vector3d> extreme;
  for (const std::size_t k : chosen) extreme.push_back(points[k]);
  return extreme;
}

ConvexHull convex_hull(const std::vector<Vector3d>& given) {
  if (given.size() < 4 || first_faces(given).empty()) return {given, {}, {}};
  double size = 0.0;
  for (const Vector3d& p : given) size = std::max(size, (p - given[0]).norm());
  const std::vector<Vector3d> points = shaken(given, size);
  std::vector<Face> faces = first_faces(points);
  if (faces.empty()) return {given, {}, {}};
  for (int i = 0; i < static_cast<int>(points.size()); ++i) add_point(points, i, kRounding * size, faces);
  ConvexHull hull;
  std::vector<int> place(points.size(), -1);
  for (const Face& face : faces) {
    std::array<int, 3> triangle{};
    for (std::size_t i = 0; i < 3; ++i) {
      int& known = place[at(face.corners[i])];
      if (known < 0) {
        known = static_cast<int>(hull.points.size());
        hull.points.push_back(points[at(face.corners[i])]);
      }
      triangle[i] = known;
    }
    hull.triangles.push_back(triangle);
    // the normal of a narrow triangle may be off: its plane still has all points on one side
    double offset = face.offset;
    for (const Vector3d& p : points) offset = std::max(offset, face.normal.dot(p));
    hull.planes.emplace_back(face.normal.x(), face.normal.y(), face.normal.z(), offset);
  }
  return hull;
}

double outside(const ConvexHull& hull, const Vector3d& p) noexcept {
  double most = hull.planes.empty() ? 1e300 : -1e300;
  for (const Eigen::Vector4d& plane : hull.planes) most = std::max(most, plane.head<3>().dot(p) - plane[3]);
  return most;
}

double area(const ConvexHull& hull) noexcept {
  double twice = 0.0;
  for (const auto& triangle : hull.triangles) twice += twice_area(hull, triangle);
  return 0.5 * twice;
}

std::vector<Vector3d> sample_surface(const ConvexHull& hull, int count) {
  const double whole = 2.0 * area(hull);
  std::vector<Vector3d> samples;
  double passed = 0.0;
  for (const auto& triangle : hull.triangles) {
    passed += twice_area(hull, triangle);
    while (static_cast<int>(samples.size()) < count &&
           (static_cast<double>(samples.size()) + 0.5) * whole <= passed * count) {
      const auto k = static_cast<double>(samples.size());
      double u = k * kStepU - std::floor(k * kStepU), v = k * kStepV - std::floor(k * kStepV);
      if (u + v > 1.0) {
        u = 1.0 - u;
        v = 1.0 - v;
      }
      samples.push_back((1.0 - u - v) * hull.points[at(triangle[0])] + u * hull.points[at(triangle[1])] +
                        v * hull.points[at(triangle[2])]);
    }
  }
  return samples;
}

}  // namespace panto
