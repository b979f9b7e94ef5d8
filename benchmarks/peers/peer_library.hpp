#pragma once
// The peers of one shared library, and a scene in their terms.

#include <memory>
#include <string>
#include <vector>

#include "benchmarks/peers/peer.hpp"
#include "panto/model/model.hpp"
#include "panto/model/state.hpp"
#include "panto/targets/targets.hpp"

namespace panto {

/// A model whose joints turn about coordinate axes, as plain arrays; rows as Attachments made them.
class PlainModel {
 public:
  /// @throws ConfigError when the model has joints or frames that the peers' interface cannot say.
  PlainModel(const Model& model, const std::vector<Target>& rows);

  [[nodiscard]] const panto_peers::PeerModel& get() const noexcept { return plain_; }
  /// Position in State::s of the peer's joint i.
  [[nodiscard]] int dof(int joint) const { return dof_[static_cast<std::size_t>(joint)]; }
  /// A dense stacked Jacobian, rows of targets in order (orientation, then position), that is 1 where the
  /// peers' may differ from zero.
  [[nodiscard]] Eigen::MatrixXd pattern() const;

 private:
  panto_peers::PeerModel plain_;
  std::vector<int> parent_, axis_, body_, dof_;
  std::vector<double> placement_, orientation_weight_, position_weight_;
};

/// Targets of one instant as plain arrays.
struct PlainTargets {
  explicit PlainTargets(const Targets& targets);
  [[nodiscard]] panto_peers::PeerTargets get() const noexcept {
    return {R.data(), p.data(), w.data(), v.data()};
  }
  std::vector<double> R, p, w, v;
};

/// A shared library of peers.
class PeerLibrary {
 public:
  /// @throws Error when it cannot be loaded.
  explicit PeerLibrary(const std::string& path);

  decltype(&peer_make) make = nullptr;
  decltype(&peer_free) free = nullptr;
  decltype(&peer_set_state) set_state = nullptr;
  decltype(&peer_get_state) get_state = nullptr;
  decltype(&peer_step) step = nullptr;
  decltype(&peer_get_velocity) get_velocity = nullptr;
};

/// One peer on one model, its state in our terms.
class Peer {
 public:
  Peer(const PeerLibrary& library, int kind, const PlainModel& model);
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;
  ~Peer();

  /// False: the library has not got it.
  [[nodiscard]] bool exists() const noexcept { return peer_ != nullptr; }
  void set_state(const State& state);
  void get_state(State& state);
  [[nodiscard]] bool step(const panto_peers::PeerStep& step) const { return library_->step(peer_, &step); }
  void get_velocity(Eigen::Vector3d& v, Eigen::Vector3d& w, Eigen::VectorXd& sdot);
  /// Values by State::s into the peer's order.
  void reorder(const Eigen::VectorXd& by_dof, std::vector<double>& by_joint) const;

 private:
  const PeerLibrary* library_;
  const PlainModel* model_;
  void* peer_;
  std::vector<double> joints_;
};

}  // namespace panto
