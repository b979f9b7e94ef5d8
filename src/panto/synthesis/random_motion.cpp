// Random smooth motion of any model: every joint follows a sum of three slow sinusoids inside its limits.

#include <algorithm>
#include <cmath>
#include <numbers>

#include "panto/synthesis/human_motion.hpp"
#include "panto/synthesis/random_numbers.hpp"

namespace panto::detail {
namespace {

using std::numbers::pi;

constexpr double kShareOfRange = 0.9;             // share of the distance from the centre to a limit
constexpr double kShareOfSpeed = 0.8;             // of a joint's speed limit
constexpr double kFreeTurn = 0.8;                 // [rad] amplitude without a limit; below 90 deg, where
                                                  // spherical triples are singular
constexpr double kFreeSlide = 0.2;                // [m]
constexpr double kSlowest = 0.1, kFastest = 0.7;  // [Hz]

/// Three sinusoids whose amplitudes sum to `amplitude`.
Curve wander(std::mt19937_64& engine, double centre, double amplitude) {
  Curve curve(centre);
  double share[3], sum = 0.0;
  for (double& part : share) sum += part = uniform(engine, 0.3, 1.0);
  for (const double part : share) {
    const double omega = 2.0 * pi * uniform(engine, kSlowest, kFastest);
    const RingPoint p = point_in_ring(engine);
    const double scale = amplitude * part / (sum * std::sqrt(p.x * p.x + p.y * p.y));
    curve.add({omega, scale * p.x, scale * p.y});
  }
  return curve;
}

/// Motion of a joint: its centre, largest amplitude and largest speed.
struct Room {
  double lower = 0.0, upper = 0.0, speed = 0.0;
  double centre = 0.0, amplitude = 0.0;
};

Room& room_of(const Model& model, std::vector<Room>& rooms, const std::string& joint) {
  return rooms[static_cast<std::size_t>(model.joint_index(joint))];
}

/// A joint with mimics must also keep them inside their limits. Chains of mimics need as many passes as there
/// are mimics.
void tighten_sources(const Model& model, std::vector<Room>& rooms) {
  const std::vector<Mimic>& mimics = model.spec().mimics;
  for (std::size_t pass = 0; pass < mimics.size(); ++pass) {
    for (const Mimic& mimic : mimics) {
      if (mimic.multiplier == 0.0) continue;
      const Room& follower = room_of(model, rooms, mimic.joint);
      Room& source = room_of(model, rooms, mimic.source);
      const double a = (follower.lower - mimic.offset) / mimic.multiplier;
      const double b = (follower.upper - mimic.offset) / mimic.multiplier;
      source.lower = std::max(source.lower, std::min(a, b));
      source.upper = std::min(source.upper, std::max(a, b));
      source.speed = std::min(source.speed, follower.speed / std::abs(mimic.multiplier));
    }
  }
}

/// Returns the middle of a range of less than a turn, else the position nearest to rest with enough room.
void set_centre(Room& room, JointType type, double rest) {
  const double free = type == JointType::Prismatic ? kFreeSlide : kFreeTurn;
  const double width = room.upper - room.lower;
  if (width < 2.0 * pi) {
    room.centre = 0.5 * (room.lower + room.upper);
  } else {
    // half a range, or the free amplitude, whichever is smaller, fits on both sides
    const double half = std::min(0.5 * width, free / kShareOfRange);
    room.centre = std::clamp(rest, room.lower + half, room.upper - half);
  }
  room.amplitude = free;
}

/// Moves the centres inside the coupled rows by projection onto one row after the other. The required
/// distance from the borders of rows and limits shrinks every round, so it is kept as far as possible.
void centre_in_rows(const Model& model, std::vector<Room>& rooms) {
  constexpr int rounds = 200;
  for (int round = 0; round < rounds; ++round) {
    const double share = 1.0 - static_cast<double>(round) / rounds;
    for (const CoupledRow& row : model.spec().rows) {
      double value = 0.0, norm2 = 0.0;
      for (const CoupledRow::Term& term : row.terms) {
        value += term.coefficient * room_of(model, rooms, term.joint).centre;
        norm2 += term.coefficient * term.coefficient;
      }
      const double clear = share * std::min(0.2 * std::sqrt(norm2), 0.25 * (row.upper - row.lower));
      const double wanted = std::min(std::max(value, row.lower + clear), row.upper - clear);
      if (norm2 == 0.0 || wanted == value) continue;
      for (const CoupledRow::Term& term : row.terms) {
        Room& room = room_of(model, rooms, term.joint);
        const double inset = share * std::min(0.2, 0.25 * (room.upper - room.lower));
        room.centre += term.coefficient * (wanted - value) / norm2;
        room.centre = std::min(std::max(room.centre, room.lower + inset), room.upper - inset);
      }
    }
  }
}

/// Shrinks the movement of the joints of each row until the row holds everywhere.
void respect_rows(const Model& model, std::vector<Room>& rooms) {
  for (const CoupledRow& row : model.spec().rows) {
    double centre = 0.0, reach = 0.0;
    for (const CoupledRow::Term& term : row.terms) {
      const Room& room = room_of(model, rooms, term.joint);
      centre += term.coefficient * room.centre;
      reach += std::abs(term.coefficient) * room.amplitude;
    }
    const double slack = std::max(0.0, kShareOfRange * std::min(row.upper - centre, centre - row.lower));
    if (reach <= slack) continue;
    for (const CoupledRow::Term& term : row.terms) {
      room_of(model, rooms, term.joint).amplitude *= slack / reach;
    }
  }
}

std::vector<Room> rooms_of(const Model& model) {
  std::vector<Room> rooms;
  rooms.reserve(static_cast<std::size_t>(model.dof()));
  for (int i = 0; i < model.dof(); ++i) {
    rooms.push_back({model.lower()[i], model.upper()[i], model.velocity_limit()[i], 0.0, 0.0});
  }
  tighten_sources(model, rooms);
  for (int i = 0; i < model.dof(); ++i) {
    set_centre(rooms[static_cast<std::size_t>(i)], model.joint(i).type, model.rest()[i]);
  }
  centre_in_rows(model, rooms);
  for (Room& room : rooms) {
    const double space = std::min(room.upper - room.centre, room.centre - room.lower);
    room.amplitude = std::max(0.0, std::min(room.amplitude, kShareOfRange * space));
  }
  respect_rows(model, rooms);
  return rooms;
}

void follow_mimics(const Model& model, std::vector<Curve>& curves) {
  const std::vector<Mimic>& mimics = model.spec().mimics;
  for (std::size_t pass = 0; pass < mimics.size(); ++pass) {
    for (const Mimic& mimic : mimics) {
      const auto follower = static_cast<std::size_t>(model.joint_index(mimic.joint));
      const auto source = static_cast<std::size_t>(model.joint_index(mimic.source));
      curves[follower] = curves[source].scaled(mimic.multiplier, mimic.offset);
    }
  }
}

}  // namespace

Synthesis random_motion(const Model& model, std::uint64_t seed) {
  std::mt19937_64 engine(seed);
  std::vector<Curve> curves;
  for (const Room& room : rooms_of(model)) {
    const Curve curve = wander(engine, room.centre, room.amplitude);
    const double factor = std::min(1.0, kShareOfSpeed * room.speed / std::max(curve.rate_amplitude(), 1e-12));
    curves.push_back(curve.scaled(factor, (1.0 - factor) * room.centre));
  }
  follow_mimics(model, curves);

  BaseCurves base;
  if (model.floating_base()) {
    for (int k = 0; k < 2; ++k) base.position[static_cast<std::size_t>(k)] = wander(engine, 0.0, 0.5);
    base.position[2] = wander(engine, 1.0, 0.2);
    base.roll = wander(engine, 0.0, 0.4);
    base.pitch = wander(engine, 0.0, 0.4);
    base.yaw = wander(engine, 0.0, 1.5);
  }
  return Synthesis("random", model, std::move(curves), std::move(base), 0.0);
}

}  // namespace panto::detail
