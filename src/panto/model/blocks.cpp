#include "panto/model/blocks.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "panto/base/index.hpp"
#include "panto/math/four_lanes.hpp"
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

// Finds the slots of hinges that turn about +x, +y or +z of one common frame, in that order; then frames need
// no extra turn.
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

// Joints of one block.
struct Run {
  std::array<int, 3> body{-1, -1, -1};
  int count = 0;
  int group = -1;
  int before = -1;  // parent run; -1: the base
  int depth = 0;    // runs on the longest path outwards
  bool placed = false;
};

// Returns true when a hinge and the next one are perpendicular.
bool perpendicular(const Tree& tree, int before, int next) {
  const Vector3d axis = tree.R_PJ[at(next)] * tree.axis[at(next)];
  return std::abs(tree.axis[at(before)].dot(axis)) <= kPerpendicular;
}

// Collects the joints of a group from `first` on, each perpendicular to the next, up to a body that must end
// its block.
Run run_through_a_point(const Tree& tree, const std::vector<unsigned char>& ends, int first) {
  Run run;
  run.group = tree.group[at(first)];
  const JointGroup& whole = tree.groups[at(run.group)];
  bool found = false;
  for (int k = 0; k < whole.count; ++k) {
    const int body = whole.body[at(k)];
    found = found || body == first;
    if (!found) continue;
    if (run.count > 0) {
      const int last = run.body[at(run.count - 1)];
      if ((!ends.empty() && ends[at(last)] != 0) || !perpendicular(tree, last, body)) break;
    }
    run.body[at(run.count++)] = body;
  }
  return run;
}

// Collects up to three hinges from `first` on, each perpendicular to the next, wherever their axes lie, up to
// a body that must end its block. Empty: no such run exists.
Run run_to_an_end(const Tree& tree, const std::vector<unsigned char>& ends, int first) {
  Run run;
  for (int body = first; run.count < 3; body = tree.only_child[at(body)]) {
    if (body < 0 || tree.type[at(body)] != JointType::Revolute) break;
    if (run.count > 0 && !perpendicular(tree, run.body[at(run.count - 1)], body)) break;
    run.body[at(run.count++)] = body;
    if (ends[at(body)] != 0) return run;
  }
  return {};
}

// Splits all joints into runs; every run comes after its parent.
std::vector<Run> find_runs(const Tree& tree, const std::vector<unsigned char>& ends, bool turns_alone) {
  std::vector<Run> runs;
  std::vector<int> run_of(at(tree.size()), -1);
  std::vector<unsigned char> taken(at(tree.size()), 0);
  for (int i = 1; i < tree.size(); ++i) {
    // the rest of a group follows immediately
    for (int first = i; first >= 0 && taken[at(first)] == 0;) {
      Run run;
      if (turns_alone && !ends.empty()) run = run_to_an_end(tree, ends, first);
      if (run.count > 0)
        run.group = static_cast<int>(tree.groups.size() + runs.size());  // a separate group
      else
        run = run_through_a_point(tree, ends, first);
      run.before = run_of[at(tree.parent[at(first)])];
      for (int k = 0; k < run.count; ++k) taken[at(run.body[at(k)])] = 1;
      const int last = run.body[at(run.count - 1)], next = tree.only_child[at(last)];
      run_of[at(last)] = static_cast<int>(runs.size());
      runs.push_back(run);
      first = next >= 0 && tree.group[at(next)] == tree.group[at(last)] ? next : -1;
    }
  }
  for (std::size_t r = runs.size(); r-- > 0;) {
    if (runs[r].before < 0) continue;
    Run& before = runs[at(runs[r].before)];
    before.depth = std::max(before.depth, runs[r].depth + 1);
  }
  return runs;
}

