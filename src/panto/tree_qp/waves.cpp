#include "panto/tree_qp/waves.hpp"

#include <algorithm>
#include <cmath>

#include "panto/base/index.hpp"

namespace panto {
namespace {

constexpr double kZeros[9 * kPack] = {};

struct Changes {
  double sides = 0.0, absorbing = 0.0;
};

// Finds lanes that absorb, and sets 1 where a side changed. Returns the number of those, and of lanes that
// begin or cease to absorb.
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

TreeWaves::TreeWaves(const TreeProblem& problem) : base_(problem.base), parent_(problem.parent) {
  const std::size_t lanes = problem.parent.size();
  six_.assign(lanes, 0);
  hands_on_ = handed_on_ = six_before_ = six_;
  side_ = none_ = LaneArray<3>(lanes);
  absorbs_ = settled_ = changed_ = LaneArray<1>(lanes);
  add_waves(problem);
  handed.resize(list.size(), FourValues{});
  pulled.fill(std::vector<FourPulls>(list.size(), FourPulls{}));
}

// Neighbours join a wave as long as none is the ancestor of another.
void TreeWaves::add_waves(const TreeProblem& problem) {
  wave_of_.assign(problem.parent.size(), 0);
  place = wave_of_;
  for (std::size_t b = 0; b <= base_; ++b) {
    const bool joins = b > 0 && b < base_ && b - list.back().first < kPack && b % kLanes != 0 &&
                       (at(parent_[b]) < list.back().first || at(parent_[b]) == base_);
    if (!joins) {
      list.emplace_back();
      list.back().first = b;
      list.back().chunk = b / kLanes;
      list.back().offset = std::min(b % kLanes, kLanes - kPack);
    }
    Wave& wave = list.back();
    wave.end = b + 1;
    wave.slides = wave.slides || (b < base_ && problem.slider[b] != 0);
    wave.hinges = wave.hinges && b < base_ && problem.slider[b] == 0 &&
                  problem.joint(0, b) + problem.joint(1, b) + problem.joint(2, b) == 1.0;
    wave_of_[b] = list.size() - 1;
    place[b] = b % kLanes - wave.offset;
    wave.member.v[0][place[b]] = 1.0;
    wave.before[place[b]] = LaneArray<3>::index(0, at(parent_[b]));
  }
  for (std::size_t b = 0; b < base_; ++b) {
    const auto parent = at(parent_[b]);
    std::vector<HandedOn>& further = list[wave_of_[parent]].further;
    std::size_t n = 0;
    while (n < further.size() && further[n].child[place[parent]] >= 0) ++n;
    if (n == further.size()) further.emplace_back();
    further[n].child[place[parent]] = static_cast<int>(b);
  }
}

void TreeWaves::restart(const TreeProblem& problem) noexcept {
  all_dirty_ = true;
  const bool any = std::any_of(problem.points.begin(), problem.points.end(), [&](const PointRow& row) {
    return row.weight > 0.0 && !sits_on_base_origin(row, base_);
  });
  if (!any && six_[base_] == 0) return;
  std::swap(six_, six_before_);
  std::fill(six_.begin(), six_.end(), static_cast<unsigned char>(0));
  for (const PointRow& row : problem.points) {
    if (!(row.weight > 0.0) || sits_on_base_origin(row, base_)) continue;
    for (std::size_t i = at(row.block); six_[i] == 0; i = at(parent_[i])) six_[i] = 1;
  }
  pattern_known_ = pattern_known_ && six_ == six_before_;
}

void TreeWaves::read(const LaneArray<3>* side, const LaneArray<1>& regular) noexcept {
  const Changes changes = compare_sides(side != nullptr ? *side : none_, regular, side_, absorbs_, changed_);
  if (changes.absorbing > 0.0 || !pattern_known_) find_pattern();
  for (Wave& wave : list) {
    wave.dirty = wave.dirty || all_dirty_;
    if (!(changes.sides > 0.0)) continue;
    wave.held = false;
    for (std::size_t b = wave.first; b < wave.end; ++b) {
      const Vec3 s = vec3(side_, b);
      wave.held = wave.held || dot(s, s) != 0.0;
      if (changed_(0, b) != 0.0 && !all_dirty_) mark_dirty(b);
    }
  }
  all_dirty_ = false;
}

// Marks a block and all blocks before it that see it, or saw it before the working set changed.
void TreeWaves::mark_dirty(std::size_t b) noexcept {
  for (; b != base_; b = at(parent_[b])) {
    list[wave_of_[b]].dirty = true;
    if (hands_on_[b] == 0 && handed_on_[b] == 0) return;
  }
}

// Finds which blocks the body before sees, and which waves their own targets do not determine. A free block
// that reaches every angular velocity passes nothing of omega on: the body takes its own optimum.
void TreeWaves::find_pattern() noexcept {
  pattern_known_ = true;
  handed_on_ = hands_on_;
  for (std::size_t b = 0; b < base_; ++b) hands_on_[b] = absorbs_(0, b) == 0.0 || six_[b] != 0 ? 1 : 0;
  for (Wave& wave : list) {
    wave.six = wave.runs = false;
    wave.absorbs = true;
    for (HandedOn& further : wave.further) {
      for (std::size_t l = 0; l < kPack; ++l) wave.runs = point_at(further, l) || wave.runs;
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

// Finds where the block further out of lane l stores its contribution. Returns false if it has none.
bool TreeWaves::point_at(HandedOn& further, std::size_t l) noexcept {
  further.K[l] = further.C[l] = further.M[l] = kZeros;
  for (std::size_t q = 0; q < kQuestions; ++q) further.b[q][l] = further.f[q][l] = kZeros;
  if (further.child[l] < 0 || hands_on_[at(further.child[l])] == 0) return false;
  const auto child = at(further.child[l]);
  const std::size_t w = wave_of_[child], from = place[child];
  further.K[l] = &handed[w].K.v[0][from];
  for (std::size_t q = 0; q < kQuestions; ++q) further.b[q][l] = &pulled[q][w].b.v[0][from];
  if (six_[child] == 0) return true;
  further.C[l] = &handed[w].C.v[0][from];
  further.M[l] = &handed[w].M.v[0][from];
  for (std::size_t q = 0; q < kQuestions; ++q) further.f[q][l] = &pulled[q][w].f.v[0][from];
  return true;
}

}  // namespace panto
