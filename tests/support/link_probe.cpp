// panto_link_probe URDF udp://HOST:PORT SECONDS [RATE]: plays sinusoids on every joint of a robot into a live
// link, in real time, and prints as CSV what was sent and what came back:
//
//   sent,<seconds since the first reference>,<stamp>,<s...>
//   measured,<seconds since the first reference>,<stamp>,<s...>
//
// Joints that may not move far enough stay at rest.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <numbers>

#include "panto/io/urdf.hpp"
#include "panto/live/pacer.hpp"
#include "panto/live/robot.hpp"

namespace {

using panto::Model;
using panto::State;
using panto::Time;

// A quarter of the range on one side of rest, within half the speed limit; begins and ends at rest.
State sinusoid(const Model& model, Time t) {
  State state = panto::rest_state(model);
  state.t = t;
  for (int i = 0; i < model.dof(); ++i) {
    const double rate = 2.0 * std::numbers::pi * (0.4 + 0.05 * (i % 5));  // [rad/s]
    const double up = std::min(model.upper()[i] - state.s[i], 2.0),
                 down = std::min(state.s[i] - model.lower()[i], 2.0);
    const double most = 0.5 * std::min(model.velocity_limit()[i], 10.0) / rate;
    const double size = up >= down ? std::min(0.25 * up, most) : -std::min(0.25 * down, most);
    state.s[i] += size * (1.0 - std::cos(rate * panto::to_seconds(t)));
    state.sdot[i] = size * rate * std::sin(rate * panto::to_seconds(t));
  }
  return state;
}

void print(const char* kind, double at, const State& state) {
  std::printf("%s,%.6f,%.6f", kind, at, panto::to_seconds(state.t));
  for (const double s : state.s) std::printf(",%.9g", s);
  std::printf("\n");
}

void play(const Model& model, const char* address, double seconds, double rate) {
  const auto link = panto::live::open_robot_link(address, model, rate);
  panto::live::Pacer pacer;
  State measured = panto::rest_state(model);
  std::printf("joints");
  for (const std::string& name : model.joint_names()) std::printf(",%s", name.c_str());
  std::printf("\n");
  Time origin = 0;
  const auto since = [&origin] { return panto::to_seconds(panto::live::monotonic_now() - origin); };
  for (int k = 0; k <= static_cast<int>(seconds * rate); ++k) {
    const State state = sinusoid(model, panto::frame_time(k, rate));
    pacer.wait_until(state.t);
    if (k == 0) origin = panto::live::monotonic_now();
    if (link->write(state) == panto::WriteStatus::Written) print("sent", since(), state);
    while (link->read_measured(measured)) print("measured", since(), measured);
  }
  link->close();
  std::fprintf(stderr, "%lld sent, %lld dropped\n", static_cast<long long>(link->sent()),
               static_cast<long long>(link->dropped()));
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc < 4) {
    std::fputs("usage: panto_link_probe URDF udp://HOST:PORT SECONDS [RATE]\n", stderr);
    return 2;
  }
  std::setvbuf(stdout, nullptr, _IOLBF, 0);  // what was printed survives a kill
  play(panto::io::read_urdf(argv[1]), argv[2], std::atof(argv[3]), argc > 4 ? std::atof(argv[4]) : 50.0);
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 3;
}
