#include "panto/inertial/contact_noise.hpp"

#include <algorithm>

namespace panto {
namespace {

constexpr double kRolls = 0.1;   // [m] of a point from the one about which a foot rolls: half of heel to ball
constexpr double kBlend = 0.05;  // [s] in which a contact comes to count fully
constexpr double kLeastShare = 1e-3;

}  // namespace

double contact_variance(const ChainContactOptions& options, const ContactSign& sign, double T) noexcept {
  const double moves = std::max(sign.turning / options.gyro, sign.off / options.acc);
  if (!(moves < 1.0)) return kInfinity;
  const double begun = std::clamp((sign.standing + T - options.settles) / std::max(kBlend, T), 0.0, 1.0);
  const double share = std::max(begun * begun * (3.0 - 2.0 * begun) * (1.0 - moves * moves), kLeastShare);
  // what a foot that rolls, or is about to leave, adds lasts about as long as it settles
  const double rolling = kRolls * sign.turning, leaving = options.settles * sign.off;
  const double lasts = 1.0 + 2.0 * options.settles / T;
  return (options.speed * options.speed + lasts * (rolling * rolling + leaving * leaving)) / (share * share);
}

}  // namespace panto
