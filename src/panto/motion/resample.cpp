#include "panto/motion/resample.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "panto/base/error.hpp"
#include "panto/base/text.hpp"
#include "panto/math/so3.hpp"
#include "panto/motion/derivatives.hpp"

namespace panto {
namespace {

// contacts at new stamps: those of the frame then, or the next
void resample_contacts(const std::vector<State>& before, const std::vector<State>& after,
                       std::vector<LinkContacts>& contacts) {
  std::vector<std::size_t> frame;
  for (const State& state : after) {
    std::size_t k = frame.empty() ? 0 : frame.back();
    while (k + 1 < before.size() && before[k].t < state.t) ++k;
    frame.push_back(k);
  }
  for (LinkContacts& foot : contacts) {
    LinkContacts now{foot.link, {}, {}};
    for (const std::size_t k : frame) {
      now.heel.push_back(foot.heel[k]);
      now.ball.push_back(foot.ball[k]);
      if (!foot.anchor.empty()) now.anchor.push_back(foot.anchor[k]);
    }
    foot = std::move(now);
  }
}

}  // namespace

void interpolate(const State& a, const State& b, Time t, State& out) noexcept {
  if (t >= b.t) {
    out = b;
    return;
  }
  if (t <= a.t) {
    if (&out != &a) out = a;
    return;
  }
  const double u = static_cast<double>(t - a.t) / static_cast<double>(b.t - a.t);
  const auto between = [u](const auto& from, const auto& to) { return (from + u * (to - from)).eval(); };
  out.p_WB = between(a.p_WB, b.p_WB);
  out.R_WB = so3::project(so3::exp(u * so3::log(b.R_WB * a.R_WB.transpose())) * a.R_WB);
  out.v_WB = between(a.v_WB, b.v_WB);
  out.w_WB = between(a.w_WB, b.w_WB);
  out.s = a.s + u * (b.s - a.s);
  out.sdot = a.sdot + u * (b.sdot - a.sdot);
  out.t = t;
}

Resampler::Resampler(double rate_hz) : rate_hz_(rate_hz) {
  if (!(std::isfinite(rate_hz) && rate_hz > 0.0)) {
    throw ConfigError("resampling rate " + digits(rate_hz, 6) + " Hz: it must be > 0");
  }
}

bool Resampler::push(const State& state) {
  if (count_ > 0 &&
      (state.t <= last_.t || state.s.size() != last_.s.size() || state.sdot.size() != last_.sdot.size()))
    return false;
  if (count_ == 0) start_ = state.t;
  before_ = count_ == 0 ? state : last_;
  last_ = state;
  count_ = std::min(count_ + 1, 2);
  while (start_ + frame_time(next_, rate_hz_) < before_.t) ++next_;
  return true;
}

bool Resampler::pop(State& state) {
  if (count_ == 0) return false;
  const Time t = start_ + frame_time(next_, rate_hz_);
  if (t > last_.t) return false;
  interpolate(before_, last_, t, state);
  ++next_;
  return true;
}

Motion resampled(Motion motion, double rate_hz) {
  constexpr double kSame = 1e-3;  // share: stamps of a nominal rate are not that exact
  if (std::abs(motion.rate_hz - rate_hz) > kSame * rate_hz) {
    Resampler resampler(rate_hz);
    State state;
    std::vector<State> steady;
    for (const State& given : motion.states) {
      resampler.push(given);
      while (resampler.pop(state)) steady.push_back(state);
    }
    resample_contacts(motion.states, steady, motion.contacts);
    motion.states = std::move(steady);
    derive_velocities(motion);
  }
  motion.rate_hz = rate_hz;
  return motion;
}

}  // namespace panto