// Picks the next up to four independent runs, the deepest first, so that blocks that can be computed side by
// side lie side by side in one chunk.
std::vector<std::size_t> next_wave(const std::vector<Run>& runs, std::size_t placed) {
  constexpr std::size_t wave = 4;
  std::vector<std::size_t> ready;
  for (std::size_t r = 0; r < runs.size(); ++r) {
    if (!runs[r].placed && (runs[r].before < 0 || runs[at(runs[r].before)].placed)) ready.push_back(r);
  }
  std::stable_sort(ready.begin(), ready.end(),
                   [&](std::size_t a, std::size_t b) { return runs[a].depth > runs[b].depth; });
  const std::size_t room = kLanes - placed % kLanes;
  ready.resize(std::min({ready.size(), wave, room}));
  return ready;
}

}  // namespace

Blocks::Blocks(const Model& model, const std::vector<unsigned char>& ends, bool turns_alone) {
  const Tree& tree = model.tree();
  block_of_.assign(at(tree.size()), -1);
  slot_of_dof.assign(at(model.dof()), -1);
  std::vector<Run> runs = find_runs(tree, ends, turns_alone);
  while (at(count_) < runs.size()) {
    const std::vector<std::size_t> wave = next_wave(runs, at(count_));
    for (const std::size_t r : wave) {
      add(model, runs[r].body, runs[r].count, runs[r].group);
      runs[r].placed = true;
    }
  }

  // the base and the padding: ordinary lanes whose parent is the base (their N is never computed: zeros)
  const std::size_t lanes = (at(count_) + kLanes) / kLanes * kLanes;
  block_of_[0] = base();
  for (int& p : parent) p = p < 0 ? base() : p;
  parent.resize(lanes, base());
  lane_before = LaneSources(parent);
  slider.resize(lanes, 0);
  ball.resize(lanes, 0);
  turned.resize(lanes, 0);
  Q.resize(lanes, Matrix3d::Identity());
  B.resize(lanes, Matrix3d::Identity());
  r_P.resize(lanes, Vector3d::Zero());
  slide_P.resize(lanes, Vector3d::Zero());
  mu = LaneArray<3>(lanes);
  for (std::size_t b = 0; b < mu_of_block_.size(); ++b) mu(1, b) = mu_of_block_[b];
  dof_of_slot.assign(mu.flat_size(), -1);
  for (std::size_t dof = 0; dof < slot_of_dof.size(); ++dof)
    dof_of_slot[at(slot_of_dof[dof])] = static_cast<int>(dof);
}

