#include "benchmarks/peers/peer_library.hpp"

#include <dlfcn.h>

#include "panto/base/error.hpp"
#include "panto/base/index.hpp"

namespace panto {
namespace {

constexpr int kBase = 6;

template <typename Vector>
void append(std::vector<double>& to, const Vector& v) {
  to.insert(to.end(), v.data(), v.data() + v.size());
}

}  // namespace

PlainModel::PlainModel(const Model& model, const std::vector<Target>& rows) {
  const Tree& bodies = model.tree();
  for (int body = 1; body < bodies.size(); ++body) {
    const int code = bodies.axis_code[at(body)];
    if (code < 1 || bodies.type[at(body)] != JointType::Revolute)
      throw ConfigError("joint '" + model.joint(bodies.dof[at(body)]).name +
                        "' does not turn about x, y or z");
    parent_.push_back(bodies.parent[at(body)] - 1);
    axis_.push_back(code - 1);
    dof_.push_back(bodies.dof[at(body)]);
    append(placement_, bodies.R_PJ[at(body)]);
    append(placement_, bodies.p_PJ[at(body)]);
  }
  for (const Target& row : rows) {
    const LinkFrame& frame = model.frame(row.link);
    if (!frame.at_body)
      throw ConfigError("link '" + model.links()[at(row.link)].name + "' is not at its joint");
    body_.push_back(frame.body - 1);
    orientation_weight_.push_back(row.orientation_weight);
    position_weight_.push_back(row.position_weight);
  }
  plain_ = {static_cast<int>(parent_.size()),
            parent_.data(),
            axis_.data(),
            placement_.data(),
            static_cast<int>(body_.size()),
            body_.data(),
            orientation_weight_.data(),
            position_weight_.data()};
}

Eigen::MatrixXd PlainModel::pattern() const {
  int height = 0;
  for (std::size_t j = 0; j < body_.size(); ++j)
    height += (orientation_weight_[j] > 0.0 ? 3 : 0) + (position_weight_[j] > 0.0 ? 3 : 0);
  Eigen::MatrixXd J = Eigen::MatrixXd::Zero(height, kBase + plain_.joints);
  int row = 0;
  for (std::size_t j = 0; j < body_.size(); ++j) {
    const int turning = row;
    if (orientation_weight_[j] > 0.0) {
      J.block(row, 3, 3, 3).setOnes();
      row += 3;
    }
    if (position_weight_[j] > 0.0) {
      J.block(row, 0, 3, kBase).setOnes();
      row += 3;
    }
    for (int joint = body_[j]; joint >= 0; joint = parent_[at(joint)])
      J.block(turning, kBase + joint, row - turning, 1).setOnes();
  }
  return J;
}

PlainTargets::PlainTargets(const Targets& targets) {
  for (const Target& row : targets.rows) {
    append(R, row.R_WF);
    append(p, row.p_WF);
    append(w, row.w_WF);
    append(v, row.v_WF);
  }
}

PeerLibrary::PeerLibrary(const std::string& path) {
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw Error(std::string("the peers cannot be loaded: ") + dlerror());
  const auto find = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
    if (function == nullptr) throw Error(path + " has no '" + name + "'");
  };
  find(make, "peer_make");
  find(free, "peer_free");
  find(set_state, "peer_set_state");
  find(get_state, "peer_get_state");
  find(step, "peer_step");
  find(get_velocity, "peer_get_velocity");
}

Peer::Peer(const PeerLibrary& library, int kind, const PlainModel& model)
    : library_(&library),
      model_(&model),
      peer_(library.make(kind, &model.get())),
      joints_(at(model.get().joints)) {}

Peer::~Peer() {
  if (peer_ != nullptr) library_->free(peer_);
}

void Peer::reorder(const Eigen::VectorXd& by_dof, std::vector<double>& by_joint) const {
  by_joint.resize(joints_.size());
  for (int i = 0; i < model_->get().joints; ++i) by_joint[at(i)] = by_dof[model_->dof(i)];
}

void Peer::set_state(const State& state) {
  reorder(state.s, joints_);
  library_->set_state(peer_, state.p_WB.data(), state.R_WB.data(), joints_.data());
}

void Peer::get_state(State& state) {
  library_->get_state(peer_, state.p_WB.data(), state.R_WB.data(), joints_.data());
  for (int i = 0; i < model_->get().joints; ++i) state.s[model_->dof(i)] = joints_[at(i)];
}

void Peer::get_velocity(Eigen::Vector3d& v, Eigen::Vector3d& w, Eigen::VectorXd& sdot) {
  library_->get_velocity(peer_, v.data(), w.data(), joints_.data());
  for (int i = 0; i < model_->get().joints; ++i) sdot[model_->dof(i)] = joints_[at(i)];
}

}  // namespace panto
