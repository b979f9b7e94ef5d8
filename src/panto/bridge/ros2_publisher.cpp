#include "panto/bridge/ros2_publisher.hpp"

#ifdef PANTO_DDS
#include <dds/dds.h>
#include <ros2_messages.h>
#endif

#include "panto/base/error.hpp"
#include "panto/bridge/dds_address.hpp"

namespace panto::bridge {
std::uint32_t ros2_domain(const live::UdpAddress& at) { return dds_domain(at, "ros2", "ROS_DOMAIN_ID"); }

std::string ros2_configuration(const live::UdpAddress& at) { return dds_configuration(at, "ros2"); }

#ifdef PANTO_DDS

namespace {

constexpr std::int32_t kBacklog = 100;  // messages, as rviz2 and tf2 ask for
constexpr dds_duration_t kPatience = DDS_MSECS(5);

// Returns the entity. @throws Error
dds_entity_t made(dds_entity_t entity, const std::string& what) { return dds_made(entity, what, "ROS 2"); }

dds_entity_t writer(dds_entity_t participant, const dds_topic_descriptor_t& type, const char* name,
                    bool kept) {
  dds_qos_t* const qos = dds_create_qos();
  const std::int32_t depth = kept ? 1 : kBacklog;
  dds_qset_writer_data_lifecycle(qos, false);
  dds_qset_reliability(qos, DDS_RELIABILITY_RELIABLE, kPatience);
  dds_qset_history(qos, DDS_HISTORY_KEEP_LAST, depth);
  dds_qset_durability(qos, kept ? DDS_DURABILITY_TRANSIENT_LOCAL : DDS_DURABILITY_VOLATILE);
  if (kept)
    dds_qset_durability_service(qos, 0, DDS_HISTORY_KEEP_LAST, depth, DDS_LENGTH_UNLIMITED,
                                DDS_LENGTH_UNLIMITED, DDS_LENGTH_UNLIMITED);
  const dds_entity_t topic = dds_create_topic(participant, &type, name, nullptr, nullptr);
  const dds_entity_t opened = topic < 0 ? topic : dds_create_writer(participant, topic, qos, nullptr);
  dds_delete_qos(qos);
  return made(opened, std::string("topic ") + name);
}

builtin_interfaces_msg_dds__Time_ stamp_of(Time date) {
  return {static_cast<std::int32_t>(date / 1'000'000'000), static_cast<std::uint32_t>(date % 1'000'000'000)};
}

// DDS takes pointers that are not const, and does not write through them.
char* text_of(const std::string& text) { return const_cast<char*>(text.c_str()); }

dds_sequence_double numbers_of(const Eigen::VectorXd& values) {
  const auto count = static_cast<std::uint32_t>(values.size());
  return {count, count, const_cast<double*>(values.data()), false};
}

}  // namespace

struct Ros2Publisher::Impl {
  explicit Impl(const live::UdpAddress& at)
      : domain(made(dds_create_domain(ros2_domain(at), ros2_configuration(at).c_str()),
                    "domain " + std::to_string(ros2_domain(at)))) {
    try {
      const dds_entity_t participant =
          made(dds_create_participant(ros2_domain(at), nullptr, nullptr), "a participant");
      joints = writer(participant, sensor_msgs_msg_dds__JointState__desc, "rt/joint_states", false);
      frames = writer(participant, tf2_msgs_msg_dds__TFMessage__desc, "rt/tf", false);
      description = writer(participant, std_msgs_msg_dds__String__desc, "rt/robot_description", true);
    } catch (...) {
      dds_delete(domain);
      throw;
    }
  }
  ~Impl() { dds_delete(domain); }  // and all in it
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  dds_entity_t domain, joints = 0, frames = 0, description = 0;
  std::string no_frame;
  std::vector<char*> names;
  std::vector<geometry_msgs_msg_dds__TransformStamped_> transforms;
};

std::uint32_t check_ros2_address(const live::UdpAddress& at) {
  (void)ros2_configuration(at);
  return ros2_domain(at);
}

Ros2Publisher::Ros2Publisher(const live::UdpAddress& at) : impl_(std::make_unique<Impl>(at)) {}

bool Ros2Publisher::joint_states(Time date, const std::vector<std::string>& names, const Eigen::VectorXd& s,
                                 const Eigen::VectorXd& sdot) noexcept {
  try {
    impl_->names.clear();
    for (const std::string& name : names) impl_->names.push_back(text_of(name));
    const auto count = static_cast<std::uint32_t>(names.size());
    const sensor_msgs_msg_dds__JointState_ message{{stamp_of(date), text_of(impl_->no_frame)},
                                                   {count, count, impl_->names.data(), false},
                                                   numbers_of(s),
                                                   numbers_of(sdot),
                                                   {0, 0, nullptr, false}};
    return dds_write(impl_->joints, &message) == DDS_RETCODE_OK;
  } catch (...) {
    return false;  // no memory
  }
}

bool Ros2Publisher::transforms(Time date, const std::vector<RosTransform>& frames) noexcept {
  try {
    impl_->transforms.clear();
    for (const RosTransform& frame : frames) {
      const Eigen::Vector3d& p = frame.p_PC;
      const Eigen::Vector4d& q = frame.wxyz;
      impl_->transforms.push_back({{stamp_of(date), text_of(frame.parent)},
                                   text_of(frame.child),
                                   {{p.x(), p.y(), p.z()}, {q[1], q[2], q[3], q[0]}}});
    }
    const auto count = static_cast<std::uint32_t>(frames.size());
    const tf2_msgs_msg_dds__TFMessage_ message{{count, count, impl_->transforms.data(), false}};
    return dds_write(impl_->frames, &message) == DDS_RETCODE_OK;
  } catch (...) {
    return false;  // no memory
  }
}

bool Ros2Publisher::description(const std::string& urdf) noexcept {
  const std_msgs_msg_dds__String_ message{text_of(urdf)};
  return dds_write(impl_->description, &message) == DDS_RETCODE_OK;
}

#else

struct Ros2Publisher::Impl {};

std::uint32_t check_ros2_address(const live::UdpAddress& at) {
  (void)ros2_domain(at);
  (void)ros2_configuration(at);
  throw ConfigError(
      "this Panto was built without Cyclone DDS. Install it (Debian, Ubuntu: apt-get install cyclonedds-dev "
      "cyclonedds-tools) and build again");
}

Ros2Publisher::Ros2Publisher(const live::UdpAddress& at) { (void)check_ros2_address(at); }

bool Ros2Publisher::joint_states(Time, const std::vector<std::string>&, const Eigen::VectorXd&,
                                 const Eigen::VectorXd&) noexcept {
  return false;
}
bool Ros2Publisher::transforms(Time, const std::vector<RosTransform>&) noexcept { return false; }
bool Ros2Publisher::description(const std::string&) noexcept { return false; }

#endif

Ros2Publisher::~Ros2Publisher() = default;

}  // namespace panto::bridge
