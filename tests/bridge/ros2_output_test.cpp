#include "panto/bridge/ros2_output.hpp"

#include <gtest/gtest.h>

#ifdef PANTO_DDS
#include <dds/dds.h>
#include <ros2_messages.h>
#endif

#include <chrono>
#include <cstdlib>
#include <random>
#include <thread>

#include "panto/base/error.hpp"
#include "panto/io/shown_urdf.hpp"
#include "panto/live/pacer.hpp"
#include "tests/support/link_model.hpp"

namespace panto::bridge {
namespace {

// An environment variable for as long as this lives; null: unset.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) {
    if (value != nullptr)
      setenv(name, value, 1);
    else
      unsetenv(name);
  }
  ~Variable() { unsetenv(name_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
};

std::string refusal(const live::UdpAddress& at) {
  try {
    (void)ros2_domain(at);
    (void)ros2_configuration(at);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

TEST(Ros2Domain, IsThatOfTheAddressThenOfRosDomainIdThenZero) {
  const Variable none("ROS_DOMAIN_ID", nullptr);
  EXPECT_EQ(ros2_domain({"127.0.0.1", 0}), 0u);
  const Variable seven("ROS_DOMAIN_ID", "7");
  EXPECT_EQ(ros2_domain({"127.0.0.1", 0}), 7u);
  EXPECT_EQ(ros2_domain({"127.0.0.1", 42}), 42u);
  EXPECT_EQ(ros2_domain({"127.0.0.1", 232}), 232u);
}

TEST(Ros2Domain, AboveTheLastPortOrNoNumberIsRefused) {
  EXPECT_NE(refusal({"127.0.0.1", 233}).find("'233' is not a number from 0 to 232"), std::string::npos);
  for (const char* bad : {"233", "-1", "1.5", "one", "1 ", " 1", "99999999999"}) {
    const Variable variable("ROS_DOMAIN_ID", bad);
    EXPECT_NE(refusal({"127.0.0.1", 0}).find("ROS_DOMAIN_ID"), std::string::npos) << bad;
  }
}

TEST(Ros2Configuration, KeepsToThisComputerUnlessTheAddressSaysOtherwise) {
  const Variable none("CYCLONEDDS_URI", nullptr);
  for (const char* here : {"127.0.0.1", "localhost"}) {
    const std::string text = ros2_configuration({here, 0});
    EXPECT_NE(text.find("<AllowMulticast>false</AllowMulticast>"), std::string::npos) << text;
    EXPECT_NE(text.find("<Peer address=\"127.0.0.1\"/>"), std::string::npos) << text;
  }
  EXPECT_EQ(ros2_configuration({"0.0.0.0", 0}).find("General"), std::string::npos) << "Cyclone chooses";
  EXPECT_NE(ros2_configuration({"192.168.1.20", 0}).find("address=\"192.168.1.20\""), std::string::npos);
}

TEST(Ros2Configuration, EndsWithWhatTheUserSaysToCyclone) {
  const Variable own("CYCLONEDDS_URI", "file:///home/me/cyclone.xml");
  const std::string text = ros2_configuration({"127.0.0.1", 0});
  EXPECT_EQ(text.substr(text.find(',')), ",file:///home/me/cyclone.xml");
}

TEST(Ros2Configuration, RefusesHostsThatAreNoAddressOfThisComputer) {
  for (const char* bad : {"robot", "::1", "1.2.3", "1.2.3.4.5", "0x7f.1"})
    EXPECT_NE(refusal({bad, 0}).find(std::string("ros2://") + bad), std::string::npos) << bad;
}

#ifdef PANTO_DDS

// Tests that run at the same time must not meet.
std::uint16_t any_domain() { return static_cast<std::uint16_t>(1 + std::random_device{}() % 100); }

// A subscriber in this process.
class Subscriber {
 public:
  Subscriber(std::uint16_t domain, const dds_topic_descriptor_t& type, const char* topic, bool kept,
             std::int32_t most = DDS_LENGTH_UNLIMITED) {
    participant_ = dds_create_participant(domain, nullptr, nullptr);
    dds_qos_t* const qos = dds_create_qos();
    dds_qset_reliability(qos, DDS_RELIABILITY_RELIABLE, 0);
    dds_qset_history(qos, DDS_HISTORY_KEEP_ALL, 0);
    dds_qset_resource_limits(qos, most, DDS_LENGTH_UNLIMITED, DDS_LENGTH_UNLIMITED);
    dds_qset_durability(qos, kept ? DDS_DURABILITY_TRANSIENT_LOCAL : DDS_DURABILITY_VOLATILE);
    const dds_entity_t about = dds_create_topic(participant_, &type, topic, nullptr, nullptr);
    reader_ = dds_create_reader(participant_, about, qos, nullptr);
    dds_delete_qos(qos);
    EXPECT_GT(reader_, 0) << dds_strretcode(reader_);
  }
  ~Subscriber() { dds_delete(participant_); }
  Subscriber(const Subscriber&) = delete;
  Subscriber& operator=(const Subscriber&) = delete;

  // Waits for the next message, at most 2 s; `look` gets it.
  template <typename Message, typename Look>
  bool next(const Look& look) {
    for (int k = 0; k < 200; ++k) {
      void* sample = nullptr;
      dds_sample_info_t info;
      if (dds_take(reader_, &sample, &info, 1, 1) == 1) {
        if (info.valid_data) look(*static_cast<const Message*>(sample));
        dds_return_loan(reader_, &sample, 1);
        return true;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return false;
  }

  // Returns "topic type" of its publisher.
  std::string publisher() {
    dds_instance_handle_t handle = 0;
    if (dds_get_matched_publications(reader_, &handle, 1) != 1) return "none";
    dds_builtintopic_endpoint_t* const data = dds_get_matched_publication_data(reader_, handle);
    std::string text = std::string(data->topic_name) + " " + data->type_name;
    dds_builtintopic_free_endpoint(data);
    return text;
  }

 private:
  dds_entity_t participant_ = 0, reader_ = 0;
};

using Joints = sensor_msgs_msg_dds__JointState_;
using Frames = tf2_msgs_msg_dds__TFMessage_;
using Text = std_msgs_msg_dds__String_;

struct Played {
  std::uint16_t domain = any_domain();
  Model model = test::chain_model(3);
  Ros2Output output{{"127.0.0.1", domain}, &model, {}};
  LiveFrame frame{rest_state(model), {}, true, live::monotonic_now()};
};

TEST(Ros2Output, SendsJointsByNameWithTheDateOfTheirSample) {
  Played run;
  Subscriber subscriber(run.domain, sensor_msgs_msg_dds__JointState__desc, "rt/joint_states", false);
  run.frame.state.s << 0.1, -0.2, 0.3;
  run.frame.state.sdot << 1.0, 2.0, -3.0;
  run.output.write(run.frame);
  const Time now = std::chrono::system_clock::now().time_since_epoch().count();
  ASSERT_TRUE(subscriber.next<Joints>([&](const Joints& message) {
    ASSERT_EQ(message.name._length, 3u);
    ASSERT_EQ(message.position._length, 3u);
    ASSERT_EQ(message.velocity._length, 3u);
    EXPECT_EQ(message.effort._length, 0u) << "unknown";
    for (int i = 0; i < 3; ++i) {
      EXPECT_EQ(message.name._buffer[i], "joint_" + std::to_string(i));
      EXPECT_EQ(message.position._buffer[i], run.frame.state.s[i]);
      EXPECT_EQ(message.velocity._buffer[i], run.frame.state.sdot[i]);
    }
    const Time date = Time{message.header.stamp.sec} * 1'000'000'000 + message.header.stamp.nanosec;
    EXPECT_NEAR(to_seconds(now - date), 0.5, 0.5) << "the frame is at most a second old";
  }));
  EXPECT_EQ(subscriber.publisher(), "rt/joint_states sensor_msgs::msg::dds_::JointState_")
      << "names that rmw_cyclonedds and rmw_fastrtps ask for";
  EXPECT_EQ(run.output.sent(), 1);
}

TEST(Ros2Output, SendsAllFramesOfAModelInOneMessage) {
  Played run;
  Subscriber subscriber(run.domain, tf2_msgs_msg_dds__TFMessage__desc, "rt/tf", false);
  run.frame.state.p_WB = {1.0, 2.0, 0.5};
  run.frame.state.s << 0.0, 0.6, 0.0;
  run.output.write(run.frame);
  ASSERT_TRUE(subscriber.next<Frames>([](const Frames& message) {
    ASSERT_EQ(message.transforms._length, 4u);
    const auto& base = message.transforms._buffer[0];
    EXPECT_STREQ(base.header.frame_id, "world");
    EXPECT_STREQ(base.child_frame_id, "base");
    EXPECT_EQ(base.transform.translation.y, 2.0);
    const auto& bent = message.transforms._buffer[2];
    EXPECT_STREQ(bent.header.frame_id, "link_0");
    EXPECT_STREQ(bent.child_frame_id, "link_1");
    EXPECT_EQ(bent.transform.translation.z, 0.1);
    EXPECT_NEAR(bent.transform.rotation.y, std::sin(0.3), 1e-15) << "half of 0.6 rad about y";
    EXPECT_NEAR(bent.transform.rotation.w, std::cos(0.3), 1e-15);
  }));
  EXPECT_EQ(subscriber.publisher(), "rt/tf tf2_msgs::msg::dds_::TFMessage_");
}

TEST(Ros2Output, GivesTheDescriptionToThoseWhoComeLater) {
  Played run;
  for (int k = 0; k < 2; ++k) {
    Subscriber late(run.domain, std_msgs_msg_dds__String__desc, "rt/robot_description", true);
    ASSERT_TRUE(late.next<Text>(
        [&](const Text& message) { EXPECT_EQ(std::string(message.data), io::shown_urdf(run.model)); }));
    EXPECT_EQ(late.publisher(), "rt/robot_description std_msgs::msg::dds_::String_");
  }
}

TEST(Ros2Output, SendsThePersonWhereNothingFollows) {
  const std::uint16_t domain = any_domain();
  Ros2Output output({"127.0.0.1", domain}, nullptr, {"Pelvis"});
  Subscriber subscriber(domain, tf2_msgs_msg_dds__TFMessage__desc, "rt/tf", false);
  LiveFrame frame;
  frame.arrival = live::monotonic_now();
  frame.person.segments.resize(1);
  frame.person.segments[0].has_position = true;
  output.write(frame);
  ASSERT_TRUE(subscriber.next<Frames>([](const Frames& message) {
    ASSERT_EQ(message.transforms._length, 1u);
    EXPECT_STREQ(message.transforms._buffer[0].child_frame_id, "person/Pelvis");
  }));
}

TEST(Ros2Output, SendsNothingOfAFrameThatIsInvalidOrWasFlushedAtTheEnd) {
  Played run;
  run.frame.valid = false;
  run.output.write(run.frame);
  run.frame.valid = true;
  run.frame.arrival = 0;
  run.output.write(run.frame);
  EXPECT_EQ(run.output.sent() + run.output.dropped(), 0);
}

TEST(Ros2Output, DatesARecordedRunFromNowOn) {
  Played run;
  Subscriber subscriber(run.domain, sensor_msgs_msg_dds__JointState__desc, "rt/joint_states", false);
  run.frame.arrival = 1000;  // of another computer's clock
  const Time begun = std::chrono::system_clock::now().time_since_epoch().count();
  for (int k = 0; k < 2; ++k, run.frame.arrival += 20'000'000) run.output.write(run.frame);
  Time before = 0;
  for (int k = 0; k < 2; ++k) {
    ASSERT_TRUE(subscriber.next<Joints>([&](const Joints& message) {
      const Time date = Time{message.header.stamp.sec} * 1'000'000'000 + message.header.stamp.nanosec;
      if (k == 0)
        EXPECT_NEAR(to_seconds(date - begun), 0.5, 0.5);
      else
        EXPECT_EQ(date - before, 20'000'000) << "as the recording has it";
      before = date;
    }));
  }
}

TEST(Ros2Output, IsHeldUpByASubscriberThatReadsNothingForAFewMillisecondsAndCountsWhatItDrops) {
  Played run;
  const Subscriber stalled(run.domain, sensor_msgs_msg_dds__JointState__desc, "rt/joint_states", false, 10);
  Time longest = 0;
  for (int k = 0; k < 60; ++k) {
    const Time begun = live::monotonic_now();
    run.output.write(run.frame);
    longest = std::max(longest, live::monotonic_now() - begun);
  }
  EXPECT_GE(run.output.dropped(), 40) << "ten fit";
  EXPECT_EQ(run.output.sent() + run.output.dropped(), 60);
  EXPECT_LT(to_seconds(longest), 0.1) << "5 ms, on a machine that does other things, too";
}

TEST(Ros2Output, SaysThatThisProcessHasTheDomainAlready) {
  const Played run;
  try {
    const Ros2Output second({"0.0.0.0", run.domain}, nullptr, {});
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("domain " + std::to_string(run.domain)), std::string::npos)
        << error.what();
  }
}

#else

TEST(Ros2Output, SaysThatCycloneIsMissingAndHowToGetIt) {
  EXPECT_THROW((void)check_ros2_address({"127.0.0.1", 0}), ConfigError);
}

#endif

}  // namespace
}  // namespace panto::bridge
