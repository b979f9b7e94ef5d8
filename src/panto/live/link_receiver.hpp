#pragma once
// Turns the datagrams of a robot link into States of a model. Pure: bytes and local time are arguments.

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "panto/live/robot_link.hpp"
#include "panto/live/session_window.hpp"
#include "panto/model/model.hpp"

namespace panto::live {

/// What one datagram was.
enum class LinkEvent : std::uint8_t {
  Refused,
  Unproven,  ///< a hello that may begin a session, without the proof
  Hello,
  Motion,
  Bye,
  Welcome
};

/// Counts of datagrams by kind.
struct LinkCounts {
  std::array<std::int64_t, at(kPacketFaultCount)> faults{};    ///< by PacketFault; None: understood
  std::array<std::int64_t, at(kAdmissionCount)> admissions{};  ///< of those understood, by Admission
  std::int64_t unproven = 0;                                   ///< hellos of new sessions without the proof
  std::int64_t names_refused = 0;                              ///< hellos with joints that this model lacks
  std::int64_t no_names = 0;    ///< states received before all joints were named
  std::int64_t wrong_type = 0;  ///< packets of the other direction
  std::int64_t states = 0;      ///< states accepted
  std::int64_t lost = 0;        ///< missing sequence numbers between the first and last accepted packet

  [[nodiscard]] std::int64_t of(PacketFault fault) const noexcept {
    return faults[static_cast<std::size_t>(fault)];
  }
  [[nodiscard]] std::int64_t of(Admission admission) const noexcept {
    return admissions[static_cast<std::size_t>(admission)];
  }
};

/// Parses datagrams, accepts or refuses them, and orders joints as the model does. `take` does not allocate.
class LinkReceiver {
 public:
  /// `listens_to`: Reference on the robot's side, Measured on Panto's. The model must outlive this object.
  LinkReceiver(const Model& model, PacketType listens_to);

  /// On Panto's side: accepts the robot's answers in this session, with all joints in the model's order.
  void expect(std::uint64_t session, Time now) noexcept;

  /// `due`: the proof that the hello of a new session must carry; null: none.
  LinkEvent take(std::span<const std::byte> datagram, Time now, const LinkProof* due = nullptr) noexcept;

  /// Returns the newest accepted state. Joints that the session does not name have the model's rest position
  /// and speed 0.
  [[nodiscard]] const State& state() const noexcept { return state_; }
  /// Returns whether the sender marked that state as valid.
  [[nodiscard]] bool valid() const noexcept { return valid_; }
  /// Returns the header of the last accepted packet.
  [[nodiscard]] const PacketHeader& header() const noexcept { return header_; }
  [[nodiscard]] std::optional<std::uint64_t> session() const noexcept { return window_.session(); }
  /// Returns the header of the last Unproven hello.
  [[nodiscard]] const PacketHeader& unproven() const noexcept { return unproven_; }
  /// Returns the proof of the last Welcome.
  [[nodiscard]] const LinkProof& proof() const noexcept { return proof_; }
  [[nodiscard]] double rate_hz() const noexcept { return rate_hz_; }
  /// Returns whether all joints of the session have been named.
  [[nodiscard]] bool ready() const noexcept { return total_ > 0 && named_ == total_; }

  [[nodiscard]] const LinkCounts& counts() const noexcept { return counts_; }
  /// Returns why the last hello was refused: "no joint 'x' in model ..."; empty if none was refused.
  [[nodiscard]] std::string refusal() const;

 private:
  [[nodiscard]] bool names_fit(const HelloPart& part) noexcept;
  LinkEvent take_hello(std::span<const std::byte> datagram, const PacketHeader& header, Time now,
                       const LinkProof* due) noexcept;
  LinkEvent take_welcome(std::span<const std::byte> datagram, const PacketHeader& header) noexcept;
  LinkEvent take_motion(std::span<const std::byte> datagram, const PacketHeader& header, Time now) noexcept;
  [[nodiscard]] bool admit(const PacketHeader& header, Time now) noexcept;
  void begin_session(int total) noexcept;

  const Model* model_;
  PacketType listens_to_;
  SessionWindow window_;
  PacketHeader header_, unproven_;
  LinkProof proof_{};
  double rate_hz_ = 0.0;
  int total_ = 0, named_ = 0;
  std::array<int, at(kLinkMaxJoints)> dof_{};  // of the session's joint; -1: not named yet
  std::array<char, kLinkMaxName> unknown_{};   // unknown joint of the last refused hello
  std::size_t unknown_length_ = 0;
  LinkMotion motion_;  // the newest, in the session's order
  State state_;
  bool valid_ = false;
  LinkCounts counts_;
};

}  // namespace panto::live
