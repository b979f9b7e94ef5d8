#include "panto/keypoints/point_faults.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "panto/base/index.hpp"
#include "panto/keypoints/point_geometry.hpp"

namespace panto::keypoints {
namespace {

using Eigen::Vector3d;

constexpr double kStandstill = 1e-4;  // [m] a point that moves less stays in place
constexpr double kFrozenTime = 0.1;   // [s] of a standstill that may be a fault
constexpr double kBroken = 0.03;      // [m] a bone that is off its length by more is broken ...
constexpr double kSpreads = 4.0;      // ... or by so many times its spread
constexpr double kMostSpread = 0.05;  // [m] of a bone that is measured at all
constexpr int kFrozenRounds = 4;      // from a frozen point to the next one outwards

constexpr double kJump = 0.08;      // [m] a point that moves so far beyond the body may have been exchanged
constexpr double kExchange = 0.15;  // [m] that both points jump together, at least
constexpr double kCrossed = 0.3;    // of that distance remain if they are exchanged
constexpr double kClear = 0.3;      // [m] such jumps need no other witness ...
constexpr double kClearCrossed = 0.1;   // ... if that share remains
constexpr double kRemember = 0.2;       // [s] a point that was seen earlier does not show a jump
constexpr double kSlowest = 10.0;       // [Hz] of slower recordings jumps cannot be told from motion
constexpr std::size_t kMostJumps = 24;  // more points that jump at once are a cut

constexpr double kStray = 0.1;          // [m] off the middle of both neighbours in time
constexpr double kStrayMultiple = 8.0;  // of what is usual for the point

// how far a bone may be off its length before it is broken
double tolerance(const PointBone& bone, double metre) {
  return std::max(kBroken * metre, kSpreads * std::min(bone.spread, kMostSpread * metre));
}

// ---- frozen -----------------------------------------------------------------------------------------------

std::vector<PointSpan> standstills(const PointTable& table, int point, std::span<const Time> times,
                                   double metre) {
  std::vector<PointSpan> spans;
  for (int k = 0; k < table.frames;) {
    int end = k + 1;
    const Vector3d& place = table.at(k, point);
    while (end < table.frames && (table.at(end, point) - place).norm() <= kStandstill * metre) ++end;
    if (end - k >= 3 && to_seconds(times[at(end - 1)] - times[at(k)]) >= kFrozenTime)
      spans.push_back({point, k, end - 1});
    k = end;
  }
  return spans;
}

// in its worst frame, half of the bones that are seen are broken
bool breaks_bones(const PointTable& table, const std::vector<PointBone>& bones, const PointSpan& span,
                  double metre) {
  bool found = false;
  for (int k = span.first; k <= span.last && !found; ++k) {
    int broken = 0, seen = 0;
    for_bones_at(bones, span.point, [&](int other, const PointBone& bone) {
      if (!table.seen(k, other)) return;
      ++seen;
      const double off = std::abs((table.at(k, span.point) - table.at(k, other)).norm() - bone.length);
      broken += off > tolerance(bone, metre) ? 1 : 0;
    });
    found = broken > 0 && 2 * broken >= seen;
  }
  return found;
}

// ---- exchanged --------------------------------------------------------------------------------------------

// Follows the points through a clip and undoes exchanges on the way.
class Exchanges {
 public:
  Exchanges(const PointTable& table, const std::vector<PointBone>& bones, std::span<const Time> times,
            const std::vector<int>& mirror, double metre)
      : table_(table),
        bones_(bones),
        times_(times),
        mirror_(mirror),
        metre_(metre),
        now_(at(table.points)),
        last_(at(table.points), no_point()),
        when_(at(table.points), 0),
        partner_(at(table.points), -1),
        since_(at(table.points), 0) {}

