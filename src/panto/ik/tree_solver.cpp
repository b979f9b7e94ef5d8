#include "panto/ik/tree_solver.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "panto/base/index.hpp"

namespace panto {
namespace {

constexpr double kRegular = 0.05;      // |det S| from which three axes reach every angular velocity
constexpr double kVanishing = 1e-14;   // a pivot below this share of the largest diagonal entry is none
constexpr double kTinyPivot = 1e-300;  // a joint without information and damping stays where it is

constexpr Vec3 kOnes{1.0, 1.0, 1.0};

}  // namespace

TreeProblem::TreeProblem(const Blocks& blocks, bool floating, std::size_t point_rows)
    : floating_base(floating),
      base(at(blocks.base())),
      parent(blocks.parent),
      slider(blocks.slider),
      axes(blocks.lanes()),
      centre(blocks.lanes()),
      lambda(blocks.lanes(), 1.0),
      reference(blocks.lanes()),
      lower(blocks.lanes(), -kInfinity),
      upper(blocks.lanes(), kInfinity),
      weight(blocks.lanes()),
      rhs(blocks.lanes()),
      companion(blocks.lanes()),
      points(point_rows) {}

TreeSolution::TreeSolution(const TreeProblem& problem)
    : rate(problem.parent.size()),
      rho(problem.parent.size()),
      omega(problem.parent.size()),
      v(problem.parent.size()) {}

namespace {

void add_scaled(double factor, const LaneArray<3>& other, LaneArray<3>& sum) noexcept {
  for (std::size_t i = 0; i < sum.flat_size(); ++i) sum[i] += factor * other[i];
}

}  // namespace

void TreeSolution::add(double factor, const TreeSolution& other) noexcept {
  add_scaled(factor, other.rate, rate);
  add_scaled(factor, other.rho, rho);
  add_scaled(factor, other.omega, omega);
  add_scaled(factor, other.v, v);
}

TreeSolver::TreeSolver(const TreeProblem& problem) : base_(problem.base), parent_(problem.parent) {
  const std::size_t lanes = problem.parent.size();
  six_.assign(lanes, 0);
  hands_on_ = handed_on_ = six_before_ = six_;
  own_K_ = own_M_ = LaneArray<6>(lanes);
  own_C_ = inverse_ = LaneArray<9>(lanes);
  none_ = side_ = omega_before_ = curvature_ = LaneArray<3>(lanes);
  b_.fill(none_);
  f_ = b_;
  turns_ = LaneArray<1>(lanes, 1.0);
  regular_ = absorbs_ = settled_ = changed_ = nothing_ = LaneArray<1>(lanes);
  for (std::size_t b = 0; b < base_; ++b) turns_(0, b) = problem.slider[b] != 0 ? 0.0 : 1.0;
  for (const int parent : parent_) parent_slot_.push_back(LaneArray<3>::index(0, at(parent)));
  add_waves(problem);
}

// Neighbours join a wave as long as none of them hangs on another.
void TreeSolver::add_waves(const TreeProblem& problem) {
  wave_of_.assign(problem.parent.size(), 0);
  place_in_wave_ = wave_of_;
  for (std::size_t b = 0; b <= base_; ++b) {
    const bool joins = b > 0 && b < base_ && b - waves_.back().first < kPack && b % kLanes != 0 &&
                       (at(problem.parent[b]) < waves_.back().first || at(problem.parent[b]) == base_);
    if (!joins) {
      Wave wave;
      wave.first = b;
      wave.chunk = b / kLanes;
      wave.offset = std::min(b % kLanes, kLanes - kPack);
      waves_.push_back(wave);
    }
    Wave& wave = waves_.back();
    wave.end = b + 1;
    wave.slides = wave.slides || (b < base_ && problem.slider[b] != 0);
    wave_of_[b] = waves_.size() - 1;
    place_in_wave_[b] = b % kLanes - wave.offset;
    wave.member.v[0][place_in_wave_[b]] = 1.0;
    wave.parent[place_in_wave_[b]] = parent_slot_[b];
  }
  for (std::size_t b = 0; b < base_; ++b) {
    auto& rounds = waves_[wave_of_[at(problem.parent[b])]].rounds;
    const std::size_t place = place_in_wave_[at(problem.parent[b])];
    std::size_t r = 0;
    while (r < rounds.size() && rounds[r].child[place] >= 0) ++r;
    if (r == rounds.size()) rounds.emplace_back();
    rounds[r].child[place] = static_cast<int>(b);
  }
  handed_.resize(waves_.size(), Value{});
  eliminated_.resize(waves_.size(), Eliminated{});
  loaded_.fill(std::vector<Loaded>(waves_.size(), Loaded{}));
}

// A = L D L'.
PANTO_INLINE TreeSolver::Factor TreeSolver::factor(const Sym3& A) noexcept {
  const double xy = A.xx > A.yy ? A.xx : A.yy, largest = xy > A.zz ? xy : A.zz;
  const double share = kVanishing * largest, floor = share > kTinyPivot ? share : kTinyPivot;
  const auto inverse = [floor](double pivot) {
    const double there = 1.0 / pivot;
    return pivot > floor ? there : 0.0;
  };
  Factor f;
  f.inverse.x = inverse(A.xx);
  f.l10 = A.xy * f.inverse.x;
  f.l20 = A.xz * f.inverse.x;
  f.inverse.y = inverse(A.yy - f.l10 * A.xy);
  const double t = A.yz - f.l20 * A.xy;
  f.l21 = t * f.inverse.y;
  f.inverse.z = inverse(A.zz - f.l20 * A.xz - f.l21 * t);
  return f;
}

PANTO_INLINE TreeSolver::Factor TreeSolver::factor(const Pack<6>& packed, std::size_t l) noexcept {
  return {packed.v[0][l], packed.v[1][l], packed.v[2][l], {packed.v[3][l], packed.v[4][l], packed.v[5][l]}};
}

// L^-1 b and L'^-1 t.
PANTO_INLINE Vec3 TreeSolver::forward(const Factor& f, const Vec3& b) noexcept {
  const double y = b.y - f.l10 * b.x;
  return {b.x, y, b.z - f.l20 * b.x - f.l21 * y};
}
PANTO_INLINE Vec3 TreeSolver::backward(const Factor& f, const Vec3& t) noexcept {
  const double y = t.y - f.l21 * t.z;
  return {t.x - f.l10 * y - f.l20 * t.z, y, t.z};
}
// A L'^-1, row by row.
PANTO_INLINE Mat3 TreeSolver::columns(const Factor& f, const Mat3& A) noexcept {
  const Vec3 x = forward(f, {A.x.x, A.y.x, A.z.x}), y = forward(f, {A.x.y, A.y.y, A.z.y}),
             z = forward(f, {A.x.z, A.y.z, A.z.z});
  return {{x.x, y.x, z.x}, {x.y, y.y, z.y}, {x.z, y.z, z.z}};
}

namespace {

// The sum of the first numbers is their count.
bool all_of_first(const LaneArray<1>& flags, std::size_t count) noexcept {
  double sum = 0.0;
  for (std::size_t i = 0; i < count; ++i) sum += flags[i];
  return sum == static_cast<double>(count);
}

struct Changes {
  double sides = 0.0, absorbing = 0.0;
};

// The inverse of every lane's axes, and whether the three reach every angular velocity.
PANTO_WIDE void invert_axes(const TreeProblem& problem, LaneArray<9>& inverse,
                            LaneArray<1>& regular) noexcept {
  for (std::size_t c = 0; c < inverse.chunk_count(); ++c) {
    const Chunk<9>& axes = problem.axes.chunk(c);
    const Chunk<3>& lambda = problem.lambda.chunk(c);
    const Chunk<1>& weight = problem.weight.chunk(c);
    Chunk<9>& out = inverse.chunk(c);
    Chunk<1>& flag = regular.chunk(c);
#pragma GCC ivdep
    for (std::size_t l = 0; l < kLanes; ++l) {
      const Mat3 S = mat3(axes, l);
      const Vec3 yz = cross(S.y, S.z), zx = cross(S.z, S.x), xy = cross(S.x, S.y);
      const double det = dot(S.x, yz);
      const double damping = lambda.v[0][l] + lambda.v[1][l] + lambda.v[2][l];
      const double good = std::abs(det) > kRegular ? 1.0 : 0.0;
      const double undamped = damping == 0.0 ? good : 0.0;
      flag.v[0][l] = weight.v[0][l] > 0.0 ? undamped : 0.0;
      const double scale = 1.0 / (good > 0.0 ? det : 1.0);
      store(Mat3{scale * yz, scale * zx, scale * xy}, out, l);
    }
  }
}

}  // namespace

// Only bodies with a point further out need the linear half of the velocity; elsewhere the angular recursion
// is exact.
void TreeSolver::mark_six(const TreeProblem& problem) noexcept {
  base_weight_ = 0.0;
  bool any = false;
  for (const PointRow& row : problem.points) {
    if (!(row.weight > 0.0)) continue;
    const bool apart = at(row.block) == base_ && row.point.isZero(0.0);
    if (apart) base_weight_ += row.weight;
    any = any || !apart;
  }
  if (!any && six_[base_] == 0) return;
  std::swap(six_, six_before_);
  std::fill(six_.begin(), six_.end(), static_cast<unsigned char>(0));
  for (const PointRow& row : problem.points) {
    if (!(row.weight > 0.0) || (at(row.block) == base_ && row.point.isZero(0.0))) continue;
    for (std::size_t i = at(row.block); six_[i] == 0; i = at(problem.parent[i])) six_[i] = 1;
  }
  pattern_known_ = pattern_known_ && six_ == six_before_;
}

namespace {

PANTO_WIDE void spread_weights(const LaneArray<1>& weight, LaneArray<6>& K) noexcept {
  for (std::size_t c = 0; c < K.chunk_count(); ++c) {
    const Chunk<1>& w = weight.chunk(c);
    Chunk<6>& out = K.chunk(c);
#pragma GCC ivdep
    for (std::size_t l = 0; l < kLanes; ++l) store(diagonal(w.v[0][l]), out, l);
  }
}

}  // namespace

// Every body's own targets: K = w I, and of a point at r from the block's point [M C; C' K] += w A'A with
// A = [I, -hat(r)].
void TreeSolver::set_own(const TreeProblem& problem) noexcept {
  if (own_set_) return;
  own_set_ = true;
  spread_weights(problem.weight, own_K_);
  if (six_[base_] == 0) return;
  own_C_.fill(0.0);
  own_M_.fill(0.0);
  for (const PointRow& row : problem.points) {
    if (!(row.weight > 0.0)) continue;
    const std::size_t i = at(row.block);
    const Vec3 r = to_vec3(row.point) - vec3(problem.centre, i);
    const Mat3 hat = cross(r, full(diagonal(row.weight)));
    store(sym3(own_M_, i) + diagonal(row.weight), own_M_, i);
    store(mat3(own_C_, i) - hat, own_C_, i);
    store(sym3(own_K_, i) - upper(cross(r, hat)), own_K_, i);
  }
}

void TreeSolver::prepare(const TreeProblem& problem) noexcept {
  all_dirty_ = true;
  own_set_ = false;
  mark_six(problem);
  invert_axes(problem, inverse_, regular_);
  all_regular_ = all_of_first(regular_, base_);
}

namespace {

// Which lanes absorb, and 1 where a side changed. Returns the number of those and of lanes that begin or cease
// to absorb.
PANTO_WIDE Changes compare_sides(const LaneArray<3>& now, const LaneArray<1>& regular, LaneArray<3>& before,
                                 LaneArray<1>& absorbs, LaneArray<1>& changed) noexcept {
  double sides[kLanes] = {}, absorbing[kLanes] = {};
  for (std::size_t c = 0; c < now.chunk_count(); ++c) {
    const Chunk<3>& side = now.chunk(c);
    const Chunk<1>& can = regular.chunk(c);
    Chunk<3>& old = before.chunk(c);
    Chunk<1>&free = absorbs.chunk(c), &differs = changed.chunk(c);
#pragma GCC ivdep
    for (std::size_t l = 0; l < kLanes; ++l) {
      const Vec3 s = vec3(side, l), o = vec3(old, l), d = s - o;
      const double none = dot(s, s) == 0.0 ? 1.0 : 0.0, other = dot(d, d) == 0.0 ? 0.0 : 1.0;
      const double absorbs_now = none * can.v[0][l];
      sides[l] += other;
      absorbing[l] += std::abs(absorbs_now - free.v[0][l]);
      free.v[0][l] = absorbs_now;
      differs.v[0][l] = other;
      store(s, old, l);
    }
  }
  Changes count;
  for (std::size_t l = 0; l < kLanes; ++l) count.sides += sides[l], count.absorbing += absorbing[l];
  return count;
}

}  // namespace

// Whether a recursion is needed at all; which waves take part in it, and which of them have to be eliminated.
void TreeSolver::read_working_set(const LaneArray<3>* side) noexcept {
  recursion_ = six_[base_] != 0 || side != nullptr || !all_regular_;
  if (!recursion_) return;  // every block settles by itself
  const Changes changes =
      compare_sides(side != nullptr ? *side : none_, regular_, side_, absorbs_, changed_);
  if (changes.absorbing > 0.0 || !pattern_known_) find_pattern();
  if (changes.sides > 0.0) {
    for (Wave& wave : waves_) {
      wave.held = false;
      for (std::size_t b = wave.first; b < wave.end; ++b) {
        const Vec3 s = vec3(side_, b);
        wave.held = wave.held || dot(s, s) != 0.0;
        if (changed_(0, b) != 0.0 && !all_dirty_) mark_dirty(b);
      }
    }
  }
  if (all_dirty_) {
    for (Wave& wave : waves_) wave.dirty = true;
  }
  all_dirty_ = false;
}

// A block, and all those before it that see it, or saw it before the working set changed.
void TreeSolver::mark_dirty(std::size_t b) noexcept {
  for (; b != base_; b = at(parent_[b])) {
    waves_[wave_of_[b]].dirty = true;
    if (hands_on_[b] == 0 && handed_on_[b] == 0) return;
  }
}

namespace {

// Four lanes of an array.
template <int N, std::size_t W>
PANTO_INLINE void take(const LaneArray<N>& array, std::size_t chunk, std::size_t offset,
                       Chunk<N, W>& out) noexcept {
  const Chunk<N>& c = array.chunk(chunk);
  for (int k = 0; k < N; ++k) {
    for (std::size_t l = 0; l < W; ++l) out.v[k][l] = c.v[k][offset + l];
  }
}

using Four = double __attribute__((vector_size(32)));

// Four numbers from four places, in registers: read back as one vector from where they were stored one by one
// they would have to wait.
template <int N, std::size_t W>
PANTO_INLINE void take_lanes(const std::array<const double*, 4>& from, std::size_t stride,
                             Chunk<N, W>& to) noexcept {
  for (std::size_t k = 0; k < N; ++k) {
    const Four v{from[0][k * stride], from[1][k * stride], from[2][k * stride], from[3][k * stride]};
    std::memcpy(to.v[k], &v, sizeof v);
  }
}

template <int N, std::size_t W>
PANTO_INLINE void add_lanes(const std::array<const double*, 4>& from, Chunk<N, W>& to) noexcept {
  for (std::size_t k = 0; k < N; ++k) {
    const Four v{from[0][k * W], from[1][k * W], from[2][k * W], from[3][k * W]};
    Four sum;
    std::memcpy(&sum, to.v[k], sizeof sum);
    sum += v;
    std::memcpy(to.v[k], &sum, sizeof sum);
  }
}

constexpr double kZeros[9 * 4] = {};

// Numbers that lie `stride` apart.
PANTO_INLINE Vec3 vec3_at(const double* x, std::size_t stride) noexcept {
  return {x[0], x[stride], x[2 * stride]};
}
PANTO_INLINE Sym3 sym3_at(const double* x, std::size_t stride) noexcept {
  return {x[0], x[stride], x[2 * stride], x[3 * stride], x[4 * stride], x[5 * stride]};
}
PANTO_INLINE Mat3 mat3_at(const double* x, std::size_t stride) noexcept {
  return {vec3_at(x, stride), vec3_at(x + 3 * stride, stride), vec3_at(x + 6 * stride, stride)};
}

PANTO_INLINE void take_parents(const LaneArray<3>& array, const std::array<std::size_t, 4>& parent,
                               Chunk<3, 4>& out) noexcept {
  const double* first = array.data();
  std::array<const double*, 4> from{};
  for (std::size_t l = 0; l < 4; ++l) from[l] = first + parent[l];
  take_lanes(from, kLanes, out);
}

// Into the lanes of a wave; those that belong to others keep what they have.
PANTO_INLINE void put_lanes(const Chunk<3, 4>& from, const Chunk<1, 4>& member, Chunk<3>& to,
                            std::size_t offset) noexcept {
  Four own, value, old;
  std::memcpy(&own, member.v[0], sizeof own);
  for (std::size_t k = 0; k < 3; ++k) {
    std::memcpy(&value, from.v[k], sizeof value);
    std::memcpy(&old, to.v[k] + offset, sizeof old);
    const Four mixed = own != 0.0 ? value : old;
    std::memcpy(to.v[k] + offset, &mixed, sizeof mixed);
  }
}

}  // namespace

// What the bodies' own targets and the blocks further out make of their velocities.
PANTO_INLINE void TreeSolver::gather(const Wave& wave, Value& value) const noexcept {
  take(own_K_, wave.chunk, wave.offset, value.K);
  if (wave.six) {
    take(own_C_, wave.chunk, wave.offset, value.C);
    take(own_M_, wave.chunk, wave.offset, value.M);
  }
  for (const Round& round : wave.rounds) {
    add_lanes(round.K, value.K);
    if (!wave.six) continue;
    add_lanes(round.C, value.C);
    add_lanes(round.M, value.M);
  }
}

PANTO_INLINE void TreeSolver::gather(const Wave& wave, int question, Pull& pull) const noexcept {
  take(b_[at(question)], wave.chunk, wave.offset, pull.b);
  take(f_[at(question)], wave.chunk, wave.offset, pull.f);
  if (!recursion_) return;
  for (const Round& round : wave.rounds) {
    add_lanes(round.b[at(question)], pull.b);
    if (wave.six) add_lanes(round.f[at(question)], pull.f);
  }
}

// What forces leave of blocks that otherwise hand nothing on.
void TreeSolver::add_forces(const Wave& wave, Pull& pull) const noexcept {
  for (const Round& round : wave.rounds) {
    for (std::size_t l = 0; l < kPack; ++l) {
      if (round.child[l] < 0) continue;
      const auto child = at(round.child[l]);
      if (recursion_ && hands_on_[child] != 0) continue;
      const Pull& handed = loaded_[0][wave_of_[child]].handed;
      store(vec3(pull.b, l) + vec3(handed.b, place_in_wave_[child]), pull.b, l);
    }
  }
}

void TreeSolver::set_arms(const TreeProblem& problem, const Wave& wave, Eliminated& e) const noexcept {
  for (std::size_t b = wave.first; b < wave.end; ++b)
    store(vec3(problem.centre, b) - vec3(problem.centre, at(parent_[b])), e.arm, place_in_wave_[b]);
}

// The minimum over the blocks' own joints: with u = [W; U] = [C; K] S and H = S'U + lambda the free ones
// leave K - U_f H_ff^-1 U_f', held ones leave K as it is. [performance, section 3.2] In coordinates of the
// block's point; the block before sees v = v_P - hat(r) omega_P.
template <bool kSix, bool kSlides>
PANTO_INLINE void TreeSolver::eliminate(const TreeProblem& problem, std::size_t w) noexcept {
  const Wave& wave = waves_[w];
  Eliminated& e = eliminated_[w];
  Value value, &handed = handed_[w];
  gather(wave, value);
  if constexpr (kSix) set_arms(problem, wave, e);
  const Chunk<9>& axes = problem.axes.chunk(wave.chunk);
  const Chunk<3>&lambda = problem.lambda.chunk(wave.chunk), &side = side_.chunk(wave.chunk);
  const Chunk<1>&turns = turns_.chunk(wave.chunk), &absorbs = absorbs_.chunk(wave.chunk);
  Pack<3> curvature;
#pragma GCC ivdep
#pragma GCC unroll 1
  for (std::size_t l = 0; l < kPack; ++l) {
    const std::size_t lane = wave.offset + l;
    const Mat3 axis = mat3(axes, lane);
    const double turn = kSlides ? turns.v[0][lane] : 1.0;
    const Mat3 S = kSlides ? scale_columns({turn, turn, turn}, axis) : axis;
    const Sym3 K = sym3(value.K, l), M = kSix ? sym3(value.M, l) : Sym3{};
    const Mat3 C = kSix ? mat3(value.C, l) : Mat3{};
    Mat3 U = K * S, W{};
    if constexpr (kSix) W = C * S;
    Sym3 H = upper(transposed_times(S, U));
    if constexpr (kSix && kSlides) {  // a slider moves the point and turns nothing
      const double slide = 1.0 - turn;
      const Mat3 T = scale_columns({slide, slide, slide}, axis);
      U = U + transposed_times(C, T);
      W = W + M * T;
      H = upper(transposed_times(S, U) + transposed_times(T, W));
    }
    const Vec3 damping = vec3(lambda, lane), held = vec3(side, lane);
    H = {H.xx + damping.x, H.xy, H.xz, H.yy + damping.y, H.yz, H.zz + damping.z};
    store(Vec3{H.xx, H.yy, H.zz}, curvature, l);

    const Vec3 f{held.x != 0.0 ? 0.0 : 1.0, held.y != 0.0 ? 0.0 : 1.0, held.z != 0.0 ? 0.0 : 1.0};
    const Factor L = factor(Sym3{f.x * H.xx, f.x * f.y * H.xy, f.x * f.z * H.xz, f.y * H.yy,
                                 f.y * f.z * H.yz, f.z * H.zz});
    const Mat3 Y = columns(L, scale_columns(f, U)), YD = scale_columns(L.inverse, Y);
    Sym3 K_handed = K - upper(times_transposed(YD, Y));
    store(U, e.U, l);
    store(Y, e.Y, l);
    store(H, e.H, l);
    store(f, e.free, l);
    store(Sym3{L.l10, L.l20, L.l21, L.inverse.x, L.inverse.y, L.inverse.z}, e.factor, l);
    if constexpr (kSix) {
      const Mat3 V = columns(L, scale_columns(f, W));
      // nothing is left of omega behind a block that absorbs, not even rounding
      const double left = 1.0 - absorbs.v[0][lane];
      K_handed = left * K_handed;
      const Mat3 C_handed = scale_columns({left, left, left}, C - times_transposed(V, YD));
      const Sym3 M_handed = M - upper(times_transposed(scale_columns(L.inverse, V), V));
      store(W, e.W, l);
      store(V, e.V, l);
      const Vec3 r = vec3(e.arm, l);
      const Mat3 rM = cross(r, full(M_handed)), rC = cross(r, C_handed);
      K_handed = K_handed + upper(rC + transposed(rC) + cross(r, transposed(rM)));
      store(C_handed + transposed(rM), handed.C, l);
      store(M_handed, handed.M, l);
    }
    store(K_handed, handed.K, l);
  }
  put_lanes(curvature, wave.member, curvature_.chunk(wave.chunk), wave.offset);
}

// Which blocks the body before sees, and which waves their own targets do not settle. A free block that
// reaches every angular velocity hands nothing of omega on: the body takes whatever is best for it.
// [performance, section 3.4]
void TreeSolver::find_pattern() noexcept {
  pattern_known_ = true;
  handed_on_ = hands_on_;
  for (std::size_t b = 0; b < base_; ++b)
    hands_on_[b] = absorbs_(0, b) == 0.0 || six_[b] != 0 ? 1 : 0;
  for (std::size_t w = 0; w < waves_.size(); ++w) {
    Wave& wave = waves_[w];
    wave.six = wave.runs = false;
    wave.absorbs = true;
    for (Round& round : wave.rounds) {
      for (std::size_t l = 0; l < kPack; ++l) {
        const bool seen = point_at(round, l, round.child[l] >= 0 && hands_on_[at(round.child[l])] != 0);
        wave.runs = wave.runs || seen;
      }
    }
    for (std::size_t b = wave.first; b < wave.end; ++b) {
      wave.six = wave.six || six_[b] != 0;
      wave.runs = wave.runs || hands_on_[b] != 0;
      wave.absorbs = wave.absorbs && absorbs_(0, b) != 0.0;
    }
    const double settled = wave.runs && !wave.absorbs ? 0.0 : 1.0;
    for (std::size_t b = wave.first; b < wave.end && b < base_; ++b) settled_(0, b) = settled;
  }
}

// Where a round finds what its block in lane l hands on, or zeros.
bool TreeSolver::point_at(Round& round, std::size_t l, bool seen) noexcept {
  round.K[l] = round.C[l] = round.M[l] = kZeros;
  for (std::size_t q = 0; q < kQuestions; ++q) round.b[q][l] = round.f[q][l] = kZeros;
  if (!seen) return false;
  const auto child = at(round.child[l]);
  const std::size_t w = wave_of_[child], place = place_in_wave_[child];
  round.K[l] = &handed_[w].K.v[0][place];
  for (std::size_t q = 0; q < kQuestions; ++q) round.b[q][l] = &loaded_[q][w].handed.b.v[0][place];
  if (six_[child] == 0) return true;
  round.C[l] = &handed_[w].C.v[0][place];
  round.M[l] = &handed_[w].M.v[0][place];
  for (std::size_t q = 0; q < kQuestions; ++q) round.f[q][l] = &loaded_[q][w].handed.f.v[0][place];
  return true;
}

void TreeSolver::eliminate_base(const TreeProblem& problem) noexcept {
  Sym3 K = diagonal(problem.weight(0, base_)), M{};
  Mat3 C{};
  const bool six = six_[base_] != 0;
  if (recursion_) {
    K = sym3(own_K_, base_);
    if (six) M = sym3(own_M_, base_), C = mat3(own_C_, base_);
    const std::size_t l = place_in_wave_[base_];
    for (const Round& round : waves_.back().rounds) {
      K = K + sym3_at(round.K[l], kPack);
      if (six) M = M + sym3_at(round.M[l], kPack), C = C + mat3_at(round.C[l], kPack);
    }
  }
  base_K_ = factor(K + diagonal(problem.base_angular_lambda));
  if (!six) return;
  base_C_ = columns(base_K_, C);
  const Sym3 left = upper(times_transposed(scale_columns(base_K_.inverse, base_C_), base_C_));
  base_M_ = factor(M + diagonal(problem.base_linear_lambda) - left);
}

void TreeSolver::load(const Load& given) noexcept {
  for (int question = 0; question < given.count(); ++question) {
    LaneArray<3>&b = b_[at(question)], &f = f_[at(question)];
    f.fill(0.0);
    if (given.targets == nullptr) {
      b.fill(0.0);
      continue;
    }
    b = question == 0 ? given.targets->rhs : given.targets->companion;
    for (const PointRow& row : given.targets->points) {
      if (!(row.weight > 0.0)) continue;
      const std::size_t i = at(row.block);
      const Vec3 pull = row.weight * to_vec3(question == 0 ? row.velocity : row.companion);
      store(vec3(f, i) + pull, f, i);
      if (six_[i] == 0) continue;
      const Vec3 r = to_vec3(row.point) - vec3(given.targets->centre, i);
      store(vec3(b, i) + cross(r, pull), b, i);
    }
  }
}

// What held joints take from the right-hand sides.
PANTO_INLINE void TreeSolver::hold(const Wave& wave, const Chunk<3>& rate, const Eliminated& e, Pack<3>& s,
                                   Pull& pull) const noexcept {
#pragma GCC ivdep
#pragma GCC unroll 1
  for (std::size_t l = 0; l < kPack; ++l) {
    const Vec3 q = times(kOnes - vec3(e.free, l), vec3(rate, wave.offset + l));
    store(vec3(s, l) - sym3(e.H, l) * q, s, l);
    store(vec3(pull.b, l) - mat3(e.U, l) * q, pull.b, l);
    store(vec3(pull.f, l) - mat3(e.W, l) * q, pull.f, l);
  }
}

template <bool kSix, bool kSlides>
PANTO_INLINE void TreeSolver::pull(const TreeProblem& problem, const Load& given, std::size_t w,
                                   int question) noexcept {
  const Wave& wave = waves_[w];
  const Eliminated& e = eliminated_[w];
  Loaded& loaded = loaded_[at(question)][w];
  Pull pull;
  gather(wave, question, pull);
  if (given.force != nullptr) add_forces(wave, pull);
  const Chunk<9>& axes = problem.axes.chunk(wave.chunk);
  const Chunk<3>& lambda = (given.targets != nullptr ? problem.lambda : none_).chunk(wave.chunk);
  const Chunk<3>& reference = problem.reference.chunk(wave.chunk);
  const Chunk<3>& force = (given.force != nullptr ? *given.force : none_).chunk(wave.chunk);
  const Chunk<1>&turns = turns_.chunk(wave.chunk),
        &absorbs = (given.force != nullptr ? nothing_ : absorbs_).chunk(wave.chunk);
  Pack<3> s;
#pragma GCC ivdep
#pragma GCC unroll 1
  for (std::size_t l = 0; l < kPack; ++l) {
    const std::size_t lane = wave.offset + l;
    const double turn = turns.v[0][lane];
    const Vec3 b = vec3(pull.b, l);
    const Vec3 own = kSlides ? turn * b + (1.0 - turn) * vec3(pull.f, l) : b;
    const Vec3 sum = transposed_times(mat3(axes, lane), own) + times(vec3(lambda, lane), vec3(reference, lane)) +
                     vec3(force, lane);
    store(sum, loaded.s, l);
    store(sum, s, l);
  }
  if (wave.held && given.held_rate != nullptr) hold(wave, given.held_rate->chunk(wave.chunk), e, s, pull);
#pragma GCC ivdep
#pragma GCC unroll 1
  for (std::size_t l = 0; l < kPack; ++l) {
    const Factor L = factor(e.factor, l);
    const Vec3 z = times(L.inverse, forward(L, times(vec3(e.free, l), vec3(s, l))));
    store(z, loaded.z, l);
    Vec3 b = vec3(pull.b, l) - mat3(e.Y, l) * z;
    if constexpr (kSix) {
      const Vec3 f = vec3(pull.f, l) - mat3(e.V, l) * z;
      store(f, loaded.handed.f, l);
      b = (1.0 - absorbs.v[0][wave.offset + l]) * b + cross(vec3(e.arm, l), f);
    }
    store(b, loaded.handed.b, l);
  }
}

// Forces on blocks that their own targets settle: q' = S^-1 (omega - omega_P).
void TreeSolver::settle_forces(std::size_t w, const LaneArray<3>& force) noexcept {
  const Wave& wave = waves_[w];
  Pull pull;
  gather(wave, 0, pull);
  add_forces(wave, pull);
  for (std::size_t b = wave.first; b < wave.end; ++b) {
    const std::size_t l = place_in_wave_[b];
    const Vec3 own = mat3(inverse_, b) * vec3(force, b);
    store(vec3(pull.b, l) + own, b_[0], b);
    store(-1.0 * own, loaded_[0][w].handed.b, l);
  }
}

// Blocks that all absorb: their bodies take whatever is best for them. Nothing is left of omega, and of v what
// a point mass at the block's point would ask. [performance, section 3.4]
template <bool kSix>
PANTO_INLINE void TreeSolver::absorb(const TreeProblem& problem, std::size_t w) noexcept {
  const Wave& wave = waves_[w];
  Eliminated& e = eliminated_[w];
  Value value, &handed = handed_[w];
  gather(wave, value);
  if constexpr (kSix) set_arms(problem, wave, e);
#pragma GCC ivdep
#pragma GCC unroll 1
  for (std::size_t l = 0; l < kPack; ++l) {
    const Factor L = factor(sym3(value.K, l));
    store(Sym3{L.l10, L.l20, L.l21, L.inverse.x, L.inverse.y, L.inverse.z}, e.factor, l);
    if constexpr (kSix) {
      const Mat3 V = columns(L, mat3(value.C, l));
      const Sym3 M = sym3(value.M, l) - upper(times_transposed(scale_columns(L.inverse, V), V));
      const Mat3 rM = cross(vec3(e.arm, l), full(M));
      store(V, e.V, l);
      store(upper(cross(vec3(e.arm, l), transposed(rM))), handed.K, l);
      store(transposed(rM), handed.C, l);
      store(M, handed.M, l);
    }
  }
}

// Forces pull at both bodies: q' = S^-1 (omega - omega_P).
template <bool kSix>
PANTO_INLINE void TreeSolver::pull_absorbing(const Load& given, std::size_t w, int question) noexcept {
  const Wave& wave = waves_[w];
  const Eliminated& e = eliminated_[w];
  Loaded& loaded = loaded_[at(question)][w];
  Pull pull;
  gather(wave, question, pull);
  if (given.force != nullptr) add_forces(wave, pull);
  const Chunk<3>& force = (given.force != nullptr ? *given.force : none_).chunk(wave.chunk);
  const Chunk<9>& inverse = inverse_.chunk(wave.chunk);
#pragma GCC ivdep
#pragma GCC unroll 1
  for (std::size_t l = 0; l < kPack; ++l) {
    const Factor L = factor(e.factor, l);
    const Vec3 own = mat3(inverse, wave.offset + l) * vec3(force, wave.offset + l);
    const Vec3 z = times(L.inverse, forward(L, vec3(pull.b, l) + own));
    store(z, loaded.z, l);
    Vec3 b = -1.0 * own;
    if constexpr (kSix) {
      const Vec3 f = vec3(pull.f, l) - mat3(e.V, l) * z;
      store(f, loaded.handed.f, l);
      b = b + cross(vec3(e.arm, l), f);
    }
    store(b, loaded.handed.b, l);
  }
}

template <bool kSix>
PANTO_INLINE void TreeSolver::place_absorbing(const Load& given, std::size_t w, int question) const noexcept {
  const Wave& wave = waves_[w];
  const Eliminated& e = eliminated_[w];
  const Loaded& loaded = loaded_[at(question)][w];
  TreeSolution& solution = question == 0 ? *given.solution : *given.companion;
  Pack<3> omega_P, v, omega;
  if constexpr (kSix) {
    take_parents(solution.omega, wave.parent, omega_P);
    take_parents(solution.v, wave.parent, v);
  }
#pragma GCC ivdep
#pragma GCC unroll 1
  for (std::size_t l = 0; l < kPack; ++l) {
    const Factor L = factor(e.factor, l);
    Vec3 t = vec3(loaded.z, l);
    if constexpr (kSix) {
      const Vec3 point = vec3(v, l) + cross(vec3(omega_P, l), vec3(e.arm, l));
      store(point, v, l);
      t = t - times(L.inverse, transposed_times(mat3(e.V, l), point));
    }
    store(backward(L, t), omega, l);
  }
  put_lanes(omega, wave.member, solution.omega.chunk(wave.chunk), wave.offset);
  if constexpr (kSix) put_lanes(v, wave.member, solution.v.chunk(wave.chunk), wave.offset);
}

template <bool kSix>
PANTO_INLINE void TreeSolver::absorbing_wave_inward(const TreeProblem& problem, const Load& given,
                                                    std::size_t w) noexcept {
  if (waves_[w].dirty) absorb<kSix>(problem, w);
  waves_[w].dirty = false;
  for (int question = 0; question < given.count(); ++question) pull_absorbing<kSix>(given, w, question);
}

// Elimination where something changed, and the right-hand sides: chains that do not wait for each other.
template <bool kSix, bool kSlides>
PANTO_INLINE void TreeSolver::wave_inward(const TreeProblem& problem, const Load& given,
                                          std::size_t w) noexcept {
  if (waves_[w].dirty) eliminate<kSix, kSlides>(problem, w);
  waves_[w].dirty = false;
  pull<kSix, kSlides>(problem, given, w, 0);
  if (given.companion != nullptr) pull<kSix, kSlides>(problem, given, w, 1);
}

// From the leaves to the base.
PANTO_FOUR_WIDE void TreeSolver::inward(const TreeProblem& problem, const Load& given) noexcept {
  for (std::size_t w = waves_.size() - 1; w-- > 0;) {
    const Wave& wave = waves_[w];
    if (!recursion_ || !wave.runs) {
      if (given.force != nullptr) settle_forces(w, *given.force);
    } else if (wave.absorbs) {
      wave.six ? absorbing_wave_inward<true>(problem, given, w)
               : absorbing_wave_inward<false>(problem, given, w);
    } else if (wave.slides) {
      wave.six ? wave_inward<true, true>(problem, given, w) : wave_inward<false, true>(problem, given, w);
    } else {
      wave.six ? wave_inward<true, false>(problem, given, w) : wave_inward<false, false>(problem, given, w);
    }
  }
}

void TreeSolver::place_base(const TreeProblem& problem, const Load& given, int question) noexcept {
  Vec3 v{}, omega{}, b = vec3(b_[at(question)], base_), f = vec3(f_[at(question)], base_);
  const std::size_t l = place_in_wave_[base_];
  if (given.force != nullptr) {
    Pull pull;
    gather(waves_.back(), question, pull);
    add_forces(waves_.back(), pull);
    b = vec3(pull.b, l);
    f = vec3(pull.f, l);
  } else if (recursion_) {
    for (const Round& round : waves_.back().rounds) {
      b = b + vec3_at(round.b[at(question)][l], kPack);
      f = f + vec3_at(round.f[at(question)][l], kPack);
    }
  }
  const Vec3 t = forward(base_K_, b);
  if (problem.floating_base && six_[base_] != 0) {
    const Vec3 left = f - base_C_ * times(base_K_.inverse, t);
    v = backward(base_M_, times(base_M_.inverse, forward(base_M_, left)));
    omega = backward(base_K_, times(base_K_.inverse, t - transposed_times(base_C_, v)));
  } else if (problem.floating_base) {  // points on the base origin alone: the linear velocity stands apart
    const double weight = base_weight_ + problem.base_linear_lambda;
    v = (weight > 0.0 ? 1.0 / weight : 0.0) * f;
    omega = backward(base_K_, times(base_K_.inverse, t));
  }
  TreeSolution& solution = question == 0 ? *given.solution : *given.companion;
  store(v, solution.v, base_);
  store(omega, solution.omega, base_);
}

// Waves outwards of bodies whose velocities are known.
template <bool kSix, bool kSlides>
PANTO_INLINE void TreeSolver::place(const TreeProblem& problem, const Load& given, std::size_t w,
                                    int question) const noexcept {
  const Wave& wave = waves_[w];
  const Eliminated& e = eliminated_[w];
  const Loaded& loaded = loaded_[at(question)][w];
  TreeSolution& solution = question == 0 ? *given.solution : *given.companion;
  Pack<3> omega_P, v_P;
  take_parents(solution.omega, wave.parent, omega_P);
  if constexpr (kSix) take_parents(solution.v, wave.parent, v_P);
  const Chunk<9>& axes = problem.axes.chunk(wave.chunk);
  const Chunk<1>& turns = turns_.chunk(wave.chunk);
  const Chunk<3>& held = (given.held_rate != nullptr ? *given.held_rate : none_).chunk(wave.chunk);
  Pack<3> rate, rho, omega, v;
#pragma GCC ivdep
#pragma GCC unroll 1
  for (std::size_t l = 0; l < kPack; ++l) {
    const std::size_t lane = wave.offset + l;
    const Vec3 before = vec3(omega_P, l), free = vec3(e.free, l);
    Vec3 y = transposed_times(mat3(e.Y, l), before), point{};
    if constexpr (kSix) {
      point = vec3(v_P, l) + cross(before, vec3(e.arm, l));
      store(point, v_P, l);
      y = y + transposed_times(mat3(e.V, l), point);
    }
    const Factor L = factor(e.factor, l);
    const Vec3 q = times(free, backward(L, vec3(loaded.z, l) - times(L.inverse, y))) +
                   times(kOnes - free, vec3(held, lane));
    const Vec3 change = mat3(axes, lane) * q;
    const double turn = kSlides ? turns.v[0][lane] : 1.0;
    store(q, rate, l);
    store(before + turn * change, omega, l);
    if constexpr (kSix) store(point + (1.0 - turn) * change, v, l);
  }
  put_lanes(rate, wave.member, solution.rate.chunk(wave.chunk), wave.offset);
  put_lanes(omega, wave.member, solution.omega.chunk(wave.chunk), wave.offset);
  if constexpr (kSix) put_lanes(v, wave.member, solution.v.chunk(wave.chunk), wave.offset);
  if (!wave.held) {
    put_lanes(rate, wave.member, solution.rho.chunk(wave.chunk), wave.offset);
    return;
  }
  // where the gradient says that the optimum of a held joint lies
#pragma GCC ivdep
#pragma GCC unroll 1
  for (std::size_t l = 0; l < kPack; ++l) {
    const Vec3 q = vec3(rate, l), free = vec3(e.free, l);
    const Sym3 H = sym3(e.H, l);
    Vec3 gradient = H * q - vec3(loaded.s, l) + transposed_times(mat3(e.U, l), vec3(omega_P, l));
    if constexpr (kSix) gradient = gradient + transposed_times(mat3(e.W, l), vec3(v_P, l));
    const auto optimum = [](double own, double g, double h, double f) {
      const double there = own - g / (h > kTinyPivot ? h : 1.0);
      return f == 0.0 && h > kTinyPivot ? there : own;
    };
    store(Vec3{optimum(q.x, gradient.x, H.xx, free.x), optimum(q.y, gradient.y, H.yy, free.y),
               optimum(q.z, gradient.z, H.zz, free.z)},
          rho, l);
  }
  put_lanes(rho, wave.member, solution.rho.chunk(wave.chunk), wave.offset);
}

namespace {

// omega = c where the body's own target alone decides.
PANTO_WIDE void take_targets(const LaneArray<3>& wanted, const LaneArray<1>& weights,
                             LaneArray<3>& omega) noexcept {
  for (std::size_t c = 0; c < omega.chunk_count(); ++c) {
    const Chunk<3>& rhs = wanted.chunk(c);
    const Chunk<1>& weight = weights.chunk(c);
    Chunk<3>& out = omega.chunk(c);
#pragma GCC ivdep
    for (std::size_t l = 0; l < kLanes; ++l) {
      const double w = weight.v[0][l];
      const double scale = 1.0 / (w > 0.0 ? w : 1.0);
      store(scale * vec3(rhs, l), out, l);
    }
  }
}

// q' = S^-1 (omega - omega_P) of absorbing blocks; returns a number that is finite if all velocities are.
PANTO_WIDE double take_rates(const LaneArray<9>& inverse, const LaneArray<1>& absorbs,
                             const LaneArray<3>& parent, TreeSolution& solution) noexcept {
  double sums[kLanes] = {};
  for (std::size_t c = 0; c < parent.chunk_count(); ++c) {
    const Chunk<9>& S = inverse.chunk(c);
    const Chunk<3>&omega = solution.omega.chunk(c), &before = parent.chunk(c);
    const Chunk<1>& mask = absorbs.chunk(c);
    Chunk<3>&rate = solution.rate.chunk(c), &optimum = solution.rho.chunk(c);
#pragma GCC ivdep
    for (std::size_t l = 0; l < kLanes; ++l) {
      const Vec3 w = vec3(omega, l), q = transposed_times(mat3(S, l), w - vec3(before, l));
      const bool own = mask.v[0][l] != 0.0;
      const Vec3 old = vec3(rate, l), other = vec3(optimum, l);
      const Vec3 taken{own ? q.x : old.x, own ? q.y : old.y, own ? q.z : old.z};
      store(taken, rate, l);
      store({own ? q.x : other.x, own ? q.y : other.y, own ? q.z : other.z}, optimum, l);
      sums[l] += (taken.x + taken.y + taken.z) + (w.x + w.y + w.z);
    }
  }
  double sum = 0.0;
  for (const double s : sums) sum += s;
  return sum;
}

}  // namespace

// From the base to the leaves.
PANTO_FOUR_WIDE void TreeSolver::outward(const TreeProblem& problem, const Load& given) noexcept {
  for (std::size_t w = 0; w + 1 < waves_.size(); ++w) {
    const Wave& wave = waves_[w];
    if (!recursion_ || !wave.runs) {
      for (std::size_t b = wave.first; b < wave.end && given.force != nullptr; ++b)
        store(1.0 / problem.weight(0, b) * vec3(b_[0], b), given.solution->omega, b);
      continue;
    }
    for (int question = 0; question < given.count(); ++question) {
      if (wave.absorbs) {
        wave.six ? place_absorbing<true>(given, w, question) : place_absorbing<false>(given, w, question);
      } else if (wave.slides) {
        wave.six ? place<true, true>(problem, given, w, question)
                 : place<false, true>(problem, given, w, question);
      } else {
        wave.six ? place<true, false>(problem, given, w, question)
                 : place<false, false>(problem, given, w, question);
      }
    }
  }
}

// Rates of settled blocks; returns a number that is finite if all velocities are.
double TreeSolver::settle(TreeSolution& solution) noexcept {
  const double* omega = solution.omega.data();
  for (std::size_t b = 0; b < base_; ++b) store(vec3_at(omega + parent_slot_[b], kLanes), omega_before_, b);
  const Vec3 v = vec3(solution.v, base_);
  return take_rates(inverse_, recursion_ ? settled_ : regular_, omega_before_, solution) + (v.x + v.y + v.z);
}

bool TreeSolver::sweep(const TreeProblem& problem, const Load& given) noexcept {
  if (given.targets == nullptr) {
    given.solution->omega.fill(0.0);
  } else {
    take_targets(problem.rhs, problem.weight, given.solution->omega);
    if (given.companion != nullptr) take_targets(problem.companion, problem.weight, given.companion->omega);
  }
  load(given);
  const bool waves = recursion_ || given.force != nullptr;
  if (waves) inward(problem, given);
  if (given.targets != nullptr) eliminate_base(problem);
  for (int question = 0; question < given.count(); ++question) place_base(problem, given, question);
  if (waves) outward(problem, given);
  return std::isfinite(settle(*given.solution));
}

bool TreeSolver::minimise(const TreeProblem& problem, const LaneArray<3>* side, const LaneArray<3>& held_rate,
                          TreeSolution& solution, TreeSolution* companion) noexcept {
  read_working_set(side);
  if (recursion_) set_own(problem);
  return sweep(problem, {&problem, &held_rate, nullptr, &solution, companion});
}

void TreeSolver::complete(TreeSolution& companion) noexcept { (void)settle(companion); }

void TreeSolver::respond(const TreeProblem& problem, const LaneArray<3>& force,
                         TreeSolution& change) noexcept {
  (void)sweep(problem, {nullptr, nullptr, &force, &change, nullptr});
}

}  // namespace panto
