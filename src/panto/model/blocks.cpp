#include "panto/model/blocks.hpp"

#include <Eigen/Geometry>
#include <array>
#include <cmath>
#include <cstring>

#include "panto/base/index.hpp"
#include "panto/math/so3.hpp"
#include "panto/math/vector_math.hpp"

namespace panto {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

constexpr double kPerpendicular = 1e-12;  // |cos| of the angle between perpendicular axes

// the k-th axis of a run of hinges in the frame before it
Vector3d axis_before(const Tree& tree, const std::array<int, 3>& body, int k) {
  Matrix3d R = Matrix3d::Identity();
  for (int m = 0; m <= k; ++m) R = R * tree.R_PJ[at(body[at(m)])];
  return R * tree.axis[at(body[at(k)])];
}

Matrix3d frame(const Vector3d& x, const Vector3d& y) {
  Matrix3d E;
  E << x, y, x.cross(y);
  return E;
}

// Slots of hinges that turn about +x, +y or +z of one common frame, in that order: no turn of frames needed.
bool plain_slots(const Tree& tree, const std::array<int, 3>& body, int count, std::array<int, 3>& result) {
  std::array<int, 3> slot{0, 1, 2};
  for (int k = 0; k < count; ++k) {
    const std::size_t i = at(body[at(k)]);
    if (k > 0 && tree.aligned[i] == 0) return false;
    if (tree.axis_code[i] <= 0) return false;
    slot[at(k)] = tree.axis_code[i] - 1;
    if (k > 0 && slot[at(k)] <= slot[at(k - 1)]) return false;
  }
  result = slot;
  return true;
}

}  // namespace

Blocks::Blocks(const Model& model, const std::vector<unsigned char>& ends) {
  const Tree& tree = model.tree();
  block_of_.assign(at(tree.size()), -1);
  slot_of_dof.assign(at(model.dof()), -1);
  for (std::size_t g = 0; g < tree.groups.size(); ++g) {
    const JointGroup& whole = tree.groups[g];
    for (int first = 0; first < whole.count;) {
      // as many as are perpendicular each to the next, up to a body that must end the block
      int count = 1;
      while (first + count < whole.count) {
        const int before = whole.body[at(first + count - 1)], next = whole.body[at(first + count)];
        const Vector3d axis = tree.R_PJ[at(next)] * tree.axis[at(next)];
        if (!ends.empty() && ends[at(before)] != 0) break;
        if (std::abs(tree.axis[at(before)].dot(axis)) > kPerpendicular) break;
        ++count;
      }
      add(model, static_cast<int>(g), first, count);
      first += count;
    }
  }

  // the base and the padding: lanes like any other, that hang on the base and do not move against it
  const std::size_t lanes = (at(count_) + kLanes) / kLanes * kLanes;
  block_of_[0] = base();
  for (int& p : parent) p = p < 0 ? base() : p;
  parent.resize(lanes, base());
  slider.resize(lanes, 0);
  ball.resize(lanes, 0);
  turned.resize(lanes, 0);
  Q.resize(lanes, Matrix3d::Identity());
  B.resize(lanes, Matrix3d::Identity());
  r_P.resize(lanes, Vector3d::Zero());
  slide_P.resize(lanes, Vector3d::Zero());
  turn.resize(lanes, 0.0);
  mu = LaneArray<3>(lanes);
  for (std::size_t b = 0; b < lanes; ++b) mu(1, b) = turn[b];
  dof_of_slot.assign(mu.flat_size(), -1);
  for (std::size_t dof = 0; dof < slot_of_dof.size(); ++dof)
    dof_of_slot[at(slot_of_dof[dof])] = static_cast<int>(dof);
}

void Blocks::add(const Model& model, int g, int first, int joints) {
  const Tree& tree = model.tree();
  const JointGroup& whole = tree.groups[at(g)];
  std::array<int, 3> body{-1, -1, -1}, slot{0, 1, 2};
  for (int k = 0; k < joints; ++k) body[at(k)] = whole.body[at(first + k)];
  const std::size_t i = at(body[0]);
  const int before = block_of_[at(tree.parent[i])];
  const bool on_base = tree.parent[i] == 0;
  const Matrix3d B_P = on_base ? Matrix3d(Matrix3d::Identity()) : B[at(before)];
  const bool slides = tree.type[i] == JointType::Prismatic;

  Matrix3d A = Matrix3d::Identity(), after = Matrix3d::Identity();  // R_PC = A R_x R_y(+mu) R_z after'
  double angle = 0.0;
  if (slides) {
    A = tree.R_PJ[i];
  } else if (plain_slots(tree, body, joints, slot)) {
    A = tree.R_PJ[i];
  } else {
    const Vector3d x = axis_before(tree, body, 0);
    const Vector3d y = joints > 1 ? axis_before(tree, body, 1) : Vector3d(x.unitOrthogonal());
    A = frame(x, y);
    Matrix3d R = Matrix3d::Identity();
    for (int k = 0; k < joints; ++k) R = R * tree.R_PJ[at(body[at(k)])];
    if (joints == 3) {
      const Vector3d z = axis_before(tree, body, 2);
      angle = atan2(z.dot(x), z.dot(A.col(2)));
    }
    after = R.transpose() * A * so3::about_axis(1, angle);
  }

  const int b = count_++;
  parent.push_back(on_base ? -1 : before);
  slider.push_back(slides ? 1 : 0);
  ball.push_back(joints == 3 ? 1 : 0);
  group.push_back(g);
  Q.push_back(B_P.transpose() * A);
  B.push_back(after);
  turned.push_back(Q.back().isIdentity(0.0) ? 0 : 1);
  r_P.push_back(B_P.transpose() * tree.p_PJ[i]);
  slide_P.push_back(slides ? Vector3d(B_P.transpose() * tree.R_PJ[i] * tree.axis[i])
                           : Vector3d(Vector3d::Zero()));
  turn.push_back(angle);
  for (int k = 0; k < joints; ++k) {
    const std::size_t flat = LaneArray<3>::index(slot[at(k)], at(b));
    const int dof = tree.dof[at(body[at(k)])];
    slot_of_dof[at(dof)] = static_cast<int>(flat);
  }
  block_of_[at(body[at(joints - 1)])] = b;
}