void Blocks::add(const Model& model, const std::array<int, 3>& body, int joints, int group_number) {
  const Tree& tree = model.tree();
  std::array<int, 3> slot{0, 1, 2};
  const std::size_t i = at(body[0]);
  const int before = block_of_[at(tree.parent[i])];
  const bool on_base = tree.parent[i] == 0;
  const Matrix3d B_P = on_base ? Matrix3d(Matrix3d::Identity()) : B[at(before)];
  const bool slides = tree.type[i] == JointType::Prismatic;

  Matrix3d A = Matrix3d::Identity(), after = Matrix3d::Identity();  // R_PC = A R_x R_y(+mu) R_z after'
  double angle = 0.0;
  if (slides || plain_slots(tree, body, joints, slot)) {
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
  if (slides) sliders.push_back(at(b));
  ball.push_back(joints == 3 ? 1 : 0);
  group.push_back(group_number);
  Q.push_back(B_P.transpose() * A);
  B.push_back(after);
  turned.push_back(Q.back().isIdentity(0.0) ? 0 : 1);
  if (turned.back() != 0) turned_blocks.push_back(at(b));
  r_P.push_back(B_P.transpose() * tree.p_PJ[i]);
  slide_P.push_back(slides ? Vector3d(B_P.transpose() * tree.R_PJ[i] * tree.axis[i])
                           : Vector3d(Vector3d::Zero()));
  mu_of_block_.push_back(angle);
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
      N_(blocks.lanes()),
      columns_(blocks.lanes(), FourWide{}),
      points_(blocks.lanes(), FourWideVector{}),
      centre_(blocks.lanes()),
      position_(blocks.lanes()),
      sin_(blocks.lanes()),
      cos_(blocks.lanes(), 1.0) {}

namespace {

// computes R_x(a) R_y(b) R_z(c) of every lane of the first `chunks` chunks
PANTO_WIDE void turn_lanes(const LaneArray<3>& sin, const LaneArray<3>& cos, std::size_t chunks,
                           LaneArray<9>& L) noexcept {
  for (std::size_t c = 0; c < chunks; ++c) {
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

PANTO_WIDE void add_lanes(const LaneArray<3>& a, const LaneArray<3>& b, LaneArray<3>& sum) noexcept {
  const double *x = a.data(), *y = b.data();
  double* out = sum.data();
  const std::size_t n = sum.flat_size();
#pragma GCC ivdep
  for (std::size_t i = 0; i < n; ++i) out[i] = x[i] + y[i];
}

}  // namespace

void Blocks::turn(const LaneArray<3>& position, LaneArray<3>& sin, LaneArray<3>& cos,
                  LaneArray<9>& L) const noexcept {
  add_lanes(position, mu, sin);
  for (const std::size_t b : sliders) sin(0, b) = 0.0;
  sincos(sin.data(), sin.flat_size(), sin.data(), cos.data());
  turn_lanes(sin, cos, L.chunk_count(), L);
}

void Blocks::turn(const std::vector<std::size_t>& some, std::size_t count, const LaneArray<3>& position,
                  LaneArray<3>& sin, LaneArray<3>& cos, LaneArray<9>& L) const noexcept {
  const std::size_t chunks = (count + kLanes - 1) / kLanes;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t b = some[i];
    const Vec3 angle = vec3(position, b) + vec3(mu, b);
    store({slider[b] != 0 ? 0.0 : angle.x, angle.y, angle.z}, sin, i);
  }
  sincos(sin.data(), chunks * 3 * kLanes, sin.data(), cos.data());
  turn_lanes(sin, cos, chunks, L);
}

namespace {

PANTO_FOUR_WIDE void pick(const double* from, const std::vector<int>& place, double* to) noexcept {
  const std::size_t n = place.size(), fours = n / 4 * 4;
  for (std::size_t i = 0; i < fours; i += 4) {
    const Four v{from[place[i]], from[place[i + 1]], from[place[i + 2]], from[place[i + 3]]};
    std::memcpy(to + i, &v, sizeof v);
  }
  for (std::size_t i = fours; i < n; ++i) to[i] = from[place[i]];
}

}  // namespace

void Blocks::scatter(const LaneArray<3>& by_slot, Eigen::VectorXd& by_dof) const noexcept {
  pick(by_slot.data(), slot_of_dof, by_dof.data());
}

namespace {

// Compares bit by bit; any difference counts as another pose.
template <typename Numbers>
bool equal(const Numbers& a, const Numbers& b) noexcept {
  return a.size() == b.size() &&
         (a.size() == 0 ||
          std::memcmp(a.data(), b.data(), sizeof(double) * static_cast<std::size_t>(a.size())) == 0);
}

}  // namespace

// Stores the base early, so that the chain does not wait for the store.
void BlockKinematics::set_base(const Matrix3d& R_WB) noexcept {
  R_WB_ = R_WB;
  columns_[at(blocks_->base())] = four_wide(R_WB);
}

void BlockKinematics::update(const State& state) noexcept {
  const std::size_t n = blocks_->slot_of_dof.size();
  if (known_ && equal(state.s, s_) && equal(state.R_WB, R_WB_)) return;
  known_ = true;
  set_base(state.R_WB);
  for (std::size_t i = 0; i < n; ++i) {
    const double s = state.s[static_cast<Eigen::Index>(i)];
    s_[static_cast<Eigen::Index>(i)] = s;
    position_.data()[blocks_->slot_of_dof[i]] = s;
  }
  blocks_->turn(position_, sin_, cos_, N_);
  chain();
}

void BlockKinematics::update(const State& state, const LaneArray<3>& position) noexcept {
  known_ = true;
  set_base(state.R_WB);
  std::copy_n(state.s.data(), state.s.size(), s_.data());
  position_ = position;
  blocks_->turn(position_, sin_, cos_, N_);
  chain();
}

void BlockKinematics::take(const BlockKinematics& other) noexcept {
  known_ = other.known_;
  R_WB_ = other.R_WB_;
  s_ = other.s_;
  N_ = other.N_;
  columns_ = other.columns_;
  points_ = other.points_;
  centre_ = other.centre_;
  position_ = other.position_;
  sin_ = other.sin_;
  cos_ = other.cos_;
}

namespace {

// Spreads the columns (four numbers, N / 3 for each of eight lanes) into lanes that lie side by side.
template <int N>
PANTO_INLINE void spread_columns(const double* columns, Chunk<N>& lanes) noexcept {
  constexpr std::size_t width = std::size_t{N} / 3 * 4;  // every fourth number is padding
  FourLanes<width> first, last;
  const auto row = [columns](std::size_t l) { return columns + l * width; };
  gather({row(0), row(1), row(2), row(3)}, first);
  gather({row(4), row(5), row(6), row(7)}, last);
  FourLanes<N> low, high;
  for (std::size_t k = 0; k < N; ++k) {
    low.v[k] = first.v[k / 3 * 4 + k % 3];
    high.v[k] = last.v[k / 3 * 4 + k % 3];
  }
  store(low, high, lanes.v);
}

// Computes N = N_P Q L of all blocks, parents first. `by_lane` holds L before and N afterwards.
PANTO_WIDE void turn_chain(const Blocks& blocks, LaneArray<9>& by_lane, std::vector<FourWide>& N) noexcept {
  const auto count = at(blocks.count());
  FourWide* out = N.data();
  const double* L = by_lane.data();
  for (std::size_t b = 0; b < count; ++b) {
    FourWide P = out[blocks.parent[b]];
    if (blocks.turned[b] != 0) P = times(P, blocks.Q[b].data());
    const auto column = [&](std::size_t k) PANTO_INLINE_LAMBDA {
      const double x = L[k * kLanes], y = L[(k + 1) * kLanes], z = L[(k + 2) * kLanes];
      return FourWideVector{P.x * x + P.y * y + P.z * z};
    };
    out[b].x = column(0).v;
    out[b].y = column(3).v;
    out[b].z = column(6).v;
    L += (b + 1) % kLanes == 0 ? 8 * kLanes + 1 : 1;  // the next lane
  }
  for (std::size_t c = 0; c < by_lane.chunk_count(); ++c)
    spread_columns(reinterpret_cast<const double*>(&N[c * kLanes]), by_lane.chunk(c));
}

// Computes every block's point from its parent's point; N is known. `length`: of sliders, by slot.
PANTO_WIDE void place_chain(const Blocks& blocks, const std::vector<FourWide>& N, const LaneArray<3>& length,
                            std::vector<FourWideVector>& points, LaneArray<3>& centre) noexcept {
  const auto count = at(blocks.count());
  for (std::size_t b = 0; b < count; ++b) {
    const std::size_t p = at(blocks.parent[b]);
    Vec3 r = to_vec3(blocks.r_P[b]);
    if (blocks.slider[b] != 0) r = r + length(0, b) * to_vec3(blocks.slide_P[b]);
    const FourWide& P = N[p];
    points[b].v = points[p].v + (P.x * r.x + P.y * r.y + P.z * r.z);
  }
  for (std::size_t c = 0; c < centre.chunk_count(); ++c)
    spread_columns(reinterpret_cast<const double*>(&points[c * kLanes]), centre.chunk(c));
}

}  // namespace

// Computes orientations and points from the base outwards.
void BlockKinematics::chain() noexcept {
  turn_chain(*blocks_, N_, columns_);
  if (positions_) place_chain(*blocks_, columns_, position_, points_, centre_);
}

}  // namespace panto