  std::vector<PointSpan> find() {
    for (int k = 0; k < table_.frames; ++k) {
      look(k);
      for (int j = 0; j < table_.points; ++j) {
        if (!now_[at(j)].allFinite()) continue;
        last_[at(j)] = now_[at(j)];
        when_[at(j)] = k;
      }
    }
    for (int j = 0; j < table_.points; ++j)
      if (partner_[at(j)] > j) end(j, table_.frames);
    return fewer_frames();
  }

 private:
  void look(int k) {
    for (int j = 0; j < table_.points; ++j)
      now_[at(j)] = table_.at(k, partner_[at(j)] < 0 ? j : partner_[at(j)]);
    if (k == 0) return;
    const std::vector<int> jumped = jumps(k);
    if (jumped.size() < 2 || jumped.size() > kMostJumps) return;
    std::vector<PointSpan> pairs;
    int mirrored_pairs = 0;
    for (std::size_t a = 0; a < jumped.size(); ++a) {
      for (std::size_t b = a + 1; b < jumped.size(); ++b) {
        if (!crosses(jumped[a], jumped[b], kExchange, kCrossed)) continue;
        pairs.push_back({jumped[a], k, k, jumped[b]});
        mirrored_pairs += mirror_[at(jumped[a])] == jumped[b] ? 1 : 0;
      }
    }
    for (const PointSpan& pair : pairs) {
      const int i = pair.point, j = pair.other;
      const bool free = partner_[at(i)] < 0 && partner_[at(j)] < 0;
      if (!free && partner_[at(i)] != j) continue;
      const bool sides = mirrored_pairs > 1 && mirror_[at(i)] == j;
      if (!sides && !bones_agree(i, j) && !crosses(i, j, kClear, kClearCrossed)) continue;
      if (free) {
        partner_[at(i)] = j;
        partner_[at(j)] = i;
        since_[at(i)] = since_[at(j)] = k;
      } else {
        end(i, k);
      }
      std::swap(now_[at(i)], now_[at(j)]);
    }
  }

  void end(int i, int k) {
    const int j = partner_[at(i)];
    spans_.push_back({std::min(i, j), since_[at(i)], k - 1, std::max(i, j)});
    partner_[at(i)] = partner_[at(j)] = -1;
  }

  // points that moved farther than the body as a whole
  std::vector<int> jumps(int k) const {
    std::vector<Vector3d> moves(now_.size(), no_point());
    for (std::size_t j = 0; j < now_.size(); ++j) {
      if (to_seconds(times_[at(k)] - times_[at(when_[j])]) <= kRemember) moves[j] = now_[j] - last_[j];
    }
    const Vector3d body = median(moves);
    std::vector<int> jumped;
    for (std::size_t j = 0; j < moves.size(); ++j)
      if ((moves[j] - body).norm() > kJump * metre_) jumped.push_back(static_cast<int>(j));
    return jumped;
  }

  bool crosses(int i, int j, double least, double share) const {
    const double straight = (now_[at(i)] - last_[at(i)]).norm() + (now_[at(j)] - last_[at(j)]).norm();
    const double crossed = (now_[at(i)] - last_[at(j)]).norm() + (now_[at(j)] - last_[at(i)]).norm();
    return straight > least * metre_ && crossed < share * straight;
  }

  // the bones of both points are broken as named, and fit if exchanged
  bool bones_agree(int i, int j) const {
    double named = 0.0, exchanged = 0.0;
    for (const auto& [own, other] : {std::pair{i, j}, std::pair{j, i}}) {
      for_bones_at(bones_, own, [&, own = own, other = other](int end, const PointBone& bone) {
        if (end == other || !now_[at(end)].allFinite()) return;
        named += std::abs((now_[at(own)] - now_[at(end)]).norm() - bone.length);
        exchanged += std::abs((now_[at(other)] - now_[at(end)]).norm() - bone.length);
      });
    }
    return named > kBroken * metre_ && exchanged < 0.5 * named;
  }