BlockKinematics::BlockKinematics(const Blocks& blocks, bool positions)
    : blocks_(&blocks),
      positions_(positions),
      s_(Eigen::VectorXd::Zero(static_cast<Eigen::Index>(blocks.slot_of_dof.size()))),
      L_(blocks.lanes()),
      N_(blocks.lanes()),
      centre_(blocks.lanes()),
      position_(blocks.lanes()),
      angle_(blocks.lanes()),
      sin_(blocks.lanes()),
      cos_(blocks.lanes(), 1.0) {}

namespace {

// R_x(a) R_y(b) R_z(c) of every lane
PANTO_WIDE void turn_lanes(const LaneArray<3>& sin, const LaneArray<3>& cos, LaneArray<9>& L) noexcept {
  for (std::size_t c = 0; c < L.chunk_count(); ++c) {
    const Chunk<3>&s = sin.chunk(c), &k = cos.chunk(c);
    Chunk<9>& out = L.chunk(c);
#pragma GCC ivdep
    for (std::size_t l = 0; l < kLanes; ++l) {
      const double sa = s.v[0][l], sb = s.v[1][l], sc = s.v[2][l];
      const double ca = k.v[0][l], cb = k.v[1][l], cc = k.v[2][l];
      const double sasb = sa * sb, casb = ca * sb;
      store(Mat3{{cb * cc, ca * sc + sasb * cc, sa * sc - casb * cc},
                 {-cb * sc, ca * cc - sasb * sc, sa * cc + casb * sc},
                 {sb, -sa * cb, ca * cb}},
            out, l);
    }
  }
}

}  // namespace

void BlockKinematics::update(const State& state) noexcept {
  const std::size_t n = blocks_->slot_of_dof.size();
  if (known_ && std::memcmp(state.s.data(), s_.data(), n * sizeof(double)) == 0 &&
      std::memcmp(state.R_WB.data(), R_WB_.data(), sizeof(double) * 9) == 0)
    return;
  known_ = true;
  R_WB_ = state.R_WB;
  for (std::size_t i = 0; i < n; ++i) {
    const double s = state.s[static_cast<Eigen::Index>(i)];
    s_[static_cast<Eigen::Index>(i)] = s;
    position_.data()[blocks_->slot_of_dof[i]] = s;
  }
  for (std::size_t i = 0; i < angle_.flat_size(); ++i)
    angle_.data()[i] = position_.data()[i] + blocks_->mu.data()[i];
  for (std::size_t b = 0; b < at(blocks_->count()); ++b) {
    if (blocks_->slider[b] != 0) angle_(0, b) = 0.0;
  }
  sincos(angle_.data(), angle_.flat_size(), sin_.data(), cos_.data());
  turn_lanes(sin_, cos_, L_);
  chain();
}

// From the base outwards.
void BlockKinematics::chain() noexcept {
  const auto base = at(blocks_->base());
  Mat3 R;
  std::memcpy(&R, R_WB_.data(), sizeof(R));
  store(R, N_, base);
  for (std::size_t b = 0; b < base; ++b) {
    const std::size_t p = at(blocks_->parent[b]);
    Mat3 N_P = mat3(N_, p);
    if (positions_) {
      Eigen::Vector3d r = blocks_->r_P[b];
      if (blocks_->slider[b] != 0) r += position_(0, b) * blocks_->slide_P[b];
      store(vec3(centre_, p) + N_P * Vec3{r.x(), r.y(), r.z()}, centre_, b);
    }
    if (blocks_->turned[b] != 0) {
      Mat3 Q;
      std::memcpy(&Q, blocks_->Q[b].data(), sizeof(Q));
      N_P = N_P * Q;
    }
    store(N_P * mat3(L_, b), N_, b);
  }
}

}  // namespace panto
