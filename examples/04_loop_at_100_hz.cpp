// How does a robot follow a person live, 100 times a second, in a loop that neither throws nor allocates?

#include <chrono>
#include <cmath>
#include <cstdio>
#include <thread>

#include "panto/api/live_retargeter.hpp"
#include "panto/io/open_model.hpp"
#include "panto/model/kinematics.hpp"

namespace {

// Your device goes here. This one measures a person who raises the right arm for 1.5 s.
struct Suit : panto::Source<panto::SegmentSample> {
  const std::vector<std::string>& names() const noexcept override { return panto::human_segment_names(); }
  panto::ReadStatus read(panto::SegmentSample& sample) noexcept override {
    if (frame == 150) return panto::ReadStatus::EndOfMotion;
    sample.t = panto::frame_time(frame++, 100.0);
    std::this_thread::sleep_until(begin + std::chrono::nanoseconds(sample.t));
    person.s[human.joint_index("jRightShoulder_rotx")] = std::cos(0.02 * frame);
    body.update(person);
    sample.segments.resize(names().size());
    for (std::size_t i = 0; i < names().size(); ++i) {
      panto::SegmentMotion& segment = sample.segments[i];
      segment.has_orientation = segment.has_position = true;
      segment.R_WS = body.R_WL(human.link_index(names()[i]));
      segment.p_WS = body.p_WL(human.link_index(names()[i])) + Eigen::Vector3d(0.0, 0.0, 0.986);
    }
    return panto::ReadStatus::Sample;
  }
  const panto::Model human = panto::human66();
  panto::Kinematics body{human};
  panto::State person = panto::rest_state(human);
  std::chrono::steady_clock::time_point begin = std::chrono::steady_clock::now();
  int frame = 0;
};

std::vector<panto::State> sent;
void send(const panto::State& state) { sent.push_back(state); }  // your robot goes here

int follow() {
  Suit suit;
  const panto::Robot g1 = panto::robot_of(panto::io::open_robot("unitree_g1"));  // throws panto::Error
  panto::LiveRetargeter live(g1, suit.names(), panto::scaled_subject(1.75));
  panto::State state = live.rest_state();
  for (panto::SegmentSample sample; suit.read(sample) == panto::ReadStatus::Sample;) {
    const panto::StepStatus status = live.step(sample, state);  // noexcept; on failure state is unchanged
    if (panto::usable(status)) send(state);                     // 0.1 s late: `RetargetOptions::live`
  }
  while (panto::usable(live.drain(state))) send(state);

  panto::Kinematics robot(g1.model);
  for (std::size_t i = 0; i < sent.size(); i += 50) {
    robot.update(sent[i]);
    const double height = robot.p_WL(g1.model.link_index("right_wrist_yaw_link")).z();
    std::printf("%.2f s: right hand at %.2f m\n", panto::to_seconds(sent[i].t), height);
  }
  std::printf("%zu of %d samples sent\n", sent.size(), suit.frame);
  return sent.size() == 150 ? 0 : 1;
}

}  // namespace

int main() {
  try {
    return follow();
  } catch (const panto::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 3;
  }
}
