#include "panto/bridge/unitree_output.hpp"

#ifdef PANTO_DDS
#include <dds/dds.h>
#include <unitree_messages.h>
#endif

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <mutex>
#include <thread>

#include "panto/base/error.hpp"
#include "panto/base/index.hpp"
#include "panto/bridge/dds_address.hpp"
#include "panto/bridge/g1_joints.hpp"
#include "panto/live/pacer.hpp"
#include "panto/model/speed_limit.hpp"

namespace panto::bridge {

std::uint32_t check_unitree_address(const live::StreamAddress& to) {
  const std::uint32_t domain = dds_domain(to.at, to.scheme);
  (void)dds_configuration(to.at, to.scheme);
  if (!is_own_address(to.at.host))
    throw ConfigError(
        to.scheme + "://: " + to.at.host +
        " is no address of this computer: give its own in the robot's network, not the robot's");
  return domain;
}

#ifdef PANTO_DDS

namespace {

using stream::UnitreeCommand;
using stream::UnitreeMotion;
using stream::UnitreePart;

constexpr double kOtherwise = 2.0;  // [rad/s] for a joint whose model has no limit of speed
constexpr std::chrono::milliseconds kAll{2}, kArms{4};
constexpr std::chrono::seconds kLongestEnd{3};
constexpr int kMostTaken = 16;  // messages of the robot in one tick

const char* scheme_of(UnitreePart part) { return part == UnitreePart::Arms ? "unitree-arms" : "unitree-all"; }

UnitreeMotion motion_of(const Model& model, UnitreePart part) {
  std::vector<std::int64_t> joints = g1_motor_joints(model, scheme_of(part));
  stream::UnitreeLimits limits;
  for (int j = 0; j < UnitreeMotion::kJoints; ++j) {
    const auto place = static_cast<int>(joints[at(j)]);
    limits.lower[at(j)] = model.lower()[place];
    limits.upper[at(j)] = model.upper()[place];
    limits.speed[at(j)] = speed_limit_of(model, place, kOtherwise);
  }
  return {std::move(joints), limits, part};
}

// Returns the entity. @throws Error
dds_entity_t made(dds_entity_t entity, const std::string& what) {
  return dds_made(entity, what, "the robot");
}

std::string topic_of(const char* name) {
  std::string text("topic ");
  text.append(name);
  return text;
}

unitree_hg_msg_dds__LowCmd_ message_of(const UnitreeCommand& command) {
  unitree_hg_msg_dds__LowCmd_ message = {};
  message.mode_pr = command.mode_pr;
  message.mode_machine = command.mode_machine;
  for (std::size_t i = 0; i < command.motor.size(); ++i) {
    const stream::UnitreeMotor& from = command.motor[i];
    message.motor_cmd[i] = {from.mode, from.q, from.dq, from.tau, from.kp, from.kd, 0};
  }
  message.crc = stream::unitree_crc(command);
  return message;
}

}  // namespace

struct UnitreeOutput::Impl {
  Impl(const live::UdpAddress& at, UnitreePart part, const Model& model, const live::Arming& armed)
      : arming(&armed),
        motion(motion_of(model, part)),
        period(part == UnitreePart::Arms ? kArms : kAll),
        domain(made(dds_create_domain(dds_domain(at, scheme_of(part)),
                                      dds_configuration(at, scheme_of(part)).c_str()),
                    "domain " + std::to_string(dds_domain(at, scheme_of(part))))) {
    try {
      open(dds_domain(at, scheme_of(part)), part == UnitreePart::Arms ? "rt/arm_sdk" : "rt/lowcmd");
    } catch (...) {
      dds_delete(domain);
      throw;
    }
    thread = std::thread([this] { run(); });
  }
  ~Impl() {
    over = true;
    if (thread.joinable()) thread.join();
    dds_delete(domain);  // and all in it
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  void open(std::uint32_t number, const char* topic) {
    const dds_entity_t participant = made(dds_create_participant(number, nullptr, nullptr), "a participant");
    const auto about = [&](const dds_topic_descriptor_t& type, const char* name) {
      return made(dds_create_topic(participant, &type, name, nullptr, nullptr), topic_of(name));
    };
    dds_qos_t* const qos = dds_create_qos();
    dds_qset_history(qos, DDS_HISTORY_KEEP_LAST, 1);
    dds_qset_reliability(qos, DDS_RELIABILITY_BEST_EFFORT, 0);
    reader = dds_create_reader(participant, about(unitree_hg_msg_dds__LowState__desc, "rt/lowstate"), qos,
                               nullptr);
    dds_qset_reliability(qos, DDS_RELIABILITY_RELIABLE, DDS_MSECS(1));
    dds_qset_writer_data_lifecycle(qos, false);  // its end sends no sample
    writer = dds_create_writer(participant, about(unitree_hg_msg_dds__LowCmd__desc, topic), qos, nullptr);
    dds_delete_qos(qos);
    made(reader, "topic rt/lowstate");
    made(writer, topic_of(topic));
    commands = topic;
    others = made(dds_create_reader(participant, DDS_BUILTIN_TOPIC_DCPSPUBLICATION, nullptr, nullptr),
                  "the list of senders");
    (void)dds_get_guid(participant, &own);
  }

  void run() noexcept {
    auto next = std::chrono::steady_clock::now();
    auto tripped = UnitreeMotion::Trip::None;  // a tick ago
    while (!over) {
      const Time now = live::monotonic_now();
      UnitreeCommand command;
      bool sends = false;
      {
        const std::lock_guard lock(mutex);
        read(now);
        find_rivals();
        if (!arming->armed()) motion.release();
        if (rivals > 0) motion.yield();
        sends = motion.tick(now, command);
        if (motion.tripped() != tripped && motion.tripped() != UnitreeMotion::Trip::None)
          trip = motion.tripped();
        tripped = motion.tripped();
        there = motion.is_there(now);
        done = motion.finished();
      }
      if (sends) {
        const unitree_hg_msg_dds__LowCmd_ message = message_of(command);
        (void)dds_write(writer, &message);
      }
      next = std::max(next + period, std::chrono::steady_clock::now());
      std::this_thread::sleep_until(next);
    }
  }

  void read(Time now) noexcept {
    void* sample = &state;
    dds_sample_info_t info;
    for (int k = 0; k < kMostTaken && dds_take(reader, &sample, &info, 1, 1) == 1; ++k) {
      if (!info.valid_data) continue;
      // of two robots the first one counts until it is silent
      if (motion.is_there(now) && info.publication_handle != robot) continue;
      UnitreeMotion::Angles q = {};
      for (int j = 0; j < UnitreeMotion::kJoints; ++j)
        q[at(j)] = static_cast<double>(state.motor_state[at(j)].q);
      robot = info.publication_handle;
      motion.measured(q, state.mode_machine, now);
    }
  }

  // Counts who else sends commands of the motors: two would tear the robot to and fro.
  void find_rivals() noexcept {
    void* sample = nullptr;
    dds_sample_info_t info;
    while (dds_take(others, &sample, &info, 1, 1) == 1) {
      const auto* const one = static_cast<const dds_builtintopic_endpoint_t*>(sample);
      const bool ours = info.valid_data && std::memcmp(&one->participant_key, &own, sizeof own) == 0;
      const bool rival =
          info.valid_data && !ours && one->topic_name != nullptr && one->topic_name == commands;
      const auto known = std::find(rival_writers.begin(), rival_writers.end(), info.instance_handle);
      if (rival && info.instance_state == DDS_ALIVE_INSTANCE_STATE && known == rival_writers.end())
        rival_writers.push_back(info.instance_handle);
      if (info.instance_state != DDS_ALIVE_INSTANCE_STATE && known != rival_writers.end())
        rival_writers.erase(known);
      (void)dds_return_loan(others, &sample, 1);
    }
    rivals = rival_writers.size();
  }

  const live::Arming* arming;
  std::mutex mutex;  // of `motion`
  UnitreeMotion motion;
  std::chrono::milliseconds period;
  dds_entity_t domain, reader = 0, writer = 0, others = 0;
  dds_guid_t own = {};
  std::string commands;  // the topic
  std::vector<dds_instance_handle_t> rival_writers;
  dds_instance_handle_t robot = 0;
  unitree_hg_msg_dds__LowState_ state = {};  // the thread's own
  std::atomic<bool> over = false, there = false, done = false;
  std::atomic<std::size_t> rivals = 0;
  std::atomic<UnitreeMotion::Trip> trip = UnitreeMotion::Trip::None;  // not told yet
  std::thread thread;
};

UnitreeOutput::UnitreeOutput(const live::UdpAddress& at, stream::UnitreePart part, const Model& model,
                             const live::Arming& arming)
    : impl_(std::make_unique<Impl>(at, part, model, arming)) {}

void UnitreeOutput::write(const LiveFrame& frame) noexcept {
  const std::lock_guard lock(impl_->mutex);
  if (!frame.valid || frame.flushed() || !impl_->arming->armed() || impl_->rivals > 0) {
    impl_->motion.stop();
    return;
  }
  impl_->motion.follow(frame.state, live::monotonic_now());
  count(impl_->there);
}

std::string UnitreeOutput::refusal() {
  using enum UnitreeMotion::Trip;
  const UnitreeMotion::Trip why = impl_->trip.exchange(None);
  if (impl_->rivals > 0 && impl_->arming->armed())
    return "another program sends " + impl_->commands + ", maybe the robot's own controller: end it first";
  if (why == Absent) return "no word from the robot on rt/lowstate: is it on, and in this network?";
  if (why == Silent) return "the robot has fallen silent: it is let go";
  if (why == Astray) return "the robot's joints are not where they should be: it is let go";
  return {};
}

void UnitreeOutput::wait(bool held) noexcept {
  if (!held && impl_->arming->armed()) return;
  const std::lock_guard lock(impl_->mutex);
  impl_->motion.stop();
}

void UnitreeOutput::close() noexcept {
  if (impl_ == nullptr) return;
  {
    const std::lock_guard lock(impl_->mutex);
    impl_->motion.end();
  }
  const auto begin = std::chrono::steady_clock::now();
  while (!impl_->done && std::chrono::steady_clock::now() - begin < kLongestEnd)
    std::this_thread::sleep_for(impl_->period);
}

#else

struct UnitreeOutput::Impl {};

UnitreeOutput::UnitreeOutput(const live::UdpAddress&, stream::UnitreePart, const Model&,
                             const live::Arming&) {
  throw ConfigError("this Panto was built without Cyclone DDS: it cannot send to a Unitree robot");
}
void UnitreeOutput::write(const LiveFrame&) noexcept {}
std::string UnitreeOutput::refusal() { return {}; }
void UnitreeOutput::wait(bool) noexcept {}
void UnitreeOutput::close() noexcept {}

#endif

UnitreeOutput::~UnitreeOutput() { close(); }

}  // namespace panto::bridge