  // a pair that is exchanged in most frames is named the other way round in the others
  std::vector<PointSpan> fewer_frames() const {
    std::map<std::pair<int, int>, std::vector<PointSpan>> by_pair;
    for (const PointSpan& span : spans_) by_pair[{span.point, span.other}].push_back(span);
    std::vector<PointSpan> result;
    for (auto& [pair, own] : by_pair) {
      int frames = 0;
      for (const PointSpan& span : own) frames += span.last - span.first + 1;
      if (2 * frames > table_.frames) own = others(own);
      result.insert(result.end(), own.begin(), own.end());
    }
    return result;
  }

  std::vector<PointSpan> others(const std::vector<PointSpan>& own) const {
    std::vector<PointSpan> rest;
    int next = 0;
    for (const PointSpan& span : own) {
      if (span.first > next) rest.push_back({span.point, next, span.first - 1, span.other});
      next = span.last + 1;
    }
    if (next < table_.frames) rest.push_back({own[0].point, next, table_.frames - 1, own[0].other});
    return rest;
  }

  const PointTable& table_;
  const std::vector<PointBone>& bones_;
  std::span<const Time> times_;
  const std::vector<int>& mirror_;
  double metre_;
  std::vector<Vector3d> now_, last_;  // by point, exchanges undone
  std::vector<int> when_;             // frame of last_
  std::vector<int> partner_, since_;
  std::vector<PointSpan> spans_;
};

}  // namespace

std::vector<PointSpan> frozen_points(const PointTable& table, const std::vector<PointBone>& bones,
                                     std::span<const Time> times, double metre) {
  std::vector<PointSpan> open, frozen;
  for (int j = 0; j < table.points; ++j) {
    const std::vector<PointSpan> own = standstills(table, j, times, metre);
    open.insert(open.end(), own.begin(), own.end());
  }
  std::vector<unsigned char> known(table.p.size(), 0);  // frozen, by frame and point
  const auto index = [&](int frame, int point) { return at(frame) * at(table.points) + at(point); };
  const auto is_frozen = [&](const PointSpan& span) {
    if (breaks_bones(table, bones, span, metre)) return true;
    bool beside = false;
    for_bones_at(bones, span.point, [&](int other, const PointBone&) {
      beside = beside || known[index((span.first + span.last) / 2, other)] != 0;
    });
    return beside;
  };
  for (int round = 0; round < kFrozenRounds; ++round) {
    const std::size_t before = frozen.size();
    std::erase_if(open, [&](const PointSpan& span) {
      if (!is_frozen(span)) return false;
      frozen.push_back({span.point, span.first + 1, span.last});
      for (int k = span.first; k <= span.last; ++k) known[index(k, span.point)] = 1;
      return true;
    });
    if (frozen.size() == before) break;
  }
  return frozen;
}

std::vector<PointSpan> exchanged_points(const PointTable& table, const std::vector<PointBone>& bones,
                                        std::span<const Time> times, const std::vector<int>& mirror,
                                        double metre) {
  const double span = table.frames > 1 ? to_seconds(times.back() - times.front()) : 0.0;
  if (!(span > 0.0) || (table.frames - 1) / span < kSlowest) return {};
  return Exchanges(table, bones, times, mirror, metre).find();
}

std::vector<PointSpan> stray_points(const PointTable& table, const std::vector<PointBone>& bones,
                                    double metre) {
  std::vector<PointSpan> spans;
  for (int j = 0; j < table.points; ++j) {
    std::vector<double> off(at(table.frames), no_point()[0]);
    for (int k = 1; k + 1 < table.frames; ++k)
      off[at(k)] = (table.at(k, j) - 0.5 * (table.at(k - 1, j) + table.at(k + 1, j))).norm();
    const double limit = std::max(kStray * metre, kStrayMultiple * median(off));
    for (int k = 1; k + 1 < table.frames; ++k)
      if (off[at(k)] > limit && breaks_bones(table, bones, {j, k, k}, metre)) spans.push_back({j, k, k});
  }
  return spans;
}

}  // namespace panto::keypoints
